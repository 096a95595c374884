import t from 'tap'
import { openBuckets } from '../../src/kernel/rate-limits.ts'
import { must } from '../support/answers.ts'
import { type Answer, type Api, build, EVENT } from '../support/app.ts'
import { listenTo, openListeners } from '../support/listening.ts'

const FAR = '192.0.2.1'
const ask = ({ anonymous }: Pick<Api, 'anonymous'>, path: string, remoteAddress = FAR, headers = {}) =>
  anonymous.get(path, undefined, { remoteAddress, headers })
/** What is left of a budget, as a response tells it. */
const leftIn = ({ headers }: Pick<Answer, 'headers'>) => {
  const [, left] = /^"cost";r=(\d+);t=\d+$/.exec(headers.ratelimit ?? '') ?? []
  return left === undefined ? undefined : Number(left)
}
/** Asks for lists that nobody asked for, until they are refused; returns the refusal and the number of those before. */
async function exhaust(api: Api, remoteAddress = FAR, headers = {}) {
  for (let at = 0; ; at++) {
    const answer = await ask(api, `/events?x=${at}`, remoteAddress, headers)
    if (answer.status !== 200) return { answer, before: at }
  }
}
const add = (api: Api, count: number, more = {}) =>
  Promise.all(
    Array.from({ length: count }, (_, at) =>
      must(api.editor.post('/events', { ...EVENT, title: `Event ${at}`, ...more })),
    ),
  )

t.test('a client who has spent its budget is told when to come again, and others go on', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '60' } })
  const [{ id }] = (await add(api, 1)) as [{ id: number }]
  const kept = async () => (await ask(api, '/events?kept=1')).status
  t.same([await kept(), await kept()], [200, 200])
  const first = await ask(api, '/events?first=1')
  t.equal(first.headers['ratelimit-policy'], '"cost";q=60;w=60')
  t.match(first.headers.ratelimit, /^"cost";r=\d+;t=\d+$/)
  const { answer, before } = await exhaust(api)
  t.ok(before > 5 && before < 60, 'a list costs more than one unit')
  t.match(answer, {
    status: 429,
    body: { code: 'rest_rate_limited', data: { status: 429, retry_after: 1 } },
    headers: { 'retry-after': '1', 'ratelimit-policy': '"cost";q=60;w=60', ratelimit: /^"cost";r=0;t=6\d$/ },
  })
  t.equal(await kept(), 200, 'a cached response is free')
  for (const path of [`/events/${id}`, '/events/by-slug/event-0', '/doc', '//health', '//robots.txt?x'])
    t.not((await ask(api, path)).status, 429, `${path} is free`)
  t.equal((await ask(api, `/events/${id}`)).headers.ratelimit, undefined)
  for (const path of [
    '/venues',
    '/events.ics',
    '/events.fullcalendar.json',
    '/changes',
    '//events/',
    '/tags',
  ])
    t.equal((await ask(api, path)).status, 429, path)
  t.equal((await ask(api, '/events', '192.0.2.2')).status, 200, 'another address')
  api.clock.now += 1_000
  t.equal((await ask(api, '/events?x=1')).status, 200, 'a second fills a sixtieth')
  api.clock.now += 3_600_000
  t.ok(leftIn(await ask(api, '/events?x=2'))! > 50, 'an hour fills no more than a whole one')
})

t.test('who waits in line is refused once those before it have spent all', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '20' } })
  await add(api, 1)
  const words = 'ev+ve+en+nt+eve+ven+ent+even+vent+event'
  const sent = Array.from({ length: 40 }, (_, at) => ask(api, `/events?search=${words}&per_page=${1 + at}`))
  const refused = (await Promise.all(sent)).filter(({ status }) => status === 429)
  t.ok(refused.length > 0 && refused.length < 40, 'all came before anything was spent')
  t.match(refused[0]!.body, { code: 'rest_rate_limited' })
  t.equal((await ask(api, '/events', '192.0.2.2')).status, 200, 'another address')
})

t.test('a list does not wait for the searches of its address', async (t) => {
  const api = await build(t)
  await add(api, 1)
  const answered: string[] = []
  const send = async (path: string) => {
    const { status } = await ask(api, path)
    answered.push(path)
    return status
  }
  const searches = Array.from({ length: 40 }, (_, at) => send(`/events?search=event+${at}`))
  const list = send('/events?per_page=1')
  t.equal(await list, 200)
  t.ok(answered.length < 20, `${answered.length} were answered`)
  for (const status of await Promise.all(searches)) t.equal(status, 200)
})

