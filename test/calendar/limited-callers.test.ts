import t from 'tap'
import { must } from '../support/answers.ts'
import { type Api, basicAuth } from '../support/app.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { buildLimited, type LimitedApi } from './limited.ts'

const limitsOf = ({ ids }: LimitedApi) => ({ categories: [ids.music, ids.jazz], venues: [ids.hall] })
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const auditOf = async ({ administrator }: Api, code: string) =>
  (await must(administrator.get(`/audit?code=${code}`))).entries

t.test('an administrator sets limits, and takes them away', async (t) => {
  const api = await buildLimited(t)
  const { administrator, editor, ids, at } = api
  const limits = { categories: [ids.theatre], venues: [] }
  const made = await must(
    administrator.post('/users', {
      login: 'berta',
      role: 'editor',
      limits: { categories: [ids.theatre, ids.theatre] },
    }),
  )
  t.strictSame(made.limits, limits)
  t.strictSame((await must(administrator.get(`/users/${made.id}`))).limits, limits)
  const authorization = basicAuth('berta', made.password)
  const session = await must(api.anonymous.post('/session', undefined, { headers: { authorization } }))
  t.strictSame(session.limits, [limits])
  t.strictSame((await must(administrator.patch(`/users/${made.id}`, { disabled: false }))).limits, limits)
  const none = await must(administrator.patch(`/users/${made.id}`, { limits: null }))
  t.notOk('limits' in none)
  for (const wrong of [
    5,
    [],
    { colours: [1] },
    { categories: 1 },
    { venues: ['1'] },
    { venues: [99] },
    { categories: [ids.hall + 99] },
  ])
    t.match(
      await administrator.patch(`/users/${made.id}`, { limits: wrong }),
      { status: 400, body: { data: { params: { limits: String } } } },
      JSON.stringify(wrong),
    )
  for (const body of [
    { login: 'clara', role: 'administrator', limits },
    { login: 'clara', role: 'editor', limits: { venues: [99] } },
  ])
    t.equal((await administrator.post('/users', body)).status, 400)
  await must(administrator.patch(`/users/${made.id}`, { limits }))
  t.equal((await administrator.patch(`/users/${made.id}`, { role: 'administrator' })).status, 400)
  await must(administrator.patch(`/users/${made.id}`, { role: 'administrator', limits: null }))
  t.match(await auditOf(api, 'user_changed'), [
    { details: { role: 'editor → administrator', limits: `categories ${ids.theatre}; venues - → none` } },
  ])
  t.match(await auditOf(api, 'user_added'), [{ details: { limits: `categories ${ids.theatre}; venues -` } }])

  // nothing is allowed, and not everything
  await must(administrator.patch(`/users/${api.credentials.editor.id}`, { limits: {} }))
  t.strictSame((await must(editor.get('/session'))).limits, [{ categories: [], venues: [] }])
  const refused = await editor.post('/events', { ...EVENT, ...at('jazz') })
  t.match(refused, { status: 403, body: { message: 'Your rights are limited to nothing any more:' } })
  t.notOk('limits' in (await must(administrator.get('/session'))))

  // a token that may not do everything may not widen rights
  const user = api.credentials.administrator.id
  const { token } = await must(administrator.post('/tokens', { user, name: 'admin', scopes: ['admin'] }))
  const path = `/users/${api.credentials.editor.id}`
  t.equal((await administrator.patch(path, { limits: null }, bearer(token))).status, 403)
})

