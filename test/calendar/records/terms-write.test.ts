import t, { type Test } from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { ROOT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'
import { faults } from '../../support/validation.ts'

const BASE = 'http://calendar.test'
const KINDS = ['category', 'tag'] as const
type Kind = (typeof KINDS)[number]

const make = async ({ editor }: Records, kind: Kind, input: object) =>
  (await must(editor.create(kind, input))).id as number

/** Sends inputs one after the other; the refused ones change nothing. What comes back is `name slug`, or why not. */
async function each(
  t: Test,
  api: Records,
  [kind, id]: [kind: Kind, id?: number],
  cases: [input: object, expected: string][],
) {
  for (const [input, expected] of cases) {
    const before = api.fingerprint()
    const { editor } = api
    const answer = await (id ? editor.change(kind, id, input) : editor.create(kind, input))
    const { name, slug } = answer.body
    const got = answer.status < 300 ? `${name} ${slug}` : refusal(answer)
    t.equal(got, expected, `${kind} ${JSON.stringify(input).slice(0, 80)}`)
    if (answer.status >= 300) t.equal(api.fingerprint(), before, 'changes nothing')
  }
}

t.test('a term comes back with everything it was given', async (t) => {
  const api = await openRecords(t)
  const parent = await make(api, 'category', { name: 'Arts' })
  for (const kind of KINDS) {
    const { body, ignored } = await api.editor.create(kind, {
      name: ' Chamber &amp; <b>Choir</b>\n',
      slug: 'Kammer Musik',
      description: 'Small <b>rooms</b><script>x</script>',
      i18n_language: 'ca',
      colour: 'red',
      ...(kind === 'category' && { parent }),
    })
    const url = `${BASE}${ROOT}/${kind === 'tag' ? 'tags' : 'categories'}`
    t.strictSame(body, {
      id: body.id,
      count: 0,
      description: '<p>Small <b>rooms</b></p>',
      name: 'Chamber & Choir',
      slug: 'kammer-musik',
      taxonomy: kind === 'tag' ? 'post_tag' : 'calendar_events_cat',
      ...(kind === 'category' && { parent }),
      meta: [],
      url: `${BASE}/events/${kind}/kammer-musik/`,
      urls: {
        self: `${url}/${body.id}`,
        collection: url,
        ...(kind === 'category' && { up: `${url}/${parent}` }),
      },
      language: 'ca',
      translations: {},
    })
    t.same(faults(kind === 'tag' ? 'Tag' : 'Category', body), [])
    t.strictSame(ignored, ['colour'])
    t.strictSame((await api.anonymous.read(kind, body.id)).body, body)
  }
})

for (const kind of KINDS)
  t.test(`names and slugs of ${kind}`, async (t) => {
    const api = await openRecords(t)
    const blank = '400 empty_term_name name'
    const bad = (...names: string[]) => `400 rest_invalid_param ${names.join(' ')}`
    await each(
      t,
      api,
      [kind],
      [
        [{ name: 'Música' }, 'Música musica'],
        [{ name: '日本' }, '日本 %e6%97%a5%e6%9c%ac'],
        [{ name: '!!!' }, `!!! ${kind}`],
        [{ name: '???' }, `??? ${kind}-2`],
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
      ],
    )
    const id = await make(api, kind, { name: 'Changing' })
    await each(
      t,
      api,
      [kind, id],
      [
        [{}, 'Changing changing'],
        [{ name: 'Changed' }, 'Changed changing'],
        [{ slug: null }, 'Changed changed'],
        [{ slug: 'changed' }, 'Changed changed'],
        [{ slug: 'musica' }, '400 duplicate_term_slug'],
        [{ slug: 'other', name: 'Música' }, 'Música other'],
        [{ slug: null }, 'Música musica-3'],
        [{ name: '…', slug: null }, `… ${kind}-3`],
        [{ name: ' ' }, blank],
        [{ name: null }, bad('name')],
        [{ slug: '' }, bad('slug')],
      ],
    )
  })

t.test('a name is taken among siblings for categories, everywhere and in any case for tags', async (t) => {
  const api = await openRecords(t)
  const arts = await make(api, 'category', { name: 'Arts' })
  await make(api, 'tag', { name: 'Arts' })
  const exists = '400 term_exists'
  await each(
    t,
    api,
    ['category'],
    [
      [{ name: 'Arts' }, exists],
      [{ name: 'arts' }, 'arts arts-2'],
      [{ name: 'Arts', parent: arts }, 'Arts arts-3'],
      [{ name: 'Arts', parent: arts }, exists],
      [{ name: 'Arts', slug: 'arts' }, exists],
      [{ name: 'Arts', slug: 'fine-arts' }, 'Arts fine-arts'],
      [{ name: 'Arts', i18n_language: 'ca' }, 'Arts arts-4'],
    ],
  )
  await each(
    t,
    api,
    ['tag'],
    [
      [{ name: 'ARTS' }, exists],
      [{ name: 'Árts' }, exists],
      [{ name: 'arts', slug: 'more' }, 'arts more'],
      [{ name: 'Arts', i18n_language: 'es' }, 'Arts arts-2'],
    ],
  )
  t.match((await api.editor.create('category', { name: 'Arts' })).body, {
    message: 'A category named "Arts" exists already with the same parent.',
    data: { status: 400, term_id: arts },
  })
})

t.test('categories nest without loops', async (t) => {
  const api = await openRecords(t)
  const [a, b, c] = [
    await make(api, 'category', { name: 'A' }),
    await make(api, 'category', { name: 'B' }),
    await make(api, 'category', { name: 'C' }),
  ] as [number, number, number]
  const tag = await make(api, 'tag', { name: 'T' })
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
    const answer = await api.editor.change('category', id, { parent })
    t.equal(answer.status === 200 ? answer.body.parent : refusal(answer), expected, `${id} below ${parent}`)
    t.equal('up' in (answer.body.urls ?? {}), typeof expected === 'number' && expected > 0)
  }
  t.match(await api.editor.create('tag', { name: 'Above', parent: null }), { status: 200 })
})

t.test('an update changes what it carries', async (t) => {
  const api = await openRecords(t)
  const parent = await make(api, 'category', { name: 'Parent' })
  const id = await make(api, 'category', { name: 'Old', description: 'x', parent })
  let term = (await api.anonymous.read('category', id)).body
  const changes: [input: object, expected: object][] = [
    [{}, {}],
    [{ description: 'New' }, { description: '<p>New</p>' }],
    [{ description: '' }, { description: '' }],
    [{ description: 'Again' }, { description: '<p>Again</p>' }],
    [{ description: null }, { description: '' }],
    [{ i18n_language: 'es' }, { language: 'es' }],
    [{ i18n_language: null, slug: 'new' }, { slug: 'new' }],
    [{ id: 999, name: 'Now' }, { name: 'Now' }],
  ]
  for (const [input, expected] of changes) {
    const { status, body } = await api.editor.change('category', id, input)
    term = { ...term, ...expected, url: body.url }
    t.strictSame({ status, body }, { status: 200, body: term }, JSON.stringify(input))
  }
  t.strictSame((await api.anonymous.read('category', id)).body, term)
})
