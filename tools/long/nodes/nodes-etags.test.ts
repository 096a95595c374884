import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { draw } from '../../../test/support/pictures.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import {
  askAgain,
  caughtUp,
  credentialsOf,
  openNode,
  type ServedNode,
} from '../../../test/support/served-nodes.ts'

const API = '/calendar/events/v1'
/** More events than a feed is made of as a whole. */
const MANY = 260
const CODINGS = ['identity', 'gzip', 'br'] as const

type Read = { status: number; headers: Record<string, string>; text: string }

/** A GET as it crosses the wire, decompressed. */
const read = ({ root }: ServedNode, path: string, headers: Record<string, string>) =>
  new Promise<Read>((resolve, reject) => {
    request(new URL(path, root), { headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => {
        const { statusCode: status, headers } = response
        const bytes = Buffer.concat(parts)
        const coding = status === 200 ? headers['content-encoding'] : undefined
        const plain =
          coding === 'gzip' ? gunzipSync(bytes) : coding === 'br' ? brotliDecompressSync(bytes) : bytes
        resolve({ status: status!, headers: headers as never, text: plain.toString('latin1') })
      })
      response.on('error', reject)
    })
      .on('error', reject)
      .end()
  })

/** What another system calls a record of each kind. */
const KEY = { source: 'town-hall', external_id: '7' }

/** A calendar with something at every address; returns the IDs and slugs by the parameters of paths. */
async function fill(node: ServedNode, authorization: string) {
  const write = async (path: string, body: object) => {
    const { status, text } = await askAgain(node, 'POST', path, { authorization, body })
    if (status !== 201) throw new Error(`${path}: ${text}`)
    return JSON.parse(text)
  }
  const bytes = await draw(400, 300)
  const sent = await fetch(`${node.root}/media`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'image/png' },
    body: new Uint8Array(bytes),
  })
  const picture = (await sent.json()) as { id: number; url: string }
  const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)
  const dates = { start_date: `${soon} 20:00:00`, end_date: `${soon} 22:00:00` }
  const more = {
    venue: { venue: 'Hall', city: 'Vic', ...KEY },
    organizer: { organizer: 'Choir', ...KEY },
    categories: ['music'],
  }
  const event = await write('/events', {
    ...{ title: 'Concert', ...dates, ...more, ...KEY, tags: ['open air'], image: String(picture.id) },
    description: 'Songs of the sea. '.repeat(100),
  })
  for (let at = 1; at < MANY; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, one) => write('/events', { title: `Event ${at + one}`, ...dates })),
    )
  const series = await write('/series', {
    title: 'Rehearsal',
    ...{ ...dates, ...KEY },
    recurrence: { rrule: 'FREQ=WEEKLY;COUNT=3' },
  })
  return { event, series, picture, day: soon }
}

/** The addresses of every GET of the document without the rights of an administrator, in all formats, and those of the pages and their files. */
function addressesOf(
  document: Document,
  loaded: string,
  { event, series, picture, day }: Awaited<ReturnType<typeof fill>>,
) {
  const ids: Record<string, number> = {
    events: event.id,
    venues: event.venue.id,
    organizers: event.organizer[0].id,
    categories: event.categories[0].id,
    tags: event.tags[0].id,
    media: picture.id,
    series: series.id,
  }
  const slugs: Record<string, string> = {
    events: event.slug,
    venues: event.venue.slug,
    organizers: event.organizer[0].slug,
    series: series.slug,
  }
  const api = Object.entries(document.paths)
    .filter(
      ([, { get }]) =>
        get?.security === undefined || get.security.some((one) => Object.keys(one).length === 0),
    )
    // a challenge is another one each time
    .filter(([path, { get }]) => get !== undefined && path !== '/submissions/challenge')
    .flatMap(([path, { get }]) => {
      const [, kind = ''] = /^\/(\w+)/.exec(path) ?? []
      const filled = path
        .replace('{id}', String(ids[kind]))
        .replace('{slug}', String(slugs[kind]))
        .replace('{source}', KEY.source)
        .replace('{external_id}', KEY.external_id)
        .replace('/suggest', '/suggest?q=con')
      const formats = get!.parameters?.map(
        ({ $ref = '' }) => document.components.parameters[$ref.split('/').at(-1)!],
      )
      const format = formats?.find((one) => one?.name === 'format')
      return (format?.schema?.enum ?? ['']).map((one) => API + filled.replace('{format}', one))
    })
  const files = [
    ...loaded.matchAll(/(?:href|src)="(?:http:\/\/calendar\.test)?((?:\/desk)?\/assets\/[^"]+)"/g),
  ].map(([, path]) => path!)
  const month = day.slice(0, 7)
  const pages = [
    ...[
      '/',
      `/events/month/${month}/`,
      `/events/day/${day}/`,
      `/event/${event.slug}/`,
      `/venue/${event.venue.slug}/`,
      `/series/${series.slug}/`,
    ],
    ...['/ca/', '/embed/', '/embed?view=month', '/embed.js', '/sitemap.xml', '/robots.txt', '/desk'],
    ...files,
    new URL(picture.url).pathname,
  ]
  const more = [
    '/events.ics?per_page=5',
    '/doc/openapi-3.0.json',
    '/doc/static/swagger-ui.css',
    '/doc/start.js',
    '/doc/style.css',
  ]
  return [...api, ...pages, ...more.map((path) => API + path)]
}
type Operation = { security?: object[]; parameters?: { $ref?: string }[] }
type Document = {
  paths: Record<string, { get?: Operation }>
  components: { parameters: Record<string, { name: string; schema?: { enum?: string[] } }> }
}

