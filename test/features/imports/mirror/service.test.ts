import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { buildApp } from '../../../../src/app.ts'
import { readConfig } from '../../../../src/config.ts'
import { openMirrorsOf } from '../../../../src/features/imports/mirror/plugin.ts'
import type { Source } from '../../../../src/features/imports/settings.ts'
import { socketIn } from '../../../../src/run/forwarding.ts'
import { must } from '../../../support/answers.ts'
import { type Api, build, EVENT } from '../../../support/app.ts'
import { buildSource, importer, reached } from '../../../support/importing.ts'
import { raw } from '../../../support/pictures.ts'
import { calendarOf, openFeeds, openReference, rssOf, tribeEvent, vevent } from '../../../support/sites.ts'
import { until } from '../../../support/until.ts'

const SOURCE = 'https://old.example'

t.test('clients write nothing into a mirror, and are told where to', async (t) => {
  const { administrator, anonymous, editor, fingerprint } = await build(t, { env: { MIRROR: SOURCE } })
  const before = await fingerprint()
  const operation = { method: 'POST', path: '/events', body: EVENT }
  for (const [what, answer] of [
    ['an event', () => editor.post('/events', EVENT)],
    ['by anybody', () => anonymous.post('/events', EVENT)],
    ['a venue', () => administrator.post('/venues', { venue: 'Hall' })],
    ['a term', () => administrator.patch('/categories/1', { name: 'Music' })],
    ['a removal', () => administrator.delete('/events/1')],
    ['by a foreign key', () => administrator.put('/events/by-external/feed/1', EVENT)],
    ['many', () => administrator.post('/batch', { operations: [operation] })],
    ['a picture', () => administrator.post('/media', Buffer.from('x'), raw('x.png', 'image/png'))],
  ] as const) {
    const { status, body } = await answer()
    t.equal(status, 403, what)
    t.match(body, { code: 'calendar_is_mirror', message: /Write there/, data: { source: SOURCE } }, what)
  }
  t.equal(await fingerprint(), before)
  await must(administrator.post('/webhooks', { url: 'https://receiver.example/hook' }))
  await must(administrator.post('/users', { login: 'maria', role: 'editor' }))
  t.equal((await anonymous.get('/events')).status, 200)
})

/** A running mirror of a source, and its health once it has that state. */
async function serve(t: Test, env: Record<string, string>, logger?: { write(line: string): void }) {
  const api = await build(t, {
    env: { METRICS_TOKEN: 'secret', ...env },
    ...(logger && { logger: { level: 'warn', stream: logger } }),
  })
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: 'Bearer secret' }
  const read = async (path: string) => api.app.inject({ url: path, headers })
  return {
    ...{ ...api, read },
    reach: (state: string) => reached(api, state, headers),
  }
}

t.test('a service keeps in step by itself, and keeps what it has when that ends', async (t) => {
  const source = await buildSource(t)
  await must(source.administrator.post('/events', { ...EVENT, status: 'draft' }))
  const folder = t.testdir({})
  const credentials = join(folder, 'credentials')
  writeFileSync(credentials, `${source.credentials.editor.authorization.slice('Bearer '.length)}\n`)
  const DATABASE = join(folder, 'almanac.db')
  const { app, administrator, reach, read } = await serve(t, {
    ...{ DATABASE, MIRROR: source.root, MIRROR_CREDENTIALS: credentials },
  })
  t.match(await reach('following'), { source: source.root, lag: 0, failures: 0 })
  t.match((await administrator.get('/events?status=draft')).body, {
    total: 1,
    events: [{ title: 'Concert' }],
  })
  const metrics = (await read('/metrics')).body
  for (const line of [
    'almanac_mirror_lag_seconds 0',
    'almanac_mirror_failures 0',
    'almanac_mirror_waiting 0',
    'almanac_mirror_looks_total{outcome="done"} 1',
    'almanac_mirror_looks_total{outcome="failed"} 0',
  ])
    t.ok(metrics.includes(`${line}\n`), line)

  // another worker asks the one that writes
  const link = mkdtempSync(join(tmpdir(), 'mirror-'))
  const writer = createServer((_request, response) => {
    app.inject('/health').then(({ body }) => response.end(body))
  }).listen(socketIn(link))
  const config = readConfig({ DATABASE, MIRROR: source.root, MAX_DELAY: '0' })
  const reader = await buildApp({ config, worker: { folder: link, writes: false } })
  t.match((await reader.inject('/health')).json(), { role: 'single', mirror: { state: 'following' } })
  await reader.close()
  writer.close()
  rmSync(link, { recursive: true })
  await app.close()

  const after = await build(t, { env: { DATABASE }, users: false })
  t.notOk('mirror' in (await after.app.inject('/health')).json())
  t.equal(after.app.store.db.rows<[number]>("select count(*) from posts where kind = 'event'")[0]![0], 1)
})

