import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, asc, count, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { application_passwords, sign_ins, tokens, users } from '../../../drizzle/tables.ts'
import { type Changes, openFollowing } from '../database/changes.ts'
import { type Db, prepared, type Queries } from '../database/db.ts'
import { openOnce } from '../database/stored-settings.ts'
import { ApiError, invalid, refuse } from '../errors.ts'
import type { Site } from '../site.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import { type Actor, SERVICE } from './audit-log.ts'
import type { TokenScope } from './rights.ts'
import { endTokens, isSession, type Opener, tellToken, tokenSubject } from './sessions.ts'
import { ALL, findUser, type Ownership, type User } from './users.ts'

export type TokenRow = Omit<typeof tokens.$inferSelect, 'hash'>

/** The prefix of every token, so that leaked tokens are recognised. */
const TOKEN_PREFIX = 'alm_'

const MOST_USED = 1_000
/** The name of the tokens of sessions. */
const SESSION = 'Session'

const SHOWN = {
  id: tokens.id,
  user_id: tokens.user_id,
  password_id: tokens.password_id,
  sign_in_id: tokens.sign_in_id,
  limits: tokens.limits,
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

/** Throws 401 unless something may open a session: it is there, as it was proven, and its user is not disabled. */
export async function mustOpen(tx: Queries, by: Opener) {
  const [table, id] =
    'password_id' in by ? [application_passwords, by.password_id] : ([sign_ins, by.sign_in_id] as const)
  const proven = 'secret' in by ? by.secret : undefined
  const [found] = await tx
    .select({ disabled: users.disabled })
    .from(table)
    .innerJoin(users, eq(users.id, table.user_id))
    .where(and(eq(table.id, id), typeof proven === 'string' ? eq(sign_ins.secret, proven) : undefined))
  if (!found)
    throw new ApiError('incorrect_password', 'What this was proven with was revoked or changed meanwhile.')
  if (found.disabled) throw new ApiError('invalid_username', 'The user is disabled.')
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
export function openTokens(
  db: Db,
  changes: Changes,
  site: Site,
  hashOf: Keyed,
  { limitProblems }: Pick<Ownership, 'limitProblems'>,
) {
  /** Recently used tokens, by hash, until a user or a token changes. */
  const used = new LRUCache<string, { user: User; token: TokenRow }>({ max: MOST_USED })
  const forget = () => used.clear()
  const follow = openFollowing(changes, ['user', 'token'], { on: forget, reset: forget })
  const now = () => toWall(site.clock(), 'UTC')
  const holds = ({ token }: { token: TokenRow }) => token.expires_utc === null || token.expires_utc > now()

  type Given = Pick<TokenRow, 'user_id' | 'name' | 'scopes' | 'expires_utc'> &
    Partial<Pick<TokenRow, 'limits' | 'password_id' | 'sign_in_id'>>
  /** Stores a new token after `check`, and returns it with its text. */
  async function make(given: Given, by: Actor, check: (tx: Queries) => Promise<unknown>) {
    const token = TOKEN_PREFIX + randomBytes(24).toString('base64url')
    const own = { ...given, name: withoutControls(given.name), hash: await hashOf(token), created_utc: now() }
    const row = await db.write(async (tx) => {
      await check(tx)
      const [made] = await tx.insert(tokens).values(own).returning(SHOWN)
      await tellToken({ tx, site, by }, made!, 'created')
      return made!
    })
    return { ...row, token }
  }

  return {
    subjectOf: tokenSubject,
    isSession,
    /** Makes a token; its text is returned only here. `expires_utc` is a UTC wall clock, null for never. Throws if it has passed. */
    async add(
      user_id: number,
      name: string,
      scopes: TokenScope[],
      expires_utc: string | null,
      by: Actor = SERVICE,
      limits: TokenRow['limits'] = null,
    ): Promise<TokenRow & { token: string }> {
      if (limits && scopes.includes('admin'))
        throw invalid({
          limits:
            'must not be sent with the scope admin, which is about the whole calendar; send the scopes read and write.',
        })
      if (expires_utc !== null && expires_utc <= now())
        throw invalid({ expires: `must be later than now; it is ${expires_utc} UTC.` })
      return make({ user_id, name, scopes, expires_utc, limits }, by, async (tx) => {
        const { role } = await findUser(tx, user_id)
        refuse(await limitProblems(tx, role === 'administrator' ? 'editor' : role, limits))
      })
    },
    /**
     * Makes a token with all scopes that expires after `lasts` milliseconds, and ends with what opens it. Throws 401 if that was revoked or
     * changed meanwhile, or its user disabled.
     */
    async addSession(user_id: number, opener: Opener, lasts: number, by: Actor = SERVICE) {
      const expires_utc = toWall(site.clock() + lasts, 'UTC')
      const scopes: TokenScope[] = ['read', 'write', 'admin']
      const opened =
        'password_id' in opener ? { password_id: opener.password_id } : { sign_in_id: opener.sign_in_id }
      const made = await make({ user_id, ...opened, name: SESSION, scopes, expires_utc }, by, (tx) =>
        mustOpen(tx, opener),
      )
      return { ...made, expires_utc }
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
    /** Whether a token of a user goes on, in the transaction of what depends on it. */
    async goesOn(tx: Queries, id: number, user: number): Promise<boolean> {
      const own = and(eq(tokens.id, id), eq(tokens.user_id, user))
      const [token] = await tx.select(SHOWN).from(tokens).where(own)
      return token !== undefined && holds({ token })
    },
    /** Revokes a token, unless that was done meanwhile. */
    drop: (id: number, by: Actor): Promise<void> =>
      db.write((tx) => endTokens({ tx, site, now: site.clock(), by }, eq(tokens.id, id))),
    /** Revokes a token and returns it. */
    remove: (id: number, by: Actor = SERVICE): Promise<TokenRow> =>
      db.write(async (tx) => {
        const row = await findToken(tx, id)
        await endTokens({ tx, site, now: site.clock(), by }, eq(tokens.id, id))
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
    byId(id: number): { user: User; token: TokenRow } | undefined {
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
}

export type Tokens = ReturnType<typeof openTokens>

/** Hashes under a key in the database, for generated secrets, which are too random to be guessed. */
export function openKeyed(db: Db) {
  const key = openOnce(db, 'token_key', () => randomBytes(32).toString('base64'))
  return async (secret: string): Promise<string> =>
    createHmac('sha256', await key())
      .update(secret)
      .digest('base64')
}
export type Keyed = ReturnType<typeof openKeyed>

/** Characters of a signature: 132 bits. */
const SIGNATURE = 22

/** A text with its signature under the key of the service, which is good in one context alone. */
export async function signText(keyed: Keyed, context: string, text: string): Promise<string> {
  const signature = Buffer.from(await keyed(`${context} ${text}`), 'base64').toString('base64url')
  return `${text}.${signature.slice(0, SIGNATURE)}`
}

/** The text that was signed in this context; undefined if none was. */
export async function readSigned(keyed: Keyed, context: string, signed: string): Promise<string | undefined> {
  const text = signed.slice(0, -SIGNATURE - 1)
  const [given, right] = [Buffer.from(signed), Buffer.from(await signText(keyed, context, text))]
  return given.length === right.length && timingSafeEqual(given, right) ? text : undefined
}