/** What is asked of two nodes at once: whatever depends on the hour or the minute is the same then. */
const HOUR = 3_600_000
const hourNow = () => Math.floor(Date.now() / HOUR)
const opaque = (etag: string) => etag.replace('W/', '')

/** Reads an address from both nodes in every coding until all that are offered were seen; returns what differs. */
async function compare(nodes: ServedNode[], path: string) {
  const seen = { codings: new Set<string>(), values: new Set<string>(), etags: new Set<string>() }
  const changed = new Set<string>()
  const texts = new Set<string>()
  for (const node of nodes)
    for (const coding of CODINGS)
      for (let at = 0; at < 4; at++) {
        const { status, headers, text } = await read(node, path, { 'accept-encoding': coding })
        if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
        const used = headers['content-encoding'] ?? 'identity'
        seen.codings.add(used)
        seen.etags.add(headers.etag ?? '')
        seen.values.add(opaque(headers.etag ?? ''))
        changed.add(headers['last-modified'] ?? '')
        texts.add(text.replace(/"next_sync_token":"[^"]+"/, ''))
        if (used !== 'identity' && !headers.etag?.startsWith('W/')) throw new Error(`${path} ${used}: strong`)
      }
  for (const etag of seen.etags)
    for (const node of nodes)
      for (const coding of CODINGS) {
        const known = await read(node, path, { 'accept-encoding': coding, 'if-none-match': etag })
        if (etag !== '' && (known.status !== 304 || known.headers.etag !== etag))
          throw new Error(`${path} ${coding}: ${etag} is ${known.status} ${known.headers.etag}`)
      }
  return { ...seen, changed, texts }
}

/** The time of the last write, which is told once no other write can have the same. */
async function dated(node: ServedNode, path: string): Promise<string> {
  for (;;) {
    const { headers } = await read(node, path, {})
    if (headers['last-modified']) return headers['last-modified']
  }
}

t.test('ETags and times of change are those of every node, in every coding', async (t) => {
  const folder = t.testdir()
  const server = await startPostgres(t)
  const one = await openNode(t, folder, server.url, { MEDIA_DIR: `${folder}/one` })
  const two = await openNode(t, folder, server.url, { MEDIA_DIR: `${folder}/two`, WORKERS: '2' })
  await one.start()
  const authorization = credentialsOf(one)
  const filled = await fill(one, authorization)
  await two.start() // later, and from a copy that it takes
  await caughtUp(two, authorization)
  const document = JSON.parse((await read(one, `${API}/doc`, {})).text) as Document
  const loaded = (await read(one, '/', {})).text + (await read(one, '/desk', {})).text
  const path = `${API}/events/${filled.event.id}`
  for (const node of [one, two]) await dated(node, path)
  const all = { codings: new Set<string>(), bare: [] as string[], undated: 0 }
  for (const path of addressesOf(document, loaded, filled)) {
    const hour = hourNow()
    let found = await compare([one, two], path)
    if (found.values.size > 1 && hourNow() !== hour) found = await compare([one, two], path)
    t.equal(found.values.size, 1, `${path}: ${[...found.etags]}`)
    t.equal(found.changed.size, 1, `${path}: ${[...found.changed]}`)
    t.equal(found.texts.size, 1, path)
    for (const coding of found.codings) all.codings.add(coding)
    if (found.etags.has('')) all.bare.push(path)
    if (found.changed.has('')) all.undated++
  }
  t.same([...all.codings].sort(), ['br', 'gzip', 'identity'])
  t.same(all.bare, [`${API}/`])

  const [{ etag }, other] = [(await read(one, path, {})).headers, (await read(two, path, {})).headers]
  const write = (node: ServedNode, match: string) =>
    askAgain(node, 'PATCH', `/events/${filled.event.id}`, {
      authorization,
      'if-match': match,
      body: { title: 'Other' },
    })
  t.equal((await write(two, `W/${etag}`)).status, 200, 'what one node showed is changed at another')
  t.equal((await write(one, other.etag!)).status, 412)

  const before = (await read(one, path, {})).headers
  await one.stop()
  await one.start()
  await caughtUp(one, authorization)
  t.equal(await dated(one, path), await dated(two, path), 'a node that starts again')
  t.equal((await read(one, path, {})).headers.etag, before.etag)
})
