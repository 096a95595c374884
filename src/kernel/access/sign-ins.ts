import { and, asc, eq, ne, type SQL } from 'drizzle-orm'
import { sign_ins, tokens } from '../../../drizzle/tables.ts'
import { type Actor, loginOf, record, SERVICE } from '../audit/log.ts'
import type { Db, Queries } from '../database/db.ts'
import type { Site } from '../site.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import { endTokens, signedInWith } from './sessions.ts'

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
