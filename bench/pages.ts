import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openData } from './data.ts'
import { NOW } from './seed/records.ts'

/** What the pages cost beside the same lists as JSON, and the site map: `npm run bench:pages [events ...]`. */
const sizes = process.argv.slice(2).map(Number)
const API = '/calendar/events/v1'
const BROWSER = 'text/html,*/*;q=0.8'
const TIMES = 200

type Sent = { path: string; headers?: Record<string, string> }

/** CPU of the whole process for one request of many, in milliseconds, and what was sent at last. */
async function measure(app: App, times: number, requestOf: (time: number) => Sent) {
  const send = (time: number) => {
    const { path, headers = {} } = requestOf(time)
    return app.inject({ url: path, headers: { accept: BROWSER, ...headers } })
  }
  for (let time = 0; time < times; time++) await send(time)
  const before = process.cpuUsage()
  let last = await send(times)
  for (let time = times + 1; time < 2 * times; time++) last = await send(time)
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000 / times, bytes: last.rawPayload.length, status: last.statusCode }
}

async function report(app: App, name: string, path: string, times = TIMES) {
  const own = (time: number) => `${path}${path.includes('?') ? '&' : '?'}utm=${time}`
  const { headers } = await app.inject({ url: path })
  const rows = {
    new: await measure(app, times, (time) => ({ path: own(time) })),
    kept: await measure(app, times, () => ({ path })),
    known: await measure(app, times, () => ({ path, headers: { 'if-none-match': String(headers.etag) } })),
  }
  const told = Object.entries(rows).map(
    ([kind, { ms, bytes, status }]) => `${kind} ${ms.toFixed(2)} ms, ${bytes} bytes, ${status}`,
  )
  process.stdout.write(`${name.padEnd(24)} ${told.join(' | ')}\n`)
}

for (const events of sizes.length > 0 ? sizes : [1_000, 100_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
  try {
    const { file } = await openData(events)
    cpSync(file, join(folder, 'almanac.db'))
    const config = readConfig({
      DATABASE: join(folder, 'almanac.db'),
      MEDIA_DIR: join(folder, 'media'),
      MAX_DELAY: '0',
    })
    const app = await buildApp({ config, clock: () => NOW })
    process.stdout.write(`${events} events\n`)
    const { events: found } = JSON.parse((await app.inject({ url: `${API}/events?per_page=1` })).payload)
    const { id, slug } = found[0]
    const list = `${API}/events?per_page=30&i18n_language=en`
    await report(app, 'list of 30 as JSON', list)
    await report(app, 'list of 30 as page', '/events/')
    await report(app, 'its second page', '/events/?page=2')
    await report(app, 'event as JSON', `${API}/events/${id}`)
    await report(app, 'event as page', `/event/${slug}/`)
    await report(app, 'site map', '/sitemap.xml', 10)
    await report(app, 'part of the site map', '/sitemap-event-1.xml', 10)
    await app.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