t.test('a source that can not be read is told of, and asked again', async (t) => {
  const site = await openReference(t)
  const lists = { ...site.lists, events: [tribeEvent(1)] }
  site.lists = {}
  const failing = await serve(t, { MIRROR: site.root })
  t.match(await failing.reach('failing'), { failures: 1, trouble: /has no list of events/ })
  t.notMatch((await failing.read('/metrics')).body, /^almanac_mirror_lag_seconds /m)

  site.lists = lists
  site.instead.push((_request, response) => void response.writeHead(503, { 'retry-after': '0' }).end())
  const patient = await serve(t, { MIRROR: site.root })
  t.match(await patient.reach('following'), { failures: 0 })
})

t.test('a calendar is made of several, and one that fails stops no other', async (t) => {
  const source = await buildSource(t)
  const { id } = await must(source.administrator.post('/events', { ...EVENT, title: 'Town' }))
  const site = await openFeeds(t)
  const login = { body: '<!doctype html>Sign in', type: 'text/html' }
  site.answers = {
    '/club.ics': { body: calendarOf(vevent('match', 3), ['UID:x', 'SUMMARY:No date']) },
    '/band/feed/': { body: rssOf('<guid>1</guid><title>Gig</title><ev:startdate>2026-12-05</ev:startdate>') },
    ...{ '/broken': login, '/other.ics': login },
  }
  const MIRROR = [
    `Town hall=${source.root} Football=${site.root}/club.ics, Music=${site.root}/band/feed/`,
    `${site.root}/broken ${site.root}/other.ics`,
  ].join('\n')
  const logged: string[] = []
  const { app, administrator, read } = await serve(t, { MIRROR }, { write: (line) => void logged.push(line) })
  const states = async () => {
    const { mirror } = (await read('/health')).json()
    const ends = mirror.sources.every(({ state }: { state: string }) => state !== 'starting')
    return ends ? mirror : undefined
  }
  const mirror = await until(states)
  t.match(mirror, { state: 'failing', failures: 1, refused: 1, left: 0 })
  t.notOk('lag' in mirror, 'one was never seen')
  t.match(mirror.sources, [
    { source: source.root, state: 'following', lag: 0 },
    { source: site.root, state: 'following', refused: 1 },
    { source: `${site.root}/band/feed`, state: 'following' },
    { source: `${site.root}/broken`, state: 'failing', trouble: /has no list of events/ },
    { source: `${site.root}#2`, state: 'failing', trouble: /#2 answers with something else than a calendar/ },
  ])
  const { events } = (await administrator.get('/events?start_date=2000-01-01')).body
  t.match(
    events.map((event: { title: string; categories: { name: string }[]; source?: string }) => [
      ...[event.title, event.categories[0]!.name, event.source],
    ]),
    [
      ['Town', 'Town hall', undefined],
      ['match', 'Football', site.host],
      ['Gig', 'Music', site.host],
    ],
  )
  t.not(events[0].id, id, 'of several, none keeps its IDs')
  t.match(
    logged.map((line) => JSON.parse(line)).filter(({ msg }) => /was not taken/.test(msg)),
    [{ level: 40, source: site.root, name: 'No date', why: 'has no DTSTART' }],
  )
  const metrics = (await read('/metrics')).body
  for (const line of [
    `almanac_mirror_lag_seconds{source="${source.root}"} 0`,
    `almanac_mirror_failures{source="${site.root}/broken"} 1`,
    `almanac_mirror_looks_total{outcome="failed",source="${site.root}/broken"} 1`,
  ])
    t.ok(metrics.includes(`${line}\n`), line)
  t.notOk(metrics.includes(`almanac_mirror_lag_seconds{source="${site.root}/broken"}`))
  const refused = await administrator.post('/events', EVENT)
  t.match(refused.body, { code: 'calendar_is_mirror', data: { source: new RegExp(`^${source.root}, `) } })
  await app.close()
})

t.test('credentials that are missing keep the service from starting', async (t) => {
  const { app, clock }: Api = await build(t)
  const file = join(t.testdir({ empty: ' \n' }), 'empty')
  const { pictures } = importer(t, await build(t))
  const open = (mirrorCredentials: string, mirror: Source[]) =>
    openMirrorsOf({
      ...{ store: app.store, pictures, clock: () => clock.now },
      config: { mirror, mirrorCredentials, downloadAllow: [] },
    })
  const one = { address: SOURCE }
  t.throws(() => open(file, [one]), /empty: has no credentials/)
  const both = [one, { address: 'https://club.example' }]
  t.equal(open(file, both).length, 2)
  writeFileSync(file, 'club.example maria:secret\n')
  t.equal(open(file, both).length, 2)
  writeFileSync(file, 'maria:secret\n')
  t.throws(
    () => open(file, both),
    /empty: begins a line with .* are old.example, club.example; write the host/,
  )
})