t.test('the budget is that of an address, of a network in IPv6, or of a credential', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '40' } })
  t.equal((await exhaust(api, '2001:db8:1:2::1')).answer.status, 429)
  t.equal((await ask(api, '/events', '2001:db8:1:2:ffff::9')).status, 429, 'the same network')
  t.equal((await ask(api, '/events', '2001:db8:1:3::1')).status, 200)
  const { authorization } = api.credentials.author
  const own = await ask(api, '/events', '2001:db8:1:2::1', { authorization })
  t.match(own, { status: 200, headers: { 'ratelimit-policy': '"cost";q=160;w=60' } })
  t.equal((await exhaust(api, FAR, { authorization })).answer.status, 429)
  const other = { authorization: api.credentials.editor.authorization }
  t.equal((await ask(api, '/events', FAR, other)).status, 200)
})

t.test('who comes from the own machine or network has no budget, and off is for nobody', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '5' } })
  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:10.0.0.1',
    '192.168.1.9',
    '172.17.0.2',
    'fe80::1',
    'fd00::1',
  ])
    for (let at = 0; at < 9; at++) {
      const { status, headers } = await ask(api, `/events?x=${at}`, address)
      t.same([status, headers.ratelimit, headers['ratelimit-policy']], [200, undefined, undefined], address)
    }
  const forwarded = { 'x-forwarded-for': FAR }
  for (let at = 0; at < 9; at++)
    t.equal(
      (await ask(api, `/events?x=${at}`, '127.0.0.1', forwarded)).status,
      200,
      'the proxy is not trusted',
    )
  const trusting = await build(t, { env: { COST_LIMIT: '5', TRUST_PROXY: 'loopback' } })
  t.equal((await exhaust(trusting, '127.0.0.1', forwarded)).answer.status, 429)
  t.equal((await ask(trusting, '/events', '127.0.0.1')).status, 200)
  const off = await build(t, { env: { COST_LIMIT: 'off' } })
  for (let at = 0; at < 9; at++)
    t.match(await ask(off, `/events?x=${at}`), { status: 200, headers: { ratelimit: undefined } })
})

t.test('what is dear costs more, and what is cached nothing', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '5000' } })
  await add(api, 300)
  let client = 1
  /** The units that a request takes from a full budget. */
  const priceOf = async (path: string) => 5000 - leftIn(await ask(api, path, `192.0.2.${++client}`))!
  // the second list counts by day
  for (const path of ['/events', '/events?x=1']) await ask(api, path)
  const list = await priceOf('/events?per_page=25')
  t.equal(await priceOf('/events?per_page=50&page=2'), list + 1, '25 records are a unit')
  const search = await priceOf('/events?search=event')
  t.ok(search > list, 'a search is made in steps')
  t.ok((await priceOf('/events?search=event&page=2')) < search, 'and its events are known then')
  t.ok((await priceOf('/changes?per_page=50')) > 10)
  t.ok((await priceOf('//events/?search=vent')) > list)
  const ics = '/events.ics?start_date=2000-01-01'
  await ask(api, ics, FAR)
  const spent = 5000 - leftIn(await ask(api, '/venues', FAR))!
  t.ok(spent >= 24, `a feed costs what was written of it: ${spent}`)
  t.ok((await priceOf('/events.jsonfeed?per_page=50')) < 20)
})

t.test('work that is done anew is paid for wherever it is asked for', async (t) => {
  const api = await build(t, { fresh: true, env: { COST_LIMIT: '5000' } })
  await add(api, 30, { venue: { venue: 'Casa Elizalde' }, organizer: { organizer: 'Ateneu' } })
  let client = 1
  const priceOf = async (path: string) => 5000 - leftIn(await ask(api, path, `192.0.2.${++client}`))!
  let word = 0
  /** A word that nobody looked for. */
  const fresh = () => `word${++word}`
  await ask(api, '/events')
  const ENTRY = 1
  const STEP = 2
  for (const path of ['/events/month/2026-12/', '/events/day/2026-12-05/']) {
    const word = fresh()
    const searched = await priceOf(`/${path}?search=${word}`)
    t.ok(searched > ENTRY + STEP, `${path}: ${searched}`)
    t.ok((await priceOf(`/${path}?search=${word}&x=1`)) < searched, 'they are known then')
  }
  const beginning = await priceOf('/changes?kind=venue')
  const followed = fresh()
  t.ok((await priceOf(`/changes?kind=event&search=${followed}`)) > beginning + STEP)
  t.equal(await priceOf(`/changes?kind=event&search=${followed}`), beginning)
  for (const path of ['/venues', '/organizers', '/series', '/media']) {
    const plain = await priceOf(path)
    t.ok(plain >= ENTRY + 2 * STEP, `${path} counts and reads: ${plain}`)
  }
  for (const path of ['/venues', '/organizers']) {
    const [short, long] = [[fresh()], Array.from({ length: 8 }, fresh)].map((words) => words.join('+'))
    t.ok((await priceOf(`${path}?search=${long}`)) > (await priceOf(`${path}?search=${short}`)), path)
  }
  t.ok((await priceOf(`/suggest?q=${fresh()}`)) >= ENTRY + STEP)
  const wordpress = await build(t, {
    env: { COST_LIMIT: '5000', COMPAT_PREFIXES: 'wp-json/tribe/events/v1' },
  })
  t.ok(5000 - leftIn(await ask(wordpress, '//wp-json/wp/v2/media'))! >= ENTRY + 2 * STEP)
  t.ok(5000 - leftIn(await ask(wordpress, '//wp-json/wp/v2/tribe_venue', '192.0.2.9'))! >= ENTRY + 2 * STEP)
})

