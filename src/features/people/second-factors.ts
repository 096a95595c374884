import { randomBytes } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { and, count, eq } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { sign_ins } from '../../../drizzle/tables.ts'
import { SecondFactorInput } from '../../../schemas/factors.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import { type Actor, loginOf, record, SERVICE } from '../../kernel/access/audit-log.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { checkGiven } from '../../kernel/access/permissions.ts'
import { seal, unseal } from '../../kernel/access/secrets.ts'
import type { SignIn, SignIns } from '../../kernel/access/sessions.ts'
import type { Ticket, Tickets } from '../../kernel/access/tickets.ts'
import { type Keyed, mustOpen } from '../../kernel/access/tokens.ts'
import { findUser, type User } from '../../kernel/access/users.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { OWN_CREDENTIALS, provenSelf } from './credentials.ts'

/** Seconds for which a code is shown, and how many steps before and after count as well (RFC 6238 §5.2). */
const PERIOD = 30
const WINDOW = 1
/** Bytes of a secret, as many as SHA-1 has (RFC 4226 §4). */
const SECRET_BYTES = 20

/** The codes of one secret: SHA-1, six digits, each for 30 seconds, which every program for them knows (RFC 6238). */
const codesOf = (secret: Secret, about: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...about, secret, algorithm: 'SHA1', digits: 6, period: PERIOD })

/** A new secret in base32. */
export const newSecret = () => new Secret({ size: SECRET_BYTES }).base32

/** The address from which programs for codes read a secret. */
export const addressOfSecret = (secret: string, issuer: string, label: string) =>
  codesOf(Secret.fromBase32(secret), { issuer, label }).toString()

/** The step of 30 seconds to which a code belongs, at a time in Unix milliseconds; undefined for a wrong code, and for one of another time. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const codes = codesOf(Secret.fromBase32(secret))
  const delta = codes.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : codes.counter({ timestamp: now }) + delta
}

/** A code as people type it, without spaces and hyphens, in lower case. */
export const plainCode = (code: string) => code.replace(/[\s-]/g, '').toLowerCase()

/** Whether a plain code is one of a TOTP; all others are recovery codes. */
export const isOneTime = (code: string) => /^\d{6}$/.test(code)

/** Recovery codes of a user. */
const CODES = 10
const CODE_BYTES = 10
/** Milliseconds in which a sign-in has to be finished, and in which a new secret has to be confirmed. */
export const FACTOR_LASTS = 300_000
const SETUP_LASTS = 600_000
/** Wrong codes after which a sign-in begins anew. */
const MOST_WRONG = 5
/** Wrong one-time codes of a user in an hour, from all addresses together, after which only recovery codes are accepted. */
const MOST_AN_HOUR = 20
const HOUR = 3_600_000

type FactorState = {
  active: boolean
  created_utc: string | null
  last_used_utc: string | null
  recovery_codes: number
}
/** What a code came to: the user and the sign-in that it completes, a wrong code, or a step that has ended. */
type Proof = { is: 'right'; user: User; signIn: SignIn } | { is: 'wrong'; user: User } | { is: 'ended' }

/** A new recovery code, of 80 bits, in groups of four. */
const newRecoveryCode = () =>
  randomBytes(CODE_BYTES)
    .toString('hex')
    .replace(/.{4}(?=.)/g, '$&-')

