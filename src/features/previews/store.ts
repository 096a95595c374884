import { timingSafeEqual } from 'node:crypto'
import type { OpenLimits } from '../../calendar/records/ownership.ts'
import type { Caller } from '../../kernel/access/roles.ts'
import type { Keyed, Tokens } from '../../kernel/access/tokens.ts'
import type { User } from '../../kernel/access/users.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** Milliseconds for which the address of a preview works. */
const LASTS = 3_600_000
/** Characters of the signature: 132 bits. */
const SIGNATURE = 22

/** What a key of a preview opens: an event for somebody, until a time in Unix milliseconds. */
export type Preview = { event: number; caller: NonNullable<Caller>; until: number }

/**
 * Keys of previews: which event, for whom, until when, and a signature under the key of the calendar. They are stored nowhere, and hold in all
 * processes and on all nodes. What a token with limits of its own made has its ID as well, and ends with it.
 */
export function openPreviews(
  find: (user: number) => Promise<User>,
  tokens: Pick<Tokens, 'byId'>,
  limits: OpenLimits,
  keyed: Keyed,
  { clock }: Site,
) {
  const sign = async (text: string) =>
    Buffer.from(await keyed(`preview ${text}`), 'base64')
      .toString('base64url')
      .slice(0, SIGNATURE)

  return {
    /** A key for the preview of an event by a caller, and when it ends in UTC. */
    async add(event: number, { id, credential }: NonNullable<Caller>) {
      const [kind, token] = credential!.split(' ')
      const used = kind === 'token' ? tokens.byId(Number(token)) : undefined
      const limited = used?.token.limits ? [used.token.id] : []
      const until = Math.floor((clock() + LASTS) / 1_000)
      const text = [event, id, until, ...limited].map((number) => number.toString(36)).join('.')
      return { key: `${text}.${await sign(text)}`, expires_utc: toWall(until * 1_000, 'UTC') }
    },
    /** What a key opens; undefined if it was not made here or has ended, or its user is gone or disabled, or its token. */
    async read(key: string): Promise<Preview | undefined> {
      const text = key.slice(0, -SIGNATURE - 1)
      const [given, right] = [Buffer.from(key), Buffer.from(`${text}.${await sign(text)}`)]
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      const [event, user, until, token] = text.split('.').map((number) => Number.parseInt(number, 36))
      if (until! * 1_000 <= clock()) return undefined
      const maker = await find(user!).catch(() => undefined)
      const used = token === undefined ? undefined : tokens.byId(token)
      if (!maker || maker.disabled || (token !== undefined && !used)) return undefined
      const own = limits.of(maker.limits, used?.token.limits ?? null)
      const caller = { id: maker.id, role: maker.role, limits: own }
      return { event: event!, caller, until: until! * 1_000 }
    },
  }
}
