import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { importEvents } from '../../../../src/features/imports/files/event-files.ts'
import { undoImport } from '../../../../src/features/imports/removals.ts'
import { almanac } from '../../../support/almanac.ts'
import { must } from '../../../support/answers.ts'
import { type Api, build } from '../../../support/app.ts'
import { importer } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const HOUR = 3_600_000
const writerOf = ({ credentials }: Api) => ({
  caller: { id: credentials.administrator.id, role: 'administrator' as const },
  by: { origin: 'command' as const, address: 'test' },
  language: 'en',
})
const pictures = { bring: async () => new Map(), discard: async () => {} }

/** Imports a file an hour after the last time. */
function take(api: Api, text: string, form: 'csv' | 'ics' = 'csv') {
  api.clock.now += HOUR
  const how = { form, media: false, pictures, source: form, file: `a.${form}` }
  return importEvents(api.app.store, text, { ...how, writer: writerOf(api), dry: false })
}
const undo = (api: Api, run: number) => {
  api.clock.now += HOUR
  return undoImport(api.app.store, writerOf(api), run)
}
/** The numbers of records that visitors see. */
async function totals({ anonymous }: Api) {
  const found: Record<string, number> = {}
  for (const plural of ['events', 'series', 'venues', 'organizers', 'categories', 'tags'])
    found[plural] = (await must(anonymous.get(`/${plural}${plural === 'events' ? '?when=all' : ''}`)))
      .total as number
  return found
}
const NONE = { events: 0, series: 0, venues: 0, organizers: 0, categories: 0, tags: 0 }

const HEAD = 'external_id,title,start_date,venue,organizer,categories,tags,rrule'
const ROWS = [
  '1,Concert,2026-12-05 20:00,Hall,Choir,Music,Free,',
  '2,Fair,2026-12-06 20:00,Square,Choir,Food,Free,',
  '3,Yoga,2026-12-07 18:00,Hall,,Sport,,FREQ=WEEKLY;COUNT=4',
]
const csv = (...rows: string[]) => [HEAD, ...rows].join('\n')

t.test('what an import of a file made is taken back, with what it made in passing', async (t) => {
  const api = await build(t)
  const { run, counts } = await take(api, csv(...ROWS))
  t.match(counts, { event: { added: 2 }, series: { added: 1 } })
  t.match(await undo(api, run), {
    source: 'file:a.csv',
    counts: {
      ...{ series: { trashed: 1, stayed: 0 }, event: { trashed: 2 }, organizer: { trashed: 1 } },
      ...{ venue: { trashed: 2 }, tag: { trashed: 1 }, category: { trashed: 3 } },
    },
    stayed: [],
  })
  t.same(await totals(api), NONE)
  t.match(await api.app.store.imports.run(run), { counts: { created: 3, undone: 10, stayed: 0 } })
  t.match((await must(api.administrator.get('/audit?code=data_imported,import_undone'))).entries, [
    { code: 'import_undone', details: { import: '1', from: 'file:a.csv', undone: '10', stayed: '0' } },
    { code: 'data_imported', details: { import: '1', from: 'file:a.csv', created: '3' } },
  ])

  t.match(await undo(api, run), { counts: {}, stayed: [] }, 'once more is no more')
  t.match(await api.app.store.imports.run(run), { counts: { undone: 10 } })
  t.equal(await undo(api, 99), undefined)

  t.match(await take(api, csv(...ROWS)), { counts: { event: { updated: 2 }, series: { updated: 1 } } })
  t.match(await totals(api), { events: 6, series: 1 }, 'the next import brings it back')
})