/** Second factors of people who sign in with a password: codes that change every 30 seconds, and recovery codes, each of which works once. */
export function openSecondFactors(db: Db, site: Site, keyed: Keyed, signIns: SignIns, tickets: Tickets) {
  const key = async () => Buffer.from(await keyed('secrets of one-time codes'), 'base64')
  const hashOf = (user: number, code: string) => keyed(`recovery ${user} ${code}`)
  const recoveryOf = (user: number) => and(eq(sign_ins.user_id, user), eq(sign_ins.kind, 'recovery'))
  const totpOf = (tx: Queries, user: number) =>
    tx
      .select()
      .from(sign_ins)
      .where(and(eq(sign_ins.user_id, user), eq(sign_ins.kind, 'totp')))
  const codesLeft = async (tx: Queries, user: number) =>
    (await tx.select({ total: count() }).from(sign_ins).where(recoveryOf(user)))[0]!.total

  /** Replaces the recovery codes of a user, and returns the new ones. The audit log is told of all of them at once. */
  async function replaceCodes(tx: Queries, user: number, by: Actor): Promise<string[]> {
    await removeCodes(tx, user)
    const codes = Array.from({ length: CODES }, newRecoveryCode)
    const created_utc = toWall(site.clock(), 'UTC')
    for (const code of codes)
      await tx
        .insert(sign_ins)
        .values({ user_id: user, kind: 'recovery', secret: await hashOf(user, plainCode(code)), created_utc })
    await audit(tx, user, 'sign_in_added', { codes: CODES }, by)
    return codes
  }
  async function removeCodes(tx: Queries, user: number) {
    await tx.delete(sign_ins).where(recoveryOf(user))
  }
  const audit = (
    tx: Queries,
    user: number,
    code: 'sign_in_added' | 'sign_in_removed',
    details: { codes: number },
    by: Actor,
  ) =>
    record(
      { tx, site, by },
      code,
      { kind: 'user', id: user },
      { kind: 'recovery', ...details, owner: loginOf(tx, user) },
    )

  /** Uses a one-time code up. Throws 429 if too many were wrong. */
  async function useOneTime(tx: Queries, user: number, code: string): Promise<boolean> {
    if ((await tickets.count(tx, 'wrong_code', user)) >= MOST_AN_HOUR)
      throw new ApiError(
        'rest_rate_limited',
        'Too many wrong codes. Use a recovery code, or try again in an hour.',
        { retry_after: HOUR / 1_000 },
      )
    const [totp] = await totpOf(tx, user)
    const step = totp && stepOf(unseal(await key(), totp.secret!, String(user)), code, site.clock())
    if (step !== undefined && (await signIns.useIn(tx, totp!.id, step))) return true
    await tickets.issue(tx, 'wrong_code', HOUR, { user })
    return false
  }
  /** Uses a recovery code up. */
  async function useRecovery(tx: Queries, user: number, code: string, by: Actor): Promise<boolean> {
    const same = and(recoveryOf(user), eq(sign_ins.secret, await hashOf(user, code)))
    if ((await tx.delete(sign_ins).where(same).returning()).length === 0) return false
    await audit(tx, user, 'sign_in_removed', { codes: 1 }, by)
    return true
  }
  /** Counts a wrong code for a ticket that was redeemed: it goes on working, unless there were too many. */
  async function miss(tx: Queries, ticket: Ticket, text: string) {
    const missed = Number(ticket.data!.missed ?? 0) + 1
    if (missed < MOST_WRONG)
      await tickets.putBack(tx, ticket, text, { ...ticket.data, missed: String(missed) })
  }

  return {
    /** What second factor a user has. */
    async state(user: number): Promise<FactorState> {
      const [totp] = await signIns.list(user, 'totp')
      const { created_utc = null, last_used_utc = null } = totp ?? {}
      const recovery_codes = await codesLeft(db.read, user)
      return { active: totp !== undefined, created_utc, last_used_utc, recovery_codes }
    },
    /** A new secret in base32, with its address for programs, and the ticket that confirms it. Until then it is not active, and an earlier one is. */
    async prepare({ id, login }: User, issuer: string) {
      const secret = newSecret()
      const sealed = seal(await key(), secret, String(id))
      const ticket = await db.write(async (tx) => {
        await tickets.withdraw(tx, 'totp', id)
        return tickets.issue(tx, 'totp', SETUP_LASTS, { user: id, data: { sealed } })
      })
      return { secret, uri: addressOfSecret(secret, issuer, login), ticket }
    },
    /** Makes a prepared secret active in place of an earlier one, if a code of it is right. Returns new recovery codes, or why not. */
    async confirm(user: number, text: string, code: string, by: Actor = SERVICE) {
      const opener = await key()
      return db.write(async (tx): Promise<string[] | 'wrong' | 'ended'> => {
        const ticket = await tickets.redeem(tx, 'totp', text)
        if (ticket?.user_id !== user) return 'ended'
        const { sealed } = ticket.data as { sealed: string }
        const step = stepOf(unseal(opener, sealed, String(user)), plainCode(code), site.clock())
        if (step === undefined) {
          await miss(tx, ticket, text)
          return 'wrong'
        }
        await signIns.removeAll(tx, user, 'totp', by)
        await signIns.add(tx, { user_id: user, kind: 'totp', secret: sealed, counter: step }, by)
        return replaceCodes(tx, user, by)
      })
    },
    /** New recovery codes in place of those before; undefined if the user has no second factor. */
    renewCodes: (user: number, by: Actor = SERVICE): Promise<string[] | undefined> =>
      db.write(async (tx) => {
        const [totp] = await totpOf(tx, user)
        return totp && replaceCodes(tx, user, by)
      }),
    /** Removes the second factor of a user with its recovery codes; false if there is none. */
    remove: (user: number, by: Actor = SERVICE): Promise<boolean> =>
      db.write(async (tx) => {
        const removed = await signIns.removeAll(tx, user, 'totp', by)
        await removeCodes(tx, user)
        await tickets.withdraw(tx, 'factor', user)
        return removed.length > 0
      }),
    /**
     * A ticket with which a sign-in by password goes on; undefined if the user has no second factor. It looks inside of a write, which has
     * what other processes and nodes wrote. Throws 401 if the password was changed since it was proven.
     */
    async ask(
      { id }: User,
      { id: sign_in_id, secret }: Pick<SignIn, 'id'> & Partial<Pick<SignIn, 'secret'>>,
    ): Promise<string | undefined> {
      await tickets.ready()
      return db.write(async (tx) => {
        await mustOpen(tx, { sign_in_id, secret })
        if ((await totpOf(tx, id)).length === 0) return undefined
        return tickets.issue(tx, 'factor', FACTOR_LASTS, { user: id, data: { sign_in: String(sign_in_id) } })
      })
    },
    /**
     * Uses up a ticket of `ask`, if the code is one of the user: of now, or a recovery code. `check` may throw before the code is looked at;
     * then nothing is used.
     */
    async prove(
      text: string,
      code: string,
      check: (user: User) => Promise<void>,
      by: Actor = SERVICE,
    ): Promise<Proof> {
      await tickets.ready()
      return db.write(async (tx): Promise<Proof> => {
        const ticket = await tickets.redeem(tx, 'factor', text)
        if (!ticket) return { is: 'ended' }
        const begun = eq(sign_ins.id, Number(ticket.data!.sign_in))
        const [signIn] = await tx.select().from(sign_ins).where(begun)
        if (!signIn) return { is: 'ended' }
        const user = await findUser(tx, ticket.user_id!)
        await check(user)
        const plain = plainCode(code)
        const isRight = isOneTime(plain)
          ? await useOneTime(tx, user.id, plain)
          : await useRecovery(tx, user.id, plain, { ...by, caller: { id: user.id, role: user.role } })
        if (isRight) return { is: 'right', user, signIn }
        await miss(tx, ticket, text)
        return { is: 'wrong', user }
      })
    },
  }
}

