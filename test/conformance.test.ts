import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Role } from '../src/kernel/access/rights.ts'
import { settingsFor } from './support/database.ts'
import { basicAuth } from './support/given.ts'
import { freePort } from './support/ports.ts'

// Recorded exchanges of the API that clients know, replayed against this service. They lie beside the checkout.
const RUNNER = fileURLToPath(new URL('../../shared/conformance/run.mjs', import.meta.url))
/** The moment of the recording; the clock runs on from there. */
const RECORDED = 1795251575_000
/** Exchanges that differ since a later rule stands over the record (docs/decisions/recorded-exchanges.md), by their number. */
const DIFFERENT: Record<string, number[]> = {
  'logins are not told apart': [973, 974],
  'protected events match no filter on what is hidden': [
    ...[215, 217, 223, 228, 229, 239, 243, 251, 258, 260, 266, 268],
  ],
  'series have addresses': [42],
  'a date with one meaning is read': [151],
  'lists of events have an order': [353, 354],
  'the currency of an offer is that of the cost': [399],
  'a slug is found in every writing': [525],
  'the method of a POST may be overridden': [1410, 1412, 1658],
  'an image is a number, or a term an object': [1191, 1311, 1691, 1782, 1941],
  'the flag of a venue is a boolean': [1728],
  'lists with the records that these made': [2193, 2195],
}

const USERS: Record<string, Role> = {
  admin: 'administrator',
  editor: 'editor',
  author: 'author',
  author2: 'author',
  contributor: 'contributor',
  subscriber: 'subscriber',
}

const missing =
  existsSync(RUNNER) || process.env.CONFORMANCE === 'required'
    ? false
    : 'the recorded exchanges are not beside this checkout'

t.test(
  'recorded exchanges of clients get the answers that they expect',
  { skip: missing, timeout: 300_000 },
  async (t) => {
    const dir = t.testdir()
    const port = await freePort()
    const started = Date.now()
    const database = await settingsFor(join(dir, 'a.db'))
    const config = readConfig({
      ...database.env,
      PORT: String(port),
      TIMEZONE: 'America/New_York',
      DOWNLOAD_ALLOW: '127.0.0.1',
      MAX_DELAY: '0', // tests share a machine
    })
    const app = await buildApp({ config, clock: () => RECORDED + Date.now() - started })
    t.teardown(async () => {
      await app.close()
      await database.end()
    })
    const auth: Record<string, { id: number; authorization: string }> = {}
    for (const [login, role] of Object.entries(USERS)) {
      const user = (await app.store.users.add(login, role))!
      auth[login] = {
        id: user.id,
        authorization: basicAuth(login, user.password),
      }
    }
    writeFileSync(join(dir, 'auth.json'), JSON.stringify(auth))
    await app.listen({ port })

    const { NODE_OPTIONS: _, ...env } = process.env
    const base = `${config.baseUrl}/${config.namespace}`
    const args = [RUNNER, '--base', base, '--auth', join(dir, 'auth.json'), '--min', '0', '--verbose', '1000']
    const runner = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const chunk of runner.stdout) output += chunk
    const code = await new Promise((resolve) =>
      runner.exitCode === null ? runner.on('exit', resolve) : resolve(runner.exitCode),
    )
    for (const line of output.split('\n').filter((line) => /^(seed|TOTAL) |^- n=/.test(line))) t.comment(line)
    t.equal(code, 0, output.slice(-4000))
    const different = output.split('\n').flatMap((line) => /^- n=(\d+)/.exec(line)?.[1] ?? [])
    t.same(new Set(different.map(Number)), new Set(Object.values(DIFFERENT).flat()), output.slice(-4000))
  },
)
