import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { isSameReader, type Lookup, openFetch } from '../../../src/kernel/outbound/requests.ts'
import { freePort, listenOn } from '../../support/ports.ts'

/** A server at a port of the own machine, and what it was asked. */
async function serve(t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  const port = await listenOn(t, server)
  return { asked, port, host: `127.0.0.1:${port}` }
}
const redirecting = (t: Test, location: string | undefined, status = 302) =>
  serve(t, ({ url }, response) => {
    if (url === '/here') response.end('here')
    else response.writeHead(status, location === undefined ? {} : { location }).end()
  })
const secret = { headers: { authorization: 'Bearer secret', cookie: 'a=b', accept: 'text/calendar' } }
/** All names are those of the own machine. */
const lookup: Lookup = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

t.test('a redirect to an address that is not public is refused, by whatever name', async (t) => {
  const inner = await serve(t, (_request, response) => response.end('secret'))
  for (const [location, told] of [
    [`http://${inner.host}/`, inner.host],
    [`http://localhost:${inner.port}/`, `localhost:${inner.port}`],
    [`http://public.example:${inner.port}/`, `public.example:${inner.port}`],
    [`http://[::ffff:127.0.0.1]:${inner.port}/`, 'ffff'],
    ['http://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['file:///etc/passwd', 'file:'],
  ] as const) {
    const { host } = await redirecting(t, location)
    const fetch = openFetch({ named: [host], allow: [], lookup })
    const error = await fetch(`http://${host}/`, secret).then(
      () => undefined,
      (error) => error,
    )
    t.match(
      error,
      { unusable: true, message: /^127.0.0.1:\d+ redirects to .* is no public web address/ },
      location,
    )
    t.match(error?.message, told)
  }
  t.equal(inner.asked.length, 0, 'nothing was asked there')
})

t.test('where a redirect may lead, credentials stay at the host that they are for', async (t) => {
  for (const [allow, name] of [
    [['127.0.0.1'], '127.0.0.1'],
    [['other.example'], 'other.example'],
  ] as const) {
    const other = await serve(t, (_request, response) => response.end('there'))
    const { host, asked } = await redirecting(t, `http://${name}:${other.port}/there`, 301)
    const fetch = openFetch({ named: [host], allow: [...allow], lookup })
    t.equal(await (await fetch(`http://${host}/`, secret)).text(), 'there')
    t.match(asked[0]!.headers, secret.headers)
    t.match(other.asked[0]!.headers, { accept: 'text/calendar', authorization: undefined, cookie: undefined })
  }
  const { host, asked } = await redirecting(t, '/here', 308)
  const fetch = openFetch({ named: [host], allow: [] })
  t.equal(await (await fetch(`http://${host}/`, secret)).text(), 'here')
  t.match(asked[1]!.headers, secret.headers, 'at the same host they are sent')
})

t.test('who is the same reader is told by host, port and protocol', async (t) => {
  const same = (from: string, to: string) => isSameReader(new URL(from), new URL(to))
  t.ok(same('http://a.example:8080/', 'https://a.example/'), 'a site that moved to https')
  t.ok(same('http://a.example/x', 'http://a.example/y'))
  for (const to of [
    'http://a.example/',
    'https://a.example:444/',
    'https://b.example/',
    'https://a.example.b/',
  ])
    t.notOk(same('https://a.example/', to), to)
})

t.test('what fails where a redirect leads is told as what it is', async (t) => {
  const { host } = await redirecting(t, `http://other.example:${await freePort()}/`)
  const fetch = openFetch({ named: [host], allow: ['other.example'], lookup })
  await t.rejects(fetch(`http://${host}/`), { cause: { code: 'ECONNREFUSED' } })
})

t.test('redirects end, and are followed only where that is wanted', async (t) => {
  const round = await redirecting(t, '/again')
  const fetch = openFetch({ named: [round.host], allow: [] })
  await t.rejects(fetch(`http://${round.host}/`), { message: 'too many redirects' })
  t.equal(round.asked.length, 11)
  t.equal((await fetch(`http://${round.host}/`, { redirect: 'manual' })).status, 302)
  t.equal(round.asked.length, 12)
  const nowhere = await redirecting(t, undefined)
  t.equal((await openFetch({ named: [nowhere.host], allow: [] })(`http://${nowhere.host}/`)).status, 302)
  const odd = await redirecting(t, 'http://[')
  await t.rejects(openFetch({ named: [odd.host], allow: [] })(`http://${odd.host}/`))
})
