import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { keepServing } from '../../src/run/serve.ts'
import { ROOT } from '../support/given.ts'
import { freePort } from '../support/ports.ts'
import { addToken, serveMeasured } from '../support/process.ts'
import { until } from '../support/until.ts'

/** Sets the time zone of a site without records. */
async function setZone(origin: string, authorization: string, timezone: string) {
  const headers = { authorization, 'content-type': 'application/json' }
  const body = JSON.stringify({ timezone })
  const { status } = await fetch(`${origin}${ROOT}/settings`, { method: 'PATCH', headers, body })
  return status
}
/** Waits until the service answers with this time zone. */
const isIn = (origin: string, zone: string) =>
  until(async () => {
    const site = await fetch(`${origin}/wp-json/`)
      .then((answer) => answer.json())
      .catch(() => ({}))
    return (site as { timezone_string?: string }).timezone_string === zone
  })

async function serving(t: Test) {
  const port = await freePort()
  const file = join(t.testdir(), 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const config = readConfig({ DATABASE: file, PORT: String(port), LOG_LEVEL: 'silent', MAX_DELAY: '0' })
  const { stop } = await keepServing(config, { print() {}, terminal: false }, () => {}, 20)
  t.teardown(stop)
  const origin = `http://127.0.0.1:${port}`
  await isIn(origin, 'UTC')
  return { config, origin, authorization, stop }
}

t.test('the service starts anew with the time zone that an administrator sets', async (t) => {
  const { config, origin, authorization } = await serving(t)
  t.equal(await setZone(origin, authorization, 'Europe/Madrid'), 200)
  await isIn(origin, 'Europe/Madrid')
  // a start that fails is tried again
  config.siteStylesheet = join(t.testdirName, 'missing.css')
  t.equal(await setZone(origin, authorization, 'Europe/Lisbon'), 200)
  await until(() =>
    fetch(origin).then(
      () => false,
      () => true,
    ),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  config.siteStylesheet = ''
  await isIn(origin, 'Europe/Lisbon')
})

t.test('a service that is stopped meanwhile does not start anew', async (t) => {
  const { origin, authorization, stop } = await serving(t)
  t.equal(await setZone(origin, authorization, 'Europe/Madrid'), 200)
  await stop()
  await t.rejects(fetch(origin))
})

t.test('all workers start anew', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const { port, child, ended } = await serveMeasured(t, file, { WORKERS: '2' })
  const origin = `http://127.0.0.1:${port}`
  await isIn(origin, 'UTC')
  t.equal(await setZone(origin, authorization, 'Europe/Madrid'), 200)
  await isIn(origin, 'Europe/Madrid')
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})
