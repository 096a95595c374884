import t from 'tap'
import { ROLES } from '../src/rules/roles.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

t.test('no filter tells what a password protects', async (t) => {
  const api = await build(t)
  const hall = await must(api.editor.post('/venues', { venue: 'Hall', geo_lat: 41, geo_lng: 2 }))
  const barn = await must(api.editor.post('/venues', { venue: 'Barn' }))
  const troupe = await must(api.editor.post('/organizers', { organizer: 'Troupe' }))
  const arts = await must(api.editor.post('/categories', { name: 'Arts' }))
  const live = await must(api.editor.post('/tags', { name: 'Live' }))
  const links = { venue: hall.id, organizer: troupe.id, categories: [arts.id], tags: [live.id] }
  const secret = { ...EVENT, title: 'Secret', password: 'sesame', featured: true, ticketed: true, ...links }
  const { id } = await must(api.author.post('/events', secret))
  const own = await must(api.contributor.post('/events', { ...secret, status: 'draft' }))
  const sees = {
    anonymous: false,
    subscriber: false,
    contributor: false,
    author: true,
    editor: true,
    administrator: true,
  }

  /** What matches the event, and what does not, for those who may see into it. */
  const [right, wrong] = [
    [`venue=${hall.id}`, `organizer=${troupe.id}`, `categories=${arts.id}`, 'categories=arts', 'tags=live']
      .concat(['featured=true', 'ticketed=1', 'geoloc=true', 'geoloc_lat=41&geoloc_lng=2'])
      .concat([`venue=${hall.id}&featured=true&search=secret`]),
    [`venue=${barn.id}`, 'featured=false', 'ticketed=0', 'geoloc=false', 'geoloc_lat=0&geoloc_lng=0'],
  ]
  for (const asker of ['anonymous', ...ROLES] as const) {
    const total = async (query: string) => {
      const { status, body, headers } = await api[asker].get(`/events?${query}`)
      t.equal(status, 200, query)
      t.equal(Number(headers['x-wp-total']), body.total)
      t.equal(body.events.length, body.total)
      return body.total
    }
    for (const about of [`include=${id}&`, 'search=secret&status=publish&', 'status=publish&']) {
      for (const query of right)
        t.equal(await total(about + query), sees[asker] ? 1 : 0, `${asker} ${about}${query}`)
      for (const query of wrong) t.equal(await total(about + query), 0, `${asker} ${about}${query}`)
      for (const open of ['', 'start_date=2026-12-01', 'search=secret'])
        t.equal(await total(about + open), 1, `${asker} ${about}${open}: title, dates and ID match`)
    }
    // the other side
    const names = async (path: string) => (await api[asker].get(path)).body.total
    const seen = sees[asker] ? 1 : 0
    for (const [plural, record] of [
      ['venues', hall],
      ['organizers', troupe],
    ] as const) {
      t.equal(await names(`/${plural}?event=${id}`), seen, `${asker} ${plural} of the event`)
      t.equal(await names(`/${plural}?has_events=true`), seen, `${asker} ${plural} with events`)
      t.equal(await names(`/${plural}?only_with_upcoming=true`), asker === 'contributor' ? 1 : seen)
      const without = (await api[asker].get(`/${plural}?has_events=false`)).body[plural]
      t.equal(
        without.some((other: { id: number }) => other.id === record.id),
        !sees[asker],
      )
    }
    for (const plural of ['categories', 'tags'])
      for (const name of ['event', 'post']) t.equal(await names(`/${plural}?${name}=${id}`), seen)
  }
  const drafts = (await api.contributor.get(`/events?status=draft&venue=${hall.id}&featured=true`)).body
    .events
  t.same(
    drafts.map((event: { id: number }) => event.id),
    [own.id],
    'contributors may edit their own drafts',
  )

  await must(api.editor.patch(`/events/${id}`, { password: '' }))
  for (const query of right)
    t.equal((await api.anonymous.get(`/events?${query}`)).body.total, 1, `open: ${query}`)
  await must(api.editor.patch(`/events/${id}`, { password: 'again' }))
  for (const query of right)
    t.equal((await api.anonymous.get(`/events?${query}`)).body.total, 0, `locked: ${query}`)
})
