import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

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
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  site.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
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
