import { eq, gt, sql } from 'drizzle-orm'
import t from 'tap'
import { changes, media } from '../../../drizzle/tables.ts'
import { openLiveIndex } from '../../../src/calendar/index/event-index.ts'
import { openChanges, recordChange, wasChanged } from '../../../src/kernel/database/changes.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'
import { must, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'
import { storePicture } from '../../support/writes.ts'

type Kind = 'venue' | 'organizer'
const KINDS: Kind[] = ['venue', 'organizer']

/** The names of an event's venues or organizers, whatever their shape. */
const names = (event: Record<Kind, unknown>, kind: Kind): string =>
  [event[kind]]
    .flat()
    .map((record) => (record as Record<Kind, string>)[kind])
    .join(' ')
const total = async ({ administrator }: Records, kind: Kind): Promise<number> =>
  (await administrator.list(kind, 'status=any')).body.total
const add = (api: Records, kind: Kind, name: string, more = {}) =>
  must(api.editor.create(kind, { [kind]: name, ...more }))

for (const kind of KINDS)
  t.test(`a ${kind} is given by ID, as an object, or as a list of both`, async (t) => {
    const api = await openRecords(t)
    const { editor } = api
    const { id: a } = await add(api, kind, 'A')
    const { id: b } = await add(api, kind, 'B')
    const { id } = await must(editor.create('event', EVENT))
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
        [created, () => editor.create('event', { ...EVENT, [kind]: given })],
        [0, () => editor.change('event', id, { [kind]: given })],
      ] as const) {
        const before = await total(api, kind)
        const first = names(await must(editor.change('event', id, { [kind]: null })), kind)
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
      await must(editor.change('event', id, { [kind]: a }))
      const event = await must(editor.change('event', id, { [kind]: nothing }))
      t.strictSame(event[kind], [], `${JSON.stringify(nothing)} unlinks`)
      const created = await must(editor.create('event', { ...EVENT, [kind]: nothing }))
      t.strictSame(created[kind], [], `${JSON.stringify(nothing)} on create`)
    }
  })

for (const kind of KINDS)
  t.test(`a ${kind} that can not be taken is refused, and nothing is written`, async (t) => {
    const api = await openRecords(t)
    const { editor, author } = api
    const other = kind === 'venue' ? 'organizer' : 'venue'
    const { id: good } = await add(api, kind, 'Good')
    const { id: strange } = await add(api, other, 'Other kind')
    const { id: secret } = await add(api, kind, 'Secret', { status: 'private' })
    const { id: gone } = await add(api, kind, 'Gone')
    await must(editor.remove(kind, gone))
    const { id } = await must(author.create('event', { ...EVENT, title: 'Kept', [kind]: good }))
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
      [{ id: null }, `400 rest_invalid_param ${kind}`],
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
      [{ [kind]: 'New', author: api.ids.editor }, '403 rest_forbidden'],
      [[good, { [kind]: 'New' }, { [kind]: 'Newer', author: 1 }], '403 rest_forbidden'],
    ]
    const before = api.fingerprint()
    const kept = (await author.read('event', id)).body
    for (const [given, expected] of cases) {
      const sent = { title: 'Changed', categories: ['fresh'], [other]: { [other]: 'Fresh' }, [kind]: given }
      for (const answer of [
        await author.create('event', { ...EVENT, ...sent }),
        await author.change('event', id, sent),
      ])
        t.equal(refusal(answer), expected, JSON.stringify(given))
    }
    t.equal(refusal(await api.anonymous.create('event', { ...EVENT, [kind]: secret })), '401 rest_forbidden')
    t.equal(
      refusal(await api.subscriber.change('event', id, { [kind]: { [kind]: 'x' } })),
      '403 rest_forbidden',
    )
    t.equal(api.fingerprint(), before)
    t.strictSame((await author.read('event', id)).body, kept)
  })

