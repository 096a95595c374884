import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildApp } from '../src/app.ts'
import { openMediaFolder } from '../src/calendar/media/folder.ts'
import { openPictures } from '../src/calendar/media/pictures.ts'
import { readConfig } from '../src/config.ts'
import { openMirror } from '../src/features/imports/mirror/mirror.ts'
import { later, repeat } from '../src/kernel/tasks/jobs.ts'
import { addToken } from '../test/support/process.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { percentile } from './figures.ts'
import { startProgram } from './process.ts'
import { ROOT } from './scenarios/world.ts'

// What it costs to be a mirror, and how late it is: npm run bench:mirror -- [--events 5000] [--writes 200] [--every 100]
const { values } = parseArgs({
  options: { events: { type: 'string' }, writes: { type: 'string' }, every: { type: 'string' } },
})
const { events = '5000', writes = '200' } = values
/** Milliseconds between two looks, instead of a minute. */
const every = Number(values.every ?? 100)
const MINUTE = 60_000
const say = (text: string) => void process.stdout.write(`${text}\n`)

const copy = copyData(await openData(Number(events)))
const token = await addToken(copy.file)
const authorization = `Bearer ${token}`
const source = await startProgram({ DATABASE: copy.file, STOP_TIMEOUT: '1' })

const folder = temporaryFolder()
const MEDIA_DIR = join(folder, 'media')
const config = readConfig({ DATABASE: join(folder, 'mirror.db'), MEDIA_DIR, MAX_DELAY: '0' })
const app = await buildApp({ config })
const { store } = app
await store.users.add('owner', 'administrator')

let requests = 0
const mirror = openMirror({
  ...{ store, address: source.url + ROOT, every },
  pictures: openPictures(store.media, {
    ...{ folder: openMediaFolder(MEDIA_DIR), base: config.baseUrl, clock: Date.now },
    download: { allow: ['127.0.0.1'], userAgent: 'almanac-bench' },
  }),
  web: {
    fetch: (url, init) => {
      requests++
      return fetch(url, init)
    },
    ...{ clock: Date.now, userAgent: 'almanac-bench', authorization },
    pause: (milliseconds) => wait(milliseconds),
  },
})

/** The rows of the log of changes, as they are after all that was written. */
async function written(): Promise<number> {
  await store.db.write(async () => {})
  return store.db.rows<[number]>('select coalesce(max(seq), 0) from changes')[0]![0]
}

/** One look: its milliseconds, its requests, and the records that it wrote. */
async function look() {
  const [asked, before, from] = [requests, await written(), performance.now()]
  await mirror.poll(new AbortController().signal)
  const ms = performance.now() - from
  return { ms, asked: requests - asked, written: (await written()) - before }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`

try {
  say(
    `${cpus()[0]!.model}, Node.js ${process.version}: a source of ${events} events on one core, its mirror on the other`,
  )
  const first = await look()
  const rows = store.db.rows<[number]>('select count(*) from imports')[0]![0]
  say(
    `first look: ${rows} records in ${seconds(first.ms)}, ${Math.round((rows / first.ms) * 1_000)} records/s, ${first.asked} requests`,
  )
  const idle = await look()
  say(`a look where nothing changed: ${idle.asked} request, ${idle.written} writes, ${idle.ms.toFixed(1)} ms`)

  const stop = repeat(mirror.poll, {
    ...{ first: 0, wait: later },
    fail: (error) => {
      throw error
    },
  })
  const ids = store.db
    .rows<[number, number]>(
      "select remote_id, record_id from imports where kind = 'event' order by remote_id",
    )
    .slice(0, Number(writes))
  const lags: number[] = []
  for (const [at, [remote, id]] of ids.entries()) {
    const title = `Changed ${at}`
    const answer = await fetch(`${source.url}${ROOT}/events/${remote}`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    const from = performance.now()
    while ((await app.inject(`${ROOT}/events/${id}`)).json().title !== title) await wait(2)
    lags.push(performance.now() - from)
    await wait(Math.random() * every)
  }
  await stop()
  // writes come at any time of a pause, so the part of a longer one that is waited for is known
  const own = (part: number) => percentile(lags, part) - every * part
  const told = (part: number) => `${seconds(percentile(lags, part))} (${seconds(own(part) + MINUTE * part)})`
  say(
    `from a write at the source to the answer here, with ${every} ms between looks (with the minute of a service, computed): p50 ${told(0.5)}, p99 ${told(0.99)}`,
  )
} finally {
  await app.close()
  await source.stop()
  copy.remove()
}
