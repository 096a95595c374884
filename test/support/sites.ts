import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { listenOn } from './ports.ts'

/** What a path answers; with `etag` or `modified` also 304 to those who know it. */
type Answer = {
  body?: string | Buffer
  type?: string
  status?: number
  etag?: string
  modified?: string
  location?: string
  /** The connection ends before the answer does. */
  isCut?: boolean
}

/** A site with feeds, each at a path, and what was asked of it. */
export async function openFeeds(t: Test) {
  const site = { root: '', host: '', answers: {} as Record<string, Answer>, asked: [] as string[] }
  const server = createServer(({ url = '', headers }, response) => {
    const answer = site.answers[url] ?? { status: 404, body: 'nothing here' }
    const { body = '', type = 'text/calendar', etag, modified, location, isCut = false } = answer
    const isKnown =
      (etag !== undefined && headers['if-none-match'] === etag) ||
      (modified !== undefined && headers['if-modified-since'] === modified)
    const status = isKnown ? 304 : (answer.status ?? 200)
    site.asked.push(`${status} ${url}`)
    response.writeHead(status, {
      'content-type': type,
      ...(etag !== undefined && { etag }),
      ...(modified !== undefined && { 'last-modified': modified }),
      ...(location !== undefined && { location }),
      ...(isCut && { 'content-length': Buffer.byteLength(body) + 100 }),
    })
    if (isCut) response.write(body, () => response.destroy())
    else response.end(isKnown ? '' : body)
  })
  site.host = `127.0.0.1:${await listenOn(t, server)}`
  site.root = `http://${site.host}`
  return site
}

/** A file of iCalendar with these events, each as its lines. */
export const calendarOf = (...events: string[][]): string =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//club'],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
    ...['END:VCALENDAR', ''],
  ].join('\r\n')

/** The lines of an event: its UID, which names it, its day in December, and more. */
export const vevent = (uid: string, day: number, ...more: string[]): string[] => {
  const date = `202612${String(day).padStart(2, '0')}`
  const own = more.some((line) => line.startsWith('SUMMARY')) ? [] : [`SUMMARY:${uid}`]
  return [`UID:${uid}`, `DTSTART:${date}T190000`, `DTEND:${date}T210000`, ...own, ...more]
}

/** An RSS feed with these items. */
export const rssOf = (...items: string[]): string =>
  `<?xml version="1.0"?>\n<rss version="2.0" xmlns:ev="http://purl.org/rss/1.0/modules/event/" xmlns:xcal="urn:ietf:params:xml:ns:xcal" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Band</title>\n${items.map((item) => `<item>${item}</item>`).join('\n')}\n</channel></rss>`

// biome-ignore lint/suspicious/noExplicitAny: records of a source have any form
type Shown = Record<string, any>
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const NO_ROUTE = { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } }

/** A site that answers as the reference does where it differs from this calendar (reference §1.1, §2.2, §3.2). */
export async function openReference(t: Test) {
  const site = {
    root: '',
    /** The records of each list; a list that is absent is no route. */
    lists: { events: [], categories: [], tags: [] } as Record<string, Shown[]>,
    /** Events that no list has. */
    hidden: [] as Shown[],
    /** What answers the next requests instead, one each. */
    instead: [] as Behaviour[],
  }

  const json = (response: ServerResponse, status: number, body: unknown) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
      .end(`\ufeff${JSON.stringify(body)}`)

  const server = createServer((request, response) => {
    const instead = site.instead.shift()
    if (instead) return instead(request, response)
    const url = new URL(request.url!, 'http://source.test')
    const [, plural = '', id] = /v1\/(\w+)\/?(\d*)$/.exec(url.pathname) ?? []
    const list = site.lists[plural]
    if (url.pathname.endsWith('.png')) return void response.writeHead(404).end()
    if (!list) return json(response, 404, NO_ROUTE)
    if (id) {
      const one = [...list, ...site.hidden].find((record) => record.id === Number(id))
      return one ? json(response, 200, one) : json(response, 404, { code: 'rest-event-not-found' })
    }
    const [page, size] = [
      Number(url.searchParams.get('page') ?? 1),
      Math.min(Number(url.searchParams.get('per_page')), 50),
    ]
    const records = list.slice((page - 1) * size, page * size)
    if (page > 1 && records.length === 0) return json(response, 400, { code: 'event-archive-page-not-found' })
    // one page more than there is, as of a site whose filters hide some
    const pages = Math.ceil(list.length / size) + 1
    json(response, 200, { [plural]: records, total: list.length, total_pages: pages })
  })
  site.root = `http://127.0.0.1:${await listenOn(t, server)}/wp-json/tribe/events/v1`
  return site
}

/** An event as the reference shows one, without what nobody reads. */
export const tribeEvent = (id: number, more: Shown = {}): Shown => ({
  ...{
    id,
    author: '1',
    status: 'publish',
    date_utc: '2026-11-01 09:00:00',
    url: `https://old.example/event/e-${id}/`,
  },
  ...{ title: `Event ${id}`, slug: `e-${id}`, description: '', excerpt: '', image: false, all_day: false },
  ...{
    start_date: '2026-12-01 20:00:00',
    end_date: '2026-12-01 22:00:00',
    timezone: 'Europe/Madrid',
    cost: '',
  },
  ...{ cost_details: { currency_symbol: '', currency_code: '', currency_position: 'prefix', values: [] } },
  ...{
    website: `https://old.example/event/e-${id}/`,
    show_map: true,
    show_map_link: true,
    hide_from_listings: false,
  },
  ...{
    sticky: false,
    featured: false,
    categories: [],
    tags: [],
    venue: [],
    organizer: [],
    custom_fields: [],
  },
  ...more,
})
