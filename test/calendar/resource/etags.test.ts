import fc from 'fast-check'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { draw } from '../../support/pictures.ts'

const LOCATION = 'http://calendar.test'
/** The path of the record that a create made, as the client of a test takes it. */
const placeOf = ({ headers }: Answer) => `/${headers.location!.slice(LOCATION.length)}`

const BODIES = {
  events: EVENT,
  venues: { venue: 'Hall' },
  organizers: { organizer: 'Choir' },
  categories: { name: 'Music' },
  tags: { name: 'open' },
}
type Plural = keyof typeof BODIES
const PLURALS = Object.keys(BODIES) as Plural[]
const titleOf = (plural: Plural, title: string) => ({
  [Object.keys(BODIES[plural])[0]!]: title,
})

t.test('the ETag of a create is that of the record at its Location', async (t) => {
  const { editor, anonymous } = await build(t, { env: { MEDIA_DIR: t.testdir() } })
  for (const mount of [ROOT, '/ca/wp-json/tribe/events/v1'])
    for (const plural of PLURALS) {
      const made = await editor.post(`/${mount}/${plural}`, { ...BODIES[plural], ...titleOf(plural, mount) })
      const read = await editor.get(placeOf(made))
      t.same([made.status, made.headers.etag], [201, read.headers.etag], `${mount}/${plural}`)
      t.equal((await anonymous.get(placeOf(made))).headers.etag, read.headers.etag)
    }
  const headers = { 'content-type': 'image/png' }
  const media = await editor.post('/media', await draw(20, 20), { headers })
  t.equal(media.headers.etag, (await editor.get(placeOf(media))).headers.etag)
})

t.test(
  'a write that others overtook in the meantime is refused with the ETag of the last write',
  async (t) => {
    const { editor, author } = await build(t)
    const made = await author.post('/events', EVENT)
    const path = placeOf(made)
    const first = await author.patch(path, { title: 'One' }, { headers: { 'if-match': made.headers.etag! } })
    t.equal(first.status, 200)
    t.not(first.headers.etag, made.headers.etag)
    const second = await editor.patch(
      path,
      { title: 'Two' },
      { headers: { 'if-match': first.headers.etag! } },
    )
    t.equal(second.status, 200, 'each edit with the ETag of the one before, without a read')
    const late = await author.patch(path, { title: 'Late' }, { headers: { 'if-match': first.headers.etag! } })
    t.match(late, { status: 412, headers: { etag: second.headers.etag! } })
    t.equal((await editor.get(path)).headers.etag, second.headers.etag)
  },
)

t.test('a write has no ETag where a read of its URL shows no such record, or another', async (t) => {
  const { editor } = await build(t)
  const en = await must(editor.post('/venues', { venue: 'Hall', i18n_language: 'en' }))
  const created = await editor.post('//ca/calendar/events/v1/venues', {
    ...{ venue: 'Sala', i18n_language: 'ca' },
    translation_of: en.id,
  })
  t.equal(created.headers.etag, (await editor.get(placeOf(created))).headers.etag)
  const es = await editor.post('//ca/calendar/events/v1/venues', {
    ...{ venue: 'Salón', i18n_language: 'es' },
    translation_of: en.id,
  })
  t.equal((await editor.get(placeOf(es))).body.venue, 'Sala', 'there, its ID shows the Catalan translation')
  t.match(es, { status: 201, headers: { etag: undefined } })

  const renamed = await editor.patch(`/venues/by-slug/${en.slug}`, { slug: 'new' })
  t.match(renamed, { status: 200, body: { slug: 'new' }, headers: { etag: undefined } })
  const moved = await editor.patch(`/venues/${en.id}?i18n_language=es`, { phone: '1' })
  t.match(moved.body, { id: es.body.id })
  t.equal(moved.headers.etag, (await editor.get(`/venues/${en.id}?i18n_language=es`)).headers.etag)
  const put = await editor.put(`/venues/${en.id}`, { phone: '2' })
  t.match(put, { status: 200, headers: { etag: undefined } }, 'RFC 9110 §9.3.4')
  const deleted = await editor.delete(`/venues/${en.id}`)
  t.match(deleted, { status: 200, headers: { etag: undefined } })
})

