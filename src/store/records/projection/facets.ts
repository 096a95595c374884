import { isDeepStrictEqual } from 'node:util'
import type { Post } from '../../../formats/records.ts'
import { TOUCHED, type Was } from '../../changes/log.ts'
import type { Stored } from './document.ts'
import type { Listing } from './listing.ts'

/** What each column of a row for lists is for filters; the others are flags. */
const COLUMNS: Partial<Record<keyof Listing, number>> = {
  ...{ event_id: 0, modified: 0 },
  ...{ status: TOUCHED.sight, author_id: TOUCHED.sight, language: TOUCHED.sight, hidden: TOUCHED.sight },
  ...{ starts: TOUCHED.dates, ends: TOUCHED.dates, utc_starts: TOUCHED.dates, utc_ends: TOUCHED.dates },
  // filters on what a password protects find the event otherwise
  protected: TOUCHED.traits | TOUCHED.links | TOUCHED.texts,
}

/** What decided who saw a post; `listing` is the row for lists of an event. */
export const wasOf = ({ status, author_id: author, language }: Post, listing: Listing | undefined): Was => ({
  ...{ status, author, language },
  hidden: listing?.hidden ?? false,
})

/** An event with its row for lists. */
type Listed = { stored: Stored; listing: Listing }

/** The bits of `TOUCHED` of a write to an event, from what it was and is. */
export function facetsOf(before: Listed, after: Listed): number {
  const names = Object.keys(after.listing) as (keyof Listing)[]
  let bits = 0
  for (const name of names)
    if (before.listing[name] !== after.listing[name]) bits |= COLUMNS[name] ?? TOUCHED.traits
  if (before.stored.post.folded !== after.stored.post.folded) bits |= TOUCHED.texts
  const { refs } = before.stored
  if (refs && !isDeepStrictEqual(refs, after.stored.refs)) bits |= TOUCHED.links
  return bits
}
