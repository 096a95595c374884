import type { Db } from '../../kernel/database/db.ts'

/** Kinds that only a backup of the database corrects, because the data can not be derived. */
export const LASTING = ['integrity', 'reference', 'record'] as const
/** Kinds of differences, worst first. `copy`: a row of a node's copy that PostgreSQL has otherwise; `picture`: an image without files; `time`: times in UTC that the zone of an event does not give any more; `file`: a file without an image. */
export const KINDS = [
  ...LASTING,
  'copy',
  'picture',
  'time',
  'link',
  'search',
  'document',
  'listing',
  'count',
  'file',
] as const
export type Kind = (typeof KINDS)[number]
/**
 * `what` describes the difference. `id` is the ID of its record, or of the note about its files, or 0 for the whole database or
 * folder.
 */
export type Difference = { kind: Kind; id: number; what: string }
/** A batch of records and their differences. */
export type Found = { ids: number[]; differences: Difference[] }

/** What helps if a database is damaged. */
export const remedy = ({ replica }: Pick<Db, 'replica'>) =>
  replica
    ? 'the copy of this node is damaged; stop its service, delete the file REPLICA, and start it: the copy is taken anew'
    : 'the database is damaged; restore a backup'

/** Records that are checked, and held in memory, at the same time. */
export const BATCH = 200