t.test('resumed streams cost what they missed, and pages say that the budget is spent', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '100', TRUST_PROXY: 'loopback' } })
  const { port } = await openListeners(t, api)
  const headers = { 'x-forwarded-for': FAR }
  const began = await must(ask(api, '/changes?kind=event'))
  await add(api, 60, { title: 'A' })
  const fresh = await listenTo(port, '', { headers: { 'x-forwarded-for': '192.0.2.8' } })
  const resumed = await listenTo(port, `?sync_token=${began.next_sync_token}`, {
    headers: { 'x-forwarded-for': '192.0.2.9' },
  })
  t.same([fresh.status, leftIn(fresh), resumed.status, leftIn(resumed)], [200, 99, 200, 98])
  for (const one of [fresh, resumed]) one.close()
  t.equal((await exhaust(api, '127.0.0.1', headers)).answer.status, 429)
  const refused = await listenTo(port, '', { headers })
  t.match(refused, { status: 429, body: { code: 'rest_rate_limited' } })
  const page = await ask(api, '//events/?search=x', '127.0.0.1', headers)
  t.match(page, {
    status: 429,
    headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': /^\d+$/ },
  })
})

t.test('with a limit of requests, cached responses take from that only', async (t) => {
  const api = await build(t, { env: { COST_LIMIT: '30', RATE_LIMIT: '1000' } })
  for (let at = 0; at < 2; at++) await ask(api, '/events')
  await exhaust(api)
  const { status, headers } = await ask(api, '/events')
  t.same([status, headers.ratelimit, headers['ratelimit-limit']], [200, undefined, '1000'])
})

t.test('a bucket owes what was taken from it when it was empty, as much as it holds', async (t) => {
  let now = 0
  const bucket = openBuckets(60, () => now).of('a')
  t.equal(bucket.wait(), 0)
  bucket.spend(1_000)
  t.equal(bucket.wait(), 61)
  t.same(bucket.fields(), { 'ratelimit-policy': '"cost";q=60;w=60', ratelimit: '"cost";r=0;t=120' })
  now += 61_000
  t.equal(bucket.wait(), 0)
  now -= 30_000 // the clock was set
  t.equal(bucket.wait(), 0)
})

/** What everybody may ask for without a budget: what is made once or small, and what has limits of its own. */
const FREE = {
  'is made once': [
    ...[
      '/',
      '/doc',
      '/doc/openapi-3.0.json',
      '/doc/static/:name',
      '/doc/style.css',
      '/doc/start.js',
      '/-wp/tec/v1/docs',
    ],
    ...[
      '/-site/desk',
      '/-site/desk/assets/:name',
      '/-site/assets/:name',
      '/-site/favicon.ico',
      '/-site/embed.css',
      '/-site/embed.js',
    ],
    ...['/-site/robots.txt', '/-site/sitemap.xml', '/-site/sitemap-list-1.xml', '/-site/media/*'],
    ...['event', 'series', 'venue', 'organizer', 'category', 'tag'].map(
      (kind) => `/-site/sitemap-${kind}-:part(^[1-9]\\d{0,9}).xml`,
    ),
  ],
  'is small': [
    ...['healthz', 'version', 'health', 'readyz'].map((name) => `/-site/${name}`),
    ...['/-moved/*', '/-moved/-p/:id', '/-site/en', '/-site/en/*', '/-wp/', '/-wp/:vendor/:version'],
    ...['types', 'types/:slug', 'taxonomies', 'taxonomies/:slug'].map((name) => `/-wp/wp/v2/${name}`),
  ],
  'counts failures, uses or proposals': [
    ...['/session/cookie', '/session/factor', '/session/passkey', '/session/passkey/options'],
    ...['/session/openid', '/session/openid/callback'],
    ...['/invitations/accept', '/password-resets', '/password-resets/confirm', '/submissions'],
    ...['', '/ca', '/es'].flatMap((language) => [
      `/-site${language}/event/:slug`,
      `/-site${language}/events/submit`,
      `/-site${language}/events/submit/:key`,
    ]),
  ],
}

t.test(
  'what everybody may ask for takes from a budget, is a single record, or is known to need none',
  async (t) => {
    const { app } = await build(t, { env: { SUBMISSIONS: 'on' } })
    const found = app.routesAdded
      .filter(({ config }) => {
        const { operation, permission, costs = operation === 'list' } = config ?? {}
        return !costs && operation !== 'read' && (!permission || permission.anyone)
      })
      .map(({ url }) => url)
    t.same(found.sort(), Object.values(FREE).flat().sort())
  },
)
