import { generateKeyPairSync } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { and, eq } from 'drizzle-orm'
import { sign_ins } from '../../../drizzle/tables.ts'
import { PasskeyInput } from '../../../schemas/factors.ts'
import { openCollection, pageOf, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import { type Actor, SERVICE } from '../../kernel/access/audit-log.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import type { SignIn, SignIns } from '../../kernel/access/sessions.ts'
import type { Keyed } from '../../kernel/access/tokens.ts'
import type { Db } from '../../kernel/database/db.ts'
import { invalid } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import type { Site } from '../../kernel/site.ts'
import { openChallenges } from './challenges.ts'
import { OWN_CREDENTIALS, openOwnSignIns, provenSelf } from './credentials.ts'

/** Milliseconds in which a passkey has to answer. */
export const CHALLENGE_LASTS = 300_000
/** Most passkeys of a user. */
const MOST = 20

/** What an authenticator made: an ID in base64url, a public key in COSE form, a counter, and whether other devices may have it too. */
type NewPasskey = { credential: string; key: Uint8Array; counter: number; synced: boolean }

/** The public key of a passkey, and whether other devices may have it too. */
function keyOf({ secret }: SignIn): Pick<NewPasskey, 'synced'> & { key: Uint8Array<ArrayBuffer> } {
  const [key, kind] = secret!.split(' ')
  return { key: Uint8Array.from(Buffer.from(key!, 'base64url')), synced: kind === 'synced' }
}

const bearerOf = (user: number | undefined) => (user === undefined ? '' : String(user))
/** The text of a challenge, which authenticators get as bytes. */
const textIn = (challenge: string) => Buffer.from(challenge, 'base64url').toString()

/** Passkeys of people, and the challenges that these sign, each once. */
export function openPasskeys(db: Db, site: Site, keyed: Keyed, signIns: SignIns) {
  const challenges = openChallenges(keyed, site, { purpose: 'passkey', lasts: CHALLENGE_LASTS })
  return {
    keyOf,
    /** What authenticators call a user: it tells nobody who that is, and stays the same. In base64url. */
    handleOf: async (user: number): Promise<string> =>
      Buffer.from(await keyed(`passkeys of ${user}`), 'base64').toString('base64url'),
    /** A challenge in base64url, for a user who adds a passkey, or for whoever signs in. Nothing is stored. */
    async challenge(user?: number): Promise<string> {
      return Buffer.from((await challenges.issue(bearerOf(user))).challenge).toString('base64url')
    },
    /** Whether a challenge was made here, for this user or for whoever signs in, and has not ended. It may have been used. */
    async isOpen(challenge: string, user?: number): Promise<boolean> {
      return (await challenges.ageOf(textIn(challenge), bearerOf(user))) !== undefined
    },
    /** Uses up a challenge that is open; false if it was used before. */
    redeem: (challenge: string): Promise<boolean> => db.write((tx) => challenges.use(tx, textIn(challenge))),
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

/** The library, which is loaded with the first passkey: it takes 30 MB. */
const library = () => import('@simplewebauthn/server')

/** Whom passkeys are for: the host of the service, and the only origin whose pages may ask for them. */
type Party = { id: string; origin: string }
export function partyOf(base: string): Party {
  const { hostname, origin } = new URL(base)
  return { id: hostname, origin }
}

/** What a browser says of the page that asked a passkey. */
type ClientData = { challenge: string; origin: string }

/** Reads what a browser says of the page, from JSON in base64url; undefined if it is not that. */
export function readClientData(text: string): ClientData | undefined {
  try {
    const { challenge, origin } = JSON.parse(Buffer.from(text, 'base64url').toString())
    return typeof challenge === 'string' && typeof origin === 'string' ? { challenge, origin } : undefined
  } catch {
    return undefined
  }
}

/** The byte of the flags in the data of an authenticator, and the flag that it knows its user (WebAuthn §6.1). */
const FLAGS_AT = 32
const USER_VERIFIED = 0x04
/** Whether the authenticator says that it knows its user, by a fingerprint, a face or a PIN. */
export const isVerified = (authenticatorData: string) =>
  ((Buffer.from(authenticatorData, 'base64url')[FLAGS_AT] ?? 0) & USER_VERIFIED) !== 0

/** The key of nobody, in COSE form, with which the work is the same for a passkey that is unknown. */
function strangersKey(): Uint8Array<ArrayBuffer> {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const parts = ['a5010203262001215820', x!, '225820', y!]
  const bytes = parts.map((part, at) => Buffer.from(part, at % 2 === 0 ? 'hex' : 'base64url'))
  return Uint8Array.from(Buffer.concat(bytes))
}
let strangers: Uint8Array<ArrayBuffer> | undefined

type Signed = { id: string; client_data: string; authenticator_data: string; signature: string }
type Known = { key: Uint8Array<ArrayBuffer>; counter: number; synced: boolean }

/**
 * Whether a passkey signed a challenge for this service, and its user was verified. Gives its new counter, or undefined: also if the counter
 * went back, as that of a copy does, and if the passkey says something else than before of whether it may be copied (WebAuthn §7.2).
 * Without `known` it does the same work.
 */
export async function verifySigned(
  party: Party,
  challenge: string,
  { id, client_data, authenticator_data, signature }: Signed,
  known: Known | undefined,
): Promise<number | undefined> {
  strangers ??= strangersKey()
  const { verifyAuthenticationResponse } = await library()
  const { key, counter, synced } = known ?? { key: strangers, counter: 0, synced: false }
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, authenticatorData: authenticator_data, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id, publicKey: key, counter },
    })
    const isSame = (info.credentialDeviceType === 'multiDevice') === synced
    return verified && isSame && known ? info.newCounter : undefined
  } catch {
    return undefined
  }
}

