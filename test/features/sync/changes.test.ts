import { createHmac } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { changes, settings } from '../../../drizzle/tables.ts'
import { EVERYTHING, recordChange } from '../../../src/kernel/database/changes.ts'
import { must } from '../../support/answers.ts'
import { type Answer, build, countOf, EVENT } from '../../support/app.ts'

type Told = { kind: string; id: number; operation: string; record?: Record<string, unknown> }
type Listed = { start_date: string; venue: { venue: string }; tags: [{ name: string }] }
const told = ({ changes }: { changes: Told[] }) =>
  changes.map(({ kind, id, operation }) => `${operation} ${kind} ${id}`)
const refused = ({ status, body }: Answer) => [status, body.code, ...Object.keys(body.data.params ?? {})]

t.test('a beginning has everything, and then only what changed', async (t) => {
  const { author, anonymous } = await build(t)
  const links = { categories: ['Jazz'], venue: { venue: 'Hall' } }
  const { id, venue } = await must(author.post('/events', { ...EVENT, ...links }))
  const draft = await must(author.post('/events', { ...EVENT, status: 'draft' }))
  const begun = await must(anonymous.get('/changes'))
  t.same(told(begun), ['create category 1', `create venue ${venue.id}`, `create event ${id}`])
  t.ok(begun.next_sync_token.length < 200, 'a token is short')
  const after = (token: string) => must(anonymous.get(`/changes?sync_token=${token}`))
  t.match(await after(begun.next_sync_token), { changes: [], has_more: false })
  await must(author.patch(`/events/${id}`, { title: 'Other' }))
  await must(author.patch(`/events/${draft.id}`, { title: 'Still a draft' }))
  const renamed = await after(begun.next_sync_token)
  t.match(renamed, { changes: [{ kind: 'event', operation: 'update', record: { title: 'Other' } }] })
  t.equal(renamed.changes.length, 1, 'a draft is told to nobody else')
  t.same(renamed.changes[0].record, (await must(anonymous.get('/events'))).events[0], 'as in lists')
  await must(author.patch(`/events/${id}`, { status: 'draft' }))
  const gone = await after(renamed.next_sync_token)
  t.same(told(gone), ['update category 1', `delete event ${id}`])
  t.match(gone.changes[0].record, { count: 0 })
  await must(author.patch(`/events/${id}`, { status: 'publish' }))
  t.same(told(await after(gone.next_sync_token)), ['update category 1', `create event ${id}`])
})

t.test('pages are continued where they end, also while others write', async (t) => {
  const { editor, anonymous } = await build(t)
  const ids: number[] = []
  for (let at = 0; at < 5; at++) ids.push((await must(editor.post('/events', EVENT))).id)
  const { id: tag } = await must(editor.post('/tags', { name: 'late' }))
  const page = (from: string) => must(anonymous.get(`/changes?${from}&per_page=2`))
  const first = await page('kind=event,tag')
  t.same([told(first), first.has_more], [[`create tag ${tag}`, `create event ${ids[0]}`], true])
  await must(editor.delete(`/events/${ids[0]}`))
  await must(editor.delete(`/events/${ids[1]}`))
  const second = await page(`sync_token=${first.next_sync_token}`)
  t.same(told(second), [`create event ${ids[2]}`, `create event ${ids[3]}`])
  const third = await page(`sync_token=${second.next_sync_token}`)
  t.same([told(third), third.has_more], [[`create event ${ids[4]}`], true])
  const last = await page(`sync_token=${third.next_sync_token}`)
  t.same([told(last), last.has_more], [[`delete event ${ids[0]}`, `delete event ${ids[1]}`], false])
  for (const id of [ids[2], ids[3], ids[4], ids[3]])
    await must(editor.patch(`/events/${id}`, { title: 'Other' }))
  const fourth = await page(`sync_token=${last.next_sync_token}`)
  t.same([told(fourth), fourth.has_more], [[`update event ${ids[2]}`, `update event ${ids[3]}`], true])
  const fifth = await page(`sync_token=${fourth.next_sync_token}`)
  t.same([told(fifth), fifth.has_more], [[`update event ${ids[4]}`, `update event ${ids[3]}`], false])
})

