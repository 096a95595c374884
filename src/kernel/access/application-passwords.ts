import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { application_passwords, users } from '../../../drizzle/tables.ts'
import { type Db, prepared, type Queries } from '../database/db.ts'
import { ApiError } from '../errors.ts'
import type { Site } from '../site.ts'
import { openSemaphore } from '../tasks/semaphore.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import { type Actor, loginOf, record, SERVICE } from './audit-log.ts'
import { NOBODYS, newPassword, verifyPassword } from './secrets.ts'
import { endTokens, openedWith } from './sessions.ts'
import type { Keyed } from './tokens.ts'
import type { User } from './users.ts'

export type PasswordRow = Omit<typeof application_passwords.$inferSelect, 'hash' | 'user_id'>

const ownerById = prepared((db) =>
  db
    .select({
      user: users,
      id: application_passwords.id,
      last_used_utc: application_passwords.last_used_utc,
    })
    .from(application_passwords)
    .innerJoin(users, eq(users.id, application_passwords.user_id))
    .where(eq(application_passwords.id, sql.placeholder('id')))
    .prepare(),
)

/** An application password and its user. */
export type UsedPassword = { user: User; id: number; last_used_utc: string | null }

const SHOWN = {
  id: application_passwords.id,
  name: application_passwords.name,
  created_utc: application_passwords.created_utc,
  last_used_utc: application_passwords.last_used_utc,
}

/** Throws `application-password-not-found`, also if it belongs to another user. */
async function findPassword(db: Queries, user: number, id: number): Promise<PasswordRow> {
  const mine = and(eq(application_passwords.id, id), eq(application_passwords.user_id, user))
  const [row] = await db.select(SHOWN).from(application_passwords).where(mine)
  if (row) return row
  throw new ApiError(
    'application-password-not-found',
    `User ${user} has no application password with ID ${id}.`,
  )
}

/** The prefix of hashes of application passwords. Earlier versions used scrypt, which is expensive. */
const KEYED = 'keyed:'
/** Greatest number of scrypt hashes that a login is compared with, the last used first; one at a time. */
const MOST_TRIED = 10
const MOST_DEAR = `select min(count(*), ${MOST_TRIED}) from application_passwords where hash not like '${KEYED}%'
  group by user_id order by count(*) desc limit 1`

/** Application passwords: hashed under a key, returned once. */
export function openPasswords(db: Db, site: Site, keyed: Keyed) {
  const now = () => toWall(site.clock(), 'UTC')
  const inTurn = openSemaphore(1, 100)
  async function addPassword(
    tx: Queries,
    user_id: number,
    name: string,
    hash: string,
    by: Actor,
  ): Promise<PasswordRow> {
    const [row] = await tx
      .insert(application_passwords)
      .values({ user_id, name: withoutControls(name), hash, created_utc: now() })
      .returning(SHOWN)
    await tell(tx, by, 'password_created', row!, user_id)
    return row!
  }
  const tell = (
    tx: Queries,
    by: Actor,
    code: 'password_created' | 'password_revoked',
    row: PasswordRow,
    user: number,
  ) =>
    record(
      { tx, site, by },
      code,
      { kind: 'password', id: row.id },
      { name: row.name, owner: loginOf(tx, user) },
    )
  /** Spaces do not count. */
  const hashOf = async (password: string) => KEYED + (await keyed(password.replaceAll(' ', '')))
  const hashed = async () => {
    const password = newPassword()
    return { password, hash: await hashOf(password) }
  }

  /** How many scrypt hashes any user has, at most as many as are tried: so many are tried of every user, and of none. */
  const mostDear = () => db.rows<[number]>(MOST_DEAR)[0]?.[0] ?? 0

  return {
    addPassword,
    hashed,
    passwords: (user: number): Promise<PasswordRow[]> =>
      db.read
        .select(SHOWN)
        .from(application_passwords)
        .where(eq(application_passwords.user_id, user))
        .orderBy(asc(application_passwords.id))
        .execute(),
    findPassword: (user: number, id: number) => findPassword(db.read, user, id),
    /** Revokes an application password, with the sessions that it opened, and returns it. */
    removePassword: (user: number, id: number, by: Actor = SERVICE): Promise<PasswordRow> =>
      db.write(async (tx) => {
        const row = await findPassword(tx, user, id)
        await endTokens({ tx, site, now: site.clock(), by }, openedWith(id))
        await tx.delete(application_passwords).where(eq(application_passwords.id, id))
        await tell(tx, by, 'password_revoked', row, user)
        return row
      }),
    /**
     * The ID of this application password, if the user has it; spaces do not count. It takes the same work for every user and for none.
     * `cheaply` compares no password from earlier versions, which are expensive.
     */
    async verify(user: User | undefined, password: string, cheaply = false): Promise<number | undefined> {
      const rows = await db.read
        .select()
        .from(application_passwords)
        .where(eq(application_passwords.user_id, user?.id ?? 0))
        .orderBy(desc(application_passwords.last_used_utc))
      const hash = await hashOf(password)
      const same = rows.find((row) => row.hash === hash)
      if (same) return same.id
      const given = password.replaceAll(' ', '')
      if (cheaply) return undefined
      const dear = rows.filter((row) => !row.hash.startsWith(KEYED))
      for (let at = 0; at < mostDear(); at++) {
        const isRight = await inTurn(() => verifyPassword(given, dear[at]?.hash ?? NOBODYS))
        if (isRight) return dear[at]!.id
      }
      return undefined
    },
    /** The owner of an application password, if it still exists. */
    async byPassword(id: number): Promise<UsedPassword | undefined> {
      return ownerById(db.read).get({ id })
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
