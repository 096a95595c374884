import t from 'tap'
import { refusal } from '../support/answers.ts'
import { type Api, build, EVENT, ROOT } from '../support/app.ts'
import { must } from '../support/events.ts'

const KINDS = {
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

for (const [kind, least] of Object.entries(KINDS))
  t.test(`${kind}: reads, updates and deletes find a slug in every writing of it`, async (t) => {
    const { editor, anonymous } = await build(t)
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
  const api = await build(t)
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
