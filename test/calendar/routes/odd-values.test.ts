import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { TABLES } from '../../../src/features/nodes/rows.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { readTexts } from '../../../src/kernel/input/readers.ts'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { addDigest } from '../../support/digests.ts'
import { documentOf, type Operation, operationsOf } from '../../support/document.ts'
import { anyText } from '../../support/properties.ts'
import { PROPOSED } from '../../support/submissions.ts'
import { faults } from '../../support/validation.ts'

/** What goes wrong elsewhere, and what nobody thought of. */
const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '00',
    '-1',
    '1.5',
    '1e3',
    '1e999',
    '0x10',
    'NaN',
    'null',
    'true',
    'yes',
    '[]',
    '{}',
    '[object Object]',
  ],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    '\udc00\ud800',
    '\ufeff',
    '\u202e',
    '٣',
    'İ',
    'ß',
    'e\u0301'.repeat(99),
    '😀'.repeat(300),
  ],
  ...[
    'x'.repeat(201),
    'x'.repeat(5000),
    '9'.repeat(400),
    ','.repeat(500),
    '1,'.repeat(200),
    '<'.repeat(2000),
  ],
  ...[
    "'; DROP TABLE posts; --",
    '" or 1=1',
    '%',
    '%00',
    '%zz',
    '../../etc/passwd',
    '\\',
    '*',
    '-site',
    '__proto__',
    'constructor',
  ],
  ...[
    '<script>alert(1)</script>',
    '<b',
    '<!--',
    '&#0;',
    '&#x110000;',
    '&amp;amp;',
    '<svg onload=x>',
    ']]>',
    'javascript:x',
  ],
  ...[
    'now',
    'tomorrow',
    '+99999999 years',
    '-9999 months',
    '0000-00-00',
    '0000-01-01',
    '9999-12-31 23:59:59',
    '2026-02-30',
  ],
  ...[
    '+275760-09-13',
    '1970-01-01T00:00:00+99:99',
    '2026-03-29T02:30',
    '-8640000000000000',
    '253402300800',
    '24:00:00',
  ],
  ...['UTC+14', 'UTC+99', 'Etc/GMT+12', 'europe/madrid', 'publish,any', 'any', 'trash', 'future', 'ca', 'xx'],
  ...[
    'http://127.0.0.1:1/x.png',
    'http://[::1]/',
    'http://[',
    'http://calendar.test/media/%zz',
    'mailto:a@b',
    '//x',
    'http://é.test',
  ],
  ...['$1,000.50', '1.000,50 €', '1-2-3', 'free', '-', '90', '-180', '180.0001', '1e-400'],
]
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS) },
  anyText(40),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)
const HOSTILE = JSON.parse(
  '[{"__proto__":{"x":1}},{"id":{"id":1}},{"id":[1]},{"constructor":{"prototype":1}},{"toString":1}]',
)
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 7, arbitrary: text },
  fc.constantFrom(null, true, false, 0, -1, 1, 1.5, 1e308, 2 ** 53, -(2 ** 53)),
  fc.constantFrom<unknown>(
    [],
    [[]],
    [[[[[[]]]]]],
    [null],
    {},
    { id: null },
    { venue: {} },
    { organizer: '' },
    { name: 5 },
    ...HOSTILE,
  ),
  fc.array(text, { maxLength: 4 }),
  fc.array(fc.integer(), { maxLength: 120 }),
  fc.jsonValue({ maxDepth: 3 }),
)
/** A text, a JSON value, and the ways in which they are sent. */
const odd = fc.record({
  text,
  value,
  brackets: fc.constantFrom('', '', '', '[]', '[0]', '[a][b]', '['),
  type: fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'x/y',
  ),
})
type Odd = { text: string; value: unknown; brackets: string; type: string }

const SEED = 20_261_121
const RUNS = 1
const ASKERS = ['anonymous', ...ROLES] as const

/** A lone surrogate can't be percent-encoded, so texts go through a Buffer. */
const encode = (text: string) => encodeURIComponent(Buffer.from(text).toString())

