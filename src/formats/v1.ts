import type { events, media, organizers, posts, terms, venues } from '../../drizzle/tables.ts'
import { buildCost } from '../rules/cost.ts'
import { abbreviation, dateDetails, NEVER, secondsOf } from '../rules/dates.ts'
import { BASE, filled, HOST, mediaUrl, open, permalink, print, ROOT, VENDOR } from './json.ts'
import { eventJsonLd, organizerJsonLd, venueJsonLd } from './json-ld.ts'

export type Post = typeof posts.$inferSelect
export type EventRow = typeof events.$inferSelect
export type VenueRow = typeof venues.$inferSelect
export type OrganizerRow = typeof organizers.$inferSelect
export type TermRow = typeof terms.$inferSelect
export type MediaRow = typeof media.$inferSelect

/** Not published: an event shows no UTC date then, and may have no slug. */
export const isDraft = (status: string) => status === 'draft' || status === 'pending'

const globalId = (id: number) => `${HOST}?id=${id}`
/** The UTC publication date as it is shown. */
export const shownDateUtc = (post: Pick<Post, 'kind' | 'status' | 'date_utc'>) =>
  (post.kind === 'event' && isDraft(post.status) ? '' : post.date_utc) || NEVER

function postMembers(post: Post) {
  return {
    id: post.id,
    global_id: globalId(post.id),
    global_id_lineage: [globalId(post.id)],
    author: String(post.author_id),
    status: post.status,
    date: post.date,
    date_utc: shownDateUtc(post),
    modified: post.modified,
    modified_utc: post.modified_utc,
    url: permalink(post),
    language: post.language,
  }
}

/** The `image` member: without smaller versions there is no `sizes` (reference §1.2). */
export function imageMember(row: MediaRow | null) {
  if (!row) return false
  const sizes = mediaSizes(row)
  return {
    url: mediaUrl(row.file),
    id: row.id,
    extension: row.extension,
    width: row.width,
    height: row.height,
    filesize: row.filesize,
    ...(Object.keys(sizes).length > 0 && { sizes }),
  }
}

const mediaSizes = (row: MediaRow) =>
  Object.fromEntries(
    Object.entries(row.sizes).map(([name, size]) => [
      name,
      {
        width: size.width,
        height: size.height,
        'mime-type': row.mime_type,
        filesize: size.filesize,
        url: mediaUrl(size.file),
      },
    ]),
  )

/** A media object (D43, R8), complete. */
export const renderMedia = (row: MediaRow) =>
  Buffer.from(
    print({
      id: row.id,
      source_url: mediaUrl(row.file),
      url: mediaUrl(row.file),
      author: String(row.author_id),
      date_utc: row.date_utc,
      mime_type: row.mime_type,
      extension: row.extension,
      width: row.width,
      height: row.height,
      filesize: row.filesize,
      sizes: mediaSizes(row),
    }),
  )

const NO_COST = buildCost([], 'USD')

/** An event's own members, open for its links; blanked ones for those without its password (D29). */
export function renderEvent(post: Post, event: EventRow, image: MediaRow | null, currency: string) {
  const cost = buildCost(event.cost, currency)
  // Object.assign, since V8 takes thirty times as long to spread into a literal of so many members
  const shown = (blank: boolean) =>
    Object.assign(
      postMembers(post),
      {
        rest_url: `${ROOT}/events/${post.id}`,
        title: post.title,
        description: blank ? '' : post.description,
        excerpt: blank ? '' : post.excerpt,
        slug: post.slug,
        image: blank ? false : imageMember(image),
        all_day: !blank && event.all_day,
        start_date: event.start_date,
        start_date_details: dateDetails(event.start_date),
        end_date: event.end_date,
        end_date_details: dateDetails(event.end_date),
        utc_start_date: event.utc_start_date,
        utc_start_date_details: dateDetails(event.utc_start_date),
        utc_end_date: event.utc_end_date,
        utc_end_date_details: dateDetails(event.utc_end_date),
        timezone: event.timezone,
        timezone_abbr: abbreviation(secondsOf(event.utc_start_date) * 1000, event.timezone),
      },
      blank ? NO_COST : cost,
      {
        website: blank ? '' : event.website,
        show_map: !blank && event.show_map,
        show_map_link: !blank && event.show_map_link,
        hide_from_listings: !blank && event.hide_from_listings,
        sticky: !blank && event.sticky,
        featured: !blank && event.featured,
        ticketed: !blank && event.ticketed,
        post_parent: post.parent_id ?? 0,
      },
    )
  return {
    body: open(shown(false)),
    blanked: post.password_hash === null ? null : open(shown(true)),
    json_ld: open(eventJsonLd(post, event, image, cost, currency)),
  }
}

