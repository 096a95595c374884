import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { loadDemo } from './load.ts'

const { HOST, PORT, BASE_URL } = process.env
const terminal = process.stdout.isTTY === true
const folder = mkdtempSync(join(tmpdir(), 'almanac-demo-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
// a terminal that is closed sends SIGHUP
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(0))

try {
  const config = readConfig({
    HOST,
    PORT,
    BASE_URL,
    DATABASE: join(folder, 'almanac.db'),
    TIMEZONE: 'Europe/Madrid',
    CURRENCY: 'EUR',
    SITE_NAME: 'Terra i Mar',
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('SITE_'))),
  })
  const app = await buildApp({ config, logger: { level: 'warn' } })
  const { login, password } = (await app.store.users.add('demo', 'administrator'))!
  const root = `/${config.namespace}`
  const counts = await loadDemo(app, {
    root,
    authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
    now: Date.now(),
    zone: config.timezone,
    progress(done, total) {
      if (terminal) process.stdout.write(`\rLoading ${done} of ${total} ...`)
    },
  })
  await app.listen({ host: config.host, port: config.port })

  const api = config.baseUrl + root
  const loaded = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  process.stdout.write(`${terminal ? '\r\x1b[K' : ''}
Almanac with a made-up programme: ${loaded.join(', ')}.
It lives in a temporary folder, which goes when you stop it with Ctrl+C.

Open in a browser:
  ${config.baseUrl}/      the calendar
  ${config.baseUrl}/ca/   in Catalan
  ${api}/doc   the API
  ${api}/events

Sign in with:  ${login}
Password:      ${password}

Try:
  curl '${api}/events?search=night&_fields=events.title,events.start_date'
  curl -u '${login}:${password}' '${api}/events?status=draft,private&_fields=events.title,events.status'

`)
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException
  process.stderr.write(`\nThe demo could not start: ${message}\n`)
  if (code === 'EADDRINUSE') process.stderr.write('Choose another port: PORT=3001 npm run demo\n')
  process.exit(1)
}