t.test('filters stay with the token, and what they name keeps its meaning', async (t) => {
  const { editor, anonymous, clock } = await build(t)
  const jazz = await must(editor.post('/categories', { name: 'Jazz' }))
  const inside = await must(
    editor.post('/events', { ...EVENT, categories: ['jazz'], start_date: 'tomorrow', end_date: 'tomorrow' }),
  )
  const other = await must(editor.post('/events', { ...EVENT, start_date: 'tomorrow', end_date: 'tomorrow' }))
  const query = 'categories=jazz&start_date=tomorrow&i18n_language=en'
  const begun = await must(anonymous.get(`/changes?${query}`))
  t.same(told(begun), [`create event ${inside.id}`], 'without `kind` it is that which has the filters')
  await must(editor.patch(`/categories/${jazz.id}`, { name: 'Swing', slug: 'swing' }))
  await must(editor.post('/categories', { name: 'Jazz' }))
  clock.now += 3 * 86_400_000
  const token = begun.next_sync_token
  const next = await must(anonymous.get(`/changes?sync_token=${token}&${query}`))
  t.same(
    told(next),
    [`update event ${inside.id}`],
    'the category is the one that was meant, and tomorrow the day that it was',
  )
  await must(editor.patch(`/events/${other.id}`, { title: 'Not in it' }))
  await must(editor.patch(`/events/${inside.id}`, { categories: [] }))
  const left = await must(anonymous.get(`/changes?sync_token=${next.next_sync_token}`))
  t.same(told(left), [`delete event ${inside.id}`], 'of what was never in it nothing is told')
  for (const [more, name] of [
    ['categories=swing', 'categories'],
    ['start_date=today', 'start_date'],
    ['i18n_language=ca', 'i18n_language'],
    ['kind=venue', 'kind'],
    ['tags=1', 'tags'],
    ['when=upcoming', 'when'],
  ])
    t.same(refused(await anonymous.get(`/changes?sync_token=${token}&${more}`)), [
      400,
      'rest_invalid_param',
      name,
    ])
  await must(editor.delete(`/categories/${jazz.id}`))
  t.equal(
    (await anonymous.get(`/changes?sync_token=${token}`)).status,
    200,
    'a category that was deleted matches nothing',
  )
})

t.test('what leaves a filter is told once, and what changes outside of it is not told', async (t) => {
  const { editor, administrator, anonymous, credentials } = await build(t)
  const make = async (path: string, body: object): Promise<number> => (await must(editor.post(path, body))).id
  const arts = await make('/categories', { name: 'Arts' })
  const music = await make('/categories', { name: 'Music', parent: arts })
  const tag = await make('/tags', { name: 'late' })
  const venue = await make('/venues', { venue: 'Hall', city: 'Vic', geo_lat: 41.9, geo_lng: 2.2 })
  const organizer = await make('/organizers', { organizer: 'Choir' })
  const post_parent = await make('/events', EVENT)
  const links = { categories: [music], tags: [tag], venue, organizer, post_parent }
  const inside = await make('/events', { ...EVENT, ...links, title: 'Evensong', featured: true })
  const outside = await make('/events', {
    ...EVENT,
    title: 'Outside',
    start_date: '2027-03-01',
    end_date: '2027-03-01',
  })
  const change = (id: number, body: object) => () => editor.patch(`/events/${id}`, body)
  const cases: [filter: string, leave: () => Promise<Answer>, enter: () => Promise<Answer>][] = [
    [
      `categories=${arts}`,
      () => editor.patch(`/categories/${music}`, { parent: 0 }),
      () => editor.patch(`/categories/${music}`, { parent: arts }),
    ],
    [`tags=${tag}`, change(inside, { tags: [] }), change(inside, { tags: [tag] })],
    [
      `venue=${venue}`,
      () => editor.patch(`/venues/${venue}`, { status: 'draft' }),
      () => editor.patch(`/venues/${venue}`, { status: 'publish' }),
    ],
    [
      'geoloc=true',
      () => editor.patch(`/venues/${venue}`, { geo_lat: null, geo_lng: null }),
      () => editor.patch(`/venues/${venue}`, { geo_lat: 41.9, geo_lng: 2.2 }),
    ],
    [
      'town=vic',
      () => editor.patch(`/venues/${venue}`, { city: 'Girona' }),
      () => editor.patch(`/venues/${venue}`, { city: 'Vic' }),
    ],
    [
      `organizer=${organizer}`,
      () => editor.delete(`/organizers/${organizer}`),
      () => editor.patch(`/organizers/${organizer}`, { status: 'publish' }),
    ],
    [
      `post_parent=${post_parent}`,
      change(post_parent, { status: 'draft' }),
      change(post_parent, { status: 'publish' }),
    ],
    ['featured=true', change(inside, { featured: false }), change(inside, { featured: true })],
    [
      'event_status=scheduled&featured=true',
      change(inside, { event_status: 'cancelled' }),
      change(inside, { event_status: 'scheduled' }),
    ],
    ['search=evensong', change(inside, { title: 'Other' }), change(inside, { title: 'Evensong' })],
    ['q=evens', change(inside, { title: 'Other' }), change(inside, { title: 'Evensong' })],
    [
      'ends_before=2027-01-01&featured=true',
      change(inside, { end_date: '2027-02-01' }),
      change(inside, { end_date: EVENT.end_date }),
    ],
    [
      'i18n_language=en&featured=true',
      change(inside, { i18n_language: 'ca' }),
      change(inside, { i18n_language: 'en' }),
    ],
    [
      'featured=true',
      change(inside, { hide_from_listings: true }),
      change(inside, { hide_from_listings: false }),
    ],
    ['featured=true', change(inside, { password: 'sesame' }), change(inside, { password: null })],
    ['featured=true', change(inside, { status: 'private' }), change(inside, { status: 'publish' })],
    [`include=${inside}`, () => editor.delete(`/events/${inside}`), change(inside, { status: 'publish' })],
  ]
  for (const [filter, leave, enter] of cases) {
    const begun = await must(anonymous.get(`/changes?kind=event&${filter}`))
    t.same(told(begun), [`create event ${inside}`], filter)
    await must(
      editor.patch(`/events/${outside}`, {
        cost: String(filter.length),
        author: credentials.editor.id,
      }),
    )
    await must(leave())
    const left = await must(anonymous.get(`/changes?sync_token=${begun.next_sync_token}`))
    // the parent was written itself, and might have been in it
    const others = told(left).filter((one) => one !== `delete event ${post_parent}`)
    t.same(others, [`delete event ${inside}`], `out of ${filter}`)
    await must(enter())
    await must(administrator.patch(`/events/${outside}`, { cost: '' }))
    const entered = await must(anonymous.get(`/changes?sync_token=${left.next_sync_token}`))
    t.match(told(entered), [/^(create|update) event /], `into ${filter}`)
  }
})

