import { eq } from 'drizzle-orm'
import t from 'tap'
import { changes } from '../../../drizzle/tables.ts'
import { titleOf } from '../../../src/calendar/formats/texts.ts'
import { fullCalendar } from '../../../src/features/feeds/formats/json.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { eventRecord, FEED, pictureRow } from '../../support/records.ts'
import { seed } from '../../support/seed.ts'

/** The head of a feed in JSON; its type is not that of other JSON. */
const read = async (api: Api, path: string) => {
  const { text } = await api.anonymous.get(path)
  const { title, home_page_url } = JSON.parse(text) as Record<string, string>
  return { title, home: home_page_url }
}

t.test(
  'a list leads to its page with the filters that pages have, or to the API without pages',
  async (t) => {
    const [site, api] = [await build(t), await build(t, { env: { PAGES: 'off' } })]
    const event = await seed(site)
    await seed(api)
    const venue = event.venue.id
    const draft = await must(site.editor.post('/venues', { venue: 'Draft', status: 'draft' }))
    const cases: [query: string, page: string][] = [
      ['', '/events/'],
      ['?categories=arts', '/events/?category=arts'],
      [`?tags=${event.tags[0].id}&search=choir`, '/events/?search=choir&tag=open-air'],
      [`?venue=${venue}`, '/events/?venue=hall'],
      [`?venue=${draft.id}`, '/events/'],
      [`?venue=${draft.id},${venue}`, '/events/'],
      ['?i18n_language=ca&when=all', '/ca/events/'],
      ['?featured=true&per_page=5', '/events/'],
    ]
    for (const [query, page] of cases) {
      t.equal((await read(site, `/events.jsonfeed${query}`)).home, `http://calendar.test${page}`, query)
      t.equal((await site.anonymous.get(`/${page}`)).status, 200, page)
    }
    t.equal(
      (await read(api, '/events.jsonfeed?categories=arts')).home,
      `http://calendar.test${ROOT}/events?categories=arts`,
    )
    const { id } = event.categories[0]
    t.equal(
      (await read(site, `/categories/${id}.jsonfeed`)).home,
      'http://calendar.test/events/category/music/',
    )
  },
)

t.test('the title of a feed does not name what the caller may not read', async (t) => {
  const api = await build(t)
  const { venue } = await seed(api)
  const secret = await must(api.editor.post('/venues', { venue: 'zzsecret', status: 'private' }))
  const plain = (await read(api, '/events.jsonfeed')).title
  t.equal((await read(api, `/events.jsonfeed?venue=${venue.id}`)).title, `${plain}: ${venue.venue}`)
  t.equal((await read(api, `/events.jsonfeed?venue=${secret.id}`)).title, plain)
})

t.test('a response with an address too long for a header has no link to a calendar', async (t) => {
  const { anonymous } = await build(t)
  const linked = async (length: number) => {
    const { status, headers } = await anonymous.get(`/events?other=${'x'.repeat(length)}`)
    t.equal(status, 200)
    return headers.link
  }
  t.match(await linked(1_000), /^<webcal:/)
  t.equal(await linked(1_600), undefined)
})

t.test('what is hidden between two batches of a feed is left out', async (t) => {
  const { app, editor, anonymous } = await build(t)
  for (let at = 0; at < 260; at++) await must(editor.post('/events', { ...EVENT, title: `Event ${at}` }))
  const { records } = app.store
  const { posts } = records
  let calls = 0
  records.posts = (async (...args: Parameters<typeof posts>) => {
    if (++calls === 2) await must(editor.patch('/events/260', { status: 'draft', title: 'zzsecret' }))
    return posts(...args)
  }) as typeof posts
  const { text } = await anonymous.get('/events.jsonfeed?orderby=title')
  t.equal(JSON.parse(text).items.length, 259)
  t.notMatch(text, /zzsecret/)
})

t.test('a feed without a known change, because old ones were removed, still has its ETag', async (t) => {
  const { app, editor, anonymous } = await build(t)
  const event = await must(editor.post('/events', { ...EVENT, title: 'Old' }))
  await must(editor.post('/venues', { venue: 'Later' }))
  await app.store.db.write(async (tx) => tx.delete(changes).where(eq(changes.record_id, event.id)))
  const kept = await anonymous.get('/events.atom')
  t.match(kept.text, '<updated>1970-01-01T00:00:00.000Z</updated>')
  await app.store.db.write(async (tx) => tx.delete(changes))
  const empty = await anonymous.get('/events.rss')
  t.notMatch(empty.text, 'lastBuildDate')
  for (const { headers } of [kept, empty]) t.match(headers.etag, /^"/)
})

t.test('formats show pictures, and words of English where a language has none', (t) => {
  const writer = fullCalendar(undefined).open(FEED)
  t.match(writer.event(eventRecord({ image: pictureRow('2026/11/hall.jpg') })), '/media/2026/11/hall.jpg')
  t.equal(titleOf(eventRecord({ language: 'eu', event_status: 'cancelled' })), 'Cancelled: Concert')
  t.equal(titleOf(eventRecord({ language: 'de-AT', event_status: 'cancelled' })), 'Abgesagt: Concert')
  t.end()
})
