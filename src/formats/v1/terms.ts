import { BASE, type Origin, open, place, print, ROOT, VENDOR } from '../json.ts'
import type { TermRecord, TermRow } from '../records.ts'

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

const termMembers = (row: TermRow) => ({
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

/** The members of a term as events show it (reference §1.2). */
export const embeddedTerm = (row: TermRow) => ({
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
})

/** A term as its own endpoints return it, as an open object without `translations` (reference §3.2). */
export const renderTerm = (row: TermRow) => open(termMembers(row))

/** A term as events show it, complete. */
export const renderEmbeddedTerm = (row: TermRow) => Buffer.from(print(embeddedTerm(row)))

/** A term as its own endpoints show it, as bytes. */
export const termV1 = (term: TermRecord, origin: Origin): Buffer =>
  Buffer.concat(place(Buffer.from(print({ ...termMembers(term), translations: term.translations })), origin))
