import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Actor, Store, Subject, User } from '../../store/store.ts'
import { type Later, later } from '../../support/later.ts'
import { clientOf, networkOf } from '../limits/limits.ts'
import type { Warnings } from '../server/warnings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the audit log is told of credentials. */
    audited: {
      /** Notes a failure to sign in; `user` is whom the login names, if it is known. */
      failure(request: FastifyRequest, reason: string, user?: User): Promise<void>
      /** Notes that a credential is used, if it was never used from this address. */
      use(request: FastifyRequest, subject: Subject, caller: Actor['caller']): Promise<void>
      /** Writes the failures that were counted so far. */
      settle(): Promise<void>
    }
  }
}

/** Who makes a request, and from where. */
export const actorOf = ({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): Actor => ({
  caller,
  origin: 'http',
  address: ip,
})

/** Milliseconds in which failures of the same address and login are one entry after the first. */
const WINDOW = 60_000
/** Entries of failures that may be written at once, and how many more each minute allows: further failures share an entry. */
const MOST_AT_ONCE = 500
const EACH_MINUTE = 2
/** Entries of one address and login: the first, and the one with the number of the others. */
const EACH = 2
/** New addresses of a credential that are noted a day. */
const MOST_ADDRESSES = 100
const REMEMBERED = 10_000

type Failure = { by: Actor; reason: string; user: User | undefined; times: number }
type Options = { store: Pick<Store, 'audit'>; clock(): number; warnings: Warnings; writes: boolean }

/** Tells the audit log of credentials. A process that does not write tells it nothing. */
export const audit = fp<Options>(
  async (app, { store: { audit: log }, clock, warnings, writes }) => {
    const safely = (work: Promise<void>) =>
      work.catch((err) => warnings.warn('audit', app.log, { err }, 'the audit log could not be written'))
    const failures = openFailures(log, clock, safely)
    const uses = openUses(log)
    app.decorate('audited', {
      async failure(request, reason, user) {
        if (writes) await failures.note(request, reason, user)
      },
      async use(request, subject, caller) {
        if (writes) await safely(uses(request, subject, caller))
      },
      settle: failures.settle,
    })
    app.addHook('preClose', failures.settle)
  },
  { name: 'audit', dependencies: ['limits'] },
)

/** Notes uses of credentials from addresses that are new to them. Known ones cost a look into memory. */
function openUses(log: Store['audit']) {
  // counted by size: with `max` it would allocate places for all of them at the start
  const known = new LRUCache<string, true>({ maxSize: REMEMBERED, sizeCalculation: () => 1 })
  return async (request: FastifyRequest, subject: Subject, caller: Actor['caller']) => {
    const network = clientOf(request)
    const key = `${subject.kind} ${subject.id} ${network}`
    if (known.has(key)) return
    known.set(key, true)
    const { addresses, lately } = await log.addressesOf(subject)
    if (lately >= MOST_ADDRESSES || addresses.some((address) => networkOf(address) === network)) return
    await log.note({ ...actorOf(request), caller }, 'credential_used', subject)
  }
}

/**
 * Notes failures to sign in: the first of an address and login at once, those of the next minute as one entry with their number. Once
 * too many addresses fail, all others share an entry a minute, so that nobody can fill the disk.
 */
export function openFailures(
  log: Store['audit'],
  clock: () => number,
  safely: (work: Promise<void>) => unknown,
  wait: Later = later,
) {
  const counted = new Map<string, Failure>()
  let others = 0
  let room = MOST_AT_ONCE
  let filled = clock()
  let timer: ReturnType<Later> | undefined

  const write = ({ by, reason, user, times }: Failure) =>
    log.note(by, 'login_failed', user && { kind: 'user', id: user.id }, { reason, login: user?.login }, times)

  function fill() {
    const minutes = Math.floor((clock() - filled) / WINDOW)
    room = Math.min(MOST_AT_ONCE, room + minutes * EACH_MINUTE)
    filled += minutes * WINDOW
  }

  /** Writes what was counted, and begins anew. */
  async function flush() {
    timer = undefined
    const failures = [...counted.values()].filter(({ times }) => times > 0)
    const shared = others
    counted.clear()
    others = 0
    await Promise.all(failures.map(write))
    if (shared > 0)
      await log.note(
        { origin: 'http', address: '' },
        'login_failed',
        undefined,
        { reason: 'several' },
        shared,
      )
  }

  return {
    async note(request: FastifyRequest, reason: string, user: User | undefined) {
      timer ??= wait(() => void safely(flush()), WINDOW)
      const key = `${clientOf(request)} ${user?.id} ${reason}`
      const same = counted.get(key)
      if (same) return void same.times++
      fill()
      if (room < EACH) return void others++
      room -= EACH
      const failure = { by: { ...actorOf(request), caller: undefined }, reason, user, times: 1 }
      counted.set(key, { ...failure, times: 0 })
      await safely(write(failure))
    },
    async settle() {
      timer?.clear()
      await safely(flush())
    },
  }
}