t.test('a refusal for any other reason leaves nothing of what stood inside either', async (t) => {
  const api = await openRecords(t)
  const { author } = api
  const { id } = await must(author.create('event', EVENT))
  const { id: theirs } = await must(api.editor.create('event', EVENT))
  const { id: gone } = await must(author.create('event', EVENT))
  await must(author.remove('event', gone))
  const inside = { venue: { venue: 'V' }, organizer: [{ organizer: 'O' }], categories: ['c'] }
  const cases: [key: number | string, sent: object, expected: string][] = [
    [id, { tags: ['not mine to make'] }, '403 rest_forbidden'],
    [id, { author: api.ids.editor }, '403 rest_forbidden'],
    [id, { end_date: '2020-01-01' }, '400 rest_invalid_param end_date'],
    [id, { featured: 'perhaps' }, '400 rest_invalid_param featured'],
    [id, { title: ' ' }, '400 empty_content title'],
    [theirs, {}, '403 rest_forbidden'],
    [gone, {}, '410 event-is-in-trash'],
    [999, {}, '404 rest-event-not-found'],
    ['nothing', {}, '404 rest-event-not-found'],
  ]
  const before = api.fingerprint()
  for (const [key, sent, expected] of cases) {
    t.equal(
      refusal(await author.change('event', key, { ...inside, ...sent })),
      expected,
      JSON.stringify(sent),
    )
    if (Object.keys(sent).length === 0) continue
    t.equal(refusal(await author.create('event', { ...EVENT, ...inside, ...sent })), expected)
  }
  t.equal(
    refusal(await author.create('event', { ...inside, title: 'x' })),
    '400 rest_missing_callback_param start_date end_date',
  )
  t.equal(api.fingerprint(), before)
})

t.test(
  'what is created inside belongs to who writes, in the language and with the rights of the event',
  async (t) => {
    const api = await openRecords(t)
    const inside = { venue: { venue: 'V', author: null }, organizer: { organizer: 'O' }, i18n_language: 'ca' }
    for (const [who, status] of [
      ['contributor', 'draft'],
      ['author', 'publish'],
      ['editor', 'publish'],
    ] as const) {
      const own = { venue: { venue: `V ${who}` }, organizer: { organizer: `O ${who}` } }
      const event = await must(api[who].create('event', { ...EVENT, ...inside, ...own }))
      const expected = { status, language: 'ca', author: String(api.ids[who]) }
      t.match(event, { ...expected, venue: expected, organizer: [expected] }, who)
      if (status === 'draft') t.match(await api.anonymous.read('venue', event.venue.id), { status: 403 })
    }
    const given = { author: api.ids.author, status: 'private', date: '2020-01-01' }
    const event = await must(api.editor.create('event', { ...EVENT, venue: { venue: 'Given', ...given } }))
    t.match(event.venue, { author: String(given.author), status: 'private', date: '2020-01-01 00:00:00' })
  },
)

t.test('lists do not follow events that only show others anew, however many they are', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  const venue = await must(editor.create('venue', { venue: 'Hall' }))
  const { id } = await must(editor.create('event', { ...EVENT, venue: venue.id }))
  const followed = openChanges(db)
  const live = openLiveIndex(db, followed)
  finish(live.refresh())
  await db.write(async (tx) => {
    // as if venues with 6,000 events were written
    tx.run(sql`with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < 6000)
      insert into changes (kind, record_id, operation, at_utc)
      select 'event', value, 'refresh', '2026-11-21 09:00:00' from numbers`)
  })
  const end = live.journal.end()
  const { seq } = followed.latest()
  await must(editor.change('venue', venue.id, { venue: 'House' }))
  finish(live.refresh())
  t.equal(live.journal.end(), end, 'nothing was read anew, and no event was moved')
  t.same(
    followed.after(seq).map(({ kind, id }) => `${kind} ${id}`),
    [`venue ${venue.id}`],
  )
  await must(editor.change('event', id, { title: 'Opera' }))
  finish(live.refresh())
  t.equal(live.journal.end(), end + 1, 'what was written is followed')
})

