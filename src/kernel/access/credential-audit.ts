import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { clientOf, networkOf } from '../rate-limits.ts'
import type { Warnings } from '../server/log.ts'
import { type Later, later } from '../tasks/jobs.ts'
import type { Actor, Audit, Subject } from './audit-log.ts'
import type { User } from './users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the audit log is told of credentials. */
    audited: {
      /** Counts a failure to sign in, which is written later; `user` is whom the login names, if it is known. */
      failure(request: FastifyRequest, reason: string, user?: User): void
      /** Notes that a credential is used, if it was never used from this address. */
      use(request: FastifyRequest, subject: Subject, caller: Actor['caller']): Promise<void>
      /** Writes the failures that were counted so far. */
      flush(): Promise<void>
    }
  }
}

/** Who makes a request, and from where. */
export const actorOf = ({ caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>): Actor => ({
  caller,
  origin: 'http',
  address: ip,
})

/** Milliseconds after which the first failure of an address and login is written: no response waits for it. */
const SOON = 1_000
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

type Failure = { by: Actor; reason: string; user: User | undefined; times: number; at: number }
type Options = { store: { audit: Audit }; clock(): number; warnings: Warnings; writes: boolean }

/** Tells the audit log of credentials. A process that does not write tells it nothing. */
export const audit = fp<Options>(
  async (app, { store: { audit: log }, clock, warnings, writes }) => {
    const safely = (work: Promise<unknown>) =>
      work.catch((err) => warnings.warn('audit', app.log, { err }, 'the audit log could not be written'))
    const failures = openFailures(log, clock, safely)
    const uses = openUses(log)
    app.decorate('audited', {
      failure(request, reason, user) {
        if (writes) failures.note(request, reason, user)
      },
      async use(request, subject, caller) {
        if (writes) await safely(uses(request, subject, caller))
      },
      flush: failures.flush,
    })
    app.addHook('preClose', failures.flush)
    app.addHook('onClose', failures.flush) // requests that were under way may have failed since
  },
  { name: 'audit', dependencies: ['limits'] },
)

/** Notes uses of credentials from addresses that are new to them. Known ones cost a look into memory. */
function openUses(log: Audit) {
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
 * Notes failures to sign in: the first of an address and login within a second, those of the next minute as one entry with their number. Once
 * too many addresses fail, all others share an entry a minute, so that nobody can fill the disk. A failure is only counted while its
 * request is answered: how long a write takes would tell which logins there are, as unknown ones share an entry.
 */
export function openFailures(
  log: Audit,
  clock: () => number,
  safely: (work: Promise<unknown>) => Promise<unknown>,
  wait: Later = later,
) {
  const counted = new Map<string, Failure>()
  let firsts: Failure[] = []
  let others = 0
  let room = MOST_AT_ONCE
  let filled = clock()
  let soon: ReturnType<Later> | undefined
  let end: ReturnType<Later> | undefined
  let written: Promise<unknown> = Promise.resolve()

  const write = ({ by, reason, user, times, at }: Failure) =>
    log.note(
      by,
      'login_failed',
      user && { kind: 'user', id: user.id },
      { reason, login: user?.login },
      times,
      at,
    )
  const writeAll = (failures: Failure[]) => {
    written = written.then(() => safely(Promise.all(failures.map(write))))
  }

  function fill() {
    const minutes = Math.floor((clock() - filled) / WINDOW)
    room = Math.min(MOST_AT_ONCE, room + minutes * EACH_MINUTE)
    filled += minutes * WINDOW
  }

  /** Writes the first failures of addresses and logins. */
  function writeFirsts() {
    soon = undefined
    writeAll(firsts)
    firsts = []
  }

  /** Writes what else was counted, and begins anew. */
  function writeCounted() {
    end = undefined
    const at = clock()
    const failures = [...counted.values()].flatMap((one) => (one.times > 0 ? [{ ...one, at }] : []))
    if (others > 0)
      failures.push({
        by: { origin: 'http', address: '' },
        ...{ reason: 'several', user: undefined, times: others, at },
      })
    counted.clear()
    others = 0
    writeAll(failures)
  }

  return {
    note(request: FastifyRequest, reason: string, user: User | undefined) {
      end ??= wait(writeCounted, WINDOW)
      const key = `${clientOf(request)} ${user?.id} ${reason}`
      const same = counted.get(key)
      if (same) return void same.times++
      fill()
      if (room < EACH) return void others++
      room -= EACH
      const by = { ...actorOf(request), caller: undefined }
      const failure = { by, reason, user, times: 1, at: clock() }
      counted.set(key, { ...failure, times: 0 })
      firsts.push(failure)
      soon ??= wait(writeFirsts, SOON)
    },
    /** Writes all that was counted. */
    async flush() {
      soon?.clear()
      end?.clear()
      writeFirsts()
      writeCounted()
      await written
    },
  }
}
