import { versionOf } from './schema.ts'

/** The row of `almanac.head`, and what the log says of the group that a copy has. */
export type Head = {
  seq: number
  commit_id: string
  origin: string
  version: number
  counters: string
  /** The ID of the group with the copy's number, if the log still has it. */
  mine: string | null
}

/** SQL that reads the head for a copy that has this group. */
export const headFor = (seq: number) =>
  `select seq, commit_id, origin, version, counters, (select commit_id from almanac.log where seq = ${seq}) as mine from almanac.head`

/** Why a node can not go on with its copy. */
export type Parting = { kind: 'newer'; version: number } | { kind: 'stale'; why: string }

/** Whether a copy with this group can follow the head; if not, why. */
export function partingOf(
  head: Head,
  copy: { seq: number; commit_id: string; origin: string },
): Parting | undefined {
  if (head.origin !== copy.origin) return { kind: 'stale', why: 'it is of another calendar' }
  if (head.version > versionOf()) return { kind: 'newer', version: head.version }
  if (copy.seq === head.seq && copy.commit_id === head.commit_id) return undefined
  if (head.mine === null)
    return {
      kind: 'stale',
      why:
        copy.seq > head.seq
          ? `it has group ${copy.seq}, and PostgreSQL has ${head.seq} at most: a failover lost what came after`
          : `group ${copy.seq} is no longer in the log`,
    }
  if (head.mine === copy.commit_id) return undefined
  return {
    kind: 'stale',
    why: `group ${copy.seq} is another one in PostgreSQL: a failover lost what this copy has`,
  }
}
