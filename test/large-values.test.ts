import t from 'tap'
import { type Answer, build, EVENT } from './support/app.ts'

const api = await build(t)
const { anonymous, editor } = api
const MARKUP = '<a>'.repeat(132_000)
const most = (characters: number) => `must have at most ${characters} characters.`

/** Status, code and what is said of parameters. */
const told = ({ status, body }: Answer) => [status, body.code, body.data?.params]

t.test('what is larger than any value that is taken is refused before it is read', async (t) => {
  const cost = 'must have at most 1000 characters, or be a list of at most 100 such items.'
  const terms = 'must be at most 100 terms: IDs, slugs or names, as a list or separated by commas.'
  const venues = 'must be at most 20 venues: IDs, or objects with the fields of new ones.'
  const organizers = 'must be at most 20 organizers: IDs, or objects with the fields of new ones.'
  const name = 'contains a name of more than 200 characters.'
  const cases: [member: string, value: unknown, why: string][] = [
    ['title', MARKUP, most(1000)],
    ['slug', 'x'.repeat(10_001), most(10_000)],
    ['slug', '\u0301\u0323'.repeat(60_000), most(10_000)],
    ['start_date', '1'.repeat(101), most(100)],
    ['timezone', MARKUP, most(100)],
    ['image', `http://${'ü'.repeat(2000)}`, most(2000)],
    ['website', `http://a.test/${'x'.repeat(2000)}`, most(2000)],
    ['status', MARKUP, most(100)],
    ['author', `${'1'.repeat(120_000)}x`, 'must be a whole number, 1 or more.'],
    ['featured', MARKUP, 'must be true or false (or 1 or 0).'],
    ['cost', MARKUP, cost],
    ['cost', '1'.repeat(1001), cost],
    ['cost', ['5', MARKUP], cost],
    ['cost', Array(100_000).fill('1'), cost],
    ['categories', Array(100_000).fill('x'), terms],
    ['categories', ','.repeat(300_000), terms],
    ['tags', 'x,'.repeat(101), terms],
    ['tags', ['<a>'.repeat(700)], name],
    ['tags', ['x'.repeat(201)], name],
    ['venue', Array(100_000).fill(1), venues],
    ['venue', Array(21).fill({}), venues],
    ['venue', '1,'.repeat(21), venues],
    ['venue', [Array(21).fill('')], 'must be IDs of venues, or objects with the fields of new ones.'],
    ['organizer', Array(21).fill(''), organizers],
    ['organizer', { organizer: MARKUP }, `organizer ${most(1000)}`],
    ['venue', { venue: 'Hall', city: MARKUP }, `city ${most(1000)}`],
    ['venue', { venue: 'Hall', show_map: 'x' }, 'show_map must be true or false (or 1 or 0).'],
    ['description', 'x'.repeat(100_001), most(100_000)],
    [
      'excerpt',
      '<b>'.repeat(33_000),
      'must not nest HTML elements more than 200 levels deep; close open elements.',
    ],
  ]
  for (const [member, value, why] of cases) {
    const sent = { ...EVENT, [member]: value }
    const label = `${member} ${JSON.stringify(value).slice(0, 30)}`
    const refused = [400, 'rest_invalid_param', { [member]: why }]
    t.strictSame(told(await editor.post('/events', sent)), refused, label)
    // a large body is not read of those who may not write
    const isRead = Buffer.byteLength(JSON.stringify(sent)) <= 2 ** 16
    const toAll = isRead ? refused : [401, 'rest_forbidden', undefined]
    t.strictSame(told(await anonymous.post('/events', sent)), toAll, label)
  }
  t.strictSame(told(await editor.post('/tags', { name: MARKUP })), [
    400,
    'term_name_too_long',
    { name: most(200) },
  ])
  t.strictSame(told(await editor.post('/venues', { venue: 'Hall', show_map: MARKUP })), [
    400,
    'rest_invalid_param',
    { show_map: most(100) },
  ])
})

t.test('a text may be longer as it is sent than it is when it is read', async (t) => {
  const written = (unit: string, times: number) => unit.repeat(times)
  t.equal((await editor.post('/events', { ...EVENT, title: written('&amp;', 1000) })).body.title.length, 1000)
  t.equal((await editor.post('/tags', { name: `${written('<b></b>', 200)}x` })).body.name, 'x')
  t.equal(
    (await editor.post('/events', { ...EVENT, slug: written('y', 10_000) })).body.slug,
    written('y', 200),
  )
  t.match((await editor.post('/events', { ...EVENT, cost: Array(100).fill('&euro;5') })).body, { cost: '€5' })
  t.equal((await editor.post('/events', { ...EVENT, tags: [`${written('&lt;', 50)}x`] })).status, 201)
})

t.test('of a search, an empty one and a long one are told apart', async (t) => {
  const search = async (words: string) => told(await anonymous.get(`/events?search=${words}`))
  t.strictSame(await search(''), [400, 'rest_invalid_param', { search: 'must not be empty.' }])
  t.strictSame(await search('x'.repeat(1601)), [400, 'rest_invalid_param', { search: most(1600) }])
})