t.test(
  'a record that changed several times between others is told once, where it changed last',
  async (t) => {
    const { editor, anonymous } = await build(t)
    const make = async (body: object): Promise<number> =>
      (await must(editor.post('/events', { ...EVENT, ...body }))).id
    const change = (id: number, body: object) => must(editor.patch(`/events/${id}`, body))
    const ids = [await make({ featured: true }), await make({ featured: true }), await make({})]
    const [one, leaving, entering] = ids as [number, number, number]
    const others: number[] = []
    for (let at = 0; at < 4; at++) others.push(await make({}))
    const { next_sync_token: token } = await must(anonymous.get('/changes?featured=true'))
    await change(leaving, { featured: false })
    await change(one, { cost: '1' })
    await change(entering, { featured: true })
    for (const id of others) await change(id, { cost: '1' })
    for (const id of [entering, leaving, one]) await change(id, { cost: '2' })
    const ask = async (perPage: number) =>
      told(await must(anonymous.get(`/changes?sync_token=${token}&per_page=${perPage}`)))
    const right = [`update event ${entering}`, `delete event ${leaving}`, `update event ${one}`]
    for (const perPage of [4, 5, 500]) t.same(await ask(perPage), right, `${perPage}`)
    const created = await make({ featured: true })
    for (const id of others) await change(id, { cost: '3' })
    await change(created, { cost: '4' })
    for (const perPage of [4, 5, 500])
      t.same((await ask(perPage)).slice(3), [`create event ${created}`], `${perPage}`)
  },
)

t.test('lists and caches notice that rows were removed which they have not followed', async (t) => {
  const { app, editor, anonymous, clock } = await build(t)
  const event = await must(editor.post('/events', { ...EVENT, venue: { venue: 'Hall' }, tags: ['late'] }))
  const shown = async () => {
    const { events } = await must(anonymous.get('/events'))
    return events.flatMap(({ start_date, venue, tags }: Listed) => [start_date, venue.venue, tags[0].name])
  }
  t.same(await shown(), [EVENT.start_date, 'Hall', 'late'])
  await must(editor.patch(`/events/${event.id}`, { start_date: '2026-12-02', end_date: '2026-12-03' }))
  await must(editor.patch(`/venues/${event.venue.id}`, { venue: 'House' }))
  await must(editor.patch(`/tags/${event.tags[0].id}`, { name: 'early' }))
  await must(editor.post('/tags', { name: 'other' }))
  clock.now += 2 * 86_400_000
  await app.store.compaction.compact(1)
  t.same(await shown(), ['2026-12-02 00:00:00', 'House', 'early'])
})

