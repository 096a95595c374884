import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { openDb } from '../../../src/kernel/database/db.ts'
import { toUtc } from '../../../src/kernel/time/dates.ts'
import { must } from '../../support/answers.ts'
import { load } from '../../support/earlier.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const NAMES = { event: 'title', venue: 'venue', organizer: 'organizer', category: 'name', tag: 'name' }
type Named = keyof typeof NAMES
const KINDS = Object.keys(NAMES) as Named[]
const T0 = Date.parse('2026-11-21T09:00:00Z')

/** A calendar at a moment, in the zone of New York, where it is four in the morning. */
async function open(t: Test) {
  const calendar = await openRecords(t, { now: T0, env: { TIMEZONE: 'America/New_York' } })
  const make = async (kind: Named, name: string, more = {}): Promise<number> =>
    (
      await must(
        calendar.editor.create(kind, { ...(kind === 'event' && EVENT), [NAMES[kind]]: name, ...more }),
      )
    ).id
  const names = async (kind: Named, query: string): Promise<string> => {
    const all = kind === 'category' || kind === 'tag' ? '&hide_empty=false&orderby=id' : ''
    const { status, body } = await calendar.anonymous.list(kind, query + all)
    if (status !== 200) return [status, body.code, ...Object.keys(body.data.params)].join(' ')
    const [records] = Object.values(body) as Record<string, string>[][]
    return records!
      .map((record) => record[NAMES[kind]])
      .sort()
      .join(' ')
  }
  return { ...calendar, make, names }
}

t.test(
  'each list is filtered by the last change of its records, without the second that is named',
  async (t) => {
    const { clock, make, names, editor } = await open(t)
    for (const kind of KINDS) {
      clock.now = T0
      const first = await make(kind, 'first')
      clock.now = T0 + 60_000
      await make(kind, 'second')
      clock.now = T0 + 3_600_000
      const cases: [query: string, found: string][] = [
        ['modified_after=2026-11-21T08:59:59Z', 'first second'],
        ['modified_after=2026-11-21T09:00:00Z', 'second'],
        ['modified_after=2026-11-21T09:00:59Z', 'second'],
        ['modified_after=2026-11-21T09:01:00Z', ''],
        ['modified_after=2026-11-21T10:00:30%2B01:00', 'second'],
        ['modified_after=2026-11-21T04:00:30-05:00', 'second'],
        ['modified_after=2026-11-21T04:00:30', 'second'],
        ['modified_after=2026-11-21%2003:59:59', 'first second'],
        ['modified_after=2026-11-21', 'first second'],
        ['modified_after=2026-11-22', ''],
        [`modified_after=${T0 / 1000}`, 'second'],
        ['modified_after=today', 'first second'],
        ['modified_after=now', ''],
        ['modified_after=-1%20hour', 'second'],
        ['modified_after=-61%20minutes', 'first second'],
        ['modified_before=2026-11-21T09:00:00Z', ''],
        ['modified_before=2026-11-21T09:01:00Z', 'first'],
        ['modified_before=2026-11-21T09:01:01Z', 'first second'],
        ['modified_before=2026-11-21', ''],
        ['modified_after=2026-11-21T08:00:00Z&modified_before=2026-11-21T09:00:01Z', 'first'],
        ['modified_after=2026-11-21T09:00:00Z&modified_before=2026-11-21T09:01:00Z', ''],
        ['modified_after=soon', '400 rest_invalid_param modified_after'],
        ['modified_before=', '400 rest_invalid_param modified_before'],
        [
          'modified_after=2026-02-30&modified_before=12/05/2026',
          '400 rest_invalid_param modified_after modified_before',
        ],
      ]
      for (const [query, found] of cases) t.equal(await names(kind, query), found, `${kind} ${query}`)
      await must(editor.change(kind, first, { description: 'Changed' }))
      t.equal(await names(kind, 'modified_after=2026-11-21T09:01:00Z'), 'first')
      t.equal(await names(kind, 'modified_before=2026-11-21T09:30:00Z'), 'second')
      await must(editor.remove(kind, first))
      t.equal(await names(kind, 'modified_after=2026-11-21T09:00:00Z'), 'second', 'what is gone is not told')
    }
  },
)

