import type { IncomingMessage, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import type { Store } from '../../../../src/calendar/store.ts'
import { openMirror } from '../../../../src/features/imports/mirror/mirror.ts'
import { must } from '../../../support/answers.ts'
import { type Api, build, EVENT } from '../../../support/app.ts'
import { buildSource, contentsOf, importer } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const GOES_ON = new AbortController().signal

/** A mirror that looks when it is told to, and what it asked the source for. */
function mirrorOf(t: Test, api: Api, address: string, more: { store?: Store; authorization?: string } = {}) {
  const asked: string[] = []
  const pauses: number[] = []
  const clock = () => api.clock.now
  const mirror = openMirror({
    ...{ store: more.store ?? api.app.store, pictures: importer(t, api).pictures, address },
    web: {
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        asked.push(`${answer.status} ${String(url).slice(address.length)}`)
        return answer
      },
      ...{ clock, userAgent: 'almanac-test', authorization: more.authorization },
      pause: async (milliseconds) => void pauses.push(milliseconds),
    },
  })
  return {
    ...{ mirror, pauses },
    /** Looks a minute after the last time; returns what was asked. */
    async look(after = MINUTE): Promise<string[]> {
      asked.splice(0)
      api.clock.now += after
      await mirror.poll(GOES_ON)
      return [...asked]
    },
  }
}
const titlesOf = async ({ administrator }: Api) =>
  (await administrator.get('/events?per_page=50&start_date=2000-01-01')).body.events
    .map(({ title }: { title: string }) => title)
    .sort()
const make = (source: Api, titles: string[]) =>
  Promise.all(titles.map((title) => must(source.administrator.post('/events', { ...EVENT, title }))))

