import { and, asc, count, desc, eq, ne } from 'drizzle-orm'
import { application_passwords, media, posts, users } from '../../../drizzle/tables.ts'
import { ApiError, invalid } from '../../errors.ts'
import { openLane } from '../../lane.ts'
import { newPassword, verifyPassword } from '../../passwords.ts'
import { toWall } from '../../rules/dates.ts'
import type { Role } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { recordChange } from '../sqlite/changes.ts'
import type { Db, Queries } from '../sqlite/db.ts'
import type { Keyed } from './keyed.ts'
import { renew } from './project.ts'

export type User = typeof users.$inferSelect
export type PasswordRow = Omit<typeof application_passwords.$inferSelect, 'hash' | 'user_id'>

/** An application password with whom it belongs to. */
export type UsedPassword = { user: User; id: number; last_used_utc: string | null }

type Paging = { page: number; per_page: number }

/** What a login looks like; stored in lower case. */
export const LOGIN = /^[\w.@-]{1,60}$/

/** A page that holds everything. */
export const ALL = 1_000_000

const SHOWN = {
  id: application_passwords.id,
  name: application_passwords.name,
  created_utc: application_passwords.created_utc,
  last_used_utc: application_passwords.last_used_utc,
}

/** Throws `user-not-found`. */
export async function findUser(db: Queries, id: number): Promise<User> {
  const [user] = await db.select().from(users).where(eq(users.id, id))
  if (!user) throw new ApiError('user-not-found', `There is no user with ID ${id}.`)
  return user
}

/** Throws `application-password-not-found`, also for that of another user. */
async function findPassword(db: Queries, user: number, id: number): Promise<PasswordRow> {
  const mine = and(eq(application_passwords.id, id), eq(application_passwords.user_id, user))
  const [row] = await db.select(SHOWN).from(application_passwords).where(mine)
  if (row) return row
  throw new ApiError(
    'application-password-not-found',
    `User ${user} has no application password with ID ${id}.`,
  )
}

/** Throws 400 where nobody would be left to manage users. */
async function keepAdministrator(tx: Queries, user: User, param: string) {
  if (user.role !== 'administrator' || user.disabled) return
  const others = and(eq(users.role, 'administrator'), eq(users.disabled, false), ne(users.id, user.id))
  const [left] = await tx.select({ total: count() }).from(users).where(others)
  if (left!.total === 0)
    throw invalid({ [param]: `${user.login} is the last administrator; add another one first.` })
}

/** Gives the records of a user to another. */
async function reassign(tx: Queries, site: Site, from: User, to: number | undefined) {
  const owned = await tx
    .select({ id: posts.id, kind: posts.kind })
    .from(posts)
    .where(eq(posts.author_id, from.id))
  const [files] = await tx.select({ total: count() }).from(media).where(eq(media.author_id, from.id))
  const total = owned.length + files!.total
  if (total === 0) return
  const [heir] =
    to === undefined || to === from.id ? [] : await tx.select().from(users).where(eq(users.id, to))
  if (!heir)
    throw invalid({
      reassign: `must be the ID of another user, who takes over the ${total} records of ${from.login}.`,
    })
  await tx.update(posts).set({ author_id: heir.id }).where(eq(posts.author_id, from.id))
  await tx.update(media).set({ author_id: heir.id }).where(eq(media.author_id, from.id))
  for (const post of owned) {
    await renew(tx, site, post.id)
    await recordChange(tx, post.kind, post.id, 'update', site.clock())
  }
}

/** How the hash of an application password begins: those of earlier versions are dear, by scrypt. */
const KEYED = 'keyed:'
/** Dear ones of a user that a login is compared with, those first that were used last. */
const MOST_TRIED = 10