const FACTOR = '/users/:id/totp'

/** The second factor of a user: codes that a program shows, and recovery codes. */
export const secondFactorRoutes = family('second factors', async (app, service) => {
  const { site, store } = service
  const { users, secondFactors } = store
  const { add, paramsOf } = openCollection(app, service, OWN_CREDENTIALS)
  publishBody(app, Type.Object(SecondFactorInput.properties, { $id: 'SecondFactorInput' }))
  const state = async (id: number) => shown(await secondFactors.state(id))
  const none = (id: number) => new ApiError('second-factor-not-found', `User ${id} has no second factor.`)

  add({
    method: 'GET',
    url: FACTOR,
    operation: 'read',
    operationId: 'getSecondFactor',
    summary: 'Read whether a user has a second factor',
    description:
      'Returns whether signing in with the own password of the user asks for a code as well, and how many recovery codes are left. Every user may read this of themselves, and an administrator of all. Times are in UTC.',
    errors: ['user-not-found'],
    answer: 'SecondFactor',
    handle: async (request) => state((await users.find(paramsOf(request).id)).id),
  })
  add({
    method: 'POST',
    url: FACTOR,
    operation: 'create',
    operationId: 'createSecondFactor',
    summary: 'Prepare a second factor',
    description:
      'Makes a secret for codes that change every 30 seconds (RFC 6238: SHA-1, six digits), which is shown only in this response. It is not active before it is confirmed, and an earlier one goes on working until then. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'NewSecondFactor',
    async handle(request, reply) {
      const user = await provenSelf(request, service)
      reply.code(201)
      return secondFactors.prepare(user, service.branding().name)
    },
  })
  add({
    method: 'POST',
    url: `${FACTOR}/confirm`,
    operation: 'create',
    operationId: 'confirmSecondFactor',
    summary: 'Confirm a second factor',
    description:
      'Makes a prepared secret active, if the code is one of it, in place of an earlier one. Returns ten recovery codes, which are shown only in this response and replace all earlier ones. After five wrong codes the secret has to be prepared anew.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'RecoveryCodes',
    body: 'SecondFactorInput',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const { ticket, code } = request.body as SecondFactorInput
      const codes = await secondFactors.confirm(id, ticket, code, actorOf(request))
      if (codes === 'ended')
        throw invalid({ ticket: 'is unknown, was used, or has ended. Prepare a new secret.' })
      if (codes === 'wrong')
        throw invalid({ code: 'is wrong, or not of now. Check the clock of the device.' })
      reply.code(201)
      return { codes }
    },
  })
  add({
    method: 'DELETE',
    url: FACTOR,
    operation: 'delete',
    operationId: 'deleteSecondFactor',
    summary: 'Remove a second factor',
    description:
      'Removes the secret and all recovery codes of a user: the own password alone signs in again. Users may do this for themselves, and administrators for those who lost their device. The caller must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'second-factor-not-found', 'insufficient_user_authentication'],
    except: ['rest_invalid_param'],
    answer: 'SecondFactor',
    async handle(request) {
      const { id } = await users.find(paramsOf(request).id)
      checkGiven(request, site.clock())
      const before = await state(id)
      if (!(await secondFactors.remove(id, actorOf(request)))) throw none(id)
      return before
    },
  })
  add({
    method: 'POST',
    url: '/users/:id/recovery-codes',
    operation: 'create',
    operationId: 'createRecoveryCodes',
    summary: 'Make new recovery codes',
    description:
      'Returns ten recovery codes, which are shown only in this response and replace all earlier ones. Each works once in place of a code. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'second-factor-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'RecoveryCodes',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const codes = await secondFactors.renewCodes(id, actorOf(request))
      if (!codes) throw none(id)
      reply.code(201)
      return { codes }
    },
  })
})