t.test('an Almanac is followed by its changes', async (t) => {
  const source = await buildSource(t)
  const { post, patch, delete: remove } = source.administrator
  const hall = await must(post('/venues', { venue: 'Hall' }))
  const [one, two] = await make(source, ['One', 'Two'])
  const api = await build(t)
  const { mirror, look } = mirrorOf(t, api, source.root)
  t.same(mirror.status(), { source: source.root, state: 'starting', failures: 0 })
  const first = await look()
  t.match(first[1], /^200 \/changes\?.*_fields=/, 'the token is from before the lists')
  t.ok(first.some((line) => line.startsWith('200 /events?')))
  t.same(await contentsOf(api), await contentsOf(source))
  t.match(mirror.status(), { state: 'following', lag: 0, failures: 0, refused: 0, left: 0 })

  t.match(await look(), [/^200 \/changes\?/], 'one request where nothing changed')
  const music = await must(post('/categories', { name: 'Music' }))
  await must(post('/categories', { name: 'Jazz', parent: music.id }))
  await must(patch(`/venues/${hall.id}`, { venue: 'Great hall' }))
  await must(patch(`/events/${one.id}`, { title: 'One more', venue: hall.id, categories: [music.id] }))
  await must(remove(`/events/${two.id}`))
  const choir = await must(
    post('/events', { ...EVENT, title: 'Choir', recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' } }),
  )
  await look()
  t.same(await contentsOf(api), await contentsOf(source))
  t.equal(await mirror.poll(GOES_ON), MINUTE)
  await must(remove(`/series/${choir.series}`))
  await look()
  t.same(await contentsOf(api), await contentsOf(source), 'a series goes with its dates')

  const again = await look(DAY)
  t.ok(
    again.some((line) => line.startsWith('200 /events?')),
    'all lists once a day',
  )
  t.same(await contentsOf(api), await contentsOf(source))
  t.same(mirror.counts(), { done: 6, failed: 0 })
  await api.app.store.db.write(async () => {})
  const runs = api.app.store.db.rows<[number]>('select count(*) from import_runs')
  t.same(runs, [[2]], 'looks at changes go on with the import of the day')
})

t.test('a token that ended leads to the lists', async (t) => {
  const source = await buildSource(t)
  const events = await make(source, ['One'])
  const { patch, post } = source.administrator
  const dos = await must(post('/events', { ...EVENT, title: 'Dos', i18n_language: 'ca' }))
  const api = await build(t)
  const { look } = mirrorOf(t, api, source.url)
  await look()
  await must(patch(`/events/${events[0].id}`, { title: 'Another' }))
  const now = source.clock.now
  source.clock.now += 40 * DAY
  await must(post('/tags', { name: 'Later' }))
  await source.app.store.compaction.compact(30)
  source.clock.now = now
  const asked = await look()
  t.match(asked[0], /^410 .*\/changes/)
  t.ok(asked.some((line) => line.includes('/events?')))
  t.same(await titlesOf(api), ['Another', 'Dos'])
  await must(patch(`/events/${dos.id}`, { title: 'Doble' }))
  t.match(await look(), [/^200 .*\/changes/])
  t.same(await titlesOf(api), ['Another', 'Doble'], 'all languages, also at an address of WordPress')
})

t.test('a source that loses most of its records empties nothing, and a person decides', async (t) => {
  const source = await buildSource(t)
  const names = Array.from({ length: 30 }, (_, at) => `Event ${at}`)
  const events = await make(source, names)
  const api = await build(t)
  const { mirror, look } = mirrorOf(t, api, source.root)
  await look()
  const drop = async (from: number, to: number) => {
    for (const { id } of events.slice(from, to)) await must(source.administrator.delete(`/events/${id}`))
  }
  await drop(0, 8)
  await look()
  t.equal((await titlesOf(api)).length, 22, 'a few may go')
  await drop(8, 16)
  await t.rejects(look(), /^8 of 22 records.* gone from the source, after 8 others; .*--force/)
  t.match(mirror.status(), { state: 'waiting', failures: 1, lag: 60, trouble: /--force/ })
  await t.rejects(look(), /--force/, 'also by the lists')
  t.equal((await titlesOf(api)).length, 22)
  t.equal(mirror.pause(), 2 * MINUTE)
  await importer(t, api).take(source.root, { force: true })
  t.equal((await titlesOf(api)).length, 14)
  await look()
  t.match(mirror.status(), { state: 'following', lag: 0, failures: 0 })
  t.notOk('trouble' in mirror.status())
})

/** Answers of a site that is out of order. */
const answer =
  (status: number, text: string) =>
  (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(text)
const LOGIN = answer(200, '<h1>Sign in</h1>')

t.test('a source that is down, or answers with a login page, changes nothing', async (t) => {
  const site = await openReference(t)
  site.lists.events = [tribeEvent(1, { title: 'One' }), tribeEvent(2, { title: 'Two' })]
  const api = await build(t)
  const { mirror, look, pauses } = mirrorOf(t, api, site.root)
  await look()
  t.same(await titlesOf(api), ['One', 'Two'])
  t.equal(await mirror.poll(GOES_ON), 15 * MINUTE, 'lists are looked through less often')

  site.instead.push(LOGIN)
  await look()
  t.match(mirror.status(), { state: 'following' }, 'a site that tells no changes may have a page there')
  site.instead.push(LOGIN, LOGIN)
  await t.rejects(look(), /page for people/)
  t.match(mirror.status(), { state: 'failing', lag: 60, failures: 1, trouble: /page for people/ })
  site.instead.push(...Array.from({ length: 5 }, () => answer(503, '')))
  await t.rejects(look(), /answers 503, 5 times/)
  t.same(pauses, [1_000, 2_000, 4_000, 8_000])
  t.equal(mirror.pause(), 2 * MINUTE)
  t.same(await titlesOf(api), ['One', 'Two'])
  site.lists.events = [tribeEvent(1, { title: 'First' })]
  await look()
  t.same(await titlesOf(api), ['First'])
  t.match(mirror.status(), { state: 'following', failures: 0 })
  t.same(mirror.counts(), { done: 4, failed: 2 })
})

t.test('changes are told in pages, and what is not known in them is passed over', async (t) => {
  const site = await openReference(t)
  site.lists.events = [tribeEvent(1, { title: 'One' })]
  const api = await build(t)
  const { look } = mirrorOf(t, api, site.root)
  await look()
  const told = (body: object) =>
    site.instead.push((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  told({ has_more: true, next_sync_token: 'a' })
  told({ has_more: false, next_sync_token: 'b' })
  t.match(await look(), [/changes.*kind=/, /changes.*sync_token=a/])
  const unknown = [
    { kind: 'song', id: 9, operation: 'delete' },
    { kind: 'event', id: 'x', operation: 'delete' },
  ]
  const one = { kind: 'event', id: 1, operation: 'update', record: tribeEvent(1, { title: 'Told' }) }
  told({ changes: [...unknown, one], has_more: true, next_sync_token: 'c' })
  told({ changes: [], has_more: false, next_sync_token: 'd' })
  t.match(await look(), [/sync_token=b/, /sync_token=c/])
  t.same(await titlesOf(api), ['Told'])
})

t.test('a mirror works where this node leads, and in the name of an administrator', async (t) => {
  const source = await buildSource(t)
  await make(source, ['One'])
  const api = await build(t)
  let leads = false
  let term = 0
  let hasNobody = true
  const { store } = api.app
  const { mirror, look } = mirrorOf(t, api, source.root, {
    store: {
      ...{ ...store, db: { ...store.db, leads: () => leads, term: () => term } },
      users: { ...store.users, list: async () => (hasNobody ? [] : store.users.list()) },
    },
    authorization: source.credentials.editor.authorization,
  })
  t.same(await look(), [])
  t.equal(await mirror.poll(GOES_ON), 1_000, 'it sees soon that it leads')
  t.match(mirror.status(), { state: 'idle' })
  leads = true
  t.match(mirror.status(), { state: 'starting' })
  await t.rejects(look(), /no administrator/)
  hasNobody = false
  await look()
  t.same(await titlesOf(api), ['One'])
  t.match(await look(), [/^200 \/changes\?/])
  term++
  t.ok((await look()).length > 1, 'after another node led, all is looked through')

  const { id, login } = (await source.administrator.get(`/users/${source.credentials.editor.id}`)).body
  await must(source.administrator.patch(`/users/${id}`, { disabled: true }))
  await t.rejects(look(), /changes answers 401 without a sync token/, `${login} may not sign in`)
})

t.test('a look ends with the service', async (t) => {
  const site = await openReference(t)
  const api = await build(t)
  const { mirror } = mirrorOf(t, api, site.root)
  const stop = new AbortController()
  stop.abort()
  t.equal(await mirror.poll(stop.signal), MINUTE)
  t.match(mirror.status(), { state: 'starting', failures: 0 })
})