export function openUsers(db: Db, site: Site, keyed: Keyed) {
  /** One dear password is worked out at a time. */
  const inTurn = openLane(1, 100)
  const now = () => toWall(site.clock(), 'UTC')
  const note = (tx: Queries, id: number, operation: 'create' | 'update' | 'delete') =>
    recordChange(tx, 'user', id, operation, site.clock())

  async function addPassword(tx: Queries, user_id: number, name: string, hash: string): Promise<PasswordRow> {
    const [row] = await tx
      .insert(application_passwords)
      .values({ user_id, name, hash, created_utc: now() })
      .returning(SHOWN)
    return row!
  }
  /** Spaces do not count. */
  const hashOf = async (password: string) => KEYED + (await keyed(password.replaceAll(' ', '')))
  const hashed = async () => {
    const password = newPassword()
    return { password, hash: await hashOf(password) }
  }

  return {
    find: (id: number) => findUser(db.read, id),
    async byLogin(login: string): Promise<User | undefined> {
      return (await db.read.select().from(users).where(eq(users.login, login.toLowerCase())))[0]
    },
    async count(): Promise<number> {
      return (await db.read.select({ total: count() }).from(users))[0]!.total
    },
    /** A page of users by ID, or all. */
    list({ page, per_page }: Paging = { page: 1, per_page: ALL }): Promise<User[]> {
      return db.read
        .select()
        .from(users)
        .orderBy(asc(users.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
        .execute()
    },
    /**
     * Adds a user with one application password, which is given this once; undefined where the login is taken. Logins have no case.
     * `hand` is told the password beforehand; where it throws, nobody is added.
     */
    async add(
      login: string,
      role: Role,
      hand: (password: string) => void = () => {},
    ): Promise<(User & { password: string }) | undefined> {
      const { password, hash } = await hashed()
      return db.write(async (tx) => {
        const values = { login: login.toLowerCase(), role, created_utc: now() }
        const [user] = await tx.insert(users).values(values).onConflictDoNothing().returning()
        if (!user) return undefined
        await addPassword(tx, user.id, 'first', hash)
        await note(tx, user.id, 'create')
        hand(password)
        return { ...user, password }
      })
    },
    /** Changes role or disables; the last administrator stays one. */
    update: (
      id: number,
      { role, disabled }: { role?: Role | null; disabled?: boolean | null },
    ): Promise<User> =>
      db.write(async (tx) => {
        const user = await findUser(tx, id)
        if (disabled) await keepAdministrator(tx, user, 'disabled')
        if (role && role !== 'administrator') await keepAdministrator(tx, user, 'role')
        const [changed] = await tx
          .update(users)
          .set({ role: role ?? user.role, disabled: disabled ?? user.disabled })
          .where(eq(users.id, id))
          .returning()
        await note(tx, id, 'update')
        return changed!
      }),
    /** Removes a user with all credentials; records go to `heir`. Gives the user that was. */
    remove: (id: number, heir?: number): Promise<User> =>
      db.write(async (tx) => {
        const user = await findUser(tx, id)
        await keepAdministrator(tx, user, 'id')
        await reassign(tx, site, user, heir)
        await tx.delete(users).where(eq(users.id, id))
        await note(tx, id, 'delete')
        return user
      }),

    passwords: (user: number): Promise<PasswordRow[]> =>
      db.read
        .select(SHOWN)
        .from(application_passwords)
        .where(eq(application_passwords.user_id, user))
        .orderBy(asc(application_passwords.id))
        .execute(),
    /** Adds an application password, which is given this once. */
    async addPassword(user: number, name: string): Promise<PasswordRow & { password: string }> {
      const { password, hash } = await hashed()
      return {
        ...(await db.write(async (tx) => addPassword(tx, (await findUser(tx, user)).id, name, hash))),
        password,
      }
    },
    findPassword: (user: number, id: number) => findPassword(db.read, user, id),
    /** Revokes an application password; gives what it was. */
    removePassword: (user: number, id: number): Promise<PasswordRow> =>
      db.write(async (tx) => {
        const row = await findPassword(tx, user, id)
        await tx.delete(application_passwords).where(eq(application_passwords.id, id))
        return row
      }),
    /** The ID of the application password that this is, if it is one of the user's; spaces do not count. */
    async verify(user: User, password: string): Promise<number | undefined> {
      const rows = await db.read
        .select()
        .from(application_passwords)
        .where(eq(application_passwords.user_id, user.id))
        .orderBy(desc(application_passwords.last_used_utc))
      const hash = await hashOf(password)
      const same = rows.find((row) => row.hash === hash)
      if (same) return same.id
      const given = password.replaceAll(' ', '')
      const dear = rows.filter((row) => !row.hash.startsWith(KEYED)).slice(0, MOST_TRIED)
      for (const row of dear) if (await inTurn(() => verifyPassword(given, row.hash))) return row.id
      return undefined
    },
    /** Who an application password belongs to, as long as it is there. */
    async byPassword(id: number): Promise<UsedPassword | undefined> {
      const [row] = await db.read
        .select({
          user: users,
          id: application_passwords.id,
          last_used_utc: application_passwords.last_used_utc,
        })
        .from(application_passwords)
        .innerJoin(users, eq(users.id, application_passwords.user_id))
        .where(eq(application_passwords.id, id))
      return row
    },
    /** Notes a use, to the minute: at most one write a minute. */
    async touchPassword({ id, last_used_utc }: UsedPassword) {
      const minute = `${now().slice(0, 16)}:00`
      if (last_used_utc === minute) return
      await db.write(
        async (tx) =>
          void (await tx
            .update(application_passwords)
            .set({ last_used_utc: minute })
            .where(eq(application_passwords.id, id))),
      )
    },
  }
}
export type Users = ReturnType<typeof openUsers>
