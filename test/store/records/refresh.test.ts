import { gt, sql } from 'drizzle-orm'
import t from 'tap'
import { changes } from '../../../drizzle/tables.ts'
import { openListed } from '../../../src/store/lists/listed.ts'
import { finish } from '../../../src/store/lists/slices.ts'
import { openChanges, recordChange, wasChanged } from '../../../src/store/sqlite/changes.ts'
import { build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { addPicture } from '../../support/writes.ts'

t.test('lists do not follow events that only show others anew, however many they are', async (t) => {
  const { app, editor } = await build(t)
  const { db } = app.store
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const { id } = await must(editor.post('/events', { ...EVENT, venue: venue.id }))
  const followed = openChanges(db)
  const listed = openListed(db, followed)
  finish(listed.follow())
  await db.write(async (tx) => {
    // as if venues with 6,000 events were written
    tx.run(sql`with recursive numbers (value) as (select 1 union all select value + 1 from numbers where value < 6000)
      insert into changes (kind, record_id, operation, at_utc)
      select 'event', value, 'refresh', '2026-11-21 09:00:00' from numbers`)
  })
  const end = listed.moves.end()
  const { seq } = followed.latest()
  await must(editor.patch(`/venues/${venue.id}`, { venue: 'House' }))
  finish(listed.follow())
  t.equal(listed.moves.end(), end, 'nothing was read anew, and no event was moved')
  t.same(
    followed.after(seq).map(({ kind, id }) => `${kind} ${id}`),
    [`venue ${venue.id}`],
  )
  await must(editor.patch(`/events/${id}`, { title: 'Opera' }))
  finish(listed.follow())
  t.equal(listed.moves.end(), end + 1, 'what was written is followed')
})

t.test('after more changes than are looked through, lists are read anew', async (t) => {
  const { app, editor } = await build(t)
  const { db } = app.store
  await must(editor.post('/events', EVENT))
  const listed = openListed(db, openChanges(db))
  finish(listed.follow())
  const end = listed.moves.end()
  await db.write(async (tx) => {
    tx.run(sql`insert into changes (seq, kind, record_id, operation, at_utc)
      values (300000, 'event', 1, 'refresh', '2026-11-21 09:00:00')`)
  })
  finish(listed.follow())
  t.ok(listed.moves.end() > end)
  t.notOk(listed.isBehind())
})

t.test('of an event and its venue that are written at once, the second is told by If-Match', async (t) => {
  const { editor } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const { id } = await must(editor.post('/events', { ...EVENT, venue: venue.id }))
  const { etag } = (await editor.get(`/events/${id}`)).headers
  const [renamed, changed] = await Promise.all([
    editor.patch(`/venues/${venue.id}`, { venue: 'House' }),
    editor.patch(`/events/${id}`, { title: 'Opera' }, { headers: { 'if-match': etag! } }),
  ])
  t.equal(renamed!.status, 200)
  t.equal(changed!.status, 412)
  t.match((await editor.get(`/events/${id}`)).body, { title: 'Concert', venue: { venue: 'House' } })
})

t.test('an event is named where its venue changes, and keeps its own time of change', async (t) => {
  const { app, editor, clock } = await build(t)
  const { db } = app.store
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const event = await must(editor.post('/events', { ...EVENT, venue: venue.id }))
  const { seq } = app.store.changes.latest()
  const { headers } = await editor.get(`/events/${event.id}`)
  clock.now += 60_000
  await must(editor.patch(`/venues/${venue.id}`, { venue: 'House' }))
  const named = await db.read.select().from(changes).where(gt(changes.seq, seq)).orderBy(changes.seq)
  const at_utc = '2026-11-21 09:01:00'
  t.match(named, [
    { kind: 'venue', record_id: venue.id, operation: 'update', at_utc },
    { kind: 'event', record_id: event.id, operation: 'refresh', at_utc },
  ])
  t.equal(named.length, 2)
  t.ok(await wasChanged(db.read, 'event', event.id, seq))
  t.notOk(await wasChanged(db.read, 'event', venue.id, seq))
  clock.now += 60_000
  const after = await editor.get(`/events/${event.id}`)
  t.equal(after.body.modified, event.modified)
  t.not(after.headers.etag, headers.etag)
  t.equal(after.headers['last-modified'], 'Sat, 21 Nov 2026 09:01:00 GMT')
})

t.test('many events of one write are named with one time, also where the clock went back', async (t) => {
  const { app, editor, clock } = await build(t)
  const { db } = app.store
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  for (let at = 0; at < 3; at++) await must(editor.post('/events', { ...EVENT, venue: venue.id }))
  await db.write((tx) => recordChange(tx, 'user', 1, 'update', clock.now + 60_000))
  const { seq } = app.store.changes.latest()
  await must(editor.patch(`/venues/${venue.id}`, { venue: 'House' }))
  const named = await db.read.select().from(changes).where(gt(changes.seq, seq)).orderBy(changes.seq)
  t.same(
    named.map(({ operation, at_utc }) => `${operation} ${at_utc}`),
    ['update 2026-11-21 09:01:01', ...Array.from({ length: 3 }, () => 'refresh 2026-11-21 09:01:02')],
  )
})

t.test('what lies in the trash is updated, and a picture too, where its author goes', async (t) => {
  const api = await build(t)
  const { app, author, editor, credentials } = api
  const { id } = await must(author.post('/events', EVENT))
  await must(author.delete(`/events/${id}`))
  const picture = await addPicture(api, 2)
  const { seq } = app.store.changes.latest()
  await app.store.users.remove(credentials.author.id, credentials.editor.id)
  const named = await app.store.db.read
    .select()
    .from(changes)
    .where(gt(changes.seq, seq))
    .orderBy(changes.seq)
  t.match(named, [
    { kind: 'event', record_id: id, operation: 'update' },
    { kind: 'media', record_id: picture, operation: 'update' },
    { kind: 'user', record_id: credentials.author.id, operation: 'delete' },
  ])
  t.equal((await editor.get(`/media/${picture}`)).body.author, String(credentials.editor.id))
})

t.test('the other records of a set are named where a translation is deleted for good', async (t) => {
  const { app, editor } = await build(t)
  const cases: [plural: string, kind: string, name: string][] = [
    ['venues', 'venue', 'venue'],
    ['categories', 'category', 'name'],
  ]
  for (const [plural, kind, name] of cases) {
    const hall = await must(editor.post(`/${plural}`, { [name]: 'Hall' }))
    const sala = { [name]: 'Sala', i18n_language: 'ca', translation_of: hall.id }
    const { id } = await must(editor.post(`/${plural}`, sala))
    const { seq } = app.store.changes.latest()
    await must(editor.delete(`/${plural}/${id}?force=true`))
    const named = await app.store.db.read.select().from(changes).where(gt(changes.seq, seq))
    t.same(
      named.map(({ operation, record_id }) => `${operation} ${record_id}`).sort(),
      [`delete ${id}`, `refresh ${hall.id}`],
      kind,
    )
    t.same((await must(editor.get(`/${plural}/${hall.id}`))).translations, {})
  }
})
