import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { LEAST } from '../../support/given.ts'
import { sendDemoBack, WAYS } from './returned.ts'

const SLUGGED = {
  events: (title: string) => ({ ...EVENT, title }),
  venues: (venue: string) => ({ venue }),
  organizers: (organizer: string) => ({ organizer }),
}

/** A slug as it is shown, percent-encoded once more, and in other writings that make the same. */
const writings = (name: string, slug: string) => [
  slug,
  encodeURIComponent(slug),
  encodeURIComponent(slug.toUpperCase()),
  encodeURIComponent(decodeURIComponent(slug)),
  encodeURIComponent(name),
  encodeURIComponent(name.toUpperCase()),
]

/** One application for what is tried with each kind, in which no kind sees the others. */
const shared = await build(t)

for (const [kind, least] of Object.entries(SLUGGED))
  t.test(`${kind}: reads, updates and deletes find a slug in every writing of it`, async (t) => {
    const { editor, anonymous } = shared
    for (const name of ['Театр', 'Basic event', 'Été à la plage']) {
      const { id, slug } = await must(editor.post(`/${kind}`, least(name)))
      for (const writing of writings(name, slug)) {
        const path = `/${kind}/by-slug/${writing}`
        t.equal((await anonymous.get(path)).body.id, id, `GET ${path}`)
        t.equal((await editor.patch(path, { description: writing })).body.id, id, `PATCH ${path}`)
        t.equal((await editor.delete(path)).body.id, id, `DELETE ${path}`)
        await must(editor.patch(`/${kind}/${id}`, { status: 'publish' }))
      }
    }
    t.equal((await anonymous.get(`/${kind}/by-slug/basic`)).status, 404, 'and no other slug')
  })

t.test('an exact slug stands over a looser reading of it', async (t) => {
  const { editor, anonymous } = await build(t)
  const under = await must(editor.post('/events', { ...EVENT, slug: 'a_b' }))
  const dash = await must(editor.post('/events', { ...EVENT, slug: 'a-b' }))
  const read = async (slug: string) => (await anonymous.get(`/events/by-slug/${slug}`)).body.id
  t.equal(await read('A_B'), under.id)
  t.equal(await read('a-b'), dash.id)
  t.equal(await read('a%20b'), dash.id)
})

t.test('a slug that says nothing finds no draft without one', async (t) => {
  const { editor } = await build(t)
  t.equal((await must(editor.post('/events', { ...EVENT, status: 'draft' }))).slug, '')
  t.equal(refusal(await editor.get('/events/by-slug/!')), '404 rest-event-not-found')
})

const redirect = async ({ app }: Api, path: string) => {
  const { statusCode, headers } = await app.inject(path)
  return statusCode === 302 ? String(headers.location).replace(`http://calendar.test${ROOT}`, '') : statusCode
}

t.test('permanent addresses lead on from every writing', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  const event = await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'Театр',
      categories: ['Камерный театр'],
      tags: ['Open Air'],
    }),
  )
  const [[category], [tag]] = [event.categories, event.tags]
  for (const writing of writings('Театр', event.slug))
    t.equal(await redirect(api, `/event/${writing}/`), `/events/${event.id}`, writing)
  for (const writing of writings('камерный-театр', category.slug))
    t.equal(await redirect(api, `/events/category/${writing}/`), `/categories/${category.id}`, writing)
  for (const writing of ['open-air', 'Open%20Air', 'OPEN%20%20AIR!'])
    t.equal(await redirect(api, `/events/tag/${writing}/`), `/tags/${tag.id}`, writing)
  t.equal(await redirect(api, '/events/tag/open/'), 404)
})

t.test(
  'filters find a term by every writing of its slug; in an event another name is a new term',
  async (t) => {
    const { editor, anonymous } = await build(t)
    const c = await must(editor.post('/tags', { name: 'Language', slug: 'c' }))
    const air = await must(editor.post('/tags', { name: 'Outside', slug: 'open-air' }))
    await must(editor.post('/events', { ...EVENT, tags: [air.id] }))
    for (const writing of ['open-air', 'open%20air', 'Open%20Air', 'OPEN-AIR'])
      t.equal((await anonymous.get(`/events?tags=${writing}`)).body.total, 1, writing)
    t.equal((await anonymous.get('/events?tags=C%2B%2B')).body.total, 0, 'that of "Language"')
    const { tags } = await must(editor.post('/events', { ...EVENT, tags: ['C++'] }))
    t.notSame(tags[0].id, c.id)
    t.equal(refusal(await anonymous.get('/events?tags=closed')), '400 rest_invalid_param tags')
  },
)

const NAMES = { events: 'title', venues: 'venue', organizers: 'organizer', categories: 'name', tags: 'name' }
type Kind = keyof typeof LEAST

/** An English record and its Catalan twin. */
async function twins({ editor }: Api, kind: Kind) {
  const en = await must(editor.post(`/${kind}`, LEAST[kind]('English')))
  const ca = await must(
    editor.post(`/${kind}`, { ...LEAST[kind]('Català'), i18n_language: 'ca', translation_of: en.id }),
  )
  return { en, ca }
}

