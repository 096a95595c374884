import t from 'tap'
import { must } from '../support/answers.ts'
import type { Client } from '../support/app.ts'
import { EVENT } from '../support/given.ts'
import { draw, raw } from '../support/pictures.ts'
import { buildLimited } from './limited.ts'

t.test('lists of series, venues and pictures show what is within the limits', async (t) => {
  const { administrator, editor, contributor, author, at, ids, credentials } = await buildLimited(t)
  const rrule = { recurrence: { rrule: 'FREQ=DAILY;COUNT=2' }, status: 'draft' }
  const repeated = async (place: 'jazz' | 'elsewhere') =>
    (await must(administrator.post('/series', { ...EVENT, ...at(place), ...rrule }))).id
  const [inside, outside] = [await repeated('jazz'), await repeated('elsewhere')]
  const idsOf = (list: { id: number }[]) => list.map(({ id }) => id).sort((a, b) => a - b)
  const series = async (who: Client) => idsOf((await must(who.get('/series?status=any'))).series)
  t.strictSame(await series(editor), [inside])
  t.strictSame(await series(author), [])
  t.strictSame(await series(administrator), [inside, outside])
  const told = async (who: Client) => idsOf((await must(who.get('/changes?kind=series'))).changes)
  t.strictSame(await told(editor), [inside])

  // a venue that is named is seen in any status
  await must(administrator.patch(`/venues/${ids.hall}`, { status: 'draft' }))
  await must(administrator.patch(`/venues/${ids.barn}`, { status: 'draft' }))
  t.strictSame(idsOf((await must(editor.get('/venues?status=draft'))).venues), [ids.hall])
  t.strictSame(idsOf((await must(author.get('/venues?status=draft&per_page=5'))).venues), [])

  // organizers of events to come: of those that the caller sees, and of what is protected if the caller opens it
  const upcoming = async (who: Client) =>
    idsOf((await must(who.get('/organizers?only_with_upcoming=true'))).organizers)
  const organized = async (place: 'jazz' | 'elsewhere', more: object) => {
    const organizer = (
      await must(administrator.post('/organizers', { organizer: `${place} ${Object.keys(more)}` }))
    ).id
    await must(administrator.post('/events', { ...EVENT, ...at(place), organizer, ...more }))
    return organizer as number
  }
  const draft = await organized('jazz', { status: 'draft' })
  await organized('elsewhere', { status: 'draft' })
  const closed = await organized('jazz', { password: 'x' })
  await organized('elsewhere', { password: 'x' })
  const own = await organized('elsewhere', { password: 'x', author: credentials.editor.id })
  t.strictSame(await upcoming(editor), [draft, closed, own])
  t.strictSame(await upcoming(contributor), [])

  const picture = async (place: 'jazz' | 'elsewhere') => {
    const bytes = await draw(place === 'jazz' ? 8 : 9, 8, 'png')
    const image = (await must(administrator.post('/media', bytes, raw(`${place}.png`, 'image/png')))).id
    await must(
      administrator.post('/events', { ...EVENT, ...at(place), status: 'draft', image: String(image) }),
    )
    return image
  }
  const [seen, hidden] = [await picture('jazz'), await picture('elsewhere')]
  const pictures = async (who: Client) => idsOf((await must(who.get('/media'))).media)
  t.strictSame(await pictures(editor), [seen])
  t.strictSame(await pictures(author), [])
  t.equal((await editor.get(`/media/${seen}`)).status, 200)
  t.equal((await editor.get(`/media/${hidden}`)).status, 404)
  t.equal((await editor.delete(`/media/${seen}`)).status, 403, 'that of others')
  await must(editor.post('/events', { ...EVENT, ...at('jazz'), image: String(seen) }))
})

t.test('what is public is listed to a caller with limits as to everyone', async (t) => {
  const { administrator, anonymous, editor, at } = await buildLimited(t)
  const { id } = await must(administrator.post('/events', { ...EVENT, ...at('elsewhere') }))
  for (const who of [anonymous, editor]) {
    const { events } = await must(who.get('/events'))
    t.strictSame(
      events.map((event: { id: number }) => event.id),
      [id],
    )
  }
  t.equal((await must(editor.get('/events?status=any'))).total, 1)
})