const LEAST: Record<string, object> = {
  '/events': EVENT,
  '/series': { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
  '/venues': { venue: 'Hall' },
  '/organizers': { organizer: 'Club' },
  '/categories': { name: 'Arts' },
  '/tags': { name: 'Live' },
  '/users': { login: 'somebody', role: 'author' },
  '/tokens': { name: 'odd' },
  '/webhooks': { url: 'https://receiver.example/' },
  '/submissions': PROPOSED,
}

/** Records to be read, changed and deleted, made anew where a request did away with them. */
function records(api: Api) {
  const known = new Map<string, Answer['body']>()
  let made = 0
  return async (collection: string) => {
    const { administrator } = api
    // there may be only so many webhooks
    const [webhook] = collection === '/webhooks' ? (await administrator.get(collection)).body.webhooks : []
    const record = webhook ?? known.get(collection)
    if (collection === '/digests') return record ?? addDigest(api)
    if (collection === '/imports') {
      const payload = 'title,start_date\nOdd,2026-12-01'
      const headers = { 'content-type': 'text/csv' }
      const report =
        record ??
        (await must(administrator.send({ method: 'POST', url: `${ROOT}/imports`, payload, headers })))
      known.set(collection, report)
      return report
    }
    if (record && (await administrator.get(`${collection}/${record.id}`)).status === 200) return record
    made++
    const more = {
      '/categories': { name: `Arts ${made}` },
      '/tags': { name: `Live ${made}` },
      '/users': { login: `user${made}` },
    }
    const input = {
      ...LEAST[collection],
      ...more[collection as '/tags'],
      user: api.credentials.subscriber.id,
    }
    const answered = await must(administrator.post(collection, input))
    const body =
      collection === '/submissions'
        ? (await must(administrator.get('/submissions?per_page=1'))).submissions[0]
        : answered
    known.set(collection, body)
    return body
  }
}

type Target = { operation: Operation; place: 'path' | 'query' | 'body' | 'name' | 'bytes'; name: string }

/** Everything of an operation that can be odd. */
function targetsOf(operation: Operation): Target[] {
  const { parameters, body, method } = operation
  return [
    ...parameters.map(({ name, in: place }): Target => ({ operation, place, name })),
    ...Object.keys(body?.properties ?? {}).map((name): Target => ({ operation, place: 'body', name })),
    { operation, place: 'name', name: '' },
    ...(method === 'get' ? [] : [{ operation, place: 'bytes' as const, name: '' }]),
  ]
}

/** Whoever signs out does so with a token made for that: the others are needed until the end. */
async function ownSession(
  { app, credentials }: Api,
  { operationId }: Operation,
  asker: (typeof ASKERS)[number],
) {
  if (operationId !== 'deleteSession' || asker === 'anonymous') return {}
  const { token } = await app.store.tokens.add(credentials[asker].id, 'odd', ['read', 'write', 'admin'], null)
  return { authorization: `Bearer ${token}` }
}

async function ask(
  api: Api,
  find: ReturnType<typeof records>,
  target: Target,
  asker: (typeof ASKERS)[number],
  odd: Odd,
) {
  const { operation, place, name } = target
  const collection = `/${operation.path.split(/[/.]/)[1]}`
  const record = operation.path.includes('{') && collection !== '/media' ? await find(collection) : {}
  const path = operation.path.replace(/\{(\w+)\}/g, (_, part: string) =>
    encode(place === 'path' && part === name ? odd.text : String(record[part] ?? 999)),
  )
  const query =
    place === 'query'
      ? `?${name}${odd.brackets}=${encode(odd.text)}`
      : place === 'name'
        ? `?${encode(odd.text)}${odd.brackets}=1`
        : ''
  const isWrite = operation.method !== 'get' && operation.method !== 'delete'
  const least = isWrite && !operation.path.includes('{') ? LEAST[collection] : {}
  const odds = place === 'body' ? { [name]: odd.value } : place === 'name' ? { [odd.text]: odd.value } : {}
  const form = { payload: odd.text, headers: { 'content-type': odd.type } }
  const json = isWrite ? { payload: { ...least, ...odds } } : {}
  const { payload } = place === 'bytes' ? form : { payload: undefined, ...json }
  const answer = await api[asker].send({
    method: operation.method.toUpperCase() as 'GET',
    url: ROOT + path + query,
    ...(payload !== undefined && { payload }),
    headers: { ...(place === 'bytes' && form.headers), ...(await ownSession(api, operation, asker)) },
  })
  return { answer, asked: `${asker} ${operation.method} ${path}${query}`.slice(0, 300) }
}

/** Why an answer is not what the contract promises for any request; undefined where it is. */
function complaint({ status, body, headers }: Answer): string | undefined {
  if (status >= 500) return `is ${status}`
  if (!headers['content-type']) return 'has no type'
  if (status < 400) return undefined
  const wrong = faults('ErrorBody', body)
  return wrong.length > 0 || body.data.status !== status ? `is no error as it should be: ${wrong}` : undefined
}

t.test('no value of any parameter brings the service out of step', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const find = records(api)
  const targets = operationsOf(documentOf(api.app)).flatMap(targetsOf)
  t.ok(targets.length > 500, `${targets.length} places for odd values`)
  let requests = 0
  for (const [at, target] of targets.entries()) {
    const property = fc.asyncProperty(odd, async (odd) => {
      const { answer, asked } = await ask(api, find, target, ASKERS[requests++ % ASKERS.length]!, odd)
      const wrong = complaint(answer)
      if (wrong) throw new Error(`${asked} ${wrong}: ${answer.text.slice(0, 500)}`)
    })
    await fc.assert(property, { seed: SEED + at, numRuns: RUNS, endOnFailure: true })
  }
  t.comment(`${requests} requests`)

  const rows = (query: string) => api.app.store.db.read.all(sql.raw(query))
  t.same(rows('PRAGMA integrity_check'), [{ integrity_check: 'ok' }])
  t.same(rows('PRAGMA foreign_key_check'), [])
  const counted =
    "SELECT count(*) FROM links l JOIN posts p ON p.id = l.event_id WHERE l.kind = t.taxonomy AND l.target_id = t.id AND p.status = 'publish' AND p.kind = 'event'"
  t.same(rows(`SELECT id FROM terms t WHERE count != (${counted})`), [], 'counts are right')
  t.same(rows('SELECT id FROM posts WHERE id NOT IN (SELECT post_id FROM documents)'), [])
  const years = '&start_date=0001-01-01&end_date=9999-12-31'
  for (const [plural, Page] of [
    ['events', 'EventPage'],
    ['series', 'SeriesPage'],
    ['venues', 'VenuePage'],
    ['organizers', 'OrganizerPage'],
    ['categories', 'CategoryPage'],
    ['tags', 'TagPage'],
    ['media', 'MediaPage'],
  ] as const) {
    const query = `?per_page=50&hide_empty=0&status=any${plural === 'events' ? years : ''}`
    let next: string | undefined = `/${ROOT}/${plural}${query}`
    while (next) {
      const { status, body } = await api.administrator.get(next)
      t.equal(status, 200, next)
      t.same(faults(Page, body), [], 'what was written reads as it should')
      next = body.next_rest_url?.replace('http://calendar.test', '/')
    }
  }
})

