import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const API = '//wp-json/tribe/events/v1'
const WP = '//wp-json/wp/v2'
const TEC = '//wp-json/tec/v1'

type Found = { id: number; title?: unknown }

/** A writer: looks for what it wants to add, and adds it if it does not find it. */
async function ensure(
  { editor }: Api,
  found: (body: never) => Found[],
  search: string,
  url: string,
  body: object | Buffer,
  more?: { headers: Record<string, string> },
): Promise<number> {
  const [known] = found((await must(editor.get(search))) as never)
  return known ? known.id : ((await must(editor.post(url, body, more))).id as number)
}

t.test('a writer that looks for what it made runs twice without duplicates', async (t) => {
  const api = await build(t)
  const picture = await draw(20, 20)
  const run = async () => {
    const image = await ensure(
      api,
      (list: Found[]) => list,
      `${WP}/media?search=Main+Stage.png`,
      `${WP}/media`,
      picture,
      raw('Main Stage.png', 'image/png'),
    )
    const bySlug = await ensure(
      api,
      (list: Found[]) => list,
      `${WP}/media?slug=poster`,
      `${WP}/media`,
      picture,
      raw('poster.png', 'image/png'),
    )
    const venue = await ensure(
      api,
      ({ venues }: { venues: Found[] }) => venues,
      `${API}/venues?search=${encodeURIComponent('Main Hall')}`,
      `${API}/venues`,
      { venue: 'Main Hall' },
    )
    const organizer = await ensure(
      api,
      (list: Found[]) => list,
      `${TEC}/organizers?search=choir`,
      `${TEC}/organizers`,
      { title: 'Choir' },
    )
    const place = await ensure(
      api,
      (list: Found[]) => list,
      `${WP}/tribe_venue?slug=back-room`,
      `${WP}/tribe_venue`,
      { title: 'Back room' },
    )
    const event = await ensure(
      api,
      ({ events }: { events: Found[] }) => events,
      `${API}/events?search=Concert&start_date=2026-12-01&end_date=2026-12-31&status=any`,
      `${API}/events`,
      { ...EVENT, venue, organizer, image, status: 'draft' },
    )
    const talk = await ensure(
      api,
      (list: Found[]) => list,
      `${TEC}/events?search=talk&status=any`,
      `${TEC}/events`,
      { ...EVENT, title: 'Talk', venues: [place], featured_media: bySlug },
    )
    const tag = await ensure(api, (list: Found[]) => list, `${WP}/tags?slug=late`, `${WP}/tags`, {
      name: 'Late',
    })
    return [image, bySlug, venue, organizer, place, event, talk, tag]
  }
  const first = await run()
  const before = await api.fingerprint()
  t.same(await run(), first)
  t.equal(await api.fingerprint(), before)
})