t.test('what was edited here since stays, with what it refers to', async (t) => {
  const api = await build(t)
  const { editor } = api
  const hall = await must(editor.post('/venues', { venue: 'Hall' }))
  const { run } = await take(api, csv(...ROWS))
  const other = await take(
    api,
    csv('1,Concert of the choir,2026-12-05 20:00,Hall,Choir,Music,Free,', ...ROWS.slice(2)),
  )
  t.match(other.counts, { event: { updated: 1 }, series: { unchanged: 1 } })
  const { events } = await must(editor.get('/events?when=all'))
  const fair = events.find(({ title }: { title: string }) => title === 'Fair')
  const yoga = events.filter(({ title }: { title: string }) => title === 'Yoga')
  await must(editor.patch(`/events/${fair.id}`, { title: 'Fair of the town' }))
  await must(editor.patch(`/events/${yoga[1].id}`, { title: 'Yoga outside' }))

  const undone = await undo(api, run)
  t.same(
    undone!.stayed.map(({ kind, name, why }) => `${kind} ${name}: ${why}`),
    [
      'series Yoga: one of its dates was edited here since',
      'event Fair of the town: it was edited here since',
      'organizer Choir: events here have it',
      'venue Square: events here have it',
      'tag Free: events here have it',
      'category Food: events here have it',
      'category Sport: events here have it',
    ],
  )
  t.same(undone!.counts.event, { trashed: 1, stayed: 1 }, 'that another import updated it is no edit')
  t.match(await totals(api), { events: 5, series: 1, venues: 2 })
  t.match(
    (await api.anonymous.get(`/venues/${hall.id}`)).status,
    200,
    'what was here before is not of the import',
  )
  t.match(await undo(api, other.run), { counts: {}, stayed: [] })
})

const ICS = (summary: string) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0'],
    ...['BEGIN:VEVENT', 'UID:y', 'DTSTART:20261207T180000Z', 'DTEND:20261207T190000Z'],
    ...['RRULE:FREQ=WEEKLY;COUNT=3', 'SUMMARY:Yoga', 'END:VEVENT'],
    ...['BEGIN:VEVENT', 'UID:y', 'RECURRENCE-ID:20261214T180000Z', 'DTSTART:20261214T180000Z'],
    ...['DTEND:20261214T190000Z', `SUMMARY:${summary}`, 'END:VEVENT', 'END:VCALENDAR'],
  ].join('\r\n')

t.test('dates that a file changes are of its import, and a series goes with them', async (t) => {
  const api = await build(t)
  const { run } = await take(api, ICS('Yoga with a guest'), 'ics')
  await take(api, ICS('Yoga with two guests'), 'ics')
  t.match(await totals(api), { events: 3, series: 1 })
  t.match(await undo(api, run), { counts: { series: { trashed: 1 } }, stayed: [] })
  t.same(await totals(api), NONE)

  const again = await take(api, ICS('Yoga').replaceAll('UID:y', 'UID:z'), 'ics')
  const [series] = (await must(api.editor.get('/series'))).series
  api.clock.now += HOUR
  await must(api.editor.patch(`/series/${series.id}`, { title: 'Yoga for all' }))
  t.match(await undo(api, again.run), { stayed: [{ kind: 'series', why: 'it was edited here since' }] })
  t.match(await totals(api), { events: 3, series: 1 }, 'its dates stay with it')

  const { store } = api.app
  const later = await take(api, HEAD)
  const source = await store.imports.source('file:a.csv')
  const { events } = await must(api.editor.get('/events?when=all'))
  await store.db.write((tx) =>
    store.imports.noteDate(tx, { source: source.id, run: later.run }, events[2].id),
  )
  t.match(await undo(api, later.run), {
    counts: { event: { stayed: 1 } },
    stayed: [{ kind: 'event', why: 'it is a date of a series that was here before' }],
  })
})