t.test('limits of a token hold beside those of its user', async (t) => {
  const api = await buildLimited(t)
  const { administrator, anonymous, ids, at, credentials } = api
  const ask = async (user: number, limits: object, more: object = {}) =>
    administrator.post('/tokens', { user, name: 'narrow', limits, ...more })
  const both = await must(ask(credentials.editor.id, { venues: [ids.hall] }))
  t.same([both.limits, both.scopes], [{ categories: [], venues: [ids.hall] }, ['read', 'write']])
  t.strictSame((await must(administrator.get(`/tokens/${both.id}`))).limits, both.limits)
  for (const more of [{ scopes: ['read', 'write', 'admin'] }, { limits: { venues: [99] } }])
    t.match(await ask(credentials.editor.id, { venues: [ids.hall] }, more), { status: 400 })
  const create = (token: string, more: object) =>
    anonymous.post('/events', { ...EVENT, ...more }, bearer(token))
  t.equal((await create(both.token, at('jazz'))).status, 403, 'within those of the user alone')
  const inBoth = await must(create(both.token, at('hall')))
  const wide = await must(ask(credentials.editor.id, { categories: [ids.theatre] }))
  t.equal((await create(wide.token, at('elsewhere'))).status, 403, 'within those of the token alone')
  t.match(await create(wide.token, at('elsewhere')), {
    body: { message: 'Your rights are limited to "Music", "Hall", and also to "Theatre":' },
  })
  await must(anonymous.patch(`/events/${inBoth.id}`, { title: 'Both' }, bearer(wide.token)))
  t.same((await must(anonymous.get('/session', undefined, bearer(wide.token)))).limits, [
    limitsOf(api),
    { categories: [ids.theatre], venues: [] },
  ])
  const own = await must(ask(credentials.administrator.id, { categories: [ids.jazz] }))
  await must(create(own.token, at('jazz')))
  t.equal((await create(own.token, at('hall'))).status, 403, 'that of an administrator too')
  for (const path of ['/users', '/webhooks', '/audit'])
    t.equal((await anonymous.get(path, undefined, bearer(own.token))).status, 403)
  t.match(await auditOf(api, 'token_created'), [{ details: { limits: `categories ${ids.jazz}; venues -` } }])
})

t.test('what is of all events is for nobody with limits', async (t) => {
  const { editor, administrator, ids, at } = await buildLimited(t)
  const jazz = `/categories/${ids.jazz}`
  for (const [method, path, body] of [
    ['post', '/categories', { name: 'New' }],
    ['patch', jazz, { name: 'New' }],
    ['delete', jazz, undefined],
    ['post', '/tags', { name: 'New' }],
    ['get', '/imports', undefined],
  ] as const)
    t.match(await editor[method](path, body), {
      status: 403,
      body: { message: 'Your rights are limited to some categories or venues, so you may not ' },
    })
  t.match(await editor.post('/events', { ...EVENT, ...at('hall'), categories: ['New'] }), {
    status: 403,
    body: { message: 'Your role does not allow you to create the category' },
  })

  // venues that are named, and own ones
  const own = await must(editor.post('/venues', { venue: 'Own' }))
  for (const id of [ids.hall, own.id]) await must(editor.patch(`/venues/${id}`, { city: 'Vic' }))
  t.equal((await editor.patch(`/venues/${ids.barn}`, { city: 'Vic' })).status, 403)
  const { id: band } = await must(administrator.post('/organizers', { organizer: 'Band' }))
  t.equal((await editor.patch(`/organizers/${band}`, { email: 'a@b.test' })).status, 403)
  const draft = await must(administrator.post('/venues', { venue: 'Hidden', status: 'draft' }))
  t.equal((await editor.get(`/venues/${draft.id}`)).status, 403)
  t.equal((await editor.post('/events', { ...EVENT, categories: [ids.jazz], venue: draft.id })).status, 400)

  // a venue becomes no translation of one that is allowed, which would open its events
  const joined = { translation_of: ids.hall, i18n_language: 'ca' }
  t.equal((await editor.patch(`/venues/${own.id}`, joined)).status, 403)
  const other = await must(editor.post('/venues', { venue: 'Sala', ...joined }))
  const there = await must(administrator.post('/events', { ...EVENT, venue: other.id, status: 'draft' }))
  await must(editor.patch(`/events/${there.id}`, { title: 'At the translation' }))
})

t.test(
  'a category in another language is the same for limits, and one that was merged is the other',
  async (t) => {
    const api = await buildLimited(t)
    const { administrator, editor, ids, credentials } = api
    const create = (category: number) => editor.post('/events', { ...EVENT, categories: [category] })
    const musica = await must(
      administrator.post('/categories', { name: 'Música', i18n_language: 'ca', translation_of: ids.music }),
    )
    await must(create(musica.id))
    const user = credentials.editor.id
    const limits = { categories: [ids.jazz, ids.music] }
    const { token, id } = await must(administrator.post('/tokens', { user, name: 'x', limits }))
    await must(api.anonymous.get('/session', undefined, bearer(token)))
    const whole = await must(administrator.post('/categories', { name: 'Stage' }))
    await must(administrator.delete(`/categories/${ids.music}?reassign=${whole.id}`))
    const moved = { categories: [whole.id], venues: [ids.hall] }
    t.strictSame((await must(administrator.get(`/users/${user}`))).limits, moved)
    t.strictSame((await must(administrator.get(`/tokens/${id}`))).limits, {
      categories: [ids.jazz, whole.id],
      venues: [],
    })
    const session = await must(api.anonymous.get('/session', undefined, bearer(token)))
    t.strictSame(session.limits, [moved, { categories: [ids.jazz, whole.id], venues: [] }])
    await must(create(whole.id))
    t.match(await auditOf(api, 'user_changed'), [
      { details: { limits: `category ${ids.music} → ${whole.id}` } },
    ])
    await must(administrator.delete(`/categories/${whole.id}`))
    t.equal((await create(ids.theatre)).status, 403, 'one that was deleted allows nothing')
    await must(administrator.patch(`/users/${user}`, { limits: moved }))
  },
)

