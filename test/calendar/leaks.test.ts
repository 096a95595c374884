import t from 'tap'
import { RIGHTS } from '../../src/calendar/rights.ts'
import { ROLES, type Role } from '../../src/kernel/access/rights.ts'
import { must } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'

type Asker = Role | 'anonymous'
const ASKERS: Asker[] = ['anonymous', ...ROLES]
const HIDDEN = ['future', 'draft', 'pending', 'private', 'trash'] as const
const WIDE = 'start_date=2000-01-01&end_date=2100-01-01&per_page=50'

t.test('no path shows what the single read refuses', async (t) => {
  const api = await build(t)
  const admin = api.administrator
  const { body: category } = await admin.post('/categories', { name: 'Shared' })
  const secrets: { secret: string; id: number; kind: string; status: string }[] = []

  const hide = async (
    kind: 'event' | 'venue' | 'organizer',
    status: (typeof HIDDEN)[number],
    more: object = {},
  ) => {
    const secret = `zz${kind}${status}zz`
    const base = kind === 'event' ? { ...EVENT, title: secret } : { [kind]: secret }
    const when = status === 'future' ? { date: '2027-05-01 10:00:00' } : {}
    const made = await admin.post(`/${kind}s`, {
      ...base,
      ...when,
      ...more,
      description: secret,
      slug: secret,
      status: status === 'trash' ? 'publish' : status,
    })
    t.equal(made.status, 201)
    if (status === 'trash') await admin.delete(`/${kind}s/${made.body.id}`)
    secrets.push({ secret, id: made.body.id, kind, status })
    return made.body.id as number
  }

  const public_ = (await admin.post('/events', { ...EVENT, title: 'Open', categories: [category.id] })).body
    .id
  const hosts: { venue: number[]; organizer: number[] } = { venue: [], organizer: [] }
  for (const status of HIDDEN) {
    hosts.venue.push(await hide('venue', status))
    hosts.organizer.push(await hide('organizer', status))
  }
  const usable = (ids: number[]) => ids.slice(0, -1) // what lies in the trash can't be linked
  await admin.patch(`/events/${public_}`, { venue: usable(hosts.venue), organizer: usable(hosts.organizer) })
  for (const status of HIDDEN) {
    await hide('event', status, {
      categories: [category.id],
      venue: usable(hosts.venue),
      organizer: usable(hosts.organizer),
      translation_of: status === 'draft' ? public_ : null,
      i18n_language: status === 'draft' ? 'ca' : 'en',
    })
  }
  const parent = secrets.find(({ kind, status }) => kind === 'event' && status === 'private')!.id
  await admin.post('/events', { ...EVENT, title: 'Child', post_parent: parent })
  const ids = (kind: string) => secrets.filter((record) => record.kind === kind).map(({ id }) => id)

  const paths = [
    `/events?${WIDE}`,
    `/events?include=${[...ids('event'), public_].join(',')}`,
    ...['any', 'publish', ...HIDDEN].flatMap((status) =>
      ['events', 'venues', 'organizers'].map(
        (where) => `/${where}?status=${status}&${where === 'events' ? WIDE : 'per_page=50'}`,
      ),
    ),
    ...ids('event').flatMap((id) => [
      `/venues?event=${id}`,
      `/organizers?event=${id}`,
      `/categories?post=${id}`,
      `/events?post_parent=${id}&${WIDE}`,
      `/events/${id}`,
      `/events/${id}?i18n_language=ca`,
    ]),
    ...ids('venue').flatMap((id) => [`/events?venue=${id}&${WIDE}`, `/venues/${id}`]),
    ...ids('organizer').flatMap((id) => [`/events?organizer=${id}&${WIDE}`, `/organizers/${id}`]),
    ...secrets.flatMap(({ secret, kind }) => [
      `/${kind}s?search=${secret}${kind === 'event' ? `&${WIDE}` : ''}`,
      `/${kind}s/by-slug/${secret}`,
      `/${kind}s/by-slug/${secret}__trashed`,
    ]),
    '/venues?has_events=true&per_page=50',
    '/organizers?only_with_upcoming=true&per_page=50',
    `/events?categories=shared&${WIDE}`,
    `/events/${public_}`,
    `/events/${public_}?i18n_language=ca`,
    `/events?i18n_language=ca&${WIDE}`,
    '/categories',
    '/',
  ]
  const sees = (asker: Asker, status: string, kind: string) =>
    asker !== 'anonymous' &&
    ROLES.indexOf(asker) >= ROLES.indexOf(RIGHTS['read records of others of any status'].role) &&
    !(status === 'trash' && kind === 'none')

  let checked = 0
  for (const asker of ASKERS) {
    for (const path of paths) {
      const { text, status } = await api[asker].get(path)
      t.ok(status < 500, path)
      // links repeat what was asked for
      const shown = text.replace(
        /"(rest_url|next_rest_url|previous_rest_url|message)":"(?:[^"\\]|\\.)*"/g,
        '',
      )
      for (const record of secrets) {
        if (sees(asker, record.status, record.kind)) continue
        checked++
        if (shown.includes(record.secret)) t.fail(`${asker} sees ${record.secret} at ${path}`)
      }
    }
    const { body } = await api[asker].get(`/events/${public_}`)
    if (asker === 'anonymous') {
      t.strictSame(
        [body.venue, body.organizer, body.translations],
        [[], [], {}],
        'hidden hosts and translations are left out',
      )
    }
  }
  t.ok(checked > 5000, `${checked} answers held no secret`)

  const { body: counted } = await api.anonymous.get(`/categories/${category.id}`)
  t.equal(counted.count, 1, 'a count is of what is published')
  for (const [path, total] of [
    [`/events?venue=${hosts.venue[0]}&${WIDE}`, 0],
    [`/events?post_parent=${parent}&${WIDE}`, 0],
    [`/venues?event=${parent}`, 0],
    [`/categories?post=${parent}`, 0],
  ] as const) {
    t.equal((await api.anonymous.get(path)).body.total, total, `${path} is as if there were no link`)
  }
})