t.test('a NUL in any member of a body is refused or removed: PostgreSQL can not store it', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const find = records(api)
  let stored = 0
  for (const { method, path, body } of operationsOf(documentOf(api.app))) {
    const collection = `/${path.split('/')[1]}`
    if (!['post', 'put', 'patch'].includes(method) || collection === '/media') continue
    const record = path.includes('{') ? await find(collection) : {}
    const url = ROOT + path.replace(/\{(\w+)\}/g, (_, part: string) => encode(String(record[part] ?? 999)))
    for (const name of Object.keys(body?.properties ?? {}))
      for (const value of [
        'a\0b',
        ['a\0b'],
        { venue: 'a\0b', address: 'a\0b', organizer: 'a\0b', search: 'a\0b' },
      ]) {
        const payload = { ...(path.includes('{') ? {} : LEAST[collection]), [name]: value }
        const { status } = await api.administrator.send({
          method: method.toUpperCase() as 'POST',
          url,
          payload,
        })
        t.ok(status < 500, `${method} ${path} with ${name}: ${status}`)
        if (status < 300) stored++
      }
  }
  t.ok(stored > 100, `${stored} were stored`)
  for (const { name, columns } of TABLES)
    for (const column of columns.filter(({ type }) => type === 'text'))
      t.same(
        api.app.store.db.read.all(
          sql.raw(`select "${column.name}" from ${name} where instr("${column.name}", char(0)) > 0`),
        ),
        [],
        `${name}.${column.name}`,
      )
})

