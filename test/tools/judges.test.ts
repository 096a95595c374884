import t from 'tap'
import { judge, MOST_LOG, MOST_PER_WRITE, type Sample } from '../../bench/soak/flat.ts'
import { holdToDocument, unanswered } from '../support/validation.ts'

const error = (code: string) => JSON.stringify({ code, message: 'No.', data: { status: 404 } })
const URLS = { self: 'http://a.test/1', collection: 'http://a.test/' }
const TAG = {
  ...{ id: 1, count: 0, description: '', name: 'Late', slug: 'late', taxonomy: 'post_tag', meta: [] },
  ...{ url: 'http://a.test/late/', urls: URLS, language: 'en', translations: {} },
}
const OK = { method: 'GET', path: '/tags/1', query: '', status: 200, type: 'application/json; charset=utf-8' }
const BAD = { ...OK, status: 404 }

t.test('an answer that the document does not describe is told', async (t) => {
  const cases: [answer: Parameters<typeof holdToDocument>[0], fault: RegExp | undefined][] = [
    [{ ...OK, text: JSON.stringify(TAG) }, undefined],
    [{ ...OK, path: '/tags/1/', text: JSON.stringify(TAG) }, undefined],
    [{ ...OK, query: 'a=1&_fields=id', text: '{"id":1}' }, undefined],
    [{ ...OK, method: 'HEAD', text: '' }, undefined],
    [{ ...BAD, text: error('tag-not-found') }, undefined],
    [{ ...BAD, path: '/tags/one', text: error('rest_no_route') }, undefined],
    [{ ...BAD, text: error('unheard') }, /must be equal to one of the allowed values/],
    [{ ...OK, method: 'TRACE', text: '' }, undefined],
    [{ ...OK, text: '{"id":1}' }, /required property/],
    [{ ...OK, text: JSON.stringify({ ...TAG, more: 1 }) }, /additional properties/],
    [{ ...OK, text: JSON.stringify({ ...TAG, urls: { ...URLS, more: '' } }) }, /additional properties/],
    [{ ...OK, text: JSON.stringify({ ...TAG, count: '0' }) }, /must be integer/],
    [{ ...OK, text: JSON.stringify({ ...TAG, url: null }) }, /must be string/],
    [{ ...OK, query: '_fields=id', text: '{"id":"1"}' }, /must be integer/],
    [{ ...OK, status: 202, text: '' }, /lacks this status/],
    [{ ...OK, type: 'text/html', text: '' }, /lacks the type/],
    [{ ...BAD, text: error('venue-not-found') }, /lacks the code venue-not-found/],
  ]
  for (const [answer, fault] of cases) {
    const name = `${answer.method} ${answer.path} ${answer.status} ${answer.text}`
    if (fault) t.throws(() => holdToDocument(answer), { message: fault }, name)
    else t.doesNotThrow(() => holdToDocument(answer), name)
  }
})

t.test('an answer of the document that nobody got is named', async (t) => {
  const all = unanswered(new Set())
  t.ok(all.includes('getTag 200') && all.includes('getTag 404'))
  t.notOk(
    all.some((pair) => pair.endsWith(' 500')),
    'failures of ours are not asked for',
  )
  t.notOk(unanswered(new Set(['getTag 200'])).includes('getTag 200'))
})

const MEGABYTE = 2 ** 20

/** Samples of a service that stays as it is, each with what `odd` says of it. */
const run = (odd: (at: number) => Partial<Sample> = () => ({})) =>
  judge(
    Array.from({ length: 90 }, (_, at) => ({
      at,
      resident: 300 * MEGABYTE + (at % 7) * MEGABYTE,
      heap: 60 * MEGABYTE + (at % 5) * 8 * MEGABYTE,
      delay: 0.01,
      file: 20 * MEGABYTE,
      log: 16 * MEGABYTE,
      descriptors: 40 + (at % 3),
      writes: at * 100,
      ...odd(at),
    })),
  )

t.test('a service that warms up and then stays as it is passes', async (t) => {
  const { faults, flat } = run((at) => (at < 30 ? { resident: (100 + at * 6) * MEGABYTE } : {}))
  t.same(faults, [])
  t.ok(flat.resident.last <= flat.resident.second)
})

t.test('what grows is named', async (t) => {
  for (const [what, odd] of [
    ['resident grows', (at: number) => ({ resident: (300 + at * 2) * MEGABYTE })],
    ['heap grows', (at: number) => ({ heap: (60 + at * 2) * MEGABYTE })],
    ['delay grows', (at: number) => ({ delay: at < 60 ? 0.01 : 0.1 })],
    ['descriptors grows', (at: number) => ({ descriptors: 40 + Math.floor(at / 5) })],
    ['the log was', (at: number) => ({ log: at === 5 ? MOST_LOG + 1 : 0 })],
    ['the file grows', (at: number) => ({ file: at * 100 * (MOST_PER_WRITE + 1) })],
  ] as const) {
    const { faults } = run(odd)
    t.equal(faults.length, 1, what)
    t.ok(String(faults).startsWith(what), String(faults))
  }
})