t.test(
  'an event comes back from the trash by the ETag that the refused read tells who may do it',
  async (t) => {
    const { editor, author, contributor, anonymous } = await build(t)
    const { id } = await must(editor.post('/events', EVENT))
    const path = `/events/${id}`
    await must(editor.delete(path))
    const lying = await editor.get(path)
    t.equal(lying.status, 403)
    t.match(lying.headers.etag, /^"\w+"$/)
    for (const other of [author, contributor, anonymous])
      t.match(await other.get(path), { status: 403, headers: { etag: undefined } })
    const restore = (etag: string) =>
      editor.patch(path, { status: 'publish' }, { headers: { 'if-match': etag } })
    // another editor brings it back, changes it, and throws it away again
    await must(editor.patch(path, { status: 'draft', title: 'Other' }))
    await must(editor.delete(path))
    const late = await restore(lying.headers.etag!)
    t.match(late, { status: 412, headers: { etag: (await editor.get(path)).headers.etag! } })
    t.match(await restore(late.headers.etag!), { status: 200, body: { status: 'publish', title: 'Other' } })
    const again = (await editor.get(path)).headers.etag!
    await must(editor.delete(path))
    const erase = (etag: string) =>
      editor.delete(`${path}?force=true`, undefined, { headers: { 'if-match': etag } })
    t.equal((await erase(again)).status, 412)
    t.equal((await erase((await editor.get(path)).headers.etag!)).status, 200)
    t.match(await editor.get(path), { status: 404, headers: { etag: undefined } })
  },
)

/** One edit of the property: who, where, by what method and address, and what. */
type Edit = {
  role: 'editor' | 'administrator' | 'author'
  mount: string
  plural: Plural
  method: 'patch' | 'post'
  isBySlug: boolean
  language: string
  title: string
  more: object
}
const edits: fc.Arbitrary<Edit> = fc.record({
  role: fc.constantFrom('editor', 'administrator', 'author'),
  mount: fc.constantFrom(ROOT, '/ca/calendar/events/v1', '/wp-json/tribe/events/v1'),
  plural: fc.constantFrom(...PLURALS),
  method: fc.constantFrom('patch', 'post'),
  isBySlug: fc.boolean(),
  language: fc.constantFrom('', '?i18n_language=ca', '?i18n_language=en'),
  title: fc.constantFrom('One', 'Two', 'Té & café'),
  more: fc.constantFrom(
    {},
    { status: 'draft' },
    { status: 'publish' },
    { description: 'Text' },
    { password: 'x' },
  ),
})

async function apply(api: Api, records: Record<Plural, { id: number; slug: string }>, edit: Edit) {
  const { role, mount, plural, method, isBySlug, language, title, more } = edit
  const { id, slug } = records[plural]
  const place = isBySlug && slug ? `by-slug/${slug}` : id
  const path = `/${mount}/${plural}/${place}${language}`
  const client = api[role]
  const written = await client[method](path, { ...titleOf(plural, title), ...more })
  const read = await client.get(path)
  return { client, path, method, written, read, body: { ...titleOf(plural, `${title}!`) } }
}

t.test('the ETag of any write is that of the next read, and lets the next write through', async (t) => {
  const api = await build(t)
  const records = {} as Record<Plural, { id: number; slug: string }>
  for (const plural of PLURALS) {
    const { id, slug } = await must(
      api.author
        .post(`/${plural}`, BODIES[plural])
        .then(async (answer) =>
          answer.status === 201 ? answer : api.editor.post(`/${plural}`, BODIES[plural]),
        ),
    )
    records[plural] = { id, slug: plural === 'categories' || plural === 'tags' ? '' : slug }
    const ca = { ...titleOf(plural, 'Català'), i18n_language: 'ca', translation_of: id }
    await must(api.editor.post(`/${plural}`, { ...BODIES[plural], ...ca }))
  }
  let written = 0
  await fc.assert(
    fc.asyncProperty(edits, async (edit) => {
      const one = await apply(api, records, edit)
      if (one.written.status >= 300) return
      written++
      t.equal(one.written.headers.etag, one.read.headers.etag, `${one.method} ${one.path}`)
      const headers = { 'if-match': one.written.headers.etag! }
      const next = await one.client[one.method](one.path, one.body, { headers })
      if (next.status !== 200) t.fail(`${one.path} ${JSON.stringify(edit)}: ${next.text}`)
    }),
    { numRuns: 60, seed: 14 },
  )
  t.ok(written > 20, `${written} were allowed`)
})
