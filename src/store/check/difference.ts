/** What can not be derived from anything: it takes a backup of the database. */
export const LASTING = ['integrity', 'reference', 'record'] as const
/** What can be wrong, worst first: `picture` lacks files, `file` has no picture. */
export const KINDS = [
  ...LASTING,
  'picture',
  'link',
  'search',
  'document',
  'listing',
  'count',
  'file',
] as const
export type Kind = (typeof KINDS)[number]
/**
 * `id` is that of the record that `what` names, of the note about the files that `what` names, and 0 where a difference belongs to
 * the whole database or folder.
 */
export type Difference = { kind: Kind; id: number; what: string }
/** A batch of records: which they are, and what is wrong with them. */
export type Found = { ids: number[]; differences: Difference[] }

/** Records that are looked at, and held in memory, at a time. */
export const BATCH = 200