t.test('among events it goes with every other filter and order, and with IDs', async (t) => {
  const { clock, make, anonymous, editor } = await open(t)
  const ids: number[] = []
  for (let at = 0; at < 12; at++) {
    clock.now = T0 + at * 60_000
    const day = `2027-01-${String(20 - at).padStart(2, '0')}`
    const more = { start_date: day, end_date: day, featured: at % 2 === 0, tags: at > 5 ? ['late'] : [] }
    ids.push(await make('event', `e${at}`, { ...more, ...(at === 8 && { password: 'sesame' }) }))
  }
  const past = await make('event', 'past', { start_date: '2020-01-01', end_date: '2020-01-01' })
  const list = async (query: string) =>
    (await anonymous.list('event', `modified_after=2026-11-21T09:06:00Z&${query}`)).body.events
      .map(({ title }: { title: string }) => title)
      .join(' ')
  t.equal(await list(''), 'e11 e10 e9 e8 e7', 'by start, in the default dates')
  t.equal(await list('when=all'), 'past e11 e10 e9 e8 e7')
  t.equal(await list('orderby=modified'), 'e11 e10 e9 e8 e7')
  t.equal(await list('orderby=modified&order=asc'), 'e7 e8 e9 e10 e11')
  t.equal(await list('orderby=title&per_page=2&page=2'), 'e7 e8')
  t.equal(await list('featured=true'), 'e10', 'a password hides what is filtered by, as ever')
  t.equal(await list('tags=late&search=e9'), 'e9')
  t.equal(await list('start_date=2027-01-10&end_date=2027-01-12'), 'e10 e9 e8')
  t.equal(await list('starts_after=2027-01-10T05:00:00Z&strict_dates=1'), 'e9 e8 e7')
  t.equal(await list(`include=${ids[0]},${ids[9]},${past}`), 'past e9')
  clock.now += 60_000
  await must(editor.change('event', ids[0]!, { featured: false }))
  t.equal(await list(''), 'e11 e10 e9 e8 e7 e0', 'a kept list follows')
  await must(editor.remove('event', ids[9]!))
  t.equal(await list(''), 'e11 e10 e8 e7 e0')
})

t.test(
  'a term is modified by what it shows, not by its events or a write that changes nothing',
  async (t) => {
    const { clock, make, names, editor } = await open(t)
    const arts = await make('category', 'Arts')
    const music = await make('category', 'Music', { parent: arts })
    clock.now = T0 + 60_000
    const query = 'modified_after=2026-11-21T09:00:00Z'
    await make('event', 'Concert', { categories: [music] })
    await must(editor.change('category', music, { name: 'Music' }))
    t.equal(await names('category', query), '')
    await make('event', 'Fair', { categories: ['Crafts'] })
    t.equal(await names('category', query), 'Crafts', 'made inside an event')
    await must(editor.change('category', music, { i18n_language: 'ca' }))
    t.equal(await names('category', query), 'Crafts Music')
    clock.now = T0 + 120_000
    await must(editor.remove('category', arts))
    t.equal(await names('category', 'modified_after=2026-11-21T09:01:00Z'), 'Music', 'its parent went')
  },
)

t.test('any list by any limits has exactly the records between them', async (t) => {
  const { clock, make, anonymous } = await open(t)
  const times: Record<Named, number[]> = { event: [], venue: [], organizer: [], category: [], tag: [] }
  for (let at = 0; at < 15; at++) {
    clock.now = T0 + at * 700
    for (const kind of KINDS) {
      await make(kind, `n${at}`)
      times[kind].push(Math.floor(clock.now / 1000))
    }
  }
  const limit = fc.option(
    fc.integer({ min: -1, max: 12 }).map((number) => T0 / 1000 + number),
    { nil: undefined },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KINDS), limit, limit, async (kind, after, before) => {
      const query = new URLSearchParams({ hide_empty: 'false' })
      if (after !== undefined) query.set('modified_after', String(after))
      if (before !== undefined) query.set('modified_before', new Date(before * 1000).toISOString())
      const { total } = (await anonymous.list(kind, String(query))).body
      const right = times[kind].filter((time) => time > (after ?? 0) && time < (before ?? Infinity)).length
      if (total !== right) throw new Error(`${kind}?${query}: ${total} and not ${right}`)
    }),
    { numRuns: 150 },
  )
})

t.test(
  'terms of an earlier database have the time of their last change, or that of the upgrade',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    load(file, '0010_site_settings')
    const earlier = new Database(file)
    earlier.exec("DELETE FROM changes WHERE kind = 'tag'")
    const at = earlier
      .prepare("SELECT max(at_utc) FROM changes WHERE kind = 'category' AND record_id = 2")
      .pluck()
      .get()
    earlier.close()
    const began = toUtc(new Date(Date.now() - 1_000).toISOString().slice(0, 19).replace('T', ' '), 'UTC')
    openDb(file).close()
    const later = new Database(file)
    const rows = later.prepare('SELECT name, modified_utc FROM terms ORDER BY id').all() as {
      name: string
      modified_utc: string
    }[]
    later.close()
    t.match(rows, [{ name: 'Arts' }, { name: 'Music', modified_utc: at }, { name: 'Open air' }])
    t.match(rows[0]!.modified_utc, /^2026-11-2\d \d\d:\d\d:\d\d$/)
    t.ok(rows[2]!.modified_utc >= began, rows[2]!.modified_utc)
  },
)
