import t from 'tap'
import { build } from '../../../test/support/app.ts'
import { fillWithDemo } from '../../../test/support/demo.ts'
import { byFeedparser } from './programs.ts'

// biome-ignore lint/suspicious/noExplicitAny: events as clients read them
type Json = any

/** What a reader of feeds should find of an item of JSON Feed. */
const wanted = ({ url, title, tags, date_published, attachments = [], _event }: Json) => {
  const at = new Date(date_published)
  const momentOf = (text: string) => (_event.all_day ? text.slice(0, 10) : text)
  return {
    title,
    link: url,
    published: [
      ...[at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()],
      ...[at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()],
    ],
    categories: [...new Set(tags)],
    start: momentOf(_event.start),
    end: momentOf(_event.end),
    enclosures: attachments.map(({ url }: Json) => url),
  }
}

t.test('feedparser reads RSS and Atom of the demo as the API tells it', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' } })
  const { anonymous } = api
  await fillWithDemo(api)
  const filter = 'when=all'
  const { title, items } = JSON.parse((await anonymous.get(`/events.jsonfeed?${filter}`)).text)
  t.ok(items.length > 70)
  for (const [extension, version] of [
    ['rss', 'rss20'],
    ['atom', 'atom10'],
  ] as const) {
    const { entries, ...head } = byFeedparser((await anonymous.get(`/events.${extension}?${filter}`)).text)
    t.same(head, { fault: '', version, title }, extension)
    t.equal(new Set(entries.map(({ id }) => id)).size, items.length)
    t.same(
      entries.map(({ id: _, ...entry }) => entry),
      items.map(wanted),
      extension,
    )
    if (extension === 'rss')
      t.same(
        entries.map(({ id }) => id),
        items.map(({ id }: Json) => id),
      )
  }
})
