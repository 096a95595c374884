import t from 'tap'
import { refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

type Kind = 'venue' | 'organizer'
const KINDS: Kind[] = ['venue', 'organizer']

/** The names of an event's venues or organizers, whatever their shape. */
const names = (event: Record<Kind, unknown>, kind: Kind): string =>
  [event[kind]]
    .flat()
    .map((record) => (record as Record<Kind, string>)[kind])
    .join(' ')
const total = async ({ administrator }: Api, kind: Kind): Promise<number> =>
  (await administrator.get(`/${kind}s?status=any`)).body.total
const add = (api: Api, kind: Kind, name: string, more = {}) =>
  must(api.editor.post(`/${kind}s`, { [kind]: name, ...more }))

for (const kind of KINDS)
  t.test(`a ${kind} is given by ID, as an object, or as a list of both`, async (t) => {
    const api = await build(t)
    const { editor } = api
    const { id: a } = await add(api, kind, 'A')
    const { id: b } = await add(api, kind, 'B')
    const { id } = await must(editor.post('/events', EVENT))
    const cases: [given: unknown, expected: string, created?: number][] = [
      [a, 'A'],
      [`${b}`, 'B'],
      [{ id: a }, 'A'],
      [{ id: `${b}` }, 'B'],
      [[a], 'A'],
      [[`${b}`, a], 'B A'],
      [[{ id: b }], 'B'],
      [`${a},${b}`, 'A B'],
      [` ${b} , ${a}, `, 'B A'],
      [[b, a, b, { id: a }], 'B A'],
      [[b, 0, '', null, {}, []], 'B'],
      [{ [kind]: 'C' }, 'C', 1],
      [[{ [kind]: 'D' }, { id: a }, `${b}`, { [kind]: 'E' }], 'D A B E', 2],
      [[{ [kind]: 'F' }, { [kind]: 'f' }], 'F', 1],
      [{ id: a, [kind]: 'Not this' }, 'A'],
      [{ [kind]: 'Caf&eacute; <b>G</b>' }, 'Café G', 1],
    ]
    for (const [given, expected, created = 0] of cases)
      for (const [made, write] of [
        [created, () => editor.post('/events', { ...EVENT, [kind]: given })],
        [0, () => editor.patch(`/events/${id}`, { [kind]: given })],
      ] as const) {
        const before = await total(api, kind)
        const first = names(await must(editor.patch(`/events/${id}`, { [kind]: null })), kind)
        t.equal(first, '')
        const event = await must(write())
        t.equal(names(event, kind), expected, JSON.stringify(given))
        t.equal(
          Array.isArray(event[kind]),
          kind === 'organizer' || (expected.includes(' ') && !/Café/.test(expected)),
        )
        t.equal((await total(api, kind)) - before, made, 'what was made once is taken again')
      }
    for (const nothing of ['', 0, '0', null, {}, [], [0], ['', null], [[], {}], ',']) {
      await must(editor.patch(`/events/${id}`, { [kind]: a }))
      const event = await must(editor.patch(`/events/${id}`, { [kind]: nothing }))
      t.strictSame(event[kind], [], `${JSON.stringify(nothing)} unlinks`)
      const created = await must(editor.post('/events', { ...EVENT, [kind]: nothing }))
      t.strictSame(created[kind], [], `${JSON.stringify(nothing)} on create`)
    }
  })

for (const kind of KINDS)
  t.test(`a ${kind} that can not be taken is refused, and nothing is written`, async (t) => {
    const api = await build(t)
    const { editor, author } = api
    const other = kind === 'venue' ? 'organizer' : 'venue'
    const { id: good } = await add(api, kind, 'Good')
    const { id: strange } = await add(api, other, 'Other kind')
    const { id: secret } = await add(api, kind, 'Secret', { status: 'private' })
    const { id: gone } = await add(api, kind, 'Gone')
    await must(editor.delete(`/${kind}s/${gone}`))
    const { id } = await must(author.post('/events', { ...EVENT, title: 'Kept', [kind]: good }))
    const invalid = `400 rest_invalid_param ${kind}`
    const cases: [given: unknown, expected: string][] = [
      [999, invalid],
      ['999', invalid],
      [strange, invalid],
      [secret, invalid],
      [gone, invalid],
      [id, invalid],
      [-1, invalid],
      [1.5, invalid],
      ['Good', invalid],
      [`${good},x`, invalid],
      [true, invalid],
      [[good, 999], invalid],
      [[good, [good]], invalid],
      [{ id: 'x' }, invalid],
      [{ id: null, [kind]: 'X' }, invalid],
      [{ title: 'No name' }, invalid],
      [{ [kind]: '' }, invalid],
      [{ [kind]: 5 }, invalid],
      [{ [kind]: ' <i></i> ' }, `400 could-not-create-${kind} ${kind}`],
      [{ [kind]: ' ', website: 'bad' }, invalid],
      [{ [kind]: 'New', website: 'bad' }, invalid],
      [{ [kind]: 'New', author: 999 }, invalid],
      [{ [kind]: 'New', image: '999' }, invalid],
      [{ [kind]: 'New', translation_of: 999 }, invalid],
      [{ [kind]: 'New', translation_of: good }, invalid],
      [{ [kind]: 'New', status: 'published' }, invalid],
      [[{ [kind]: 'New' }, { [kind]: 'Newer', phone: 5 }], invalid],
      [{ [kind]: 'New', author: api.credentials.editor.id }, '403 rest_forbidden'],
      [[good, { [kind]: 'New' }, { [kind]: 'Newer', author: 1 }], '403 rest_forbidden'],
    ]
    const before = await api.fingerprint()
    const kept = (await author.get(`/events/${id}`)).text
    for (const [given, expected] of cases) {
      const sent = { title: 'Changed', categories: ['fresh'], [other]: { [other]: 'Fresh' }, [kind]: given }
      for (const answer of [
        await author.post('/events', { ...EVENT, ...sent }),
        await author.patch(`/events/${id}`, sent),
      ])
        t.equal(refusal(answer), expected, JSON.stringify(given))
    }
    t.equal(refusal(await api.anonymous.post('/events', { ...EVENT, [kind]: secret })), '401 rest_forbidden')
    t.equal(
      refusal(await api.subscriber.patch(`/events/${id}`, { [kind]: { [kind]: 'x' } })),
      '403 rest_forbidden',
    )
    t.equal(await api.fingerprint(), before)
    t.equal((await author.get(`/events/${id}`)).text, kept)
  })

t.test('a refusal for any other reason leaves nothing of what stood inside either', async (t) => {
  const api = await build(t)
  const { author } = api
  const { id } = await must(author.post('/events', EVENT))
  const { id: theirs } = await must(api.editor.post('/events', EVENT))
  const { id: gone } = await must(author.post('/events', EVENT))
  await must(author.delete(`/events/${gone}`))
  const inside = { venue: { venue: 'V' }, organizer: [{ organizer: 'O' }], categories: ['c'] }
  const cases: [path: string, sent: object, expected: string][] = [
    [`/events/${id}`, { tags: ['not mine to make'] }, '403 rest_forbidden'],
    [`/events/${id}`, { author: api.credentials.editor.id }, '403 rest_forbidden'],
    [`/events/${id}`, { end_date: '2020-01-01' }, '400 rest_invalid_param end_date'],
    [`/events/${id}`, { featured: 'perhaps' }, '400 rest_invalid_param featured'],
    [`/events/${id}`, { title: ' ' }, '400 empty_content title'],
    [`/events/${theirs}`, {}, '403 rest_forbidden'],
    [`/events/${gone}`, {}, '410 event-is-in-trash'],
    ['/events/999', {}, '404 rest-event-not-found'],
    ['/events/by-slug/nothing', {}, '404 rest-event-not-found'],
  ]
  const before = await api.fingerprint()
  for (const [path, sent, expected] of cases) {
    t.equal(refusal(await author.patch(path, { ...inside, ...sent })), expected, JSON.stringify(sent))
    if (Object.keys(sent).length === 0) continue
    t.equal(refusal(await author.post('/events', { ...EVENT, ...inside, ...sent })), expected)
  }
  t.equal(
    refusal(await author.post('/events', { ...inside, title: 'x' })),
    '400 rest_missing_callback_param start_date end_date',
  )
  t.equal(await api.fingerprint(), before)
})

t.test(
  'what is created inside belongs to who writes, in the language and with the rights of the event',
  async (t) => {
    const api = await build(t)
    const inside = { venue: { venue: 'V', author: null }, organizer: { organizer: 'O' }, i18n_language: 'ca' }
    for (const [who, status] of [
      ['contributor', 'draft'],
      ['author', 'publish'],
      ['editor', 'publish'],
    ] as const) {
      const own = { venue: { venue: `V ${who}` }, organizer: { organizer: `O ${who}` } }
      const event = await must(api[who].post('/events', { ...EVENT, ...inside, ...own }))
      const expected = { status, language: 'ca', author: String(api.credentials[who].id) }
      t.match(event, { ...expected, venue: expected, organizer: [expected] }, who)
      if (status === 'draft') t.match(await api.anonymous.get(`/venues/${event.venue.id}`), { status: 403 })
    }
    const given = { author: api.credentials.author.id, status: 'private', date: '2020-01-01' }
    const event = await must(api.editor.post('/events', { ...EVENT, venue: { venue: 'Given', ...given } }))
    t.match(event.venue, { author: String(given.author), status: 'private', date: '2020-01-01 00:00:00' })
  },
)