for (const kind of Object.keys(LEAST) as Kind[])
  t.test(`${kind}: a write changes what a read of the same address and language shows`, async (t) => {
    const { editor, anonymous } = shared
    const { en, ca } = await twins(shared, kind)
    const rename = { [NAMES[kind]]: 'Renamed' }
    const keys = [`${en.id}`, ...('slug' in en && en.author ? [`by-slug/${en.slug}`] : [])]
    for (const key of keys)
      for (const path of [`/${kind}/${key}?i18n_language=ca`, `//ca${ROOT}/${kind}/${key}`]) {
        t.equal((await anonymous.get(path)).body.id, ca.id, path)
        for (const method of ['patch', 'put', 'post'] as const)
          t.match(
            await must(editor[method](path, rename)),
            { id: ca.id, language: 'ca', [NAMES[kind]]: 'Renamed' },
            `${method} ${path}`,
          )
      }
    t.match(await must(editor.get(`/${kind}/${en.id}`)), { language: 'en', [NAMES[kind]]: 'English' })
    t.equal(
      (await must(editor.patch(`//ca${ROOT}/${kind}/${en.id}?i18n_language=en`, rename))).id,
      en.id,
      'the parameter stands over the root',
    )
    t.equal((await must(editor.patch(`/${kind}/${ca.id}`, rename))).id, ca.id, 'without a language, itself')
    t.equal((await must(editor.delete(`/${kind}/${en.id}?i18n_language=ca`))).id, ca.id)
    t.match(await must(editor.get(`/${kind}/${en.id}`)), { id: en.id, language: 'en' })
    t.match(
      await must(editor.delete(`//ca${ROOT}/${kind}/${en.id}?force=1`)),
      { id: en.id },
      'once the twin is in the trash, reads and writes are of the record itself',
    )
    const gone = await editor.patch(`/${kind}/999?i18n_language=ca`, rename)
    t.equal(gone.status, 404)
  })

for (const kind of Object.keys(LEAST) as Kind[])
  t.test(`${kind}: only the body changes the language of a record`, async (t) => {
    const { editor } = shared
    const { id } = await must(editor.post(`/${kind}`, LEAST[kind]('Alone')))
    const language = async (path: string, body: object) => (await must(editor.patch(path, body))).language
    t.equal(await language(`/${kind}/${id}?i18n_language=ca`, {}), 'en')
    t.equal(await language(`//ca${ROOT}/${kind}/${id}`, {}), 'en')
    t.equal(await language(`/${kind}/${id}?i18n_language=es`, { i18n_language: 'ca' }), 'ca')
    t.equal((await must(editor.post(`/${kind}?i18n_language=es`, LEAST[kind]('New')))).language, 'es')
  })

t.test('rights and conditions are those of the record that is addressed', async (t) => {
  const api = await build(t)
  const { editor, author, anonymous } = api
  const own = await must(author.post('/events', { ...EVENT, title: 'Own' }))
  const other = await must(
    editor.post('/events', { ...EVENT, title: 'Other', i18n_language: 'ca', translation_of: own.id }),
  )
  const path = `/events/${own.id}?i18n_language=ca`
  t.equal(refusal(await author.patch(path, { title: 'X' })), '403 rest_forbidden')
  t.equal(refusal(await author.delete(path)), '403 rest_forbidden')
  t.equal((await must(author.patch(`/events/${own.id}`, { title: 'Mine' }))).id, own.id)

  const { headers } = await editor.get(path)
  const when = { headers: { 'if-match': headers.etag! } }
  t.equal((await must(editor.patch(path, { title: 'Third' }, when))).id, other.id)
  t.equal((await editor.patch(path, { title: 'Fourth' }, when)).status, 412)
  const fresh = { headers: { 'if-match': (await editor.get(path)).headers.etag! } }
  t.equal((await must(editor.delete(path, undefined, fresh))).id, other.id)

  await must(editor.patch(`/events/${other.id}`, { status: 'draft' }))
  t.equal((await anonymous.get(path)).body.id, own.id, 'who may not read the twin is shown the record')
  t.equal((await must(author.patch(path, { title: 'Mine again' }))).id, own.id)
})

t.test('every record of the demo may be sent back as it was read', async (t) => {
  // each in one way here; in all ways in tools/long/random/returned.test.ts
  await sendDemoBack(t, (count) => [WAYS[count % WAYS.length]!])
})

t.test('drafts are sent back as they are, and published as if they had never been', async (t) => {
  const { editor, clock } = await build(t)
  const draft = await must(editor.post('/events', { ...EVENT, status: 'draft' }))
  t.match(draft, { slug: '', date_utc: '0000-00-00 00:00:00' })
  clock.now += 3_600_000
  const { modified, modified_utc, ...same } = await must(editor.put(`/events/${draft.id}`, draft))
  t.match(same, { slug: '', date: draft.date, date_utc: draft.date_utc })
  const published = await must(editor.put(`/events/${draft.id}`, { ...draft, status: 'publish' }))
  t.match(published, { slug: 'concert', date: '2026-11-21 10:00:00' })
  t.equal(refusal(await editor.put(`/events/${draft.id}`, { slug: '' })), '400 rest_invalid_param slug')
  t.equal(refusal(await editor.post('/events', { ...EVENT, slug: '' })), '400 rest_invalid_param slug')
  t.match(await must(editor.post('/events', { ...draft, title: 'Copy' })), { slug: '', status: 'draft' })
})

