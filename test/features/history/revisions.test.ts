import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const historyOf = async ({ editor }: Api, id: number, plural = 'events') =>
  (await must(editor.get(`/${plural}/${id}/revisions`))).revisions
/** The changed members with their values before and after. */
const told = ({ before, after }: { before: Record<string, unknown>; after: Record<string, unknown> }) =>
  Object.fromEntries(Object.keys(before).map((name) => [name, [before[name], after[name]]]))
const back = (api: Api, id: number, revision: number, headers = {}, plural = 'events'): Promise<Answer> =>
  api.editor.post(`/${plural}/${id}/revisions/${revision}/restore`, undefined, { headers })

t.test('who changed what, and when, with both values', async (t) => {
  const api = await build(t)
  const { editor, author, administrator, clock, credentials } = api
  const { id } = await must(author.post('/events', { ...EVENT, title: 'Choir', categories: ['Music'] }))
  t.same(await historyOf(api, id), [], 'creation is no change')
  clock.now += 60_000
  await must(author.patch(`/events/${id}`, { title: 'Choir evening', cost: '5 €' }))
  await must(editor.patch(`/events/${id}`, { title: 'Choir evening', password: 'sesame' }))
  await must(editor.patch(`/events/${id}`, { title: 'Choir evening' }))
  await must(editor.patch(`/events/${id}`, { password: 'open' }))
  await must(editor.delete(`/events/${id}`))
  const history = await historyOf(api, id)
  t.same(history.map(told), [
    { status: ['publish', 'trash'] },
    { password: [true, true] },
    { password: [false, true] },
    { title: ['Choir', 'Choir evening'], cost: [[], ['5 €']] },
  ])
  t.match(history.at(-1), { at_utc: '2026-11-21 09:01:00', user: credentials.author.id, login: 'author' })
  t.notOk('name' in history.at(-1), 'the author has no name')
  await must(administrator.patch(`/users/${credentials.author.id}`, { name: 'Anna Serra' }))
  t.match((await historyOf(api, id)).at(-1), { login: 'author', name: 'Anna Serra' })
  t.notMatch(JSON.stringify(history), /sesame|\$/, 'no password and no hash')
  const { body } = await editor.get(`/events/${id}/revisions?per_page=3&page=2`)
  t.match(body, { total: 4, total_pages: 2, revisions: [{ id: history.at(-1).id }] })
  t.equal(refusal(await editor.get(`/events/${id}/revisions?page=9`)), '404 revision-archive-page-not-found')
  await must(editor.patch(`/events/${id}`, { status: 'publish', author: credentials.editor.id }))
  await must(administrator.delete(`/users/${credentials.author.id}?reassign=${credentials.editor.id}`))
  const gone = (await historyOf(api, id)).at(-1)
  t.notOk('login' in gone || 'name' in gone, 'the user is gone')
})

t.test('who may edit an event sees its history, and nobody else', async (t) => {
  const api = await build(t)
  const { editor, author, contributor, subscriber, anonymous } = api
  const { id } = await must(editor.post('/events', { ...EVENT, description: 'Secret', password: 'x' }))
  await must(editor.patch(`/events/${id}`, { description: 'Still secret' }))
  const [revision] = await historyOf(api, id)
  const before = await api.fingerprint()
  for (const [client, status] of [
    [anonymous, 401],
    [subscriber, 403],
    [contributor, 403],
    [author, 403],
  ] as const) {
    t.equal(refusal(await client.get(`/events/${id}/revisions`)), `${status} rest_forbidden`)
    t.equal(
      refusal(await client.post(`/events/${id}/revisions/${revision.id}/restore`)),
      `${status} rest_forbidden`,
    )
  }
  t.equal(refusal(await editor.get('/events/999/revisions')), '404 rest-event-not-found')
  t.equal(refusal(await editor.get('/series/999/revisions')), '404 series-not-found')
  t.equal(refusal(await back(api, 999, 1)), '404 rest-event-not-found')
  t.equal(refusal(await back(api, id, 999)), '404 revision-not-found')
  t.equal(await api.fingerprint(), before)
})