t.test('what a password protects is nowhere but behind it', async (t) => {
  const api = await build(t)
  const venue = { venue: 'zzplacezz' }
  const secret = {
    description: 'zzsecretzz',
    excerpt: 'zzsecretzz',
    cost: '77',
    website: 'https://zzsecretzz.test',
    virtual_url: 'https://zzsecretzz.test/live',
    venue,
    organizer: { organizer: 'zzhostzz' },
  }
  const { body: event } = await api.editor.post('/events', {
    ...EVENT,
    ...secret,
    password: 'open sesame',
    tags: ['zztagzz'],
  })
  for (const asker of ['anonymous', 'subscriber', 'contributor', 'author'] as const) {
    for (const path of [
      '/events',
      `/events?include=${event.id}`,
      `/events/${event.id}`,
      `/events/by-slug/${event.slug}`,
      `/events/${event.id}?password=wrong`,
      '/events?password=wrong',
    ]) {
      const { text } = await api[asker].get(path)
      t.notMatch(text, /zz(secret|place|host|tag)zz|77/, `${asker} ${path}`)
    }
    t.equal(
      (await api[asker].get('/events?search=zzsecretzz')).body.total,
      0,
      `${asker} can not search for it`,
    )
    t.match((await api[asker].get(`/events/${event.id}?password=open+sesame`)).text, /zzsecretzz/)
    const { text } = await api[asker].get('/events?password=open+sesame')
    t.match(text, /zzsecretzz/)
    t.notMatch(text, 'sesame', 'links do not carry it')
  }
  t.match((await api.editor.get('/events')).text, /zzsecretzz/, 'who may edit it reads it')
  t.notMatch((await api.editor.get(`/events/${event.id}`)).text, /open sesame|scrypt/)
})

t.test('no filter tells what a password protects', async (t) => {
  const api = await build(t)
  const hall = await must(api.editor.post('/venues', { venue: 'Hall', city: 'Vic', geo_lat: 41, geo_lng: 2 }))
  const barn = await must(api.editor.post('/venues', { venue: 'Barn' }))
  const troupe = await must(api.editor.post('/organizers', { organizer: 'Troupe' }))
  const arts = await must(api.editor.post('/categories', { name: 'Arts' }))
  const live = await must(api.editor.post('/tags', { name: 'Live' }))
  const links = { venue: hall.id, organizer: troupe.id, categories: [arts.id], tags: [live.id] }
  // what everyone may know: who comes in vain has to
  const states = { event_status: 'cancelled', attendance_mode: 'mixed', virtual_url: 'https://secret.test' }
  const secret = {
    ...EVENT,
    title: 'Secret',
    password: 'sesame',
    featured: true,
    ticketed: true,
    ...links,
    ...states,
  }
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
      .concat(['town=Vic', 'featured=true', 'ticketed=1', 'geoloc=true', 'geoloc_lat=41&geoloc_lng=2'])
      .concat([`venue=${hall.id}&featured=true&search=secret`]),
    [
      `venue=${barn.id}`,
      'town=Girona',
      'featured=false',
      'ticketed=0',
      'geoloc=false',
      'geoloc_lat=0&geoloc_lng=0',
    ],
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
      for (const open of ['', 'start_date=2026-12-01', 'search=secret', 'event_status=cancelled'])
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
