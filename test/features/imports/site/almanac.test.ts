import t from 'tap'
import { must } from '../../../support/answers.ts'
import { type Api, build, EVENT } from '../../../support/app.ts'
import { buildSource, contentsOf, importer } from '../../../support/importing.ts'
import { draw, raw } from '../../../support/pictures.ts'

/** A calendar with everything that can be taken from one, and more. */
async function fill({ administrator: { get, post, delete: remove } }: Api) {
  const { id: image } = await must(post('/media', await draw(40, 30), raw('hall.png', 'image/png')))
  const made = (plural: string, body: object) => must(post(`/${plural}`, body))
  const parent = await made('categories', { name: 'Arts & <3' })
  const music = await made('categories', { name: 'Music', parent: parent.id, description: 'Played live' })
  await made('categories', {
    name: 'Música',
    i18n_language: 'ca',
    translation_of: music.id,
    slug: 'musica-ca',
  })
  const tag = await made('tags', { name: 'Open air' })
  const hall = await made('venues', {
    venue: 'Hall',
    city: 'Vic',
    geo_lat: 41.9,
    geo_lng: 2.2,
    image,
    show_map: false,
  })
  const choir = await made('organizers', {
    organizer: 'Choir',
    email: 'choir@cor.example',
    website: 'https://cor.example/?a=1&b=2',
  })
  const whole = {
    ...EVENT,
    ...{ description: '<p>Twelve <em>voices</em> &amp; more</p>', excerpt: 'Voices', cost: ['$10', '$20'] },
    ...{ categories: [music.id], tags: [tag.id], venue: hall.id, organizer: choir.id, image },
    ...{ title: 'Tom &amp;amp; Jerry &lt; 3', slug: 'own-slug', website: 'https://cor.example/?a=1&b=2' },
    ...{
      timezone: 'Europe/Madrid',
      featured: true,
      sticky: true,
      event_status: 'rescheduled',
      date: '2026-10-01 10:00:00',
    },
    ...{
      event_status_reason: 'Rain',
      attendance_mode: 'mixed',
      virtual_url: 'https://stream.example/1',
      ticketed: true,
    },
  }
  const event = await made('events', whole)
  const catalan = await made('events', {
    title: 'Concert en català',
    translation_of: event.id,
    i18n_language: 'ca',
  })
  const festival = await made('events', {
    ...EVENT,
    title: 'Festival',
    all_day: true,
    end_date: '2026-12-03 22:00:00',
    cost: 'Free',
  })
  const part = await made('events', {
    ...EVENT,
    title: 'Part',
    post_parent: festival.id,
    start_date: '2026-11-20 10:00:00',
    end_date: '2026-12-01 22:00:00',
  })
  const draft = await made('events', { ...EVENT, title: 'Draft', status: 'draft' })
  await made('events', { ...EVENT, title: 'Later', date: '2027-01-01 00:00:00' })
  await made('events', { ...EVENT, title: 'Secret', password: 'hush' })
  const first = await made('events', {
    ...whole,
    title: 'Rehearsal',
    slug: 'rehearsal',
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=6' },
  })
  const dates = (await must(get(`/events?post_parent=${first.series}&per_page=50`))).events
  await must(remove(`/events/${dates[2].id}`))
  return {
    parent,
    part,
    catalan,
    music,
    tag,
    hall,
    choir,
    event,
    festival,
    draft,
    series: first.series as number,
    dates,
  }
}

