import { randomBytes } from 'node:crypto'
import { and, asc, count, eq, lte, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { tokens, users } from '../../../drizzle/tables.ts'
import { ApiError, invalid } from '../../errors.ts'
import { toWall } from '../../rules/dates.ts'
import type { TokenScope } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { withoutControls } from '../../rules/text.ts'
import { type Changes, EVERYTHING } from '../sqlite/changes.ts'
import { type Db, prepared, type Queries } from '../sqlite/db.ts'
import type { Keyed } from './keyed.ts'
import { project } from './project.ts'
import { ALL, findUser, type User } from './users.ts'

export type TokenRow = Omit<typeof tokens.$inferSelect, 'hash'>

/** The prefix of every token, so that leaked tokens are recognised. */
export const TOKEN_PREFIX = 'alm_'

const MOST_USED = 1_000
/** The name of the tokens of sessions. */
const SESSION = 'Session'
/** Kinds of changes that may affect tokens. */
const FORGETTING = ['token', 'user', EVERYTHING]

const SHOWN = {
  id: tokens.id,
  user_id: tokens.user_id,
  name: tokens.name,
  scopes: tokens.scopes,
  expires_utc: tokens.expires_utc,
  created_utc: tokens.created_utc,
  last_used_utc: tokens.last_used_utc,
}

async function findToken(db: Queries, id: number): Promise<TokenRow> {
  const [row] = await db.select(SHOWN).from(tokens).where(eq(tokens.id, id))
  if (!row) throw new ApiError('token-not-found', `There is no token with ID ${id}.`)
  return row
}

const byHash = prepared((db) =>
  db
    .select({ user: users, token: SHOWN })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.user_id))
    .where(eq(tokens.hash, sql.placeholder('hash')))
    .prepare(),
)
const byId = prepared((db) =>
  db
    .select({ user: users, token: SHOWN })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.user_id))
    .where(eq(tokens.id, sql.placeholder('id')))
    .prepare(),
)

/** Bearer tokens: random enough for a fast keyed hash. */
export function openTokens(db: Db, changes: Changes, site: Site, hashOf: Keyed) {
  /** Recently used tokens, by hash, until a user or a token changes. */
  const used = new LRUCache<string, { user: User; token: TokenRow }>({ max: MOST_USED })
  let seen = changes.latest().seq
  function follow() {
    const { seq } = changes.latest()
    if (seq === seen) return
    if (changes.after(seen).some(({ kind }) => FORGETTING.includes(kind))) used.clear()
    seen = seq
  }
  const now = () => toWall(site.clock(), 'UTC')
  const holds = ({ token }: { token: TokenRow }) => token.expires_utc === null || token.expires_utc > now()

  /** Deletes the sessions of a user that have ended: one is made each day. */
  const sweep = (user: number) =>
    db.write(async (tx) => {
      const ended = and(eq(tokens.user_id, user), eq(tokens.name, SESSION), lte(tokens.expires_utc, now()))
      for (const { id } of await tx.delete(tokens).where(ended).returning(SHOWN))
        await project({ tx, site, now: site.clock() }, 'token', { before: { id } })
    })

  const store = {
    /** Makes a token; its text is returned only here. `expires_utc` is a UTC wall clock, null for never. Throws if it has passed. */
    async add(
      user: number,
      name: string,
      scopes: TokenScope[],
      expires_utc: string | null,
    ): Promise<TokenRow & { token: string }> {
      if (expires_utc !== null && expires_utc <= now())
        throw invalid({ expires: `must be later than now; it is ${expires_utc} UTC.` })
      const token = TOKEN_PREFIX + randomBytes(24).toString('base64url')
      const hash = await hashOf(token)
      const row = await db.write(async (tx) => {
        const { id } = await findUser(tx, user)
        return (
          await tx
            .insert(tokens)
            .values({
              user_id: id,
              name: withoutControls(name),
              hash,
              scopes,
              expires_utc,
              created_utc: now(),
            })
            .returning(SHOWN)
        )[0]!
      })
      return { ...row, token }
    },
    /** Makes a token with all scopes that expires after `lasts` milliseconds. */
    async addSession(user: number, lasts: number) {
      await sweep(user)
      const until = toWall(site.clock() + lasts, 'UTC')
      const made = await store.add(user, SESSION, ['read', 'write', 'admin'], until)
      return { ...made, expires_utc: until }
    },
    async count(): Promise<number> {
      return (await db.read.select({ total: count() }).from(tokens))[0]!.total
    },
    /** A page of tokens by ID, or all. */
    list(
      { page, per_page }: { page: number; per_page: number } = { page: 1, per_page: ALL },
    ): Promise<TokenRow[]> {
      return db.read
        .select(SHOWN)
        .from(tokens)
        .orderBy(asc(tokens.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
        .execute()
    },
    /** Throws `token-not-found`. */
    read: (id: number) => findToken(db.read, id),
    /** Revokes a token and returns it. */
    remove: (id: number): Promise<TokenRow> =>
      db.write(async (tx) => {
        const row = await findToken(tx, id)
        await tx.delete(tokens).where(eq(tokens.id, id))
        await project({ tx, site, now: site.clock() }, 'token', { before: { id } })
        return row
      }),
    /** The user and scopes of a token that is known and has not expired. */
    async find(token: string): Promise<{ user: User; token: TokenRow } | undefined> {
      const hash = await hashOf(token)
      follow()
      const row = used.get(hash) ?? byHash(db.read).get({ hash })
      if (!row) return undefined
      used.set(hash, row)
      return holds(row) ? row : undefined
    },
    /** The user of a token that has not been revoked and has not expired. */
    byId(id: number): { user: User } | undefined {
      const row = byId(db.read).get({ id })
      return row && holds(row) ? row : undefined
    },
    /** Notes a use, to the minute: at most one write a minute. */
    async touch(token: TokenRow) {
      const minute = `${now().slice(0, 16)}:00`
      if (token.last_used_utc === minute) return
      await db.write(async (tx) => {
        await tx.update(tokens).set({ last_used_utc: minute }).where(eq(tokens.id, token.id))
      })
      token.last_used_utc = minute
    },
  }
  return store
}
export type Tokens = ReturnType<typeof openTokens>
