import t, { type Test } from 'tap'
import { must, refusal, type Told } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { type Kind, openRecords, type Person } from '../../support/store.ts'

t.test('the two flags of a venue are texts, or booleans as answers show them', async (t) => {
  const { author } = await openRecords(t)
  const words = { true: 'true,True,1,yes,ON', false: 'false,FALSE,0,no,off,' }
  for (const [value, texts] of Object.entries(words))
    for (const word of texts.split(',')) {
      const body = await must(author.create('venue', { venue: 'Hall', show_map: word, show_map_link: word }))
      t.match(body, { show_map: value === 'true', show_map_link: value === 'true' }, word)
    }
  for (const value of [true, false])
    t.match(await must(author.create('venue', { venue: 'Hall', show_map: value, show_map_link: value })), {
      show_map: value,
      show_map_link: value,
    })
  for (const value of [1, 0, 'maybe', []])
    t.equal(
      refusal(await author.create('venue', { venue: 'Hall', show_map: value, show_map_link: value })),
      '400 rest_invalid_param show_map show_map_link',
      JSON.stringify(value),
    )
})

async function refuse(t: Test, client: Person, kind: 'venue' | 'organizer') {
  const long = 'x'.repeat(1001)
  const cases: [input: object, expected: string][] = [
    [{ [kind]: undefined, title: 'x' }, `rest_missing_callback_param ${kind}`],
    [{ [kind]: null, website: 'bad' }, `rest_missing_callback_param ${kind}`],
    [{ [kind]: '' }, `rest_invalid_param ${kind}`],
    [{ [kind]: '0' }, `rest_invalid_param ${kind}`],
    [{ [kind]: ' <b></b> ' }, `could-not-create-${kind} ${kind}`],
    [{ [kind]: 5 }, `rest_invalid_param ${kind}`],
    [{ [kind]: long }, `rest_invalid_param ${kind}`],
    [{ phone: long, website: `http://x.test/${long}${long}` }, 'rest_invalid_param phone website'],
    [{ description: 'x'.repeat(100_001) }, 'rest_invalid_param description'],
    [{ phone: 5, description: 5 }, 'rest_invalid_param phone description'],
    [{ image: 5 }, 'rest_invalid_param image'],
    [{ website: 'x.test' }, 'rest_invalid_param website'],
    [{ website: 'javascript:alert(1)' }, 'rest_invalid_param website'],
    [{ status: 'bogus' }, 'rest_invalid_param status'],
    [{ status: '', author: '', date: '', date_utc: '' }, 'rest_invalid_param status author date date_utc'],
    [{ author: 999 }, 'rest_invalid_param author'],
    [{ date: '2026-02-30', date_utc: '24:00' }, 'rest_invalid_param date date_utc'],
    [{ image: '999' }, 'rest_invalid_param image'],
    [{ image: 'bad' }, 'rest_invalid_param image'],
    [{ i18n_language: 'fr' }, 'rest_invalid_param i18n_language'],
    [{ translation_of: 999 }, 'rest_invalid_param translation_of'],
  ]
  for (const [input, expected] of cases)
    t.equal(
      refusal(await client.create(kind, { [kind]: 'Name', ...input })),
      `400 ${expected}`,
      JSON.stringify(input).slice(0, 60),
    )
}

t.test('what can not be taken is refused by name, and nothing is written', async (t) => {
  const api = await openRecords(t)
  const before = api.fingerprint()
  for (const kind of ['venue', 'organizer'] as const) await refuse(t, api.editor, kind)
  const geo = { venue: 'Hall', geo_lat: 91, geo_lng: -180.5 }
  t.equal(refusal(await api.editor.create('venue', geo)), '400 rest_invalid_param geo_lat geo_lng')
  t.equal(api.fingerprint(), before)
  const { id } = await must(api.editor.create('venue', { venue: 'Hall' }))
  t.equal(refusal(await api.editor.change('venue', id, { venue: null })), '400 rest_invalid_param venue')
  t.equal(refusal(await api.editor.change('venue', id, { author: 99 })), '400 rest_invalid_param author')
  t.equal(refusal(await api.editor.change('organizer', 99, { author: 99 })), '400 rest_invalid_param author')
})

t.test('a number where a text belongs is answered with what to send', async (t) => {
  const { author } = await openRecords(t)
  const { body } = await author.create('venue', { venue: 'Hall', phone: 17001 })
  t.match(body, { data: { status: 400, params: { phone: /must be a string/ } }, message: /phone/ })
})