t.test('a stream gains an event that comes within the limits, and loses one that leaves them', async (t) => {
  const { administrator, editor, at, ids } = await buildLimited(t)
  const draft = await must(administrator.post('/events', { ...EVENT, ...at('elsewhere'), status: 'draft' }))
  let { next_sync_token: token } = await must(editor.get('/changes?kind=event'))
  const told = async () => {
    const { changes, next_sync_token } = await must(editor.get(`/changes?sync_token=${token}`))
    token = next_sync_token
    return changes.map(({ id, operation }: { id: number; operation: string }) => [operation, id])
  }
  await must(administrator.patch(`/events/${draft.id}`, { title: 'Still hidden' }))
  t.strictSame(await told(), [])
  await must(administrator.patch(`/events/${draft.id}`, at('jazz')))
  t.strictSame(
    (await told()).map(([, id]: [string, number]) => id),
    [draft.id],
  )
  await must(administrator.patch(`/events/${draft.id}`, { title: 'Seen' }))
  t.strictSame(await told(), [['update', draft.id]])
  await must(administrator.patch(`/events/${draft.id}`, at('elsewhere')))
  t.strictSame(await told(), [['delete', draft.id]])
  // what limits mean is another with the tree of categories
  await must(administrator.patch(`/categories/${ids.jazz}`, { parent: 0 }))
  t.equal((await editor.get(`/changes?sync_token=${token}`)).body.code, 'sync-token-expired')
})

t.test('a preview keeps the limits of the token that made it, and ends with it', async (t) => {
  const api = await buildLimited(t)
  const { administrator, at, app, anonymous, credentials } = api
  const event = await must(administrator.post('/events', { ...EVENT, ...at('jazz'), status: 'draft' }))
  const limits = { categories: [api.ids.music] }
  const program = { user: credentials.administrator.id, name: 'program', limits }
  const { id, token } = await must(administrator.post('/tokens', program))
  const path = `/events/${event.id}`
  const { url } = await must(
    anonymous.post(`${path}/preview`, undefined, { headers: { authorization: `Bearer ${token}` } }),
  )
  const page = async () => (await app.inject({ url: new URL(url).pathname })).statusCode
  t.equal(await page(), 200)
  await must(administrator.patch(path, at('elsewhere')))
  t.equal(await page(), 404, 'the event has left the limits')
  await must(administrator.patch(path, at('jazz')))
  t.equal(await page(), 200)
  await must(administrator.delete(`/tokens/${id}`))
  t.equal(await page(), 404, 'the token was revoked')
})

t.test('previews, pictures, searches and clients of WordPress keep the limits', async (t) => {
  const api = await buildLimited(t)
  const { administrator, editor, at, app, credentials } = api
  const make = (place: 'jazz' | 'elsewhere') =>
    must(administrator.post('/events', { ...EVENT, ...at(place), title: `Zither ${place}`, status: 'draft' }))
  const [inside, outside] = [await make('jazz'), await make('elsewhere')]
  const preview = await must(editor.post(`/events/${inside.id}/preview`))
  t.equal((await editor.post(`/events/${outside.id}/preview`)).status, 403)
  const page = async () => (await app.inject({ url: new URL(preview.url).pathname })).statusCode
  t.equal(await page(), 200)
  const headers = { authorization: credentials.editor.authorization }
  const posts = await app.inject({ url: '/wp-json/wp/v2/tribe_events?status=draft&context=edit', headers })
  t.same(
    posts.json().map(({ id }: { id: number }) => id),
    [inside.id],
  )
  const one = await app.inject({ url: `/wp-json/wp/v2/tribe_events/${outside.id}`, headers })
  t.equal(one.statusCode, 403)
  const feed = await app.inject({ url: `${ROOT}/events.ics?status=any`, headers })
  t.match(feed.payload, 'Zither jazz')
  t.notMatch(feed.payload, 'Zither elsewhere')
  await must(administrator.patch(`/events/${inside.id}`, at('elsewhere')))
  t.equal(await page(), 404, 'a preview ends when its event leaves the limits')
})