t.test('a filter that can not be followed is refused by its name', async (t) => {
  const { anonymous, editor } = await build(t)
  const cases: [query: string, ...names: string[]][] = [
    ['page=2&orderby=title&order=desc&when=past', 'page', 'orderby', 'order', 'when'],
    ['kind=venue&has_events=true&only_with_upcoming=true', 'has_events', 'only_with_upcoming'],
    ['event=1&post=1&password=x', 'event', 'post', 'password'],
    ['category=1&limit=2', 'category', 'limit'],
    ['kind=event,venue&featured=true', 'featured'],
    ['featured=true&hide_empty=true', 'hide_empty'],
    ['constructor=1', 'constructor'],
    ['kind=user', 'kind'],
    ['kind=', 'kind'],
    ['sync_token=', 'sync_token'],
    ['categories=none&venue=9&post_parent=9', 'categories', 'venue', 'post_parent'],
    ['parent=9', 'parent'],
    ['search=%22%22', 'search'],
    ['kind=venue&search=%20', 'search'],
    ['status=draft', 'status'],
    ['geoloc_lat=1', 'geoloc_lat'],
  ]
  for (const [query, ...names] of cases)
    t.same(refused(await anonymous.get(`/changes?${query}`)), [400, 'rest_invalid_param', ...names], query)
  t.equal((await anonymous.get('/changes?context=view&_locale=user&parent=0')).status, 200)
  t.equal((await editor.get('/changes?status=draft')).status, 200)
})

t.test('every kind has its filters, languages and members', async (t) => {
  const { editor, anonymous } = await build(t)
  const [one, two] = [
    await must(editor.post('/venues', { venue: 'Hall', status: 'draft' })),
    await must(editor.post('/venues', { venue: 'House' })),
  ]
  const { id } = await must(editor.post('/categories', { name: 'Arts' }))
  const child = await must(editor.post('/categories', { name: 'Music', parent: id, i18n_language: 'ca' }))
  const tag = await must(editor.post('/tags', { name: 'late', i18n_language: 'ca' }))
  const ask = async (query: string, client = anonymous) => told(await must(client.get(`/changes?${query}`)))
  t.same(await ask('kind=venue'), [`create venue ${two.id}`])
  t.same(await ask('kind=venue&search=hall', editor), [`create venue ${one.id}`])
  t.same(await ask('kind=venue,organizer&status=draft', editor), [`create venue ${one.id}`])
  t.same(await ask(`parent=${id}`), [`create category ${child.id}`])
  t.same(await ask('kind=category,tag&i18n_language=ca'), [
    `create category ${child.id}`,
    `create tag ${tag.id}`,
  ])
  t.same(await ask('hide_empty=true'), [])
  t.same(await ask('slug=late'), [`create tag ${tag.id}`])
  t.same(await ask(`kind=category&exclude=${id}`), [`create category ${child.id}`])
  const mounted = await must(
    anonymous.get('//ca/calendar/events/v1/changes?kind=tag&_fields=changes.record.name'),
  )
  t.same(mounted, { changes: [{ record: { name: 'late' } }] })
})

