import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { must } from '../support/answers.ts'
import { build } from '../support/app.ts'
import { killAfter, openClock, serveFile } from '../support/process.ts'
import { WEEKLY } from '../support/series.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const SERIES_DAYS = '30'
/** So many that it goes on for a while. */
const SERIES = 12

t.test('several processes give series what time brings near, each date once', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'a.db')
  const env = { DATABASE: file, SERIES_DAYS }
  const { app, editor, clock } = await build(t, { env })
  const ids: number[] = []
  for (let at = 0; at < SERIES; at++) {
    const body = { ...WEEKLY, title: `Choir ${at}`, recurrence: { rrule: 'FREQ=WEEKLY' } }
    ids.push((await must(editor.post('/series', body))).id)
  }
  await app.close()
  const rows = (query: string): unknown[][] => {
    const db = new Database(file, { readonly: true })
    const found = db.prepare(query).raw().all() as unknown[][]
    db.close()
    return found
  }
  const dates = () =>
    rows('select series_id, recurrence_id from occurrences order by 1, 2') as [number, string][]
  t.equal(dates().length, 3 * SERIES, 'up to 15 December')

  const CLOCK = join(folder, 'clock')
  openClock(CLOCK).now = clock.now + 100 * DAY
  const NODE_OPTIONS = `--import ${new URL('../support/clock-preload.js', import.meta.url)}`
  const { root, child, ended } = await serveFile(file, { ...env, CLOCK, NODE_OPTIONS, WORKERS: '2' })
  killAfter(t, { child, ended })
  const isDone = () => rows("select 1 from series where until < '2027-03-30'").length === 0
  await until(isDone)

  const last = Date.parse('2027-03-30')
  const expected = ids.flatMap((id) =>
    Array.from({ length: 18 }, (_, week) => [
      id,
      `${new Date(last - (17 - week) * 7 * DAY).toISOString().slice(0, 10)} 20:00:00`,
    ]),
  )
  t.same(dates(), expected)
  // each connection may be that of another process
  for (const id of [...ids, ...ids]) {
    const response = await fetch(`${root}/events?series=${id}&when=all&per_page=50`, {
      headers: { connection: 'close' },
    })
    const { total, events } = (await response.json()) as {
      total: number
      events: { recurrence_id: string }[]
    }
    t.equal(total, 18)
    t.equal(new Set(events.map(({ recurrence_id }) => recurrence_id)).size, 18)
  }
  child.kill('SIGTERM')
  t.equal(await ended, 0)
  t.equal(dates().length, expected.length)
})
