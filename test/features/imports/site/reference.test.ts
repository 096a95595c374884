import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build, EVENT } from '../../../support/app.ts'
import { importer } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const HALL = {
  ...{
    id: 479,
    status: 'draft',
    venue: 'Sala d&#8217;Or',
    slug: 'sala-dor',
    date_utc: '0000-00-00 00:00:00',
    zip: 8930,
  },
  ...{ show_map: true, show_map_link: true, geo_lat: '41.4', geo_lng: 2.2 },
}
const MUSIC = { id: 36, name: 'Music', slug: 'music', description: '', parent: 0 }
const term = (id: number, name: string, parent = 0) => ({
  id,
  name,
  slug: `t-${id}`,
  description: '',
  parent,
})

t.test('a site of WordPress is read as it shows itself', async (t) => {
  const site = await openReference(t)
  const here = await build(t, { env: { CURRENCY: 'EUR' } })
  const { take } = importer(t, here)
  site.lists.categories = [
    term(37, 'Jazz &amp; Blues', 36),
    MUSIC,
    term(38, 'Lost', 39),
    term(39, 'Found', 38),
  ]
  site.lists.events = [
    tribeEvent(481, {
      ...{
        title: '&#8220;Spring&#8221; &#038; more',
        website: 'https://festival.example/?a=1&amp;b=2',
        venue: HALL,
      },
      ...{ cost: '15€ – 25€', image: { url: `${site.root}/gone.png`, id: 402 }, is_virtual: true },
      cost_details: { currency_symbol: '€', currency_position: 'postfix', values: ['15', '25'] },
      ...{
        slug: '%e6%97%a5',
        timezone: 'UTC+2',
        categories: [term(37, 'Jazz & Blues', 36)],
        tags: [term(50, 'Open air')],
      },
      organizer: [
        { id: 480, status: 'publish', organizer: 'Acme', slug: 'acme', email: 'info@acme.example' },
      ],
    }),
    tribeEvent(482, { all_day: null }),
    tribeEvent(487, { tags: [{ id: 51 }], series: 9, recurrence_id: '2026-12-01' }),
    tribeEvent(483, { status: 'tribe-ignored', venue: [{ id: 470, venue: [] }] }),
    tribeEvent(484, { title: '', end_date: 'soon' }),
    tribeEvent(485, { end_date: '2026-11-01 20:00:00' }),
    tribeEvent(486, {
      website: 'not an address',
      venue: [{ id: 471, venue: [], slug: 'secret' }],
      cost: 'Donation',
      cost_details: undefined,
    }),
    ...Array.from({ length: 50 }, (_, at) => tribeEvent(500 + at, { title: `No ${at}` })),
  ]
  const report = await take(site.root)
  t.same(report.counts, {
    ...{ category: { created: 4 }, tag: { created: 1, refused: 1 }, venue: { created: 1, refused: 1 } },
    ...{ organizer: { created: 1 }, event: { refused: 4, created: 53 } },
  })
  t.same(
    report.refused.map(({ id, why }) => `${id}: ${why}`),
    [
      '51: name is missing.',
      '471: it is under a password, or has no name',
      '482: it is under a password, which the source does not tell',
      '483: its status is tribe-ignored, which records here do not have',
      '484: title is missing. end_date "soon": must be a date such as 2027-05-14 20:00.',
      '485: end_date: The end (2026-11-01 20:00:00) must not lie before the start (2026-12-01 20:00:00).',
    ],
  )
  t.match(
    report.notes.map(({ id, why }) => `${id}: ${why}`),
    [
      /^486: website "not an address": must be/,
      /^481: its picture .*gone.png was not taken: The server returned status 404/,
      /^487: a record/,
      /^486: a record/,
    ],
  )
  const event = await must(here.anonymous.get('/events/481'))
  t.match(event, {
    ...{
      title: '“Spring” & more',
      slug: '%e6%97%a5',
      cost: '15€ – 25€',
      cost_details: { currency_symbol: '€' },
      timezone: 'UTC+2',
    },
    ...{
      website: 'https://festival.example/?a=1&b=2',
      attendance_mode: 'online',
      organizer: [{ id: 480, organizer: 'Acme' }],
    },
    ...{
      categories: [{ id: 37, name: 'Jazz & Blues', parent: 36 }],
      tags: [{ id: 50 }],
      date_utc: '2026-11-01 09:00:00',
    },
  })
  t.match((await must(here.editor.get('/events/481'))).venue, {
    id: 479,
    venue: 'Sala d’Or',
    zip: '8930',
    geo_lat: 41.4,
  })
  t.match(await must(here.anonymous.get('/events/486')), { website: '', cost: 'Donation', venue: [] })

  site.lists.events.shift()
  site.hidden.push(tribeEvent(481, { title: 'Hidden', hide_from_listings: true }))
  await must(here.editor.delete('/events/501'))
  await must(here.editor.delete('/events/502?force=true'))
  site.lists.events = site.lists.events.map((one) =>
    one.id > 500 && one.id < 503 ? { ...one, title: 'New' } : one,
  )
  const again = await take(site.root)
  t.match(again.counts.event, { changed: 3, same: 48, left: 2 })
  t.same(
    again.left.map(({ id, why }) => [id, why]),
    [
      [501, 'it was deleted here'],
      [502, 'it was deleted here'],
    ],
  )
  t.match(await must(here.anonymous.get('/events/481')), { title: 'Hidden', hide_from_listings: true })
})

