import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { importer } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const term = (id: number, name: string) => ({ id, name, slug: `t-${id}`, description: '', parent: 0 })

t.test('events that look like dates of a series are offered as one, and made one', async (t) => {
  const site = await openReference(t)
  const day = (date: string, id: number, more = {}) =>
    tribeEvent(id, { title: 'Yoga', start_date: `${date} 18:00:00`, end_date: `${date} 19:00:00`, ...more })
  const weeks = ['2026-12-01', '2026-12-08', '2026-12-15', '2026-12-22'].map((date, at) => day(date, 10 + at))
  const odd = ['2026-12-02', '2026-12-05', '2026-12-09'].map((date, at) =>
    day(date, 20 + at, {
      title: 'Walk',
      all_day: true,
      start_date: `${date} 00:00:00`,
      end_date: `${date} 23:59:59`,
    }),
  )
  Object.assign(weeks[2]!, {
    description: 'With guests',
    tags: [term(5, 'Guests')],
    categories: [term(6, 'Move')],
    image: { url: `${site.root}/a.png` },
  })
  weeks[1]!.organizer = [{ id: 90, status: 'publish', organizer: 'Ada', slug: 'ada' }]
  site.lists.events = [
    ...weeks.toReversed(),
    ...odd,
    ...['2026-12-03', '2026-12-04', '2026-12-05'].map((date, at) => day(date, 30 + at, { title: 'Days' })),
    day('2026-12-08', 14),
    day('2026-12-09', 15, { start_date: '2026-12-09 07:00:00' }),
  ]
  const here = await build(t)
  const { take } = importer(t, here)
  t.same((await take(site.root, { dryRun: true })).alike, [
    { name: 'Yoga', ids: [10, 11, 12, 13], rule: 'FREQ=WEEKLY;INTERVAL=1;COUNT=4' },
    { name: 'Walk', ids: [20, 21, 22], rule: '3 dates' },
    { name: 'Days', ids: [30, 31, 32], rule: 'FREQ=DAILY;INTERVAL=1;COUNT=3' },
  ])
  const made = await take(site.root, { series: true })
  t.match(made.counts, { series: { created: 3 }, event: { created: 12 } })
  t.same(made.alike, [])
  const guests = await must(here.anonymous.get('/events/12'))
  t.match(guests, {
    description: '<p>With guests</p>',
    recurrence_id: '2026-12-15 18:00:00',
    overrides: ['description', 'categories', 'tags'],
  })
  t.match(await must(here.anonymous.get('/events/11')), {
    series: guests.series,
    overrides: ['organizer'],
    slug: 'e-11',
  })
  t.equal((await must(here.anonymous.get('/events/22'))).recurrence_id, '2026-12-09')
  t.notOk('series' in (await must(here.anonymous.get('/events/14'))), 'two events on one date are not one')

  site.lists.events.push(day('2026-12-29', 16))
  t.match((await take(site.root, { series: true })).counts, { series: { changed: 1 }, event: { created: 1 } })
  t.equal((await must(here.anonymous.get('/events/16'))).series, guests.series)
  const single = await build(t)
  const other = importer(t, single)
  await other.take(site.root, { media: false })
  t.same((await other.take(site.root, { series: true, media: false })).counts.event, { same: 13 })
  t.equal((await must(single.anonymous.get('/series'))).total, 0)
  t.equal(
    (await must(single.anonymous.get('/series'))).total,
    0,
    'what was imported as single events stays such',
  )
  const elsewhere = site.root.replace('/wp-json', '/index.php/wp-json')
  t.match((await other.take(elsewhere, { series: true, media: false })).counts.series, { created: 3 })
})
