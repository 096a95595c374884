import t from 'tap'
import { RIGHTS, ROLES } from '../../../src/rules/roles.ts'
import { refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

const KINDS = ['categories', 'tags'] as const
type Kind = (typeof KINDS)[number]
const ONE = { categories: 'category', tags: 'tag' }

const make = async ({ editor }: Api, kind: Kind, input: object) =>
  (await must(editor.post(`/${kind}`, input))).id as number

t.test('who may write terms is what the table of rights says', async (t) => {
  const api = await build(t)
  for (const kind of KINDS) {
    const least = RIGHTS[`create, change and delete ${kind}`]
    for (const asker of ['anonymous', ...ROLES] as const) {
      const allowed = asker !== 'anonymous' && ROLES.indexOf(asker) >= ROLES.indexOf(least)
      const code = `${asker === 'anonymous' ? 401 : 403} rest_forbidden`
      const id = await make(api, kind, { name: `For ${asker}` })
      const before = await api.fingerprint()
      const url = `/${kind}/${id}`
      const client = api[asker]
      const answers = [
        await client.post(`/${kind}`, { name: `By ${asker}` }),
        await client.patch(url, { name: 'Changed' }),
        await client.put(url, {}),
        await client.post(url, {}),
        await client.delete(url),
      ]
      const expected = allowed ? [201, 200, 200, 200, 200] : Array(5).fill(code)
      const got = answers.map((answer) => (answer.status < 300 ? answer.status : refusal(answer)))
      t.same(got, expected, `${asker}, ${kind}`)
      if (allowed) continue
      t.equal(await api.fingerprint(), before, 'changes nothing')
      const event = { ...EVENT, status: 'draft', [kind]: ['Fresh'] }
      const { status } = await client.post('/events', event)
      t.equal(status, asker === 'anonymous' ? 401 : 403, `${asker} makes none inside an event either`)
      t.equal(await api.fingerprint(), before, 'changes nothing')
    }
  }
})

t.test('parameters are looked at before rights, and rights before existence', async (t) => {
  const api = await build(t)
  const tag = await make(api, 'tags', { name: 'T' })
  const cases: [asker: 'anonymous' | 'subscriber' | 'editor', input: object, expected: string][] = [
    ['anonymous', { name: '' }, '400 rest_invalid_param name'],
    ['anonymous', { parent: 999 }, '401 rest_forbidden'],
    ['anonymous', {}, '401 rest_forbidden'],
    ['subscriber', {}, '403 rest_forbidden'],
    ['editor', {}, '404 category-not-found'],
  ]
  for (const [asker, input, expected] of cases)
    for (const id of [999, tag])
      t.equal(refusal(await api[asker].patch(`/categories/${id}`, input)), expected, `${asker} ${id}`)
  t.equal(refusal(await api.anonymous.delete('/tags/999')), '401 rest_forbidden')
  t.equal(refusal(await api.contributor.delete('/tags/999')), '403 rest_forbidden')
  t.equal(refusal(await api.editor.get('/categories/2')), '404 category-not-found')
})

t.test('a deleted term is gone for good: its children move up, its events lose it', async (t) => {
  for (const kind of KINDS) {
    const api = await build(t)
    for (const query of ['', '?force=true', '?force=0']) {
      const id = await make(api, kind, { name: 'Doomed' })
      const other = await make(api, kind, { name: `Other ${query}` })
      const { id: event } = await must(api.editor.post('/events', { ...EVENT, [kind]: [id, other] }))
      const before = (await api.anonymous.get(`/${kind}/${id}`)).body
      t.strictSame(await must(api.editor.delete(`/${kind}/${id}${query}`)), before, 'it says what it was')
      const shown = (await api.anonymous.get(`/events/${event}`)).body[kind]
      t.same(
        shown.map((term: { id: number; count: number }) => [term.id, term.count]),
        [[other, 1]],
      )
      const unknown = `404 ${ONE[kind]}-not-found`
      t.equal(refusal(await api.editor.delete(`/${kind}/${id}`)), unknown)
      t.equal(refusal(await api.anonymous.get(`/${kind}/${id}`)), unknown)
      t.equal(
        refusal(await api.editor.delete(`/${kind}/${other}?force=maybe`)),
        '400 rest_invalid_param force',
      )
      t.not(await make(api, kind, { name: 'Doomed' }), id, 'an ID is never used again')
      await must(api.editor.delete(`/${kind}/${id + 2}`))
    }
  }
  const api = await build(t)
  const top = await make(api, 'categories', { name: 'Top' })
  const middle = await make(api, 'categories', { name: 'Middle', parent: top })
  const low = await make(api, 'categories', { name: 'Low', parent: middle })
  await must(api.editor.delete(`/categories/${middle}`))
  t.equal((await api.anonymous.get(`/categories/${low}`)).body.parent, top)
  await must(api.editor.delete(`/categories/${top}`))
  t.equal((await api.anonymous.get(`/categories/${low}`)).body.parent, 0)
})

t.test('counts are those of published events after every write', async (t) => {
  const api = await build(t)
  const { editor, clock } = api
  const [a, b] = [await make(api, 'categories', { name: 'A' }), await make(api, 'categories', { name: 'B' })]
  const tag = await make(api, 'tags', { name: 'T' })
  const counts = async () => {
    const of = async (path: string) => (await api.anonymous.get(path)).body.count
    return [await of(`/categories/${a}`), await of(`/categories/${b}`), await of(`/tags/${tag}`)].join(' ')
  }
  const { id } = await must(editor.post('/events', { ...EVENT, categories: [a], tags: [tag] }))
  t.equal(await counts(), '1 0 1')
  const { id: other } = await must(editor.post('/events', { ...EVENT, status: 'draft', categories: [a, b] }))
  t.equal(await counts(), '1 0 1', 'a draft does not count')
  const writes: [path: string, input: object, expected: string][] = [
    [`/events/${other}`, { status: 'publish' }, '2 1 1'],
    [`/events/${other}`, { title: 'Other' }, '2 1 1'],
    [`/events/${id}`, { categories: [b, b, 'B'] }, '1 2 1'],
    [`/events/${id}`, { tags: [] }, '1 2 0'],
    [`/events/${id}`, { tags: 'T', status: 'private' }, '1 1 0'],
    [`/events/${id}`, { status: 'publish' }, '1 2 1'],
    [`/events/${id}`, { status: 'trash' }, '1 1 0'],
    [`/events/${id}`, { status: 'publish' }, '1 2 1'],
    [`/events/${other}`, { status: 'publish', date: '2026-11-22 09:00:00' }, '0 1 1'],
    [`/categories/${b}`, { parent: a }, '0 1 1'],
  ]
  for (const [path, input, expected] of writes) {
    await must(editor.patch(path, input))
    t.equal(await counts(), expected, `${path} ${JSON.stringify(input)}`)
  }
  await must(editor.delete(`/events/${id}`))
  t.equal(await counts(), '0 0 0', 'nor does what lies in the trash')
  await must(editor.delete(`/events/${id}?force=1`))
  t.equal(await counts(), '0 0 0')
  clock.now += 36 * 3_600_000
  t.equal(await counts(), '1 1 0', 'a scheduled event counts from its time on')
  await must(editor.delete(`/events/${other}?force=1`))
  t.equal(await counts(), '0 0 0')
})

t.test('terms are linked as translations, one for each language', async (t) => {
  for (const kind of KINDS) {
    const api = await build(t)
    const { editor, anonymous } = api
    const en = await make(api, kind, { name: 'Music' })
    const ca = await make(api, kind, { name: 'Música', i18n_language: 'ca', translation_of: en })
    const lone = await make(api, kind, { name: 'Lone' })
    const foreign = await make(api, kind === 'tags' ? 'categories' : 'tags', { name: 'Foreign' })
    const of = async (id: number) => (await anonymous.get(`/${kind}/${id}`)).body.translations
    t.strictSame([await of(en), await of(ca)], [{ ca }, { en }])
    t.equal((await anonymous.get(`/${kind}/${en}?i18n_language=ca`)).body.id, ca)
    t.equal((await anonymous.get(`/${kind}/${en}?i18n_language=es`)).body.id, en, 'none: itself')
    t.equal((await anonymous.get(`/${kind}/${lone}?i18n_language=ca`)).body.id, lone)

    const bad = (name: string) => `400 rest_invalid_param ${name}`
    for (const [id, input, expected] of [
      [lone, { translation_of: en }, bad('translation_of')],
      [lone, { translation_of: ca }, bad('translation_of')],
      [lone, { translation_of: lone }, bad('translation_of')],
      [lone, { translation_of: foreign }, bad('translation_of')],
      [lone, { translation_of: 999 }, bad('translation_of')],
      [lone, { translation_of: 0 }, bad('translation_of')],
      [ca, { i18n_language: 'en' }, bad('i18n_language')],
      [en, { i18n_language: 'ca' }, bad('i18n_language')],
    ] as const) {
      const before = await api.fingerprint()
      t.equal(refusal(await editor.patch(`/${kind}/${id}`, input)), expected, JSON.stringify(input))
      t.equal(await api.fingerprint(), before, 'changes nothing')
    }

    await must(editor.patch(`/${kind}/${lone}`, { translation_of: ca, i18n_language: 'es' }))
    t.strictSame(await of(en), { ca, es: lone })
    await must(editor.patch(`/${kind}/${lone}`, { name: 'Sola' }))
    t.strictSame(await of(lone), { ca, en }, 'an update without it keeps it')
    await must(editor.patch(`/${kind}/${en}`, { translation_of: null }))
    t.strictSame([await of(en), await of(ca)], [{}, { es: lone }])
    const again = await make(api, kind, { name: 'Encore', i18n_language: 'ca', translation_of: en })
    t.strictSame(
      [await of(en), await of(ca)],
      [{ ca: again }, { es: lone }],
      'who left founds a set of its own',
    )
    await must(editor.delete(`/${kind}/${lone}`))
    t.strictSame(await of(ca), {})
  }
})

t.test('an event that left its translations founds a set of its own', async (t) => {
  const { editor, anonymous } = await build(t)
  const add = async (input: object) =>
    (await must(editor.post('/events', { ...EVENT, ...input }))).id as number
  const of = async (id: number) => (await anonymous.get(`/events/${id}`)).body.translations
  const en = await add({})
  const ca = await add({ i18n_language: 'ca', translation_of: en })
  const es = await add({ i18n_language: 'es', translation_of: ca })
  await must(editor.patch(`/events/${en}`, { translation_of: null }))
  const again = await add({ i18n_language: 'ca', translation_of: en })
  t.strictSame([await of(en), await of(ca)], [{ ca: again }, { es }])
})

t.test('the count of a term is that of its published events, after every write', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const ids: Record<string, number> = {}
  for (const name of ['a', 'b'])
    for (const taxonomy of ['categories', 'tags'])
      ids[`${taxonomy} ${name}`] = (await must(editor.post(`/${taxonomy}`, { name }))).id
  const counts = async (taxonomy: string) =>
    (await Promise.all(['a', 'b'].map((name) => anonymous.get(`/${taxonomy}/${ids[`${taxonomy} ${name}`]}`))))
      .map(({ body }) => body.count)
      .join(' ')
  const terms = (names: string[]) => ({ categories: names, tags: names })
  const { id } = await must(editor.post('/events', { ...EVENT, ...terms(['a']) }))
  const other = await must(editor.post('/events', { ...EVENT, ...terms(['a', 'b']), slug: 'other' }))
  const tomorrow = '2026-11-22 09:00:00'

  const passTime = async () => {
    api.clock.now = Date.parse(`${tomorrow}Z`)
  }
  const patch = (sent: object) => () => must(editor.patch(`/events/${id}`, sent))
  const steps: [what: string, write: () => Promise<unknown>, counts: string][] = [
    ['nothing', async () => {}, '2 1'],
    ['title', patch({ title: 'x' }), '2 1'],
    ['draft', patch({ status: 'draft' }), '1 1'],
    ['terms of a draft', patch(terms(['a', 'b'])), '1 1'],
    ['publish', patch({ status: 'publish' }), '2 2'],
    ['another term', patch(terms(['b'])), '1 2'],
    ['a term twice', patch(terms(['b', 'B', 'a'])), '2 2'],
    ['no terms', patch({ categories: '', tags: null }), '1 1'],
    ['terms and status at once', patch({ ...terms(['a', 'b']), status: 'private' }), '1 1'],
    ['back', patch({ status: 'publish' }), '2 2'],
    ['scheduled', patch({ date: tomorrow }), '1 1'],
    ['due', passTime, '2 2'],
    ['hidden from lists', patch({ hide_from_listings: true, password: 'x' }), '2 2'],
    ['trash', () => must(editor.delete(`/events/${id}`)), '1 1'],
    ['restored as a draft', patch({ status: 'draft' }), '1 1'],
    ['trash by an update', patch({ status: 'trash' }), '1 1'],
    ['restored with other terms', patch({ status: 'publish', ...terms(['a']) }), '2 1'],
    ['deleted for good', () => must(editor.delete('/events/by-slug/other?force=true')), '1 0'],
    ['to the trash and gone', () => must(editor.delete(`/events/${id}?force=true`)), '0 0'],
  ]
  for (const [what, write, expected] of steps) {
    await write()
    for (const taxonomy of ['categories', 'tags'])
      t.equal(await counts(taxonomy), expected, `${what}: ${taxonomy}`)
    const listed = async (query: string) => (await anonymous.get(`/tags?${query}`)).body.total
    t.equal(await listed(''), expected.split(' ').filter((count) => count !== '0').length)
    t.equal(await listed('hide_empty=false'), 2)
  }
  t.equal((await editor.get(`/events/${other.id}`)).status, 404)
})

t.test('a refused write leaves counts alone, and what an event shows of them is the present', async (t) => {
  const { editor, author, anonymous } = await build(t)
  const { id, tags } = await must(editor.post('/events', { ...EVENT, tags: ['t'] }))
  const count = async () => (await anonymous.get(`/tags/${tags[0].id}`)).body.count
  t.match(await author.patch(`/events/${id}`, { tags: [] }), { status: 403 })
  t.match(await editor.patch(`/events/${id}`, { tags: [], venue: 999 }), { status: 400 })
  t.match(await author.post('/events', { ...EVENT, tags: ['t', 'new'] }), { status: 403 })
  t.equal(await count(), 1)
  await must(author.post('/events', { ...EVENT, tags: ['t'] }))
  t.equal(await count(), 2)
  t.equal((await anonymous.get(`/events/${id}`)).body.tags[0].count, 2)
})
