import t, { type Test } from 'tap'
import { refusal } from '../../support/answers.ts'
import { type Api, build, ROOT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { faults } from '../../support/schema.ts'

const BASE = 'http://calendar.test'
const KINDS = ['categories', 'tags'] as const
type Kind = (typeof KINDS)[number]
const ONE = { categories: 'category', tags: 'tag' }
const METHODS = ['post', 'put', 'patch'] as const

const make = async ({ editor }: Api, kind: Kind, input: object) =>
  (await must(editor.post(`/${kind}`, input))).id as number

/** Sends inputs one after the other; the refused ones change nothing. What comes back is `name slug`, or why not. */
async function each(
  t: Test,
  api: Api,
  method: 'post' | 'patch',
  path: string,
  cases: [input: object, expected: string][],
) {
  for (const [input, expected] of cases) {
    const before = await api.fingerprint()
    const answer = await api.editor[method](path, input)
    const { name, slug } = answer.body
    const got = answer.status < 300 ? `${name} ${slug}` : refusal(answer)
    t.equal(got, expected, `${path} ${JSON.stringify(input).slice(0, 80)}`)
    if (answer.status >= 300) t.equal(await api.fingerprint(), before, 'changes nothing')
  }
}

t.test('a term comes back with everything it was given', async (t) => {
  const api = await build(t)
  const parent = await make(api, 'categories', { name: 'Arts' })
  for (const kind of KINDS) {
    const { status, body, headers } = await api.editor.post(`/${kind}`, {
      name: ' Chamber &amp; <b>Choir</b>\n',
      slug: 'Kammer Musik',
      description: 'Small <b>rooms</b><script>x</script>',
      i18n_language: 'ca',
      colour: 'red',
      ...(kind === 'categories' && { parent }),
    })
    const url = `${BASE}${ROOT}/${kind}`
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      count: 0,
      description: '<p>Small <b>rooms</b></p>',
      name: 'Chamber & Choir',
      slug: 'kammer-musik',
      taxonomy: kind === 'tags' ? 'post_tag' : 'calendar_events_cat',
      ...(kind === 'categories' && { parent }),
      meta: [],
      url: `${BASE}/events/${ONE[kind]}/kammer-musik/`,
      urls: {
        self: `${url}/${body.id}`,
        collection: url,
        ...(kind === 'categories' && { up: `${url}/${parent}` }),
      },
      language: 'ca',
      translations: {},
    })
    t.same(faults(kind === 'tags' ? 'Tag' : 'Category', body), [])
    t.match(headers, { location: `${url}/${body.id}`, 'x-ignored-fields': 'colour' })
    t.strictSame((await api.anonymous.get(`/${kind}/${body.id}`)).body, body)
  }
})

for (const kind of KINDS)
  t.test(`names and slugs of ${kind}`, async (t) => {
    const api = await build(t)
    const blank = '400 empty_term_name name'
    const bad = (...names: string[]) => `400 rest_invalid_param ${names.join(' ')}`
    await each(t, api, 'post', `/${kind}`, [
      [{ name: 'Música' }, 'Música musica'],
      [{ name: '日本' }, '日本 %e6%97%a5%e6%9c%ac'],
      [{ name: '!!!' }, `!!! ${ONE[kind]}`],
      [{ name: '???' }, `??? ${ONE[kind]}-2`],
      [{ name: 'x'.repeat(200) }, `${'x'.repeat(200)} ${'x'.repeat(200)}`],
      [{ name: 'x'.repeat(201) }, '400 term_name_too_long name'],
      [{ name: ' ' }, blank],
      [{ name: '<i></i>' }, blank],
      [{ name: '' }, bad('name')],
      [{ name: null }, '400 rest_missing_callback_param name'],
      [{}, '400 rest_missing_callback_param name'],
      [{ name: 5 }, bad('name')],
      [{ name: ['a'] }, bad('name')],
      [{ name: 'Own slug', slug: 'MY slug!' }, 'Own slug my-slug'],
      [{ name: 'Long', slug: 'y'.repeat(300) }, `Long ${'y'.repeat(200)}`],
      [{ name: 'No slug', slug: null }, 'No slug no-slug'],
      [{ name: 'A', slug: '' }, bad('slug')],
      [{ name: 'A', slug: '!' }, bad('slug')],
      [{ name: 'A', slug: 7 }, bad('slug')],
      [{ name: 'A', description: 7, i18n_language: 'de' }, bad('description', 'i18n_language')],
      [{ name: 'A', description: 'd'.repeat(100_001) }, bad('description')],
      [{ name: 'A', translation_of: 999 }, bad('translation_of')],
      [{ name: 'Taken', slug: 'musica' }, 'Taken musica-2'],
    ])
    const id = await make(api, kind, { name: 'Changing' })
    await each(t, api, 'patch', `/${kind}/${id}`, [
      [{}, 'Changing changing'],
      [{ name: 'Changed' }, 'Changed changing'],
      [{ slug: null }, 'Changed changed'],
      [{ slug: 'changed' }, 'Changed changed'],
      [{ slug: 'musica' }, '400 duplicate_term_slug'],
      [{ slug: 'other', name: 'Música' }, 'Música other'],
      [{ slug: null }, 'Música musica-3'],
      [{ name: '…', slug: null }, `… ${ONE[kind]}-3`],
      [{ name: ' ' }, blank],
      [{ name: null }, bad('name')],
      [{ slug: '' }, bad('slug')],
    ])
  })

