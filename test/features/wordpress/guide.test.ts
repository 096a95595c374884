import { readFileSync } from 'node:fs'
import t from 'tap'
import { build } from '../../support/app.ts'

const GUIDE = readFileSync(new URL('../../../docs/guides/from-wordpress.md', import.meta.url), 'utf8')
/** The internal prefixes of what is served beside the API. */
const INTERNAL = /^\/-(wp|moved)(?=\/)/
/** What patterns of routes stand for. */
const NAMED: Record<string, string[]> = {
  '/wp-json/:vendor/:version': ['/wp-json/wp/v2', '/wp-json/tec/v1'],
  '/-p/:id': ['/?p={id}', '/index.php?p={id}'],
  '/*': ['/events/list/', '/events/photo/', '/events/month/2026-12/', '/?post_type=tribe_events'],
}

/** The rows of tables: the addresses in the first cell, and the text of the second. */
const ROWS = [...GUIDE.matchAll(/^\| (`.*?`) \| (.*) \|$/gm)].map(([, first, second]) => ({
  addresses: [...first!.matchAll(/`([^`]+)`/g)].map(([, address]) => address!),
  second: second!,
}))

/** Whether an address in the guide is one that is served: as it is, or with parameters. */
const isThat = (named: string, served: string) => named === served || named.startsWith(`${served}?`)

t.test('the guide names every address that is served beside the API, with its methods', async (t) => {
  const { app } = await build(t)
  const served = app.routesAdded.filter(({ url }) => INTERNAL.test(url))
  t.ok(served.length > 40)
  for (const { url, method } of served) {
    const path = url.replace(INTERNAL, (_, kind) => (kind === 'wp' ? '/wp-json' : ''))
    for (const address of NAMED[path] ?? [path.replace(/:(\w+)/g, '{$1}')]) {
      const rows = ROWS.filter(({ addresses }) => addresses.some((one) => isThat(one, address)))
      t.ok(rows.length > 0, address)
      if (!/^\/wp-json\/\w+\/v\d\//.test(address)) continue
      const methods = rows.map(({ second }) => second).join(' ')
      for (const name of [method].flat().filter((name) => name !== 'HEAD'))
        t.match(methods, new RegExp(`\\b${name}\\b`), `${name} ${address}`)
    }
  }
})

t.test('the guide names every kind of address that leads elsewhere', async (t) => {
  const { anonymous } = await build(t)
  const addresses = ROWS.flatMap(({ addresses }) => addresses).filter(
    (one) => one.startsWith('/') && !/[{]|[.]{3}/.test(one),
  )
  for (const address of addresses) {
    const { status, headers } = await anonymous.get(`/${address}`)
    t.ok([200, 301, 401].includes(status), `${address}: ${status}`)
    if (address.includes('ical')) t.match(headers['content-type'], 'text/calendar', address)
    if (address.includes('feed')) t.match(headers['content-type'], 'application/rss+xml', address)
  }
  for (const view of ['list', 'photo', 'map', 'week', 'summary', 'day', 'today', 'month'])
    t.ok(
      addresses.some((address) => address.startsWith(`/events/${view}/`)),
      view,
    )
})
