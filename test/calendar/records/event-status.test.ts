import { eq } from 'drizzle-orm'
import t from 'tap'
import { changes, posts } from '../../../drizzle/tables.ts'
import { must, pick, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { type Kind, openRecords } from '../../support/store.ts'

const NEVER = '0000-00-00 00:00:00'
const AHEAD = '2026-12-01 10:00:00'

t.test('the status of a new event follows from who writes it and its publication date', async (t) => {
  const api = await openRecords(t, { env: { TIMEZONE: 'America/New_York' } })
  const now = { date: '2026-11-21 04:00:00', date_utc: '2026-11-21 09:00:00' }
  const draft = { date: now.date, date_utc: NEVER }
  const cases: [who: 'contributor' | 'author', sent: object, shown: object][] = [
    ['author', {}, { status: 'publish', ...now }],
    ['author', { status: null }, { status: 'publish', ...now }],
    ['author', { status: 'draft' }, { status: 'draft', ...draft }],
    ['author', { status: 'pending' }, { status: 'pending', ...draft }],
    ['author', { status: 'private' }, { status: 'private', ...now }],
    ['author', { status: 'future' }, { status: 'publish', ...now }],
    ['author', { date: AHEAD }, { status: 'future', date: AHEAD, date_utc: '2026-12-01 15:00:00' }],
    ['author', { status: 'publish', date_utc: AHEAD }, { status: 'future', date: '2026-12-01 05:00:00' }],
    ['author', { date: AHEAD, date_utc: '2026-12-02' }, { date: AHEAD, date_utc: '2026-12-02 00:00:00' }],
    ['author', { date: '+1 minute' }, { status: 'future', date: '2026-11-21 04:01:00' }],
    ['author', { date: 'now' }, { status: 'publish', ...now }],
    ['author', { date: '2020-01-01', status: 'future' }, { status: 'publish', date: '2020-01-01 00:00:00' }],
    ['author', { date: AHEAD, status: 'private' }, { status: 'private', date: AHEAD }],
    ['author', { date: AHEAD, status: 'draft' }, { status: 'draft', date: AHEAD, date_utc: NEVER }],
    ['contributor', {}, { status: 'draft', ...draft }],
    ['contributor', { date: AHEAD }, { status: 'draft', date: AHEAD, date_utc: NEVER }],
    ['contributor', { status: 'publish' }, { status: 'pending', ...draft }],
    ['contributor', { status: 'future', date: AHEAD }, { status: 'pending', date: AHEAD, date_utc: NEVER }],
    ['contributor', { status: 'private' }, { status: 'private', ...now }],
  ]
  for (const [who, sent, shown] of cases) {
    const event = await must(api[who].create('event', { ...EVENT, ...sent }))
    t.strictSame(pick(event, shown), shown, `${who} ${JSON.stringify(sent)}`)
  }
})

t.test('a status goes over into any other, and its dates with it', async (t) => {
  const api = await openRecords(t)
  const { author } = api
  const { id } = await must(author.create('event', { ...EVENT, status: 'draft' }))
  const born = '2026-11-21 09:00:00'
  const first = '2026-11-21 10:00:00'
  const early = '2026-11-03 00:00:00'
  const steps: [sent: object, shown: object][] = [
    [{ status: 'pending' }, { status: 'pending', date: born, date_utc: NEVER }],
    [{ status: 'publish' }, { status: 'publish', date: first, date_utc: first }],
    [{ status: 'private' }, { status: 'private', date: first, date_utc: first }],
    [{ status: 'publish' }, { status: 'publish', date: first, date_utc: first }],
    [{ date: AHEAD }, { status: 'future', date: AHEAD, date_utc: AHEAD }],
    [{ title: 'Still ahead' }, { status: 'future', date: AHEAD, date_utc: AHEAD }],
    [{ status: 'publish' }, { status: 'future', date: AHEAD, date_utc: AHEAD }],
    [{ date_utc: '2026-11-02 08:00' }, { status: 'publish', date: '2026-11-02 08:00:00' }],
    [{ status: 'future' }, { status: 'publish', date: '2026-11-02 08:00:00' }],
    [
      { status: 'future', date: AHEAD },
      { status: 'future', date: AHEAD },
    ],
    [{ status: 'draft' }, { status: 'draft', date: AHEAD, date_utc: NEVER }],
    [{ date: '2026-11-03' }, { status: 'draft', date: '2026-11-03 00:00:00', date_utc: NEVER }],
    [{ status: 'private' }, { status: 'private', date: early, date_utc: early }],
    [{ status: 'trash' }, { status: 'trash', date: early, slug: 'concert__trashed' }],
    [{ status: 'pending' }, { status: 'pending', date: early, date_utc: NEVER, slug: 'concert' }],
    [{ status: 'publish' }, { status: 'publish', date: early, date_utc: early }],
  ]
  api.clock.now += 3_600_000
  for (const [sent, shown] of steps) {
    const event = await must(author.change('event', id, sent))
    t.strictSame(pick(event, shown), shown, JSON.stringify(sent))
    const { json_ld, ...read } = { json_ld: 0, ...(await author.read('event', id)).body }
    if (event.status === 'trash') t.equal(read.code, 'event-no-longer-available')
    else t.strictSame(read, event)
  }
})

t.test(
  'what a contributor publishes waits for review, and is out of reach once it is published',
  async (t) => {
    const { contributor, editor } = await openRecords(t)
    const { id } = await must(contributor.create('event', EVENT))
    for (const status of ['publish', 'future'])
      t.match(await must(contributor.change('event', id, { status })), { status: 'pending' })
    t.match(await must(contributor.change('event', id, { title: 'Better' })), { status: 'pending' })
    t.match(await must(contributor.change('event', id, { status: 'draft' })), { status: 'draft' })
    t.match(await must(editor.change('event', id, { status: 'publish' })), { status: 'publish' })
    for (const sent of [{}, { status: 'draft' }, { title: 'Best' }])
      t.equal(refusal(await contributor.change('event', id, sent)), '403 rest_forbidden')
    t.equal(refusal(await contributor.remove('event', id)), '403 rest_forbidden')
    await must(editor.change('event', id, { date: AHEAD }))
    t.equal(refusal(await contributor.change('event', id, {})), '403 rest_forbidden', 'scheduled as well')
    await must(editor.remove('event', id))
    t.match(await must(contributor.change('event', id, { status: 'publish' })), { status: 'pending' })
  },
)

t.test('an event goes to the trash and comes back with its slug and links', async (t) => {
  const api = await openRecords(t)
  const { editor, anonymous } = api
  const inside = { venue: { venue: 'V' }, organizer: { organizer: 'O' }, categories: 'c', tags: 't' }
  const event = await must(editor.create('event', { ...EVENT, ...inside }))
  const { id } = event
  for (const [by, trash] of [
    ['by ID', () => editor.remove('event', id)],
    ['by slug', () => editor.remove('event', 'concert')],
    ['by an update', () => editor.change('event', id, { status: 'trash' })],
  ] as const) {
    api.clock.now += 60_000
    const trashed = await must(trash())
    const change = { status: 'trash', slug: 'concert__trashed', url: trashed.url, modified: trashed.modified }
    const expected = {
      ...event,
      ...change,
      modified_utc: trashed.modified,
      ...pick(trashed, { categories: 0, tags: 0 }),
    }
    t.strictSame(trashed, expected, by)
    t.match(trashed, { categories: [{ name: 'c', count: 0 }], tags: [{ name: 't', count: 0 }] })
    for (const client of [anonymous, editor]) {
      t.equal(refusal(await client.read('event', id)), '403 event-no-longer-available')
      t.equal(refusal(await client.read('event', 'concert__trashed')), '403 event-no-longer-available')
      t.equal(refusal(await client.read('event', 'concert')), '404 rest-event-not-found')
      t.equal((await client.list('event')).body.total, 0)
    }
    const before = api.fingerprint()
    const gone = '410 event-is-in-trash'
    for (const key of [id, 'concert__trashed']) {
      t.equal(refusal(await editor.remove('event', key)), gone)
      for (const sent of [{}, { title: 'x' }, { status: null }, { status: 'trash', title: 'x' }])
        t.equal(refusal(await editor.change('event', key, sent)), gone, JSON.stringify(sent))
    }
    t.equal(refusal(await editor.remove('event', 'concert')), '404 rest-event-not-found')
    t.equal(api.fingerprint(), before)
    const restored = await must(editor.change('event', 'concert__trashed', { status: 'publish' }))
    t.strictSame(restored, { ...event, modified: restored.modified, modified_utc: restored.modified_utc })
  }
})

t.test('the slug in the trash is kept out of the way, however it came there', async (t) => {
  const { editor } = await openRecords(t)
  const born = await must(editor.create('event', { ...EVENT, status: 'trash' }))
  t.match(born, { status: 'trash', slug: 'concert' }, 'one that is created there keeps its own')
  t.match(await must(editor.change('event', born.id, { status: 'publish' })), { slug: 'concert' })
  await must(editor.remove('event', born.id))
  t.match(await must(editor.create('event', EVENT)), { slug: 'concert' })
  t.match(await must(editor.change('event', born.id, { status: 'publish' })), { slug: 'concert-2' })
  t.match(await must(editor.change('event', born.id, { status: 'trash', slug: 'other' })), {
    slug: 'other__trashed',
  })
  t.match(await must(editor.change('event', born.id, { status: 'draft' })), { slug: 'other' })
  const draft = await must(editor.create('event', { ...EVENT, title: 'Draft', status: 'draft' }))
  for (const trash of [
    () => editor.remove('event', draft.id),
    () => editor.change('event', draft.id, { status: 'trash' }),
  ]) {
    await must(trash())
    t.match(await must(editor.change('event', draft.id, { status: 'draft' })), {
      slug: '',
      date_utc: NEVER,
    })
  }
  await must(editor.remove('event', draft.id))
  t.match(await must(editor.change('event', draft.id, { status: 'publish', slug: 'now' })), {
    slug: 'now',
  })
  await must(editor.remove('event', draft.id))
  t.match(await must(editor.change('event', draft.id, { status: 'publish' })), {
    slug: 'now',
    status: 'publish',
  })
})

t.test(
  'a publication date that was given or has been stays when a record is a draft in between',
  async (t) => {
    const api = await openRecords(t)
    const { editor } = api
    const past = '2026-11-02 08:00:00'
    for (const [kind, least] of [
      ['event', EVENT],
      ['venue', { venue: 'Hall' }],
      ['organizer', { organizer: 'Club' }],
    ] as const) {
      const born = await must(editor.create(kind, least))
      const dated = await must(editor.create(kind, { ...least, status: 'draft', date: past }))
      const undated = await must(editor.create(kind, { ...least, status: 'draft' }))
      api.clock.now += 3_600_000
      for (const status of ['draft', 'trash', 'pending', 'publish'])
        for (const { id } of [born, dated, undated]) await must(editor.change(kind, id, { status }))
      const dateOf = async ({ id }: { id: number }) => {
        const { date, date_utc } = (await editor.read(kind, id)).body
        t.equal(date_utc, date, kind)
        return date
      }
      t.equal(await dateOf(born), born.date)
      t.equal(await dateOf(dated), past)
      t.equal(await dateOf(undated), new Date(api.clock.now).toISOString().slice(0, 19).replace('T', ' '))
    }
  },
)

t.test('force deletes an event for good, from the trash as well', async (t) => {
  const { editor, anonymous } = await openRecords(t)
  const parent = await must(editor.create('event', { ...EVENT, title: 'Parent', venue: { venue: 'V' } }))
  const child = await must(editor.create('event', { ...EVENT, title: 'Child', post_parent: parent.id }))
  t.strictSame(await must(editor.remove('event', parent.id, 'force=true')), parent, 'shown as it was')
  t.equal(refusal(await editor.read('event', parent.id)), '404 rest-event-not-found')
  t.equal(refusal(await editor.remove('event', parent.id, 'force=true')), '404 rest-event-not-found')
  t.equal((await anonymous.read('event', child.id)).body.post_parent, 0, 'a child loses its parent')
  t.equal((await anonymous.list('venue', 'has_events=true')).body.total, 0)
  await must(editor.remove('event', child.id, 'force=false'))
  t.equal(refusal(await editor.remove('event', child.id, 'force=maybe')), '400 rest_invalid_param force')
  t.match(await must(editor.remove('event', 'child__trashed', 'force=1')), { status: 'trash' })
  t.equal((await editor.list('event', 'status=trash')).body.total, 0)
})

const AT = '2026-11-22 09:00:00'
const DUE = Date.parse('2026-11-22T09:00:00Z')

t.test('what was scheduled becomes visible by itself, everywhere, when its time comes', async (t) => {
  const api = await openRecords(t)
  const { anonymous, editor } = api
  const venue = await must(editor.create('venue', { venue: 'V', date: AT }))
  const organizer = await must(editor.create('organizer', { organizer: 'O', date: AT }))
  const first = await must(
    editor.create('event', {
      ...EVENT,
      date: AT,
      venue: venue.id,
      organizer: organizer.id,
      categories: ['c'],
    }),
  )
  const second = await must(editor.create('event', { ...EVENT, title: 'Later', date: '2026-11-22 09:00:01' }))
  const category = first.categories[0].id
  const singles: [kind: Kind, key: number | string][] = [
    ['event', first.id],
    ['event', 'concert'],
    ['venue', venue.id],
    ['organizer', organizer.id],
  ]
  const lists: [kind: Kind, query: string][] = [
    ['event', ''],
    ['event', `include=${first.id}`],
    ['venue', ''],
    ['organizer', 'has_events=true'],
    ['category', ''],
  ]
  const look = async () => ({
    singles: await Promise.all(singles.map(async (one) => (await anonymous.read(...one)).status)),
    totals: await Promise.all(lists.map(async (one) => (await anonymous.list(...one)).body.total)),
    count: (await anonymous.read('category', category)).body.count,
  })
  const hidden = { singles: [403, 403, 403, 403], totals: [0, 0, 0, 0, 0], count: undefined }
  t.strictSame(await look(), hidden)
  api.clock.now = DUE - 1
  t.strictSame(await look(), hidden, 'not a moment before')
  t.match((await editor.list('event')).body, {
    total: 2,
    events: [{ status: 'future' }, { status: 'future' }],
  })

  api.clock.now = DUE
  t.strictSame(await look(), { singles: [200, 200, 200, 200], totals: [1, 1, 1, 1, 1], count: 1 })
  const { json_ld, ...shown } = (await anonymous.read('event', first.id)).body
  t.match(shown, { status: 'publish', venue: { venue: 'V' }, organizer: [{ organizer: 'O' }] })
  t.strictSame([shown.date, shown.modified], [first.date, first.modified], 'as it was written')
  t.equal((await anonymous.list('event', 'status=publish')).body.total, 1)
  t.equal((await editor.list('event', 'status=future')).body.events[0].id, second.id)

  api.clock.now = DUE + 1000
  t.equal((await anonymous.list('event')).body.total, 2)
  const log = await api.store.db.read.select().from(changes)
  const published = log.filter(({ operation }) => operation === 'publish')
  t.strictSame(
    published.map(({ kind, record_id, at_utc }) => [kind, record_id, at_utc]),
    [
      ['venue', venue.id, AT],
      ['organizer', organizer.id, AT],
      ['category', category, AT],
      ['event', first.id, AT],
      ['event', second.id, '2026-11-22 09:00:01'],
    ],
    'each is noted once',
  )
})

t.test('a write finds due what a read would', async (t) => {
  const api = await openRecords(t)
  const { id } = await must(api.contributor.create('event', EVENT))
  await must(api.editor.change('event', id, { status: 'publish', date: AT }))
  api.clock.now = DUE + 1
  t.equal((await api.contributor.change('event', id, { title: 'x' })).status, 403)
  t.match(await must(api.editor.change('event', id, { title: 'y' })), { status: 'publish', date: AT })
})

t.test('what is taken off the schedule stays off it', async (t) => {
  const api = await openRecords(t)
  const { editor, anonymous } = api
  const scheduled = async (title: string) =>
    (await must(editor.create('event', { ...EVENT, title, date: AT }))).id as number
  await must(editor.change('event', await scheduled('draft'), { status: 'draft' }))
  await must(editor.change('event', await scheduled('private'), { status: 'private' }))
  await must(editor.change('event', await scheduled('postponed'), { date: '2026-12-24' }))
  const trashed = await scheduled('trashed')
  await must(editor.remove('event', trashed))
  await must(editor.remove('event', await scheduled('gone'), 'force=true'))
  api.clock.now = DUE
  t.equal((await anonymous.list('event')).body.total, 0)
  t.match(await must(editor.change('event', trashed, { status: 'future' })), { status: 'publish' })
  api.clock.now = Date.parse('2026-12-24T00:00:00Z')
  t.equal((await anonymous.list('event', 'start_date=2026-12-01')).body.total, 2)
})

t.test('in a zone of its own the site publishes by its own clock', async (t) => {
  const api = await openRecords(t, { env: { TIMEZONE: 'Asia/Kolkata' } })
  const event = await must(api.editor.create('event', { ...EVENT, date: '2026-11-22 14:30:00' }))
  t.match(event, { status: 'future', date_utc: AT })
  api.clock.now = DUE - 1
  t.equal((await api.anonymous.read('event', event.id)).status, 403)
  api.clock.now = DUE
  t.equal((await api.anonymous.read('event', event.id)).status, 200)
})

t.test('of reads that come at once when something is due, none shows what was before', async (t) => {
  const api = await openRecords(t)
  const { editor, anonymous } = api
  const { id } = await must(editor.create('event', { ...EVENT, date: AT, tags: ['t'] }))
  t.match((await editor.read('event', id)).body, { status: 'future', tags: [{ count: 0 }] })
  api.clock.now = DUE
  const answers = await Promise.all(Array.from({ length: 6 }, () => anonymous.read('event', id)))
  for (const { status, body } of answers)
    t.match({ status, body }, { status: 200, body: { status: 'publish', tags: [{ count: 1 }] } })
})

t.test('what a record was before the trash is kept while it is there', async (t) => {
  const { store, editor } = await openRecords(t)
  const stateOf = async (id: number) =>
    (
      await store.db.read
        .select({ status: posts.status, before: posts.untrashed_status })
        .from(posts)
        .where(eq(posts.id, id))
    )[0]
  const { id } = await must(editor.create('event', EVENT))
  await must(editor.change('event', id, { status: 'trash' }))
  t.same(await stateOf(id), { status: 'trash', before: 'publish' })
  t.equal((await editor.change('event', id, { status: 'trash' })).status, 410)
  t.same(await stateOf(id), { status: 'trash', before: 'publish' })
  await must(editor.change('event', id, { status: 'draft' }))
  t.same(await stateOf(id), { status: 'draft', before: null })
  const made = await must(editor.create('event', { ...EVENT, status: 'trash' }))
  t.same(await stateOf(made.id), { status: 'trash', before: null }, 'it never was anything else')
})
