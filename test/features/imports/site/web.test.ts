import type { ServerResponse } from 'node:http'
import t from 'tap'
import { readRoot } from '../../../../src/features/imports/site/source.ts'
import { openWeb } from '../../../../src/features/imports/site/web.ts'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { importer } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const PAGE = '<!doctype html><title>Sign in</title>'
const answer =
  (status: number, headers: Record<string, string> = {}, text = '{}') =>
  (_request: unknown, response: ServerResponse) =>
    response.writeHead(status, headers).end(text)
const JSON_TYPE = { 'content-type': 'application/json' }

t.test('what fails for the moment is asked again, as late as the source says', async (t) => {
  const site = await openReference(t)
  site.lists.events = [tribeEvent(1)]
  const here = await build(t)
  const { take, pauses } = importer(t, here)
  const late = new Date(here.clock.now + 86_400_000 + 30_000).toUTCString()
  site.instead = [
    answer(503, { 'retry-after': '7' }),
    answer(429, { 'retry-after': late }),
    answer(200, JSON_TYPE, '{"events": ['),
    (_request, response) => response.destroy(),
    answer(302, { location: `${site.root}/events?per_page=1` }),
  ]
  t.match((await take(site.root)).counts.event, { created: 1 })
  t.same(pauses, [7_000, 30_000, 4_000, 8_000], 'at any time again where it does not say when')

  site.instead = [() => {}]
  const quick = await take(site.root, {}, { timeoutMs: 200 })
  t.match(quick.counts.event, { same: 1 })
  t.same(pauses, [1_000], 'an answer that does not come is given up')

  const tell = async (instead: typeof site.instead, address = site.root) => {
    site.instead = instead
    return (await take(address, {}, { timeoutMs: 60_000 }).catch((error) => error)).message
  }
  t.match(await tell(Array(5).fill(answer(500))), /answers 500, 5 times; import again later$/)
  t.match(
    await tell([answer(503, { 'retry-after': '3600' })]),
    /asks to come back in 60 minutes; import again then$/,
  )
  t.match(
    await tell([answer(503, { 'retry-after': 'soon' }), answer(401)]),
    /answers 401: it takes other credentials/,
  )
  t.match(
    await tell(Array(3).fill(answer(200, { 'content-type': 'text/html' }, PAGE))),
    /has no list of events/,
  )
  const fine = answer(200, JSON_TYPE, JSON.stringify({ events: [] }))
  t.match(
    await tell([fine, answer(200, { 'content-type': 'text/html' }, PAGE)]),
    /a page for people instead of JSON; it may ask to sign in/,
  )
  t.match(await tell([fine, answer(403, JSON_TYPE, '{"message":"Go away"}')]), /answers 403: Go away$/)
  t.match(await tell([fine, answer(418, {}, 'teapot')]), /answers 418$/)
  const large = `{"events":[],"more":"${' '.repeat(65 * 2 ** 20)}"}`
  t.match(await tell([fine, answer(200, JSON_TYPE, large)]), /answers with more than 64 MiB$/)
  t.match(await tell([], 'http://127.0.0.1:9/api'), /can not be read \(.+\), 5 times/)
  t.equal(here.app.store.db.waiting(), 0)
})

t.test('an import that is broken off goes on where it stopped', async (t) => {
  const site = await openReference(t)
  site.lists.events = Array.from({ length: 120 }, (_, at) => tribeEvent(1 + at))
  const here = await build(t)
  const { take, progress, pictures } = importer(t, here)
  const stop = new AbortController()
  const fetching: typeof fetch = async (url, init) => {
    if (String(url).includes('page=3')) stop.abort()
    return fetch(url, init)
  }
  const broken = take(site.root, {}, { signal: stop.signal, fetch: fetching })
  await t.rejects(broken, /^broken off; what was imported stays, and the same command goes on/)
  const { total } = await must(here.anonymous.get('/events?start_date=2026-12-01'))
  t.ok(total >= 50 && total < 120, `${total} are there`)
  t.match((await take(site.root, {}, { signal: new AbortController().signal })).counts.event, {
    created: 120 - total,
    same: total,
  })
  t.same(progress.at(-1), [120, 120])
  site.lists.events.push(tribeEvent(200, { image: { url: `${site.root}/a.png` } }))
  pictures.bring = async () => {
    throw new Error('the disk is full')
  }
  await t.rejects(take(site.root), /^the disk is full$/)
  t.equal((await here.anonymous.get('/events/200')).status, 404)

  site.lists.events.pop()
  await take(site.root)
  site.lists.events.push(tribeEvent(201), tribeEvent(202))
  const others = [() => take(site.root)]
  const both: typeof fetch = async (url, init) => {
    const got = await fetch(url, init)
    if (String(url).includes('page=3')) await others.pop()?.()
    return got
  }
  await t.rejects(take(site.root, {}, { fetch: both }), /^another import from this source is under way/)
  t.equal((await must(here.anonymous.get('/events?search=Event+201&start_date=2026-12-01'))).total, 1)

  site.instead = [answer(503)]
  const waiting = new AbortController()
  const pause = async () => {
    waiting.abort()
    throw new Error('woken')
  }
  await t.rejects(take(site.root, {}, { signal: waiting.signal, pause }), /^broken off/)
  await t.rejects(
    openWeb({
      fetch,
      clock: Date.now,
      pause: async () => {},
      userAgent: '',
      signal: AbortSignal.abort(),
    }).get(site.root),
    /broken off/,
  )
})

t.test('the address of a source is that of its API, or of its site', async (t) => {
  t.equal(
    readRoot('https://old.example/wp-json/tribe/events/v1/events/?page=2#top'),
    'https://old.example/wp-json/tribe/events/v1',
  )
  t.equal(
    readRoot('https://old.example/?rest_route=/tribe/events/v1/'),
    'https://old.example/?rest_route=/tribe/events/v1',
  )
  t.equal(readRoot('https://old.example/'), 'https://old.example')
  t.throws(() => readRoot('old.example'), /"old.example" is not the http or https URL of a calendar/)
  t.throws(() => readRoot('file:///etc/passwd'), /is not the http or https URL/)
  t.throws(() => readRoot('https://me:secret@old.example'), /must not have credentials in it/)

  const here = await build(t)
  const { take, asked } = importer(t, here)
  const routes: typeof fetch = async (url) => {
    asked.push(String(url))
    const route = new URL(String(url)).searchParams.get('rest_route')
    return Response.json(route === '/tribe/events/v1/events' ? { events: [tribeEvent(5)] } : {}, {
      status: route === '/tribe/events/v1/events' ? 200 : 404,
    })
  }
  const report = await take(
    'https://old.example/?rest_route=/tribe/events/v1',
    { media: false },
    { fetch: routes },
  )
  t.match(
    [report.source, report.counts.event],
    ['https://old.example/?rest_route=/tribe/events/v1', { created: 1 }],
  )
  await t.rejects(
    take('https://none.example', {}, { fetch: routes }),
    /none.example has no list of events, and neither has wp-json\/tribe\/events\/v1 or/,
  )
})
