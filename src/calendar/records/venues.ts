import { eq, sql } from 'drizzle-orm'
import { venues } from '../../../drizzle/tables.ts'
import type { VenueInput } from '../../../schemas/venue.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Problems } from '../../kernel/errors.ts'
import { type Post, stateProvince, type VenueRow } from '../formats/records.ts'
import { saveExternal } from './externals.ts'
import { openLinkedWrites } from './linked.ts'
import { searched, VENUE_TEXTS } from './projection/derived.ts'
import { project } from './projection/project.ts'
import { savePost, textAfter, type Write } from './write.ts'

/** The row after a write. Maps are shown by default (reference §2.4). */
function rowAfter(input: VenueInput, self?: VenueRow) {
  const texts = Object.fromEntries(
    VENUE_TEXTS.map((name) => [name, textAfter(input[name], self?.[name])]),
  ) as Record<(typeof VENUE_TEXTS)[number], string>
  const flag = (name: 'show_map' | 'show_map_link') =>
    input[name] === undefined ? (self?.[name] ?? true) : (input[name] ?? true)
  const degrees = (name: 'geo_lat' | 'geo_lng') =>
    input[name] === undefined ? (self?.[name] ?? null) : input[name]
  return {
    ...texts,
    show_map: flag('show_map'),
    show_map_link: flag('show_map_link'),
    geo_lat: degrees('geo_lat'),
    geo_lng: degrees('geo_lng'),
  }
}

async function saveVenue(w: Write, input: VenueInput, self?: { post: Post; venue: VenueRow }): Promise<Post> {
  const row = rowAfter(input, self?.venue)
  const texts = searched.venue({ description: textAfter(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'venue', input.venue ?? self!.post.title, input, texts, self?.post)
  const venue = { post_id: post.id, ...row }
  await upsertVenue(w.tx).execute(venue)
  const external = await saveExternal(w, post, input, !self)
  await project(w, 'post', {
    before: self,
    after: { post, venue, ...(external !== undefined && { external }) },
  })
  return post
}

/**
 * Problems with a latitude without a longitude, or the reverse, after a write. Those of a new venue are sent together, even if one is
 * null: that is what a schema can say.
 */
function checkCoordinates(input: VenueInput, stored?: Record<string, unknown>): Problems {
  if (input.geo_lat === undefined && input.geo_lng === undefined) return {}
  const none = stored ? null : undefined
  const { geo_lat = none, geo_lng = none } = { ...stored, ...input }
  const lacks = (one: unknown, other: unknown) =>
    one === undefined || (one === null && typeof other === 'number')
  if (lacks(geo_lat, geo_lng)) return { geo_lat: 'is needed beside geo_lng.' }
  return lacks(geo_lng, geo_lat) ? { geo_lng: 'is needed beside geo_lat.' } : {}
}

const selectVenue = prepared((db) =>
  db
    .select()
    .from(venues)
    .where(eq(venues.post_id, sql.placeholder('id')))
    .prepare(),
)
const upsertVenue = prepared((db) =>
  db
    .insert(venues)
    .values(columnsOf(venues))
    .onConflictDoUpdate({ target: venues.post_id, set: excludedOf(venues) })
    .prepare(),
)
const venueRowOf = async (tx: Queries, id: number): Promise<VenueRow> => (await selectVenue(tx).execute({ id }))[0]!

export const venueWrites = openLinkedWrites<VenueInput>({
  kind: 'venue',
  nameOf: (input) => input.venue!,
  conflicts: checkCoordinates,
  rowOf: venueRowOf,
  stored: async (tx, id) => {
    const row = await venueRowOf(tx, id)
    return { ...row, stateprovince: stateProvince(row) }
  },
  save: async (w, input, self) => saveVenue(w, input, self && { post: self, venue: await venueRowOf(w.tx, self.id) }),
})
