import { and, asc, count, eq, gt, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { application_passwords, sign_ins, tokens } from '../../../drizzle/tables.ts'
import { type Actor, type Audited, loginOf, record, SERVICE } from '../audit/log.ts'
import type { Db, Queries } from '../database/db.ts'
import { recordChange } from '../database/log.ts'
import { ApiError } from '../errors.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'
import { inWords } from './roles.ts'

/** A session as its user sees it, with the name of what opened it: an application password, or another way to sign in. */
export type SessionRow = Pick<
  typeof tokens.$inferSelect,
  'id' | 'created_utc' | 'last_used_utc' | 'password_id'
> & { expires_utc: string | null; name: string; kind: string }

const SHOWN = {
  id: tokens.id,
  password_id: tokens.password_id,
  name: sql<string>`coalesce(${application_passwords.name}, ${sign_ins.name})`,
  kind: sql<string>`coalesce(${sign_ins.kind}, 'application_password')`,
  created_utc: tokens.created_utc,
  last_used_utc: tokens.last_used_utc,
  expires_utc: tokens.expires_utc,
}

type TokenRow = Omit<typeof tokens.$inferSelect, 'hash'>

/**
 * What opened a session: an application password, or another way to sign in. `secret` is that of the way as it was proven, where it can be
 * changed: the hash of an own password.
 */
export type Opener = { password_id: number } | { sign_in_id: number; secret?: string | null | undefined }

/** Whether a token is that of a session. */
export const isSession = ({ password_id, sign_in_id }: Pick<TokenRow, 'password_id' | 'sign_in_id'>) =>
  password_id !== null || sign_in_id !== null

/** What a token is to the audit log: a session, or a token that a person gave a name. */
export const tokenSubject = (row: Pick<TokenRow, 'id' | 'password_id' | 'sign_in_id'>) =>
  ({ kind: isSession(row) ? 'session' : 'token', id: row.id }) as const

/** Tells the audit log of a new token, or of one that was revoked. */
export function tellToken(w: Audited, row: TokenRow, what: 'created' | 'revoked'): Promise<void> {
  const { name, scopes, expires_utc, limits } = row
  const owner = loginOf(w.tx, row.user_id)
  if (!isSession(row))
    return record(w, `token_${what}`, tokenSubject(row), {
      ...{ name, owner, scopes, expires_utc },
      ...(limits && { limits: inWords(limits) }),
    })
  const code = what === 'created' ? 'session_created' : 'session_ended'
  return record(w, code, tokenSubject(row), {
    ...{ owner, password: row.password_id, sign_in: row.sign_in_id, expires_utc },
  })
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
    await recordChange(w.tx, { kind: 'token', id: row.id, operation: 'delete', now: w.now })
    if (by) await tellToken({ ...w, by }, row, 'revoked')
  }
}

/** The sessions of a user, which end when they are disabled. */
export const sessionsOf = (user: number) =>
  and(eq(tokens.user_id, user), or(isNotNull(tokens.password_id), isNotNull(tokens.sign_in_id)))
/** The sessions that an application password opened, which end with it. */
export const openedWith = (password: number) => eq(tokens.password_id, password)

/** The sessions that another way to sign in opened, which end with it. */
export const signedInWith = (sign_in: number) => eq(tokens.sign_in_id, sign_in)

/** Sessions: tokens that belong to what opened them. */
export function openSessions(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')
  const running = (user: number) => and(sessionsOf(user), gt(tokens.expires_utc, now()))
  const select = (tx: Queries, where: SQL | undefined) =>
    tx
      .select(SHOWN)
      .from(tokens)
      .leftJoin(application_passwords, eq(application_passwords.id, tokens.password_id))
      .leftJoin(sign_ins, eq(sign_ins.id, tokens.sign_in_id))
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