const LISTS = ['/events', '/series', '/venues', '/organizers', '/categories', '/tags']
/** Words of two letters, none of them inside another. */
const pairs = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    String.fromCharCode(97 + (at % 26), 913 + Math.floor(at / 26)),
  ).join(' ')
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(',')
const ODD: [name: string, value: string][] = [
  ['NUL', 'a%00b'],
  ['NUL alone', '%00'],
  ['controls', 'a%01%1f%7f%c2%85b%09'],
  ['quotes', '%22%00%22-%22a%0ab%22'],
  ['a lone surrogate', '%ed%a0%80'],
  ['a broken escape', '%e9'],
  ['15,000 letters', 'x'.repeat(15_000)],
  ['15,000 accents', '%cc%81'.repeat(2_400)],
  ['497 words', encodeURIComponent(pairs(497))],
  ['500 numbers', numbers(500)],
  ['100 numbers', numbers(100)],
  ['brackets', '[]{}()*^~:'],
  ['operators', 'a+AND+NEAR(+OR+NOT+%22'],
]

/** What a query has at most. */
const LONGEST = 15_900

t.test('no parameter of a list is answered with an error of the service', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  await must(api.editor.post('/venues', { venue: 'A', description: 'a&#1;b&#9;c' }))
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'a b',
      venue: { venue: 'B' },
      tags: ['a'],
      categories: ['b'],
    }),
  )
  let asked = 0
  const wrong: string[] = []
  for (const { path, parameters } of operationsOf(documentOf(api.app)).filter(
    ({ method, path }) => method === 'get' && LISTS.includes(path),
  ))
    for (const { name } of [...parameters, { name: 'unknown' }])
      for (const [odd, value] of ODD)
        for (const query of [
          `${name}=${value}`,
          `${name}[]=${value}`,
          ...(name === 'unknown' ? [`${value}=x`] : []), // as a name it is the same beside any
          ...(odd.startsWith('15') ? [`${name}=${value}&`.repeat(2)] : []),
          ...((name.length + value.length + 2) * 300 <= LONGEST ? [`${name}=${value}&`.repeat(300)] : []),
        ]) {
          const { status, body } = await api.editor.get(`${path}?${query.slice(0, LONGEST)}`)
          asked++
          if (status === 200) continue
          const isNamed = body.code !== 'rest_invalid_param' || Object.keys(body.data.params).length > 0
          if (![400, 404].includes(status) || faults('ErrorBody', body).length > 0 || !isNamed)
            wrong.push(`${path} ${name}: ${odd} is ${status} ${body.code}`)
        }
  t.same(wrong, [])
  t.ok(asked > 1_000)
})

t.test('a list is given as such or with commas; of anything but texts and numbers it is none', async (t) => {
  t.strictSame(readTexts('a, b,,c '), ['a', 'b', 'c'])
  t.strictSame(readTexts([1, 'b,2']), ['1', 'b', '2'])
  t.strictSame(readTexts(7), ['7'])
  for (const none of [{}, [{}], [null], [['a']], true]) t.equal(readTexts(none), undefined)
})
