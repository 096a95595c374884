import { and, asc, count, eq, gt, isNotNull, lte, type SQL } from 'drizzle-orm'
import { application_passwords, tokens } from '../../../drizzle/tables.ts'
import type { Site } from '../../rules/site.ts'
import { toWall } from '../../rules/time/dates.ts'
import { ApiError } from '../../support/errors.ts'
import { type Actor, type Audited, loginOf, record, SERVICE } from '../changes/audit.ts'
import { project } from '../records/projection/project.ts'
import type { Db, Queries } from '../sqlite/db.ts'

/** A session as its user sees it, with the name of the application password that opened it. */
export type SessionRow = Pick<
  typeof tokens.$inferSelect,
  'id' | 'created_utc' | 'last_used_utc' | 'password_id'
> & { expires_utc: string | null; name: string }

const SHOWN = {
  id: tokens.id,
  password_id: tokens.password_id,
  name: application_passwords.name,
  created_utc: tokens.created_utc,
  last_used_utc: tokens.last_used_utc,
  expires_utc: tokens.expires_utc,
}

type TokenRow = Omit<typeof tokens.$inferSelect, 'hash'>

/** What a token is to the audit log: a session, or a token that a person gave a name. */
export const tokenSubject = ({ id, password_id }: Pick<TokenRow, 'id' | 'password_id'>) =>
  ({ kind: password_id === null ? 'token' : 'session', id }) as const

/** Tells the audit log of a new token, or of one that was revoked. */
export function tellToken(w: Audited, row: TokenRow, what: 'created' | 'revoked'): Promise<void> {
  const { name, scopes, expires_utc } = row
  const owner = loginOf(w.tx, row.user_id)
  if (row.password_id === null)
    return record(w, `token_${what}`, tokenSubject(row), { name, owner, scopes, expires_utc })
  const code = what === 'created' ? 'session_created' : 'session_ended'
  return record(w, code, tokenSubject(row), { owner, password: row.password_id, expires_utc })
}

/**
 * Deletes tokens, and tells the audit log who did that, unless they had expired. Every process that remembers one of them forgets it.
 */
export async function endTokens(
  w: { tx: Queries; site: Site; now: number; by?: Actor },
  which: SQL | undefined,
) {
  const { by } = w
  for (const row of await w.tx.delete(tokens).where(which).returning()) {
    await project(w, 'token', { before: { id: row.id } })
    if (by) await tellToken({ ...w, by }, row, 'revoked')
  }
}

/** The sessions of a user, which end when they are disabled. */
export const sessionsOf = (user: number) => and(eq(tokens.user_id, user), isNotNull(tokens.password_id))
/** The sessions that an application password opened, which end with it. */
export const openedWith = (password: number) => eq(tokens.password_id, password)

/** Sessions: tokens that belong to the application password that opened them. */
export function openSessions(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')
  const running = (user: number) => and(sessionsOf(user), gt(tokens.expires_utc, now()))
  const select = (tx: Queries, where: SQL | undefined) =>
    tx
      .select(SHOWN)
      .from(tokens)
      .innerJoin(application_passwords, eq(application_passwords.id, tokens.password_id))
      .where(where)
      .orderBy(asc(tokens.id))

  /** Throws `session-not-found`, also if it belongs to another user or has expired. */
  async function find(tx: Queries, user: number, id: number): Promise<SessionRow> {
    const [row] = await select(tx, and(running(user), eq(tokens.id, id)))
    if (row) return row
    throw new ApiError('session-not-found', `User ${user} has no session with ID ${id}.`)
  }

  return {
    /** A page of the sessions of a user that go on, by ID, and how many there are. */
    async list(user: number, { page, per_page }: { page: number; per_page: number }) {
      const [all] = await db.read.select({ total: count() }).from(tokens).where(running(user))
      const rows: SessionRow[] = await select(db.read, running(user))
        .limit(per_page)
        .offset((page - 1) * per_page)
      return { rows, total: all!.total }
    },
    read: (user: number, id: number) => find(db.read, user, id),
    /** Ends a session and returns it. */
    end: (user: number, id: number, by: Actor = SERVICE): Promise<SessionRow> =>
      db.write(async (tx) => {
        const row = await find(tx, user, id)
        await endTokens({ tx, site, now: site.clock(), by }, eq(tokens.id, id))
        return row
      }),
    /** Deletes the sessions of a user that have expired: one is made each day. */
    sweep: (user: number) =>
      db.write((tx) =>
        endTokens({ tx, site, now: site.clock() }, and(sessionsOf(user), lte(tokens.expires_utc, now()))),
      ),
  }
}
export type Sessions = ReturnType<typeof openSessions>