t.test('an import of a site is taken back, and the next one brings it again', async (t) => {
  const api = await build(t)
  const site = await openReference(t)
  const dates = ['2026-12-01', '2026-12-08', '2026-12-15'].map((day, at) =>
    tribeEvent(11 + at, { title: 'Yoga', start_date: `${day} 18:00:00`, end_date: `${day} 19:00:00` }),
  )
  const music = { id: 5, name: 'Music', slug: 'music', description: '', parent: 0 }
  site.lists.categories = [music]
  site.lists.events = [...dates, tribeEvent(20, { categories: [music] }), tribeEvent(21), tribeEvent(22)]
  const { take: import_ } = importer(t, api)
  const { run } = await import_(site.root, { series: true })
  t.match(await totals(api), { events: 6, series: 1, categories: 1 })
  await must(api.editor.delete('/events/22'))
  t.match(await undo(api, run), {
    counts: { series: { trashed: 1 }, event: { trashed: 2, stayed: 0 }, category: { trashed: 1 } },
    stayed: [],
  })
  t.same(await totals(api), NONE)
  const again = await import_(site.root, { series: true })
  t.match(again.counts, { event: { same: 1 } }, 'what was deleted by hand stays deleted')
  t.match(await totals(api), { events: 5, series: 1, categories: 1 })

  // a new date of the series by a later import
  site.lists.events.push(
    tribeEvent(14, { title: 'Single', start_date: '2027-01-05 18:00:00', end_date: '2027-01-05 19:00:00' }),
  )
  const later = await import_(site.root, { keep: true })
  t.match(await undo(api, later.run), { counts: { event: { trashed: 1, stayed: 0 } } })
})

t.test('imports are listed and taken back by commands', async (t) => {
  const file = join(t.testdir({ 'a.csv': csv(...ROWS) }), 'a.db')
  const env = { MEDIA_DIR: join(t.testdirName, 'media'), DATABASE: file }
  const run = (...args: string[]) => almanac(file, args, false, env)
  await run('user', 'add', 'maria', '--role', 'administrator')
  t.equal((await run('imports')).printed, 'Nothing was imported.\n')
  t.match((await run('import')).complained, /name what to import/)
  t.match((await run('import', 'a.csv', '--undo', '1')).complained, /--undo takes the number of an import/)
  t.match((await run('import', '--undo', 'a')).complained, /must be the number of an import/)
  t.match(
    (await run('import', '--undo', '1')).complained,
    /there is no import 1; `almanac imports` lists them/,
  )
  const path = join(t.testdirName, 'a.csv')
  t.match((await run('import', path, '--dry-run')).printed, /This would come:(?!.*takes back)/s)
  t.match(
    (await run('import', path)).printed,
    /\nalmanac import --undo 1 takes back what this import made\.\n$/,
  )
  t.match(
    (await run('import', '--undo', '1')).printed,
    /^Took back import 1 from a\.csv:\n {2}series {6}1\n {2}events {6}2\n {2}organizers {2}1\n {2}venues {6}2\n/,
  )
  t.match((await run('import', '--undo', '1')).printed, /^Took back import 1 from a\.csv:\n {2}nothing\n$/)
  t.match((await run('imports')).printed, /^RUN +BEGAN \(UTC\) .*\n1 +\d{4}-.* a\.csv +3 +10\n$/)

  writeFileSync(
    path,
    csv(...Array.from({ length: 51 }, (_, at) => `${at + 10},E ${at},2026-12-05 20:00,,,,,`)),
  )
  await run('import', path)
  const { store } = (await build(t, { env, users: false })).app
  await store.db.write(async (tx) =>
    tx.run(sql`update posts set modified_utc = '2026-01-01 00:00:00' where kind = 'event'`),
  )
  t.match(
    (await run('import', '--undo', '2')).printed,
    /:\n {2}nothing\nThese stay:\n( {2}event \d+ "E \d+": it was edited here since\n){50} {2}and 1 more, which --json names\n$/,
  )
  t.match(JSON.parse((await run('imports', '--json', '--limit', '1')).printed), {
    total: 2,
    imports: [{ id: 2, source: 'file:a.csv', counts: { created: 51, undone: 0, stayed: 51 } }],
  })
})