t.test('a token that is not its caller’s, or of this calendar and its history, is refused', async (t) => {
  const { app, anonymous, editor, author, administrator, credentials } = await build(t)
  await must(author.post('/events', EVENT))
  const { next_sync_token: token } = await must(anonymous.get('/changes'))
  const ask = async (text: string, client = anonymous) =>
    refused(await client.get(`/changes?sync_token=${text}`))
  for (const text of [
    'x',
    'a',
    `${token}x`,
    token.slice(1),
    `a${token.slice(1)}`,
    `c${token.slice(1)}`,
    token.slice(0, 20),
    token.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
    `${token.slice(0, -1)}é`,
  ])
    t.same(await ask(encodeURIComponent(text)), [400, 'sync-token-invalid'], text)
  t.same(await ask(token, editor), [410, 'sync-token-expired'], 'another caller')
  const own = (await must(author.get('/changes'))).next_sync_token
  t.same(await ask(own, administrator), [410, 'sync-token-expired'])
  await must(administrator.patch(`/users/${credentials.author.id}`, { role: 'editor' }))
  t.same(await ask(own, author), [410, 'sync-token-expired'], 'another role')
  const { next_sync_token: latest } = await must(anonymous.get('/changes'))
  const { db, changes: log } = app.store
  const { seq } = log.latest()
  await db.write(
    async (tx) => void (await tx.update(changes).set({ record_id: 99 }).where(eq(changes.seq, seq))),
  )
  t.same(await ask(latest), [410, 'sync-token-expired'], 'another history')
  await db.write(async (tx) => void (await tx.delete(changes).where(eq(changes.seq, seq))))
  t.same(await ask(latest), [410, 'sync-token-expired'], 'an earlier state, from a backup')
  await db.write(async (tx) => void (await tx.delete(settings).where(eq(settings.name, 'token_key'))))
})

t.test('a token of an earlier version goes on', async (t) => {
  const { app, anonymous, author } = await build(t)
  await must(author.post('/events', EVENT))
  const { seq } = app.store.changes.latest()
  const interest = { kinds: ['event'], filters: {} }
  const parts = [seq, app.store.changes.digest(seq), '', interest]
  const text = `a${Buffer.from(JSON.stringify(parts)).toString('base64url')}`
  const [row] = app.store.db.rows<[string]>("select value from settings where name = 'token_key'")
  const signature = createHmac('sha256', row![0]).update(`sync token ${text}`).digest('base64url')
  const { id } = await must(author.post('/events', EVENT))
  const page = await must(anonymous.get(`/changes?sync_token=${text}${signature.slice(0, 22)}`))
  t.same(told(page), [`create event ${id}`])
  t.match(page.next_sync_token, /^b/)
  t.same(refused(await anonymous.get(`/changes?sync_token=${text}${'x'.repeat(22)}`)), [
    400,
    'sync-token-invalid',
  ])
})

t.test('a token outlives what it has seen, and not what it has not', async (t) => {
  const { app, anonymous, editor, clock } = await build(t)
  const { compaction } = app.store
  const event = await must(editor.post('/events', EVENT))
  const old = (await must(anonymous.get('/changes'))).next_sync_token
  for (const title of ['Other', 'Another']) await must(editor.patch(`/events/${event.id}`, { title }))
  const recent = (await must(anonymous.get('/changes'))).next_sync_token
  const count = () => countOf({ app }, 'changes')
  t.equal(await compaction.compact(1), false, 'nothing is old')
  clock.now += 2 * 86_400_000
  t.equal(count(), 3)
  const release = compaction.hold(() => 0)
  const idle = compaction.hold(() => undefined)
  await compaction.compact(1)
  t.equal(count(), 3, 'what someone needs is kept')
  release()
  idle()
  t.equal(await compaction.compact(1), true)
  t.equal(count(), 1, 'the last row is always kept')
  t.equal(await compaction.compact(1), false)
  t.same(refused(await anonymous.get(`/changes?sync_token=${old}`)), [410, 'sync-token-expired'])
  t.match(await must(anonymous.get(`/changes?sync_token=${recent}`)), { changes: [] })
  await must(editor.patch(`/events/${event.id}`, { title: 'Third' }))
  t.same(told(await must(anonymous.get(`/changes?sync_token=${recent}`))), [`update event ${event.id}`])
  await t.rejects(
    app.store.sync.read(
      { kinds: ['event'], filters: {} },
      { at: 1 },
      { caller: undefined, origin: {} as never },
      1,
    ),
    { code: 'sync-token-expired' },
  )
})

