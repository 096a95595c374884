import { eq } from 'drizzle-orm'
import { venues } from '../../drizzle/tables.ts'
import type { VenueInput } from '../../schemas/venue.ts'
import { invalid, type Problems } from '../errors.ts'
import type { Db } from './db.ts'
import { agrees, editable, namesakes, openLinked } from './linked.ts'
import { checkAuthor, checkMayWrite, checkNotInTrash, type Key, seekPost } from './posts.ts'
import { checkPostInput } from './references.ts'
import { type Post, stateProvince, type VenueRow } from './render.ts'
import { searched, VENUE_TEXTS } from './searched.ts'
import type { Site } from './site.ts'
import { finish, keep, operationOf, savePost, type Write } from './write.ts'

/** The row after a write; maps are shown unless told otherwise (reference §2.4). */
function rowAfter(input: VenueInput, self?: VenueRow) {
  const texts = Object.fromEntries(
    VENUE_TEXTS.map((name) => [name, keep(input[name], self?.[name])]),
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

async function save(w: Write, input: VenueInput, self?: { post: Post; venue: VenueRow }): Promise<Post> {
  const row = rowAfter(input, self?.venue)
  const texts = searched.venue({ description: keep(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'venue', input.venue ?? self!.post.title, input, texts, self?.post)
  if (self) await w.tx.update(venues).set(row).where(eq(venues.post_id, post.id))
  else await w.tx.insert(venues).values({ post_id: post.id, ...row })
  await finish(w, post, operationOf(self?.post, post))
  return post
}

/** What is wrong with the records that a venue's input names. */
export const checkVenue = (w: Write, input: VenueInput, self?: Post): Promise<Problems> =>
  checkPostInput(w, 'venue', input, self)

/** Creates a venue; what it names was checked. */
export const insertVenue = (w: Write, input: VenueInput): Promise<Post> => save(w, input)

/** The venue meant by one that is given inside an event: an existing one of the same name, or a new one (D31). */
export async function inlineVenue(w: Write, input: VenueInput): Promise<number> {
  for (const post of await namesakes(w, 'venue', input.venue!)) {
    const [row] = await w.tx.select().from(venues).where(eq(venues.post_id, post.id))
    if (agrees(w, input, post, { ...row, stateprovince: stateProvince(row!) })) return post.id
  }
  return (await insertVenue(w, input)).id
}

export function openVenues(db: Db, site: Site) {
  return {
    ...openLinked(db, site, 'venue'),
    async create(w: Write, input: VenueInput): Promise<number> {
      const problems = await checkVenue(w, input)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      checkMayWrite(w.caller, 'create venues')
      checkAuthor(w.caller, input.author)
      return (await insertVenue(w, input)).id
    },
    async update(w: Write, key: Key, input: VenueInput): Promise<number> {
      const problems = await checkVenue(w, input, await seekPost(w.tx, 'venue', key))
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const post = await editable(w, 'venue', key)
      checkNotInTrash(post, input.status)
      checkAuthor(w.caller, input.author, post)
      const [venue] = await w.tx.select().from(venues).where(eq(venues.post_id, post.id))
      return (await save(w, input, { post, venue: venue! })).id
    },
  }
}
