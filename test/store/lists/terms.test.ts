import t, { type Test } from 'tap'
import { listed } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { faults } from '../../support/schema.ts'

const KINDS = [
  { kind: 'category', plural: 'categories', other: 'tags' },
  { kind: 'tag', plural: 'tags', other: 'categories' },
] as const

async function describe(t: Test, { kind, plural, other }: (typeof KINDS)[number]) {
  const { anonymous, editor } = await build(t)
  const url = `/${plural}`
  const names = async (query: string) => listed(await anonymous.get(`${url}?${query}`), plural, 'name')
  const make = async (input: object, at = url) => (await must(editor.post(at, input))).id as number

  const foreign = await make({ name: 'Foreign' }, `/${other}`)
  const zumba = await make({ name: 'Zumba', slug: 'a-zumba', description: 'Middle' })
  const ballet = await make({ name: 'ballet' })
  const album = await make({ name: 'Álbum', description: 'Zeta' })
  const empty = await make({ name: 'Empty', slug: '日本' })
  const { id: event } = await must(editor.post('/events', { ...EVENT, [plural]: [ballet, album] }))
  await must(editor.post('/events', { ...EVENT, [plural]: [ballet, zumba] }))
  const { id: draft } = await must(editor.post('/events', { ...EVENT, [plural]: [empty], status: 'draft' }))
  const { id: secret } = await must(editor.post('/events', { ...EVENT, [plural]: [album], password: 'x' }))

  const bad = (...params: string[]) => ['400 rest_invalid_param', ...params].join(' ')
  const scenarios: [query: string, expected: string][] = [
    ['', 'Álbum, ballet, Zumba'],
    ['hide_empty=1', 'Álbum, ballet, Zumba'],
    ['hide_empty=0', 'Álbum, ballet, Empty, Zumba'],
    ['hide_empty=False', 'Álbum, ballet, Empty, Zumba'],
    ['hide_empty=', bad('hide_empty')],
    ['hide_empty=no', bad('hide_empty')],

    ['order=desc', 'Zumba, ballet, Álbum'],
    ['order=ASC', 'Álbum, ballet, Zumba'],
    ['order=up', bad('order')],
    ['order=', bad('order')],
    ['orderby=name&order=DESC', 'Zumba, ballet, Álbum'],
    ['orderby=slug', 'Zumba, Álbum, ballet'],
    ['orderby=id', 'Zumba, ballet, Álbum'],
    ['orderby=ID&order=desc', 'Álbum, ballet, Zumba'],
    ['orderby=term_group', 'Zumba, ballet, Álbum'],
    ['orderby=count', 'Zumba, Álbum, ballet'],
    ['orderby=count&order=desc', 'ballet, Álbum, Zumba'],
    ['orderby=description', 'ballet, Zumba, Álbum'],
    ['orderby=parent', 'Álbum, ballet, Zumba'],
    [`orderby=include&include=${empty},${ballet},${zumba}`, 'Empty, ballet, Zumba'],
    [`orderby=include&include=${empty},${ballet},${zumba}&order=desc`, 'Zumba, ballet, Empty'],
    ['orderby=include', 'Álbum, ballet, Zumba'],
    ['orderby=title', bad('orderby')],
    ['orderby=include_slugs&order=both', bad('order', 'orderby')],

    [`include=${empty}`, 'Empty'],
    [`include[]=${zumba}&include[]=${album}`, 'Álbum, Zumba'],
    [`include=${zumba}&include=${album}&exclude=${album}`, 'Zumba'],
    [`exclude=${zumba},${ballet}`, 'Álbum'],
    [`include=${zumba},999`, bad('include')],
    [`include=${foreign}&exclude=${foreign}`, bad('include', 'exclude')],
    ['include=ballet', bad('include')],
    ['include=0&exclude=-1', bad('exclude', 'include')],
    ['include=', bad('include')],
    [`exclude=${Array(101).fill(zumba).join(',')}`, bad('exclude')],

    ['search=ALBUM', 'Álbum'],
    ['search=a-z', 'Zumba'],
    ['search=mp', ''],
    ['search=mp&hide_empty=false', 'Empty'],
    ['search=日&hide_empty=false', ''],
    ['search=middle', ''],
    ['search=', bad('search')],
    ['slug=ballet', 'ballet'],
    ['slug=BALLET', 'ballet'],
    ['slug=balle', ''],
    ['slug=日本&hide_empty=false', 'Empty'],
    ['slug=%25e6%2597%25a5%25e6%259c%25ac&hide_empty=false', 'Empty'],
    ['slug=', bad('slug')],
    ['slug[]=ballet', bad('slug')],

    [`event=${event}`, 'Álbum, ballet'],
    [`post=${event}`, 'Álbum, ballet'],
    [`post=${event}&event=${secret}`, ''],
    [`event=${draft}`, ''],
    [`event=${event}&search=b&exclude=${ballet}`, 'Álbum'],
    ['event=999', bad('event')],
    ['post=0&event=999', bad('post')],
    [`post=999&event=${event}`, bad('post')],

    ['per_page=2', 'Álbum, ballet'],
    ['per_page=2&page=2', 'Zumba'],
    ['page=2', `404 ${kind}-archive-page-not-found`],
    ['search=nothing&page=2', `404 ${kind}-archive-page-not-found`],
    ['search=nothing', ''],
    ['page=0&per_page=0', bad('page', 'per_page')],
  ]
  t.test('shows what is asked for, by name unless told otherwise', async (t) => {
    for (const [query, expected] of scenarios) t.equal(await names(query), expected, query)
    t.equal(
      listed(await editor.get(`${url}?event=${draft}`), plural, 'name'),
      'Empty',
      'to those who may read it',
    )
  })

  t.test('has pages that are linked, with every filter that was given', async (t) => {
    const root = `http://calendar.test${ROOT}/${plural}/?per_page=2`
    const filters = `&exclude=${album}&order=desc&hide_empty=false`
    const { body, headers } = await anonymous.get(
      `${url}?order=DESC&exclude[]=${album}&hide_empty=0&per_page=2`,
    )
    t.same(faults(kind === 'tag' ? 'TagPage' : 'CategoryPage', body), [])
    const { [plural]: entries, ...rest } = body
    t.equal(entries.length, 2)
    t.strictSame(rest, {
      rest_url: `${root}${filters}&page=1`,
      next_rest_url: `${root}${filters}&page=2`,
      total: 3,
      total_pages: 2,
    })
    t.match(headers, {
      'x-tec-total': '3',
      'x-tec-totalpages': '2',
      link: `<${rest.next_rest_url}>; rel="next"`,
    })
    const next = await anonymous.get(`/${rest.next_rest_url.slice('http://calendar.test'.length)}`)
    t.equal(listed(next, plural, 'name'), 'ballet')
    t.equal(next.body.previous_rest_url, `${root}${filters}`)
    t.notOk('next_rest_url' in next.body)
    t.equal(
      (await anonymous.get(`${url}?per_page=51`)).body.rest_url,
      `http://calendar.test${ROOT}${url}/?per_page=50&page=1`,
    )
  })

  t.test('shows one language at its root or by the selector', async (t) => {
    await make({ name: 'Àlbum' }, `//ca${ROOT}${url}`)
    t.equal(await names('i18n_language=ca&hide_empty=0'), 'Àlbum')
    t.equal(await names('i18n_language=en'), 'Álbum, ballet, Zumba')
    const answer = await anonymous.get(`//ca${ROOT}${url}?hide_empty=0`)
    t.equal(listed(answer, plural, 'name'), 'Àlbum')
    t.match(answer.body.rest_url, `http://calendar.test/ca${ROOT}/`)
    t.match(await names('hide_empty=0'), 'Álbum, Àlbum')
  })
}

