import { and, asc, count, eq, gt, isNotNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { application_passwords, sign_ins, tokens } from '../../../drizzle/tables.ts'
import { recordChange } from '../database/changes.ts'
import type { Db, Queries } from '../database/db.ts'
import { ApiError } from '../errors.ts'
import type { Site } from '../site.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import { type Actor, type Audited, loginOf, record, SERVICE } from './audit-log.ts'
import { inWords } from './rights.ts'

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

export type SignIn = typeof sign_ins.$inferSelect
export type SignInKind = SignIn['kind']
type Added = Pick<SignIn, 'user_id' | 'kind'> &
  Partial<Pick<SignIn, 'name' | 'secret' | 'external' | 'counter'>>

/** How people sign in: a password of their own, second factors, passkeys, and who they are to an OpenID provider. Sessions end with theirs. */
export function openSignIns(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')
  const ofUser = (user: number, kind?: SignInKind) =>
    and(eq(sign_ins.user_id, user), kind && eq(sign_ins.kind, kind))
  const tell = (tx: Queries, by: Actor, code: `sign_in_${'added' | 'changed' | 'removed'}`, row: SignIn) =>
    record(
      { tx, site, by },
      code,
      { kind: 'sign_in', id: row.id },
      { kind: row.kind, name: row.name, owner: loginOf(tx, row.user_id) },
    )

  /** Removes ways to sign in, with the sessions that they opened. */
  async function removeWhere(tx: Queries, which: SQL | undefined, by: Actor): Promise<SignIn[]> {
    const removed = await tx.select().from(sign_ins).where(which)
    for (const row of removed) {
      await endTokens({ tx, site, now: site.clock(), by }, signedInWith(row.id))
      await tx.delete(sign_ins).where(eq(sign_ins.id, row.id))
      await tell(tx, by, 'sign_in_removed', row)
    }
    return removed
  }

  async function use(tx: Queries, id: number, counter?: number): Promise<boolean> {
    const [row] = await tx.select().from(sign_ins).where(eq(sign_ins.id, id))
    if (!row || (counter !== undefined && counter <= row.counter)) return false
    const used = { last_used_utc: now(), counter: counter ?? row.counter }
    await tx.update(sign_ins).set(used).where(eq(sign_ins.id, id))
    return true
  }

  return {
    /** The ways of a user to sign in, by ID, or those of a kind. */
    list: (user: number, kind?: SignInKind): Promise<SignIn[]> =>
      db.read.select().from(sign_ins).where(ofUser(user, kind)).orderBy(asc(sign_ins.id)).execute(),
    /** The one that another side calls so. */
    async called(kind: SignInKind, external: string): Promise<SignIn | undefined> {
      const same = and(eq(sign_ins.kind, kind), eq(sign_ins.external, external))
      return (await db.read.select().from(sign_ins).where(same))[0]
    },
    /** Adds a way to sign in, in the transaction of what it belongs to. */
    async add(tx: Queries, { name = '', ...row }: Added, by: Actor = SERVICE): Promise<SignIn> {
      const values = { ...row, name: withoutControls(name), created_utc: now() }
      const [made] = await tx.insert(sign_ins).values(values).returning()
      await tell(tx, by, 'sign_in_added', made!)
      return made!
    },
    /**
     * Sets the own password of a user by its hash, in the transaction of what it belongs to. The sessions that the one before opened end,
     * but for that of the token `keep`.
     */
    async setPassword(tx: Queries, user: number, secret: string, by: Actor, keep?: number): Promise<SignIn> {
      const [known] = await tx.select().from(sign_ins).where(ofUser(user, 'password'))
      if (!known) return this.add(tx, { user_id: user, kind: 'password', secret }, by)
      const others = and(signedInWith(known.id), keep === undefined ? undefined : ne(tokens.id, keep))
      await endTokens({ tx, site, now: site.clock(), by }, others)
      const changed = { ...known, secret, created_utc: now(), last_used_utc: null }
      await tx.update(sign_ins).set(changed).where(eq(sign_ins.id, known.id))
      await tell(tx, by, 'sign_in_changed', changed)
      return changed
    },
    /** Removes one of a user, with the sessions that it opened; undefined if the user has none with this ID. */
    remove: (user: number, id: number, by: Actor = SERVICE): Promise<SignIn | undefined> =>
      db.write(async (tx) => (await removeWhere(tx, and(ofUser(user), eq(sign_ins.id, id)), by))[0]),
    /** Removes all of a kind of a user, with the sessions that they opened, in the transaction of what replaces them. */
    removeAll: (tx: Queries, user: number, kind: SignInKind, by: Actor = SERVICE): Promise<SignIn[]> =>
      removeWhere(tx, ofUser(user, kind), by),
    /**
     * Notes a use. `counter` must be greater than the stored one, else nothing is noted and the answer is false: of two uses of one code at
     * once, one counts.
     */
    use: (id: number, counter?: number): Promise<boolean> => db.write((tx) => use(tx, id, counter)),
    /** Notes a use in the transaction of what it allows, like `use`. */
    useIn: use,
    /** Whether a session was opened by a proof of just then. A provider may vouch for whom it saw long before; what else opens sessions is a proof. */
    async proved({ id, sign_in_id }: { id: number; sign_in_id: number | null }): Promise<boolean> {
      if (sign_in_id === null) return true
      const [signIn] = await db.read
        .select({ kind: sign_ins.kind, counter: sign_ins.counter })
        .from(sign_ins)
        .where(eq(sign_ins.id, sign_in_id))
      return signIn?.kind !== 'openid' || signIn.counter === id
    },
  }
}
export type SignIns = ReturnType<typeof openSignIns>