t.test('a list of costs, a derived region and a moved date stay what they are', async (t) => {
  const { editor } = await build(t)
  const event = await must(editor.post('/events', { ...EVENT, cost: ['0$', '20$', '30$'] }))
  t.same((await must(editor.put(`/events/${event.id}`, event))).cost_details, event.cost_details)
  const moved = await must(editor.put(`/events/${event.id}`, { ...event, date: '2026-11-01 08:00:00' }))
  t.match(moved, { date: '2026-11-01 08:00:00', date_utc: '2026-11-01 08:00:00' })
  const venue = await must(editor.post('/venues', { venue: 'Hall', country: 'US', state: 'TX', zip: 77001 }))
  t.match(venue, { stateprovince: 'TX', zip: '77001' })
  const california = await must(editor.put(`/venues/${venue.id}`, { ...venue, state: 'CA' }))
  t.equal(california.stateprovince, 'CA', 'what was derived is derived again')
  t.equal(refusal(await editor.post('/venues', { venue: 'Hall', zip: 1.5 })), '400 rest_invalid_param zip')
})

t.test('links that a caller does not see are not unlinked by sending back the others', async (t) => {
  const { editor, author } = await build(t)
  const hidden = await must(editor.post('/venues', { venue: 'Hidden', status: 'private' }))
  const { id } = await must(author.post('/events', EVENT))
  await must(editor.patch(`/events/${id}`, { venue: [hidden.id] }))
  const seen = await must(author.get(`/events/${id}`))
  t.same(seen.venue, [])
  await must(author.put(`/events/${id}`, seen))
  t.equal((await must(editor.get(`/events/${id}`))).venue.id, hidden.id)
  await must(editor.put(`/events/${id}`, { venue: [] }))
  t.same((await must(editor.get(`/events/${id}`))).venue, [])
})

t.test('what is in the trash comes back from there under its slug', async (t) => {
  const { editor } = await build(t)
  for (const [kind, body] of [
    ['events', EVENT],
    ['venues', { venue: 'Hall' }],
    ['organizers', { organizer: 'Club' }],
  ] as const) {
    const made = await must(editor.post(`/${kind}`, body))
    await must(editor.delete(`/${kind}/${made.id}`))
    const [trashed] = (await must(editor.get(`/${kind}?status=trash&start_date=2020-01-01`)))[kind]
    t.match(trashed, { status: 'trash', slug: `${made.slug}__trashed` })
    t.equal((await editor.put(`/${kind}/${made.id}`, trashed)).status, 410)
    const restored = await must(editor.put(`/${kind}/${made.id}`, { ...trashed, status: 'publish' }))
    t.equal(restored.slug, made.slug)
  }
})

t.test('an event under a password, and records of every language, come back to their editor', async (t) => {
  const { editor } = await build(t)
  for (const language of ['ca', 'es'])
    for (const [kind, body] of [
      ['events', { ...EVENT, password: 'secret', description: 'Text', status: 'pending' }],
      ['organizers', { organizer: 'Club', email: 'a@b.test' }],
      ['categories', { name: 'Music &amp;amp; more' }],
    ] as const) {
      const made = await must(editor.post(`//${language}/calendar/events/v1/${kind}`, body))
      const path = `/${kind}/${made.id}`
      const { modified, modified_utc, json_ld, ...before } = await must(editor.get(path))
      await must(editor.put(path, { ...before, json_ld }))
      t.match(await must(editor.get(path)), before)
    }
})

t.test('images and terms are taken in every way in which they are shown', async (t) => {
  const { editor } = await build(t)
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  const { id } = await must(editor.post('/media', gif, { headers: { 'content-type': 'image/gif' } }))
  const { image } = await must(editor.post('/events', { ...EVENT, image: id }))
  for (const given of [image, { id }, { id: String(id) }, id])
    t.equal((await must(editor.post('/venues', { venue: 'V', image: given }))).image.id, id)
  t.notOk('image' in (await must(editor.post('/venues', { venue: 'V', image: false }))))
  const tag = await must(editor.post('/tags', { name: 'Jazz' }))
  for (const tags of [[tag], tag, [{ id: tag.id }], [{ id: String(tag.id) }], [{ id: tag.id }, 'jazz']])
    t.same(
      (await must(editor.post('/events', { ...EVENT, tags }))).tags.map((one: { id: number }) => one.id),
      [tag.id],
    )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = `title=T&start_date=2026-12-01&end_date=2026-12-01&tags[0][id]=${tag.id}&image[id]=${id}`
  t.match(await must(editor.post('/events', form, { headers })), { tags: [{ id: tag.id }], image: { id } })
})