t.test('since which change a record can be found does not depend on where a page begins', async (t) => {
  const { app, editor, credentials } = await build(t, { fresh: true })
  const { sync, changes } = app.store
  const caller = { id: credentials.editor.id, role: 'editor' } as const
  const origin = { base: 'http://calendar.test', root: '', vendor: 'calendar', host: 'calendar.test' }
  const audience = { caller, origin }
  const interest = { kinds: ['event' as const], filters: { status: ['publish' as const] } }
  const entered = new Set<number>()
  async function look(most = 100) {
    for (let at = 0; at < changes.latest().seq; at++)
      for (const change of (await sync.read(interest, { at }, audience, most)).changes)
        if (change.operation === 'create') entered.add(change.entered!.seq)
  }
  const { id } = await must(editor.post('/events', { ...EVENT, status: 'draft' }))
  const write = async (body: object) => {
    await must(editor.patch(`/events/${id}`, body))
    await look()
    return changes.latest().seq
  }
  await write({ title: 'Still a draft' })
  t.same([...entered], [])
  const first = await write({ status: 'publish' })
  await write({ title: 'There' })
  t.same([...entered], [first])
  await write({ status: 'private' })
  const again = await write({ status: 'publish' })
  await write({ title: 'There again' })
  t.same([...entered], [first, again])

  const late = (await must(editor.post('/events', { ...EVENT, status: 'draft' }))).id
  for (let at = 0; at < 50; at++) await must(editor.patch(`/events/${late}`, { title: `Draft ${at}` }))
  await must(editor.patch(`/events/${late}`, { status: 'publish' }))
  const { seq } = changes.latest()
  const page = await sync.read(interest, { at: seq - 52 }, audience, 2)
  t.match(
    page.changes,
    [{ id: late, operation: 'create', first: seq - 51, entered: { seq } }],
    'in two parts',
  )
})

t.test('after a change of everything all is told again', async (t) => {
  const { app, anonymous, editor, clock } = await build(t)
  const ids = [(await must(editor.post('/events', EVENT))).id, (await must(editor.post('/events', EVENT))).id]
  const { next_sync_token: token } = await must(anonymous.get('/changes'))
  await must(editor.patch(`/events/${ids[1]}`, { title: 'Other' }))
  await app.store.db.write((tx) =>
    recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: clock.now }),
  )
  await must(editor.delete(`/events/${ids[0]}`))
  const first = await must(anonymous.get(`/changes?sync_token=${token}`))
  t.same([told(first), first.has_more], [[`update event ${ids[1]}`], true])
  const second = await must(anonymous.get(`/changes?sync_token=${first.next_sync_token}`))
  t.same([told(second), second.has_more], [[`update event ${ids[1]}`], true])
  const third = await must(anonymous.get(`/changes?sync_token=${second.next_sync_token}`))
  t.same([told(third), third.has_more], [[`delete event ${ids[0]}`], false])
})

t.test('answers are compared by what they tell, and not by their token', async (t) => {
  const { app, anonymous, editor, clock } = await build(t, { fresh: true })
  await must(editor.post('/events', EVENT))
  const { next_sync_token: token } = await must(anonymous.get('/changes'))
  const ask = (headers = {}) => anonymous.get(`/changes?sync_token=${token}`, undefined, { headers })
  const { headers, body } = await ask()
  t.match(headers, { 'cache-control': 'public, no-cache', etag: /^W\/"/, 'last-modified': undefined })
  t.equal((await ask({ 'if-none-match': headers.etag })).status, 304)
  const again = await ask()
  t.match(again, { status: 200, headers: { etag: headers.etag } })
  t.not(again.body.next_sync_token, body.next_sync_token, 'each answer has a token of its own')
  t.equal(app.cacheCounts.hits, 0, 'and none is kept')
  clock.now += 3_600_000
  t.equal((await ask({ 'if-none-match': headers.etag })).status, 200, 'a token does not get old')
  t.match((await editor.get('/changes')).headers, { 'cache-control': 'private, no-cache' })
  await must(editor.post('/events', EVENT))
  t.equal((await ask({ 'if-none-match': headers.etag })).status, 200)
})

t.test('the log says who wrote, and as what a record was visible before', async (t) => {
  const { app, editor, credentials, clock } = await build(t)
  const { id } = await must(
    editor.post('/events', { ...EVENT, status: 'future', date: '2026-12-30 10:00:00' }),
  )
  clock.now = Date.parse('2026-12-31T00:00:00Z')
  await editor.get('/events')
  await must(editor.delete(`/events/${id}?force=true`))
  const rows = await app.store.db.read.select().from(changes).where(sql`${changes.kind} = 'event'`)
  const by = credentials.editor.id
  t.match(rows, [
    { operation: 'create', by, was_status: null },
    {
      operation: 'publish',
      by: null,
      was_status: 'future',
      was_author: by,
      was_language: 'en',
      was_hidden: false,
    },
    { operation: 'delete', by, was_status: 'publish' },
  ])
})