/** State or province as shown: as given, else derived (reference §2.4). */
export function stateProvince(venue: VenueRow): string {
  const american = ['', 'US', 'United States'].includes(venue.country)
  return venue.stateprovince || (american ? venue.state || venue.province : venue.province)
}

/** A venue's members, open for `translations` and `json_ld`. */
export function renderVenue(post: Post, venue: VenueRow, image: MediaRow | null) {
  const { address, city, country, province, state, zip, phone, website, geo_lat, geo_lng } = venue
  const stateprovince = stateProvince(venue)
  return {
    body: open({
      ...postMembers(post),
      venue: post.title,
      ...filled({ description: post.description, slug: post.slug, image: imageMember(image) }),
      ...filled({
        address,
        city,
        country,
        province,
        state,
        zip,
        phone,
        website,
        stateprovince,
        geo_lat,
        geo_lng,
      }),
      show_map: venue.show_map,
      show_map_link: venue.show_map_link,
    }),
    blanked: null,
    json_ld: Buffer.from(print(venueJsonLd(post, venue, stateprovince, image))),
  }
}

/** An organizer's members, open for `translations` and `json_ld`. */
export function renderOrganizer(post: Post, organizer: OrganizerRow, image: MediaRow | null) {
  const { phone, website, email } = organizer
  return {
    body: open({
      ...postMembers(post),
      organizer: post.title,
      ...filled({
        description: post.description,
        slug: post.slug,
        image: imageMember(image),
        phone,
        website,
        email,
      }),
    }),
    blanked: null,
    json_ld: Buffer.from(print(organizerJsonLd(post, organizer, image))),
  }
}

const COLLECTION = { category: 'categories', tag: 'tags' } as const

function termUrls(row: TermRow) {
  const collection = `${ROOT}/${COLLECTION[row.taxonomy]}`
  return {
    self: `${collection}/${row.id}`,
    collection,
    ...(row.parent_id !== 0 && { up: `${collection}/${row.parent_id}` }),
  }
}
const taxonomyOf = (row: TermRow) => (row.taxonomy === 'tag' ? 'post_tag' : `${VENDOR}_events_cat`)

/** A term as its own endpoints show it, open for `translations` (reference §3.2). */
export const renderTerm = (row: TermRow) =>
  open({
    id: row.id,
    count: row.count,
    description: row.description,
    name: row.name,
    slug: row.slug,
    taxonomy: taxonomyOf(row),
    ...(row.taxonomy === 'category' && { parent: row.parent_id }),
    meta: [],
    url: `${BASE}/events/${row.taxonomy}/${row.slug}/`,
    urls: termUrls(row),
    language: row.language,
  })

/** A term as events show it, complete (reference §1.2). */
export const renderEmbeddedTerm = (row: TermRow) =>
  Buffer.from(
    print({
      name: row.name,
      slug: row.slug,
      term_group: 0,
      term_taxonomy_id: row.id,
      taxonomy: taxonomyOf(row),
      description: row.description,
      parent: row.parent_id,
      count: row.count,
      filter: 'raw',
      id: row.id,
      urls: termUrls(row),
    }),
  )

/** Addresses that take the markers' place. */
export type Origin = { base: string; root: string; vendor: string; host: string }

const places = new WeakMap<Origin, Buffer[]>()

/** What stands in the place of each marker, by its byte. */
function placesOf(origin: Origin): Buffer[] {
  const known = places.get(origin)
  if (known) return known
  const texts = { [BASE]: origin.base, [ROOT]: origin.root, [VENDOR]: origin.vendor, [HOST]: origin.host }
  const values = [Buffer.alloc(0)] // no marker is 0
  for (const [mark, text] of Object.entries(texts)) values[mark.charCodeAt(0)] = Buffer.from(text)
  places.set(origin, values)
  return values
}

/** `json` with its markers replaced, in parts: nothing is copied, and no text is made of it. */
export function place(json: Buffer, origin: Origin): Buffer[] {
  const values = placesOf(origin)
  const next = values.map((_, mark) => (mark === 0 ? -1 : json.indexOf(mark)))
  /** The marker that comes next; 0 where none does. */
  const first = () => {
    let nearest = 0
    for (let mark = 1; mark < next.length; mark++)
      if (next[mark]! >= 0 && (nearest === 0 || next[mark]! < next[nearest]!)) nearest = mark
    return nearest
  }
  const parts: Buffer[] = []
  let from = 0
  for (let mark = first(); mark > 0; mark = first()) {
    const at = next[mark]!
    parts.push(json.subarray(from, at), values[mark]!)
    from = at + 1
    next[mark] = json.indexOf(mark, from)
  }
  parts.push(json.subarray(from))
  return parts
}