t.test('after more changes than are looked through, lists are read anew', async (t) => {
  const { store, editor } = await openRecords(t)
  const { db } = store
  await must(editor.create('event', EVENT))
  const live = openLiveIndex(db, openChanges(db))
  finish(live.refresh())
  const end = live.journal.end()
  await db.write(async (tx) => {
    tx.run(sql`insert into changes (seq, kind, record_id, operation, at_utc)
      values (300000, 'event', 1, 'refresh', '2026-11-21 09:00:00')`)
  })
  finish(live.refresh())
  t.ok(live.journal.end() > end)
  t.notOk(live.isStale())
})

t.test('an event is named where its venue changes, and keeps its own time of change', async (t) => {
  const { store, editor, clock } = await openRecords(t)
  const { db } = store
  const venue = await must(editor.create('venue', { venue: 'Hall' }))
  const event = await must(editor.create('event', { ...EVENT, venue: venue.id }))
  const { seq } = store.changes.latest()
  clock.now += 60_000
  await must(editor.change('venue', venue.id, { venue: 'House' }))
  const named = await db.read.select().from(changes).where(gt(changes.seq, seq)).orderBy(changes.seq)
  const at_utc = '2026-11-21 09:01:00'
  t.match(named, [
    { kind: 'venue', record_id: venue.id, operation: 'update', at_utc },
    { kind: 'event', record_id: event.id, operation: 'refresh', at_utc },
  ])
  t.equal(named.length, 2)
  t.ok(await wasChanged(db.read, 'event', event.id, seq))
  t.notOk(await wasChanged(db.read, 'event', venue.id, seq))
  t.equal((await editor.read('event', event.id)).body.modified, event.modified)
})

t.test('many events of one write are named with one time, also where the clock went back', async (t) => {
  const { store, editor, clock } = await openRecords(t)
  const { db } = store
  const venue = await must(editor.create('venue', { venue: 'Hall' }))
  for (let at = 0; at < 3; at++) await must(editor.create('event', { ...EVENT, venue: venue.id }))
  await db.write((tx) =>
    recordChange(tx, { kind: 'user', id: 1, operation: 'update', now: clock.now + 60_000 }),
  )
  const { seq } = store.changes.latest()
  await must(editor.change('venue', venue.id, { venue: 'House' }))
  const named = await db.read.select().from(changes).where(gt(changes.seq, seq)).orderBy(changes.seq)
  t.same(
    named.map(({ operation, at_utc }) => `${operation} ${at_utc}`),
    ['update 2026-11-21 09:01:01', ...Array.from({ length: 3 }, () => 'refresh 2026-11-21 09:01:02')],
  )
})

t.test('what lies in the trash is updated, and a picture too, where its author goes', async (t) => {
  const { store, author, ids, callers } = await openRecords(t)
  const { id } = await must(author.create('event', EVENT))
  await must(author.remove('event', id))
  const picture = await storePicture(store, callers.author)
  const { seq } = store.changes.latest()
  await store.users.remove(ids.author, ids.editor)
  const named = await store.db.read.select().from(changes).where(gt(changes.seq, seq)).orderBy(changes.seq)
  t.match(named, [
    { kind: 'event', record_id: id, operation: 'update' },
    { kind: 'media', record_id: picture, operation: 'update' },
    { kind: 'user', record_id: ids.author, operation: 'delete' },
  ])
  const [row] = await store.db.read.select().from(media).where(eq(media.id, picture))
  t.equal(row!.author_id, ids.editor)
})

t.test('the other records of a set are named where a translation is deleted for good', async (t) => {
  const { store, editor } = await openRecords(t)
  for (const [kind, name] of [
    ['venue', 'venue'],
    ['category', 'name'],
  ] as const) {
    const hall = await must(editor.create(kind, { [name]: 'Hall' }))
    const sala = { [name]: 'Sala', i18n_language: 'ca', translation_of: hall.id }
    const { id } = await must(editor.create(kind, sala))
    const { seq } = store.changes.latest()
    await must(editor.remove(kind, id, 'force=true'))
    const named = await store.db.read.select().from(changes).where(gt(changes.seq, seq))
    t.same(
      named.map(({ operation, record_id }) => `${operation} ${record_id}`).sort(),
      [`delete ${id}`, `refresh ${hall.id}`],
      kind,
    )
    t.same((await must(editor.read(kind, hall.id))).translations, {})
  }
})
