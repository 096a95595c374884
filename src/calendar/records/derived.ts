import { eq, sql } from 'drizzle-orm'
import { documents, externals, listings, posts, type Refs } from '../../../drizzle/tables.ts'
import { FIELD_FLAGS, pick } from '../../../schemas/event-flags.ts'
import { STATE_NAMES } from '../../../schemas/event-states.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { stripHtml } from '../../kernel/text/html.ts'
import { fold } from '../../kernel/text/text.ts'
import { secondsOf } from '../../kernel/time/dates.ts'
import { isFree } from '../cost.ts'
import { linkedJsonLd, openJsonLd } from '../formats/json-ld.ts'
import { packed } from '../formats/packed.ts'
import {
  blanked,
  type EventRow,
  type External,
  hasDates,
  type MediaRow,
  type OccurrenceRow,
  type OrganizerRow,
  type Own,
  ownEvent,
  ownOrganizer,
  ownSeries,
  ownVenue,
  type Post,
  type SeriesRow,
  stateProvince,
  type VenueRow,
} from '../formats/records.ts'
import { open, print } from '../formats/urls.ts'
import { ownMembers } from '../formats/v1.ts'
import { findExternal } from './posts.ts'
import { linksNow, linksOf, NO_REFS, postRows, selectWhole } from './rows.ts'

/** A post with the row of its kind and its picture. */
type Rows = {
  post: Post
  event: EventRow | null
  series?: SeriesRow | null
  occurrence?: OccurrenceRow | null
  venue: VenueRow | null
  organizer: OrganizerRow | null
  external?: External | null
  image: MediaRow | null
}
/** A post as a write left it; what the write did not have at hand is absent. */
export type Stored = {
  post: Post
  event?: EventRow
  series?: SeriesRow
  /** Of an event that has a parent; null if it is no occurrence of a series. */
  occurrence?: OccurrenceRow | null
  venue?: VenueRow
  organizer?: OrganizerRow
  /** What another system calls it; null if none does. Of a new record that is the same as absent. */
  external?: External | null
  /** An event's links. */
  refs?: Refs
  /** The row for lists of an event that is deleted. */
  listing?: Listing | undefined
}

const rowsOf = prepared((db) =>
  selectWhole(db, { post: posts })
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)
const upsertDocument = prepared((db) =>
  db
    .insert(documents)
    // as text, since an encoder would also turn null into text
    .values({ ...columnsOf(documents), refs: sql`${sql.placeholder('refs')}` })
    .onConflictDoUpdate({ target: documents.post_id, set: excludedOf(documents) })
    .prepare(),
)

/** A post as formats take it. */
function ownOf(rows: Rows, { currency }: Pick<Site, 'currency'>): Own {
  const { post, event, series, occurrence, venue, organizer } = rows
  if (series) return ownSeries(post, { event: event!, series }, rows, currency)
  if (event) return ownEvent(post, event, rows, currency, occurrence)
  return venue ? ownVenue(post, venue, rows) : ownOrganizer(post, organizer!, rows)
}

/** The correct document of a post; `refs` are the links of an event. */
export function renderDocument(
  rows: Rows,
  refs: Refs,
  site: Pick<Site, 'currency'>,
): Omit<typeof documents.$inferSelect, 'post_id'> {
  const { status, author_id, translation_group, password_hash } = rows.post
  const own = ownOf(rows, site)
  const dated = own.kind === 'event' || own.kind === 'series' ? own : undefined
  const isProtected = password_hash !== null
  return {
    status,
    author_id,
    translation_group,
    protected: isProtected,
    refs: dated ? refs : null,
    body: open(ownMembers(own)),
    blanked: dated && isProtected ? open(ownMembers(blanked(dated))) : null,
    json_ld: Buffer.from(
      own.kind === 'event' || own.kind === 'series' ? openJsonLd(own) : print(linkedJsonLd(own)),
    ),
  }
}

/** The correct document of a post as it is stored, at once; undefined if there is no post, or if it has lost its fields. */
export function deriveDocument(db: Queries, site: Pick<Site, 'currency'>, id: number) {
  const rows = rowsOf(db).get({ id })
  return rows?.[rows.post.kind] && renderDocument(rows, linksNow(db, id), site)
}