t.test('a calendar is imported whole, and again as it changed', async (t) => {
  const there = await buildSource(t, { LANGUAGES: 'en,ca' })
  const made = await fill(there)
  const { patch, post, delete: remove } = there.administrator
  const change = (path: string, body: object) => must(patch(path, body))
  await change(`/events/${made.dates[3].id}`, { title: 'Dress rehearsal', start_date: '2026-12-22 18:00:00' })
  const here = await build(t, { env: { LANGUAGES: 'en,ca' } })
  const { take, asked, statuses } = importer(t, here)
  const as = there.credentials.administrator.authorization
  const same = async () => {
    const [ours, theirs] = [await contentsOf(here), await contentsOf(there)]
    const all = theirs.events as { title: string }[]
    t.same(ours, { ...theirs, events: all.filter(({ title }) => title !== 'Secret') })
  }

  const planned = await take(there.url, { as, dryRun: true })
  t.same((await contentsOf(here)).events, [], 'a dry run writes nothing')
  const visitor = await take(`${there.url}/wp-json/tribe/events/v1`, { dryRun: true })
  t.match(visitor.counts, { category: { created: 3 }, event: { created: 9, refused: 1 } })
  const first = await take(there.root, { as })
  t.same(first.counts, {
    ...{ category: { created: 3 }, tag: { created: 1 }, venue: { created: 1 }, organizer: { created: 1 } },
    ...{ series: { created: 1 }, event: { created: 11, refused: 1 } },
  })
  t.match(first.refused, [{ kind: 'event', name: 'Secret', why: /under a password/ }])
  t.same(planned.counts, first.counts, 'and tells what an import does')
  t.same([planned.run, first.run], [0, 1])
  t.same([first.left, first.notes, first.alike], [[], [], []])
  await same()

  const again = await take(there.root, { as })
  t.same(again.counts.event, { same: 11, refused: 1 })
  t.ok(statuses.includes(304), 'lists that did not change are not sent again')
  t.notOk(asked.some((url) => url.includes('/media/')))

  await change(`/venues/${made.hall.id}`, { venue: 'Great hall', image: false })
  await change(`/categories/${made.music.id}`, { name: 'Song' })
  await change(`/tags/${made.tag.id}`, { name: 'Outside' })
  await change(`/organizers/${made.choir.id}`, { phone: '+34 938 000 001' })
  await change(`/series/${made.series}`, {
    title: 'Repetition',
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=7' },
  })
  await change(`/events/${made.draft.id}`, { status: 'publish', cost: '' })
  await change(`/events/${made.event.id}`, { description: 'Changed there' })
  await must(remove(`/events/${made.festival.id}`))
  await must(remove(`/events/${made.dates[5].id}`))
  const added = await must(post('/events', { ...EVENT, title: 'New', organizer: { organizer: 'Band' } }))
  await must(here.editor.patch(`/events/${made.event.id}`, { title: 'Edited here' }))
  const foreseen = await take(there.root, { as, dryRun: true })
  const third = await take(there.root, { as })
  t.same(foreseen.left, third.left)
  t.same(Object.keys(foreseen.counts.event!).sort(), Object.keys(third.counts.event!).sort())
  t.same(third.left, [
    { kind: 'event', id: made.event.id, name: 'Tom & Jerry < 3', why: 'it was edited here since' },
  ])
  t.match(third.counts, {
    event: { created: 3, gone: 1, left: 1 },
    series: { changed: 1 },
    organizer: { created: 1 },
  })
  t.equal((await must(here.administrator.get(`/events/${made.event.id}`))).title, 'Edited here')
  t.match(await must(here.anonymous.get(`/events/${added.id}`)), {
    title: 'New',
    organizer: [{ organizer: 'Band' }],
  })
  await must(patch(`/events/${made.event.id}`, { title: 'Edited here' }))
  await must(here.administrator.patch(`/events/${made.event.id}`, { description: 'Changed there' }))
  await same()

  await must(patch(`/events/${made.festival.id}`, { status: 'publish' }))
  t.match((await take(there.root, { as })).counts.event, { changed: 1 })
  t.equal(
    (await here.anonymous.get(`/events/${made.festival.id}`)).status,
    200,
    'what comes back comes out of the trash',
  )

  const gone = [`categories/${made.parent.id}`, `events/${made.festival.id}`, `events/${made.event.id}`]
  for (const path of gone) await must(here.administrator.delete(`/${path}?force=true`))
  await change(`/categories/${made.music.id}`, { description: 'Sung' })
  await change(`/events/${made.part.id}`, { title: 'Part one' })
  await change(`/events/${made.catalan.id}`, { title: 'Un altre concert' })
  const last = await take(there.root, { as })
  t.match(
    last.counts,
    { category: { left: 1 }, event: { changed: 2, refused: 1 } },
    'what was deleted here is not missed',
  )
})

t.test('series are followed as far as this calendar looks ahead', async (t) => {
  const there = await buildSource(t)
  const make = async (body: object) => must(there.administrator.post('/events', { ...EVENT, ...body }))
  const first = await make({ title: 'Weekly', recurrence: { rrule: 'FREQ=WEEKLY;COUNT=12' } })
  const single = await make({
    title: 'Once',
    start_date: '2026-12-02 20:00:00',
    end_date: '2026-12-02 22:00:00',
  })
  const here = await build(t, { env: { SERIES_DAYS: '31' } })
  const { take, statuses } = importer(t, here)
  const { counts } = await take(there.root)
  t.same(counts.event!.created! + counts.event!.same!, 13)
  t.ok(counts.event!.same! >= 5, 'dates that are further ahead come later')
  t.match(await must(here.anonymous.get(`/events/${first.id}`)), { series: first.series, slug: first.slug })
  await take(there.root)
  t.ok(statuses.includes(304))
  t.equal(statuses.at(-1), 200, 'a page with such dates is read again')

  await must(
    there.administrator.patch(`/events/${single.id}`, { recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }),
  )
  const again = await take(there.root)
  t.match(again.counts.series, { created: 1 })
  const { events } = await must(here.administrator.get('/events?search=Once&start_date=2026-12-01'))
  t.same(
    events.map(({ start_date }: { start_date: string }) => start_date),
    ['2026-12-02 20:00:00', '2026-12-03 20:00:00'],
    'an event that repeats by now is there once',
  )
  await must(there.administrator.delete(`/series/${first.series}`))
  t.match((await take(there.root)).counts.series, { gone: 1 })
  t.equal((await here.anonymous.get(`/events/${first.id}`)).body.code, 'event-no-longer-available')

  const quiet = await take(there.root)
  t.same([quiet.counts, quiet.alike], [{ series: { same: 1 }, event: { same: 2 } }, []])
  t.same([...new Set(statuses.slice(1))], [304])
})