/** What an authenticator made for a challenge of this service, and whether it knows its user; undefined if it is not right. Who made the authenticator does not matter. */
async function verifyMade(
  party: Party,
  challenge: string,
  { client_data, attestation }: { client_data: string; attestation: string },
): Promise<(NewPasskey & { verified: boolean }) | undefined> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        // the ID is read from the attestation
        ...{ id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: client_data, attestationObject: attestation },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    // without a right attestation there is none, which throws here as a malformed one did before
    const { credential, userVerified: verified, credentialDeviceType } = registrationInfo!
    const { id, publicKey: key, counter } = credential
    return { credential: id, key, counter, synced: credentialDeviceType === 'multiDevice', verified }
  } catch {
    return undefined
  }
}

/** The algorithms of signatures that are taken, the best first: Ed25519, ECDSA with P-256, RSA (RFC 9053, RFC 8812). */
const ALGORITHMS = [-8, -7, -257]

/** The refusal of a challenge that can not be used. */
const ended = () => invalid({ client_data: 'The challenge is unknown, was used, or has ended. Begin anew.' })

const PASSKEYS = '/users/:id/passkeys'
const PASSKEY = `${PASSKEYS}/:passkey_id`

/** The passkeys of a user: list, add, remove. */
export const passkeyRoutes = family('passkeys', async (app, service) => {
  const { signIns, passkeys } = service.store
  const own = openOwnSignIns(service.store, 'passkey', 'passkey-not-found', 'passkey')
  const { add, list, created, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', passkey_id: 'passkey' },
  })
  publishBody(app, Type.Object(PasskeyInput.properties, { $id: 'PasskeyInput' }))
  const party = partyOf(service.base)
  const show = (row: SignIn) => {
    const { id, name, created_utc, last_used_utc } = row
    return shown({ id, name, synced: passkeys.keyOf(row).synced, created_utc, last_used_utc })
  }

  list({
    kind: 'passkey',
    plural: 'passkeys',
    url: PASSKEYS,
    operationId: 'listPasskeys',
    summary: 'List the passkeys of a user',
    description:
      'Returns the passkeys of a user, ordered by ID. Every user may manage their own passkeys; an administrator may list and remove those of all. A token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'passkey-archive-page-not-found'],
    answer: 'PasskeyPage',
    find: async (paging, { id }) => pageOf((await own.list(id)).map(show), paging),
  })
  add({
    method: 'POST',
    url: `${PASSKEYS}/options`,
    operation: 'create',
    operationId: 'createPasskeyOptions',
    summary: 'Begin to add a passkey',
    description:
      'Returns what `navigator.credentials.create` needs, with a challenge that works once and for 5 minutes. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'PasskeyCreation',
    async handle(request, reply) {
      const { id, login } = await provenSelf(request, service)
      const known = await signIns.list(id, 'passkey')
      reply.code(201)
      return {
        challenge: await passkeys.challenge(id),
        rp: { id: party.id, name: service.branding().name },
        user: { id: await passkeys.handleOf(id), name: login, displayName: login },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_LASTS,
        attestation: 'none',
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        excludeCredentials: known.map(({ external }) => ({ type: 'public-key', id: external })),
      }
    },
  })
  add({
    method: 'POST',
    url: PASSKEYS,
    operation: 'create',
    operationId: 'createPasskey',
    summary: 'Add a passkey',
    description:
      'Adds a passkey that the browser made for a challenge of this user. It signs in without a login and without a second factor, because the device asks for a fingerprint, a face or a PIN. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'Passkey',
    body: 'PasskeyInput',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const { name, ...made } = request.body as PasskeyInput
      const said = readClientData(made.client_data)
      if (!said) throw invalid({ client_data: 'must be the `clientDataJSON` of a browser.' })
      if (said.origin !== party.origin)
        throw invalid({
          client_data: `The passkey was made on a page of another site; the right one is ${party.origin}.`,
        })
      if (!(await passkeys.isOpen(said.challenge, id))) throw ended()
      const passkey = await verifyMade(party, said.challenge, made)
      if (!passkey)
        throw invalid({ attestation: 'must be what an authenticator made for this challenge and host.' })
      if (!passkey.verified)
        throw invalid({ attestation: 'The passkey was made without a fingerprint, a face or a PIN.' })
      if (!(await passkeys.redeem(said.challenge))) throw ended()
      const row = await passkeys.add(id, name, passkey, actorOf(request))
      created(request, reply, `/users/${id}/passkeys/${row.id}`)
      return show(row)
    },
  })
  add({
    method: 'GET',
    url: PASSKEY,
    operation: 'read',
    operationId: 'getPasskey',
    summary: 'Read a passkey',
    description:
      'Returns the name of a passkey and the times of its creation and last use. Times are in UTC.',
    errors: ['user-not-found', 'passkey-not-found'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      return show(await own.find(id, passkey_id))
    },
  })
  add({
    method: 'DELETE',
    url: PASSKEY,
    operation: 'delete',
    operationId: 'deletePasskey',
    summary: 'Remove a passkey',
    description: 'Removes a passkey at once, with the sessions that it opened. Returns it.',
    errors: ['user-not-found', 'passkey-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      return show(await own.remove(id, passkey_id, actorOf(request)))
    },
  })
})
