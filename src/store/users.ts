import { createHmac, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { asc, count, eq } from 'drizzle-orm'
import { application_passwords, settings, tokens, users } from '../../drizzle/tables.ts'
import { toWall } from '../dates.ts'
import type { Role } from '../roles.ts'
import type { Db } from './db.ts'
import type { Site } from './site.ts'

export type User = typeof users.$inferSelect

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const KEY_BYTES = 32

/** `scrypt:salt:key`, off the main thread. For what people choose and type. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt:${salt.toString('base64')}:${(await derive(password, salt, KEY_BYTES)).toString('base64')}`
}

/** Whether `password` has this hash; takes the same time either way. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, salt, key] = hash.split(':')
  return timingSafeEqual(
    await derive(password, Buffer.from(salt!, 'base64'), KEY_BYTES),
    Buffer.from(key!, 'base64'),
  )
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 24 random characters in groups of four, as application passwords are shown. */
export const newPassword = () =>
  Array.from({ length: 6 }, () =>
    Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  ).join(' ')

export const TOKEN_PREFIX = 'alm_'

export type TokenScope = 'read' | 'write' | 'admin'

export function openUsers(db: Db, site: Site) {
  const now = () => toWall(site.clock(), 'UTC')

  const byLogin = async (login: string): Promise<User | undefined> =>
    (await db.read.select().from(users).where(eq(users.login, login.toLowerCase())))[0]

  /** The key that tokens are hashed with, made at first use. */
  async function tokenKey(): Promise<string> {
    const stored = async () =>
      (await db.read.select().from(settings).where(eq(settings.name, 'token_key')))[0]?.value
    const key = await stored()
    if (key !== undefined) return key
    await db.write(async (tx) => {
      await tx
        .insert(settings)
        .values({ name: 'token_key', value: randomBytes(32).toString('base64') })
        .onConflictDoNothing()
    })
    return (await stored())!
  }
  const hashToken = async (token: string) =>
    createHmac('sha256', await tokenKey())
      .update(token)
      .digest('base64')

  return {
    byLogin,
    async byId(id: number): Promise<User | undefined> {
      return (await db.read.select().from(users).where(eq(users.id, id)))[0]
    },
    list: () => db.read.select().from(users).orderBy(asc(users.id)),
    async count(): Promise<number> {
      return (await db.read.select({ total: count() }).from(users))[0]!.total
    },
    /** Adds a user with one application password; undefined where the login is taken. Logins have no case. */
    async add(login: string, role: Role): Promise<(User & { password: string }) | undefined> {
      const password = newPassword()
      const hash = await hashPassword(password.replaceAll(' ', ''))
      return db.write(async (tx) => {
        const [user] = await tx
          .insert(users)
          .values({ login: login.toLowerCase(), role, created_utc: now() })
          .onConflictDoNothing()
          .returning()
        if (!user) return undefined
        await tx
          .insert(application_passwords)
          .values({ user_id: user.id, name: 'first', hash, created_utc: now() })
        return { ...user, password }
      })
    },
    /** Whether this is one of the user's application passwords; spaces do not count. */
    async verify(user: User, password: string): Promise<boolean> {
      const rows = await db.read
        .select()
        .from(application_passwords)
        .where(eq(application_passwords.user_id, user.id))
      const given = password.replaceAll(' ', '')
      for (const row of rows) if (await verifyPassword(given, row.hash)) return true
      return false
    },
    /** Makes a token; its text is given this once. */
    async addToken(
      user: User,
      name: string,
      scopes: TokenScope[],
      expires_utc: string | null,
    ): Promise<{ id: number; token: string }> {
      const token = TOKEN_PREFIX + randomBytes(24).toString('base64url')
      const hash = await hashToken(token)
      const [row] = await db.write(async (tx) =>
        tx
          .insert(tokens)
          .values({ user_id: user.id, name, hash, scopes, expires_utc, created_utc: now() })
          .returning({ id: tokens.id }),
      )
      return { id: row!.id, token }
    },
    /** The user and scopes of a token that is known and has not expired. */
    async byToken(token: string): Promise<{ user: User; scopes: TokenScope[] } | undefined> {
      const [row] = await db.read
        .select({ user: users, scopes: tokens.scopes, expires: tokens.expires_utc })
        .from(tokens)
        .innerJoin(users, eq(users.id, tokens.user_id))
        .where(eq(tokens.hash, await hashToken(token)))
      return row && (row.expires === null || row.expires > now()) ? row : undefined
    },
  }
}
export type Users = ReturnType<typeof openUsers>
