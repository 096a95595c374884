import { and, eq, inArray, or, type SQL } from 'drizzle-orm'
import { listings } from '../../../drizzle/tables.ts'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import { type Caller, canEdit, canReadOthers, canWrite } from '../../rules/roles.ts'
import type { Traits } from '../index/traits.ts'

const NOT_TRASHED = ['publish', 'future', 'draft', 'pending', 'private'] as const

/** The events that the caller may read one by one (D8, D36), with these statuses or the default ones. */
export function readableBy(
  caller: Caller,
  { status }: { status?: (Status | 'any')[] },
): Pick<Traits, 'statuses' | 'author'> {
  if (!canWrite(caller)) return { statuses: ['publish'] }
  const all = status === undefined || status.includes('any')
  const statuses = all ? NOT_TRASHED : (status as Status[])
  return { statuses, author: canReadOthers(caller) ? undefined : caller!.id }
}

/** A condition on rows of `listings`: events that the caller may read one by one. */
export function readable(caller: Caller): SQL | undefined {
  const { statuses, author } = readableBy(caller, {})
  return and(
    eq(listings.hidden, false),
    inArray(listings.status, [...statuses]),
    author === undefined ? undefined : or(eq(listings.status, 'publish'), eq(listings.author_id, author)),
  )
}

/** A condition on rows: not protected by a password, or editable by the caller (R13). */
export function openTo(caller: Caller): SQL | undefined {
  if (canEdit(caller, { author_id: NOBODY, status: 'publish' })) return undefined
  const own = STATUSES.filter((status) => caller && canEdit(caller, { author_id: caller.id, status }))
  return or(
    eq(listings.protected, false),
    own.length === 0 ? undefined : and(eq(listings.author_id, caller!.id), inArray(listings.status, own)),
  )
}
/** An ID that no user has. */
const NOBODY = 0