t.test('a version is brought back by an update as any other', async (t) => {
  const api = await build(t)
  const { editor, contributor, clock } = api
  const music = await must(editor.post('/categories', { name: 'Music' }))
  const hall = await must(editor.post('/venues', { venue: 'Hall' }))
  const park = await must(editor.post('/venues', { venue: 'Park' }))
  const first = await must(
    editor.post('/events', {
      ...{ title: 'Fair', start_date: '2026-12-05', end_date: '2026-12-06', all_day: true, cost: '5 €' },
      ...{ description: '<p>One &amp; two</p>', categories: [music.id], venue: [hall.id, park.id] },
    }),
  )
  const { id } = first
  clock.now += 1_000
  await must(
    editor.patch(`/events/${id}`, {
      ...{ title: 'Market', start_date: '2026-12-07 10:00', end_date: '2026-12-07 12:00', cost: '6 €' },
      ...{ categories: [], venue: [], description: '', featured: true, status: 'draft' },
    }),
  )
  await must(editor.delete(`/events/${id}`))
  const [, change] = await historyOf(api, id)
  const { etag } = (await editor.get(`/events/${id}`)).headers
  t.equal(refusal(await back(api, id, change.id, { 'if-match': '"old"' })), '412 rest_precondition_failed')
  const answer = await back(api, id, change.id, { 'if-match': etag })
  t.equal(answer.status, 200)
  t.equal(answer.headers['x-ignored-fields'], undefined)
  t.equal(answer.headers.etag, (await editor.get(`/events/${id}`)).headers.etag)
  const same = ({ modified: _, modified_utc: __, json_ld: ___, ...rest }: Record<string, unknown>) => rest
  t.same(same(answer.body), same(first), 'all is as it was')
  const history = await historyOf(api, id)
  t.equal(history.length, 3, 'which is a change itself')
  t.match((await back(api, id, history[0].id)).body, { status: 'trash' }, 'and can be undone')
  const own = await must(contributor.post('/events', { ...EVENT, title: 'Mine' }))
  await must(contributor.patch(`/events/${own.id}`, { title: 'Ours' }))
  await must(editor.patch(`/events/${own.id}`, { status: 'publish' }))
  const [published, renamed] = await historyOf(api, own.id)
  t.equal(
    refusal(await contributor.post(`/events/${own.id}/revisions/${renamed.id}/restore`)),
    '403 rest_forbidden',
  )
  t.match((await back(api, own.id, published.id)).body, { status: 'draft', title: 'Ours' })
})

t.test('what is gone by now stays as it is, and is named', async (t) => {
  const api = await build(t)
  const { editor, administrator, credentials } = api
  const tag = await must(editor.post('/tags', { name: 'New' }))
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const hidden = await must(editor.post('/venues', { venue: 'Cellar' }))
  const parent = await must(editor.post('/events', { ...EVENT, title: 'Festival' }))
  const user = await must(administrator.post('/users', { login: 'guest', role: 'author' }))
  const picture = await must(editor.post('/media', await draw(9, 9), raw('a.png', 'image/png')))
  const { id } = await must(
    editor.post('/events', {
      ...{ ...EVENT, tags: [tag.id], venue: [venue.id, hidden.id], author: user.id, image: picture.id },
      ...{ post_parent: parent.id, password: 'x' },
    }),
  )
  await must(
    editor.patch(`/events/${id}`, {
      ...{ tags: [], venue: [], author: credentials.editor.id, image: '', post_parent: 0, password: '' },
    }),
  )
  const [change] = await historyOf(api, id)
  const whole = await back(api, id, change.id)
  t.equal(whole.headers['x-ignored-fields'], 'password')
  t.match(whole.body, { author: String(user.id), post_parent: parent.id, image: { id: picture.id } })
  const [undo] = await historyOf(api, id)
  t.match((await back(api, id, undo.id)).body, { image: false, post_parent: 0, venue: [] })
  await must(editor.delete(`/venues/${venue.id}`))
  await must(editor.delete(`/venues/${hidden.id}?force=true`))
  await must(editor.delete(`/tags/${tag.id}`))
  await must(editor.delete(`/events/${parent.id}?force=true`))
  await must(editor.delete(`/media/${picture.id}`))
  await must(administrator.delete(`/users/${user.id}?reassign=${credentials.editor.id}`))
  const answer = await back(api, id, change.id)
  t.match(answer.body, { tags: [], venue: [], author: String(credentials.editor.id), image: false })
  const ignored = ['password', 'author', 'image', 'post_parent', `tags[${tag.id}]`]
  const named = [...ignored, `venue[${venue.id}]`, `venue[${hidden.id}]`]
  t.same(answer.headers['x-ignored-fields']!.split(', ').sort(), named.sort())
})

t.test('the service itself publishes without a user', async (t) => {
  const api = await build(t)
  const { editor, anonymous, clock } = api
  const { id } = await must(editor.post('/events', { ...EVENT, date: '2026-11-21 12:00' }))
  const venue = await must(editor.post('/venues', { venue: 'Hall', date: '2026-11-21 12:00' }))
  clock.now += 4 * 3_600_000
  t.match((await anonymous.get(`/venues/${venue.id}`)).body, { status: 'publish' })
  const [change] = await historyOf(api, id)
  t.same(told(change), { status: ['future', 'publish'] })
  t.notOk('user' in change)
})