const NO_ROWS = { event: null, series: null, occurrence: null, venue: null, organizer: null, image: null }
/** Whether it is known of an event which date of a series it is. What has no parent is none. */
const isWhole = ({ parent_id }: Post, { occurrence }: Pick<Stored, 'occurrence'>) =>
  parent_id === null || occurrence !== undefined

/**
 * Derives the document of a post, and for an event its row for lists. Reads what is not at hand, and returns the links and that row. A
 * new post has nothing that is not at hand.
 */
export async function saveDocument(
  tx: Queries,
  site: Pick<Site, 'currency'>,
  { post, refs, listing: _, ...own }: Stored,
  isNew = false,
): Promise<{ refs: Refs; listing: Listing | undefined }> {
  const { id, kind, image_id } = post
  const isAtHand = kind === 'event' ? own.event && isWhole(post, own) : own[kind]
  const all: Rows = isAtHand ? { ...NO_ROWS, post, ...own } : (await rowsOf(tx).execute({ id }))[0]!
  if (isAtHand && !isNew && own.external === undefined) all.external = await findExternal(tx, id)
  if (isAtHand && image_id !== null) all.image = (await postRows.image.find(tx, image_id))!
  const links = refs ?? (hasDates(kind) ? await linksOf(tx, id) : NO_REFS)
  const document = packed(renderDocument(all, links, site))
  await upsertDocument(tx).execute({
    ...document,
    post_id: id,
    refs: document.refs && JSON.stringify(document.refs),
  })
  const listing = kind === 'event' ? deriveListing(post, all.event!) : undefined
  if (listing) await postRows.listing.save(tx, listing)
  return { refs: links, listing }
}

export type Listing = typeof listings.$inferSelect

const storedListing = prepared((db) =>
  db
    .select({ listing: listings, external: externals })
    .from(listings)
    .leftJoin(externals, eq(externals.post_id, listings.event_id))
    .where(eq(listings.event_id, sql.placeholder('id')))
    .prepare(),
)

/** The row for lists of an event as it is stored, and what another system calls it. */
export const findListing = async (
  tx: Queries,
  id: number,
): Promise<{ listing: Listing; external: External | null } | undefined> =>
  (await storedListing(tx).execute({ id }))[0]

/** The correct row of an event. */
export const deriveListing = (post: Post, event: EventRow): Listing => ({
  event_id: post.id,
  status: post.status,
  hidden: event.hide_from_listings,
  author_id: post.author_id,
  language: post.language,
  parent_id: post.parent_id,
  starts: secondsOf(event.start_date),
  ends: secondsOf(event.end_date),
  utc_starts: secondsOf(event.utc_start_date),
  utc_ends: secondsOf(event.utc_end_date),
  modified: secondsOf(post.modified_utc),
  protected: post.password_hash !== null,
  ...pick(event, FIELD_FLAGS),
  free: isFree(event.cost),
  ...pick(event, STATE_NAMES),
})

type Texts = Pick<Post, 'description' | 'excerpt'>

/** The texts of a venue that only its own row has. */
export const VENUE_TEXTS = [
  'address',
  'city',
  'country',
  'province',
  'state',
  'zip',
  'phone',
  'stateprovince',
  'website',
] as const

function textsOf({ excerpt, description }: Texts): string[] {
  return [excerpt, description].map(stripHtml)
}

/** The searched texts of each kind of record, besides the title. */
export const searched = {
  event: textsOf,
  series: textsOf,
  venue: ({ description }: Pick<Texts, 'description'>, row: Omit<VenueRow, 'post_id'>) => [
    stripHtml(description),
    ...VENUE_TEXTS.map((name) => row[name]),
    stateProvince(row),
  ],
  organizer: (
    { description }: Pick<Texts, 'description'>,
    { phone, website, email }: Omit<OrganizerRow, 'post_id'>,
  ) => [stripHtml(description), phone, website, email],
}

/** The texts of a record that searches use. */
export function foldAll(title: string, texts: string[]): Pick<Post, 'folded' | 'folded_title'> {
  const folded_title = fold(title)
  return { folded: [folded_title, ...texts.map(fold)].filter(Boolean).join('\n'), folded_title }
}
