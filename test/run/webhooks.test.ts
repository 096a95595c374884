import { join } from 'node:path'
import t from 'tap'
import { connectAll } from '../support/connection.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { addToken, killAfter, serveFile } from '../support/process.ts'
import { openReceiver } from '../support/receiver.ts'

t.test('of several processes only the one that writes tells webhooks, each change once', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const authorization = `Bearer ${await addToken(file)}`
  const headers = { authorization, 'content-type': 'application/json' }
  let heard = () => {}
  const receiver = await openReceiver(t, (_got, response) => {
    response.writeHead(204).end()
    heard()
  })
  const gone = await openReceiver(t, (_got, response) => response.writeHead(410).end())
  const served = await serveFile(file, { WORKERS: '2', DOWNLOAD_ALLOW: '127.0.0.1', LOG_LEVEL: 'info' })
  killAfter(t, served)
  const { readers, all } = await connectAll(served.port, 2)
  t.teardown(() => all.forEach((connection) => void connection.close()))
  const [reader] = readers as [(typeof all)[number]]
  for (const { url } of [receiver, gone]) {
    const body = JSON.stringify({ url, kinds: ['event'] })
    t.equal((await reader.send('POST', `${ROOT}/webhooks`, { headers, body })).status, 201)
  }
  const ids: number[] = []
  for (const by of [...all, ...all]) {
    const told = new Promise<void>((resolve) => {
      heard = resolve
    })
    const body = JSON.stringify(EVENT)
    ids.push((await by.send('POST', `${ROOT}/events`, { headers, body })).body.id)
    await told
    for (const one of all)
      t.match(await one.send('GET', `${ROOT}/webhooks/1`, { headers }), { status: 200, body: { id: 1 } })
  }
  await served.said(/a webhook was disabled/)
  for (const one of all)
    t.equal((await one.send('GET', `${ROOT}/webhooks/2`, { headers })).body.enabled, false)
  served.child.kill('SIGTERM')
  t.equal(await served.ended, 0)
  t.same(
    receiver.got.map(({ type, data }) => `${type} ${data.id}`),
    ids.map((id) => `event.created ${id}`),
  )
  t.equal(gone.got.length, 1)
  const lines = served
    .output()
    .match(/^\{.*\}$/gm)!
    .map((line) => JSON.parse(line))
  const pidsOf = (is: (line: { msg: string; method?: string; req?: { method: string } }) => boolean) => [
    ...new Set(lines.filter(is).map(({ pid }) => pid)),
  ]
  const told = pidsOf(({ msg }) => msg === 'a webhook was disabled')
  t.equal(told.length, 1)
  t.same(
    told,
    pidsOf(({ method, req }) => (method ?? req?.method) === 'POST'),
    'the one that serves writes',
  )
  t.same(
    lines.filter(({ level }) => level >= 50),
    [],
  )
})
