import { and, eq } from 'drizzle-orm'
import { sign_ins } from '../../../../drizzle/tables.ts'
import { type Actor, SERVICE } from '../../../kernel/access/audit-log.ts'
import type { SignIn, SignIns } from '../../../kernel/access/sessions.ts'
import type { Keyed } from '../../../kernel/access/tokens.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { invalid } from '../../../kernel/errors.ts'
import type { Site } from '../../../kernel/site.ts'
import { openStamps } from './stamps.ts'

/** Milliseconds in which a passkey has to answer. */
export const CHALLENGE_LASTS = 300_000
/** Most passkeys of a user. */
const MOST = 20

/** What an authenticator made: an ID in base64url, a public key in COSE form, a counter, and whether other devices may have it too. */
export type NewPasskey = { credential: string; key: Uint8Array; counter: number; synced: boolean }

/** The public key of a passkey, and whether other devices may have it too. */
export function keyOf({ secret }: SignIn): Pick<NewPasskey, 'synced'> & { key: Uint8Array<ArrayBuffer> } {
  const [key, kind] = secret!.split(' ')
  return { key: Uint8Array.from(Buffer.from(key!, 'base64url')), synced: kind === 'synced' }
}

const bearerOf = (user: number | undefined) => (user === undefined ? '' : String(user))
/** The stamp that a challenge is: authenticators sign bytes. */
const stampIn = (challenge: string) => Buffer.from(challenge, 'base64url').toString()

/** Passkeys of people, and the challenges that these sign, each once. */
export function openPasskeys(db: Db, site: Site, keyed: Keyed, signIns: SignIns) {
  const stamps = openStamps(keyed, site, { purpose: 'passkey', lasts: CHALLENGE_LASTS })
  return {
    keyOf,
    /** What authenticators call a user: it tells nobody who that is, and stays the same. In base64url. */
    handleOf: async (user: number): Promise<string> =>
      Buffer.from(await keyed(`passkeys of ${user}`), 'base64').toString('base64url'),
    /** A challenge in base64url, for a user who adds a passkey, or for whoever signs in. Nothing is stored. */
    async challenge(user?: number): Promise<string> {
      return Buffer.from((await stamps.issue(bearerOf(user))).stamp).toString('base64url')
    },
    /** Whether a challenge was made here, for this user or for whoever signs in, and has not ended. It may have been used. */
    async isOpen(challenge: string, user?: number): Promise<boolean> {
      return (await stamps.ageOf(stampIn(challenge), bearerOf(user))) !== undefined
    },
    /** Uses up a challenge that is open; false if it was used before. */
    redeem: (challenge: string): Promise<boolean> => db.write((tx) => stamps.use(tx, stampIn(challenge))),
    /** Adds a passkey. Throws 400 if it is known, or the user has too many. */
    add: (
      user: number,
      name: string,
      { credential, key, counter, synced }: NewPasskey,
      by: Actor = SERVICE,
    ): Promise<SignIn> =>
      db.write(async (tx) => {
        const ofKind = eq(sign_ins.kind, 'passkey')
        const [same] = await tx
          .select()
          .from(sign_ins)
          .where(and(ofKind, eq(sign_ins.external, credential)))
        if (same) throw invalid({ attestation: 'This passkey has been added already.' })
        const others = await tx
          .select()
          .from(sign_ins)
          .where(and(ofKind, eq(sign_ins.user_id, user)))
        if (others.length >= MOST)
          throw invalid({ name: `A user has at most ${MOST} passkeys; remove one first.` })
        const secret = `${Buffer.from(key).toString('base64url')} ${synced ? 'synced' : 'bound'}`
        return signIns.add(
          tx,
          { user_id: user, kind: 'passkey', name, secret, external: credential, counter },
          by,
        )
      }),
  }
}
export type Passkeys = ReturnType<typeof openPasskeys>