t.test('a name is taken among siblings for categories, everywhere and in any case for tags', async (t) => {
  const api = await build(t)
  const arts = await make(api, 'categories', { name: 'Arts' })
  await make(api, 'tags', { name: 'Arts' })
  const exists = '400 term_exists'
  await each(t, api, 'post', '/categories', [
    [{ name: 'Arts' }, exists],
    [{ name: 'arts' }, 'arts arts-2'],
    [{ name: 'Arts', parent: arts }, 'Arts arts-3'],
    [{ name: 'Arts', parent: arts }, exists],
    [{ name: 'Arts', slug: 'arts' }, exists],
    [{ name: 'Arts', slug: 'fine-arts' }, 'Arts fine-arts'],
    [{ name: 'Arts', i18n_language: 'ca' }, 'Arts arts-4'],
  ])
  await each(t, api, 'post', '/tags', [
    [{ name: 'ARTS' }, exists],
    [{ name: 'Árts' }, exists],
    [{ name: 'arts', slug: 'more' }, 'arts more'],
    [{ name: 'Arts', i18n_language: 'es' }, 'Arts arts-2'],
  ])
  t.match((await api.editor.post('/categories', { name: 'Arts' })).body, {
    message: 'A category named "Arts" exists already with the same parent.',
    data: { status: 400, term_id: arts },
  })
})

t.test('categories nest without loops', async (t) => {
  const api = await build(t)
  const [a, b, c] = [
    await make(api, 'categories', { name: 'A' }),
    await make(api, 'categories', { name: 'B' }),
    await make(api, 'categories', { name: 'C' }),
  ] as [number, number, number]
  const tag = await make(api, 'tags', { name: 'T' })
  const bad = '400 rest_invalid_param parent'
  const cases: [id: number, parent: unknown, expected: number | string][] = [
    [b, a, a],
    [c, String(b), b],
    [a, c, 0],
    [a, b, 0],
    [a, a, 0],
    [c, 999, bad],
    [c, tag, bad],
    [c, -1, bad],
    [c, 'arts', bad],
    [c, 1.5, bad],
    [c, null, 0],
    [a, c, c],
    [c, b, 0],
    [a, 0, 0],
  ]
  for (const [id, parent, expected] of cases) {
    const answer = await api.editor.patch(`/categories/${id}`, { parent })
    t.equal(answer.status === 200 ? answer.body.parent : refusal(answer), expected, `${id} below ${parent}`)
    t.equal('up' in (answer.body.urls ?? {}), typeof expected === 'number' && expected > 0)
  }
  for (const parent of [0, 999, '', 'x']) {
    const before = await api.fingerprint()
    for (const answer of [
      await api.editor.post('/tags', { name: 'Below', parent }),
      await api.editor.patch(`/tags/${tag}`, { parent }),
    ])
      t.equal(refusal(answer), '400 rest_taxonomy_not_hierarchical', `tag below ${parent}`)
    t.equal(await api.fingerprint(), before)
  }
  t.match(await api.editor.post('/tags', { name: 'Above', parent: null }), { status: 201 })
})

t.test('an update changes what it carries, by POST, PUT and PATCH', async (t) => {
  const api = await build(t)
  const parent = await make(api, 'categories', { name: 'Parent' })
  for (const method of METHODS) {
    const url = `/categories/${await make(api, 'categories', { name: `By ${method}`, description: 'x', parent })}`
    let term = (await api.anonymous.get(url)).body
    const changes: [input: object, expected: object][] = [
      [{}, {}],
      [{ description: 'New' }, { description: '<p>New</p>' }],
      [{ description: '' }, { description: '' }],
      [{ description: 'Again' }, { description: '<p>Again</p>' }],
      [{ description: null }, { description: '' }],
      [{ i18n_language: 'es' }, { language: 'es' }],
      [{ i18n_language: null, slug: `s-${method}` }, { slug: `s-${method}` }],
      [{ id: 999, name: `Now ${method}` }, { name: `Now ${method}` }],
    ]
    for (const [input, expected] of changes) {
      const { status, body } = await api.editor[method](url, input)
      term = { ...term, ...expected, url: body.url }
      t.strictSame({ status, body }, { status: 200, body: term }, JSON.stringify(input))
    }
    t.strictSame((await api.anonymous.get(url)).body, term)
  }
})