t.test('what is gone goes to the trash, unless it is much', async (t) => {
  const site = await openReference(t)
  const here = await build(t)
  const { take } = importer(t, here)
  const category = await must(here.editor.post('/categories', { name: 'Music' }))
  const tags = [term(1, 'Kept'), term(2, 'Unused'), term(3, 'Changed here')]
  Object.assign(site.lists, { categories: [MUSIC], tags, venues: [], organizers: [] })
  site.lists.events = Array.from({ length: 25 }, (_, at) =>
    tribeEvent(100 + at, { categories: [MUSIC], tags: [tags[0]] }),
  )
  site.lists.events[1]!.status = 'draft'
  const { counts } = await take(site.root, {}, { authorization: 'Bearer token' })
  t.match(counts, { event: { created: 25 }, category: { created: 1 } })
  const taken = [tags[0]!, { ...tags[1]!, slug: 't-1' }, tags[2]!]
  site.lists.tags = taken
  const { refused } = await take(site.root, {}, { authorization: 'Bearer token' })
  t.match(refused, [{ name: 'Unused', why: 'The slug "t-1" belongs to another tag.' }])
  site.lists.tags = tags
  const mine = (await must(here.editor.get('/events?per_page=50&start_date=2026-12-01'))).events
  t.notOk(
    mine.some(({ id }: { id: number }) => id >= 100),
    'a calendar with records gives its own IDs',
  )
  t.ok(mine.every(({ categories }: { categories: { id: number }[] }) => categories[0]!.id === category.id))

  const all = site.lists.events
  site.lists.events = all.slice(15)
  const asked = await here.fingerprint()
  await t.rejects(
    take(site.root),
    /15 of 29 records .* are gone .* --force .* Nothing was moved to the trash/,
  )
  t.equal(await here.fingerprint(), asked)
  t.match((await take(site.root, { keep: true })).counts.event, { same: 10, kept: 14 })
  t.match((await take(site.root, { force: true, dryRun: true })).counts.event, { same: 10, gone: 14 })

  const edited = mine.find(({ slug }: { slug: string }) => slug === 'e-100')
  await must(here.editor.patch(`/events/${edited.id}`, { title: 'Mine' }))
  const [, , changed] = (await must(here.anonymous.get('/tags?hide_empty=false&orderby=id'))).tags
  await must(here.editor.patch(`/tags/${changed.id}`, { name: 'Mine too' }))
  Object.assign(site.lists, { tags: [], categories: [] })
  const gone = await take(site.root, { force: true })
  t.match(gone.counts, { event: { same: 10, gone: 13, left: 1 }, tag: { gone: 1, left: 1 } })
  t.same(
    gone.left.map(({ name, why }) => [name, why]),
    [
      ['Mine', 'it is gone from the source, but was edited here since'],
      ['Mine too', 'it is gone from the source, but was edited here since'],
    ],
  )
  // what the embedded terms of the events that are left show is still there
  t.match((await must(here.anonymous.get('/tags?hide_empty=false'))).tags, [
    { name: 'Kept' },
    { name: 'Mine too' },
  ])
  const draft = await must(here.editor.get('/events?status=draft&start_date=2026-12-01'))
  t.equal(draft.total, 1, 'visitors of the source do not see drafts, so these are not gone')

  site.lists.tags = [tags[1]!]
  t.match((await take(site.root, { force: true })).counts.tag, { created: 1 })
  site.lists.tags = []
  site.lists.events = []
  const rest = await take(site.root, { force: true })
  t.same(
    rest.left.map(({ name, why }) => `${name}: ${why}`),
    [
      'Mine: it is gone from the source, but was edited here since',
      'Kept: it is gone from the source, but events here have it',
      'Mine too: it is gone from the source, but was edited here since',
      'Music: it is gone from the source, but was here before',
    ],
  )
})

t.test('the numbers that posts had at the site lead to them, whatever has these here', async (t) => {
  const site = await openReference(t)
  const here = await build(t)
  const before = await must(here.editor.post('/events', { ...EVENT, title: 'Before' }))
  site.lists.events = [
    tribeEvent(before.id, { title: 'Moved' }),
    tribeEvent(79, { title: 'Too', venue: HALL }),
  ]
  await importer(t, here).take(site.root)
  const to = async (number: number) => (await here.anonymous.get(`//?p=${number}`)).headers.location
  t.same([await to(before.id), await to(79)], ['/event/e-1/', '/event/e-79/'])
  t.equal(await to(HALL.id), undefined, 'a draft has no page')
  await must(here.editor.delete(`/events/${(await must(here.anonymous.get('/events/by-slug/e-1'))).id}`))
  t.equal(await to(before.id), undefined, 'nor has what is in the trash')
})