t.test('records of one name get slugs of their own, beside those of other kinds', async (t) => {
  const { author, editor } = await openRecords(t)
  const slug = async (kind: Kind, sent: object) => (await must(editor.create(kind, sent))).slug
  for (const expected of ['gran-sala', 'gran-sala-2', 'gran-sala-3'])
    t.equal(await slug('venue', { venue: 'Gran Sala' }), expected)
  t.equal(await slug('venue', { venue: 'GRAN SÀLA', status: 'draft' }), 'gran-sala-4')
  t.equal(await slug('organizer', { organizer: 'Gran Sala' }), 'gran-sala')
  t.equal(await slug('organizer', { organizer: '日本' }), '%e6%97%a5%e6%9c%ac')
  t.equal((await author.read('organizer', '日本')).status, 200)
  t.equal(await slug('organizer', { organizer: '!!!' }), 'organizer')
  t.equal(await slug('organizer', { organizer: '???' }), 'organizer-2')
})

t.test('the date of publication is what was sent, in the zone of the site or in UTC', async (t) => {
  const { author } = await openRecords(t, { env: { TIMEZONE: 'America/New_York' } })
  const cases: [input: object, expected: object][] = [
    [{ date: '2026-03-03 03:03:03' }, { date: '2026-03-03 03:03:03', date_utc: '2026-03-03 08:03:03' }],
    [{ date_utc: '2026-03-03T03:03' }, { date: '2026-03-02 22:03:00', date_utc: '2026-03-03 03:03:00' }],
    [{ date: '2026-07-01T00:00:00Z' }, { date: '2026-06-30 20:00:00', date_utc: '2026-07-01 00:00:00' }],
    [{ date: '2027-01-01' }, { status: 'future', date_utc: '2027-01-01 05:00:00' }],
    [{ status: 'draft' }, { status: 'draft', date_utc: '0000-00-00 00:00:00', slug: 'club' }],
  ]
  for (const [input, expected] of cases)
    for (const kind of ['venue', 'organizer'] as const) {
      const body = await must(author.create(kind, { [kind]: 'Club', ...input }))
      t.match({ ...body, slug: body.slug.split('-')[0] }, expected, JSON.stringify(input))
      await must(author.remove(kind, body.id, 'force=true'))
    }
})

const MARKUP = '<a>'.repeat(132_000)
const most = (characters: number) => `must have at most ${characters} characters.`

/** Status, code and what is said of parameters. */
const told = ({ status, body }: Told) => [status, body.code, body.data?.params]

t.test('what is larger than any value that is taken is refused before it is read', async (t) => {
  const { editor } = await openRecords(t)
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
    ['author', `${'1'.repeat(120_000)}x`, 'must be a whole number from 1 to 9007199254740991.'],
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
    [
      'venue',
      { venue: 'Hall', show_map: 'x' },
      'show_map must be one of true, false, 1, 0, yes, no, on, off.',
    ],
    ['venue', { venue: 'Hall', show_map: 2 }, 'show_map must be true or false (or 1 or 0).'],
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
    t.strictSame(
      told(await editor.create('event', sent)),
      [400, 'rest_invalid_param', { [member]: why }],
      label,
    )
  }
  t.strictSame(told(await editor.create('tag', { name: MARKUP })), [
    400,
    'term_name_too_long',
    { name: most(200) },
  ])
  t.strictSame(told(await editor.create('venue', { venue: 'Hall', show_map: MARKUP })), [
    400,
    'rest_invalid_param',
    { show_map: most(100) },
  ])
})

t.test('a text may be longer as it is sent than it is when it is read', async (t) => {
  const { editor } = await openRecords(t)
  const written = (unit: string, times: number) => unit.repeat(times)
  t.equal((await editor.create('event', { ...EVENT, title: written('&amp;', 1000) })).body.title.length, 1000)
  t.equal((await editor.create('tag', { name: `${written('<b></b>', 200)}x` })).body.name, 'x')
  t.equal(
    (await editor.create('event', { ...EVENT, slug: written('y', 10_000) })).body.slug,
    written('y', 200),
  )
  t.match((await editor.create('event', { ...EVENT, cost: Array(100).fill('&euro;5') })).body, { cost: '€5' })
  t.equal((await editor.create('event', { ...EVENT, tags: [`${written('&lt;', 50)}x`] })).status, 200)
})

t.test('of a search, an empty one and a long one are told apart', async (t) => {
  const { anonymous } = await openRecords(t)
  const search = async (words: string) => told(await anonymous.list('event', `search=${words}`))
  t.strictSame(await search(''), [400, 'rest_invalid_param', { search: 'must not be empty.' }])
  t.strictSame(await search('x'.repeat(1601)), [400, 'rest_invalid_param', { search: most(1600) }])
})