for (const kind of KINDS) t.test(`a list of ${kind.plural}`, (t) => describe(t, kind))

t.test('categories are listed by parent, tags have none', async (t) => {
  const { anonymous, editor } = await build(t)
  const make = async (name: string, parent = 0) =>
    (await must(editor.post('/categories', { name, parent }))).id as number
  const music = await make('Music')
  const jazz = await make('Jazz', music)
  await make('Bebop', jazz)
  await make('Art')
  await make('Rock', music)
  const cases: [query: string, expected: string][] = [
    ['parent=0', 'Art, Music'],
    [`parent=${music}`, 'Jazz, Rock'],
    [`parent=${jazz}`, 'Bebop'],
    [`parent=${jazz}&include=${music}`, ''],
    ['orderby=parent', 'Art, Music, Jazz, Rock, Bebop'],
    ['orderby=parent&order=desc', 'Bebop, Rock, Jazz, Music, Art'],
    ['parent=999', '400 rest_invalid_param parent'],
    ['parent=-1', '400 rest_invalid_param parent'],
    ['parent=music', '400 rest_invalid_param parent'],
    ['parent=', '400 rest_invalid_param parent'],
  ]
  for (const [query, expected] of cases)
    t.equal(
      listed(await anonymous.get(`/categories?hide_empty=0&${query}`), 'categories', 'name'),
      expected,
      query,
    )
  await must(editor.post('/tags', { name: 'live' }))
  for (const parent of ['0', '999', 'abc', ''])
    t.equal(
      listed(await anonymous.get(`/tags?hide_empty=0&parent=${parent}`), 'tags', 'name'),
      'live',
      parent,
    )
})
