import t, { type Test } from 'tap'
import { readConfig } from '../src/config.ts'
import { loggerOf, warnAtStart } from '../src/run/serve.ts'
import { build } from './support/app.ts'

/** A service that trusts these proxies, and what it warns of. */
async function watch(t: Test, TRUST_PROXY: string) {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const api = await build(t, { env: { TRUST_PROXY }, logger: { ...loggerOf('warn', false), stream } })
  const get = (headers: Record<string, string>, remoteAddress = '::ffff:192.0.2.1') =>
    api.anonymous.get('/events', undefined, { headers, remoteAddress })
  return { ...api, lines, get }
}

t.test('a proxy that is not trusted is told of once, with the setting and its address', async (t) => {
  const { get, lines } = await watch(t, 'off')
  await get({})
  t.same(lines, [])
  for (const at of [1, 2, 3]) await get({ 'x-forwarded-for': `198.51.100.${at}` })
  await get({ forwarded: 'for=198.51.100.4' }, '192.0.2.2')
  t.match(lines, [
    { level: 40, header: 'x-forwarded-for', peer: '192.0.2.1', msg: /set TRUST_PROXY=192\.0\.2\.1; / },
  ])
  t.equal(lines.length, 1)
  t.notMatch(lines[0]!.msg, /198\.51/, 'what a client says is not advised')

  const other = await watch(t, 'off')
  await other.get({ forwarded: 'for=198.51.100.4' })
  t.match(other.lines, [{ header: 'forwarded' }], 'the standard header as well')
})

t.test('a proxy that is trusted is not told of', async (t) => {
  for (const trusted of ['192.0.2.1', 'on']) {
    const { get, lines } = await watch(t, trusted)
    await get({ 'x-forwarded-for': '198.51.100.1' })
    t.same(lines, [], trusted)
  }
})

t.test('to trust everybody is warned of at the start', async (t) => {
  for (const [TRUST_PROXY, told] of [
    ['on', 1],
    ['off', 0],
    ['10.0.0.1', 0],
  ] as const) {
    const lines: unknown[] = []
    warnAtStart(readConfig({ TRUST_PROXY, DATABASE: ':memory:' }), {
      warn: (text: string) => lines.push(text),
    } as never)
    t.equal(lines.length, told, TRUST_PROXY)
    if (told) t.match(lines[0], /^TRUST_PROXY=on .* name the addresses of your proxies instead$/)
  }
})
