import { asc, eq, lte } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import { mails } from '../../../drizzle/tables.ts'
import type { Db, Queries } from '../database/db.ts'
import type { Warnings } from '../server/log.ts'
import type { Site } from '../site.ts'
import type { EventBus } from '../store.ts'
import { type Later, later, repeat } from '../tasks/jobs.ts'
import { toWall } from '../time/dates.ts'
import { type Mail as Letter, openPost, type Post, type PostOffice } from './mail.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Milliseconds until a mail is tried again after so many tries; after the last, two days, it is given up. */
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, ...[1, 3, 6, 13, 24].map((hours) => hours * HOUR)]
/** Milliseconds between two looks, and while the server takes nothing: one mail is tried then. */
const EVERY = 1_000
const AWAY = 30_000
/** Mails of one look. */
const BATCH = 20
/** Milliseconds that a mail under way has when the service stops. */
const GRACE = 1_000

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds what queues mails in which several things are told, once their time has come. */
    digest(queue: () => Promise<void>): void
  }
}

declare module '../store.ts' {
  interface DomainEvents {
    /** A mail was sent, or is given up. */
    'mail.done': { tx: Queries; topic: string; isSent: boolean }
  }
}

type Outcome = 'sent' | 'put_off' | 'given_up'
export type MailCounts = Record<Outcome, number>
type Parts = {
  store: { db: Pick<Db, 'leads' | 'fresh'>; mails: Mails }
  post: Post
  counts: MailCounts
  log: FastifyBaseLogger
  warnings: Pick<Warnings, 'warn'>
  /** Each queues what several things are told in, once its time has come. */
  digests?: readonly (() => Promise<void>)[]
}

/** Sends a mail, and removes it or puts it off. Returns whether the server takes more. */
async function sendOne(
  { store: { mails }, post, counts, log, warnings }: Parts,
  mail: Mail,
  stop: AbortSignal,
) {
  const { id, tries, created_utc } = mail
  const named = `almanac.${id}.${created_utc.replace(/\D/g, '')}`
  const posted = await post.send({ ...mail, id: named })
  if (posted.outcome === 'sent') {
    counts.sent++
    await mails.finish(mail, true)
    return true
  }
  if (stop.aborted) return false // it was cut off, and is tried after the next start
  const wait = posted.outcome === 'failed' ? WAITS[tries] : undefined
  const told = { mail: id, tries: tries + 1, ...posted.why }
  if (wait === undefined) {
    counts.given_up++
    log.error(told, 'a mail was given up')
    await mails.finish(mail, false)
  } else {
    counts.put_off++
    warnings.warn('mail', log, told, 'a mail could not be sent, and is tried again later')
    await mails.putOff(mail, wait)
  }
  return posted.outcome === 'refused' || !posted.isAway
}

/**
 * Sends the mail that waits, of several nodes on the one that leads. Returns a function that stops it; a mail under way then has a moment to
 * end, and otherwise is sent again after the next start.
 */
export function sendMails(parts: Parts, wait: Later = later): () => Promise<void> {
  const { db, mails } = parts.store
  async function look(stop: AbortSignal) {
    if (!db.leads()) return EVERY
    for (const digest of parts.digests ?? []) await digest()
    if ((await mails.due(1)).length === 0) return EVERY
    // what another node sent before must be known here
    if (((await db.fresh?.()) ?? 0) > 0) return EVERY
    for (const mail of await mails.due(BATCH)) {
      if (stop.aborted || !db.leads()) break
      if (!(await sendOne(parts, mail, stop))) return AWAY
    }
    return EVERY
  }
  const fail = (err: unknown) => {
    parts.warnings.warn('mails', parts.log, { err }, 'mail that waits could not be looked at')
    return AWAY
  }
  const stopped = repeat(look, { first: EVERY, fail, wait })
  return async () => {
    const ended = stopped()
    const late = setTimeout(() => parts.post.close(), GRACE)
    await ended
    clearTimeout(late)
    await parts.post.close()
  }
}

/** Sends mail, if there is a server for it. For the process that writes, once it listens. */
export const mailing = fp<Pick<Parts, 'store' | 'counts' | 'warnings'> & { office: PostOffice | undefined }>(
  async (app, { office, ...parts }) => {
    const digests: (() => Promise<void>)[] = []
    app.decorate('digest', (queue) => void digests.push(queue))
    if (!office) return
    let stop: (() => Promise<void>) | undefined
    app.addHook('onListen', async () => {
      stop = sendMails({ ...parts, digests, post: openPost(office), log: app.log })
    })
    app.addHook('preClose', async () => stop?.())
  },
  { name: 'mailing' },
)

export type Mail = typeof mails.$inferSelect

/** Mail that waits to be sent, so that no request waits for a server of mail, and none is lost when that does not answer. */
export function openMails(db: Db, site: Site, domainEvents: Pick<EventBus, 'emit'>) {
  const now = () => toWall(site.clock(), 'UTC')
  return {
    /** Queues a mail in the transaction of what it tells of. Whoever names a `topic` hears what became of it. */
    async add(tx: Queries, mail: Letter & { topic?: string }): Promise<void> {
      await tx.insert(mails).values({ ...mail, created_utc: now(), next_utc: now() })
    },
    /** Forgets the mails of a topic that wait. */
    withdraw: async (tx: Queries, topic: string) =>
      void (await tx.delete(mails).where(eq(mails.topic, topic))),
    /** The mails that are to be sent by now, the oldest first. */
    due: (limit: number): Promise<Mail[]> =>
      db.read
        .select()
        .from(mails)
        .where(lte(mails.next_utc, now()))
        .orderBy(asc(mails.next_utc), asc(mails.id))
        .limit(limit)
        .execute(),
    /** How many mails wait, whenever they are to be sent. */
    waiting: (): number => db.rows<[number]>('select count(*) from mails')[0]![0],
    /** Forgets a mail that was sent, or is given up. */
    finish: ({ id, topic }: Pick<Mail, 'id' | 'topic'>, isSent: boolean) =>
      db.write(async (tx) => {
        await tx.delete(mails).where(eq(mails.id, id))
        if (topic !== null) await domainEvents.emit('mail.done', { tx, topic, isSent })
      }),
    /** Puts a mail off that could not be sent, for so many milliseconds. */
    putOff: ({ id, tries }: Pick<Mail, 'id' | 'tries'>, wait: number) =>
      db.write(async (tx) => {
        const next_utc = toWall(site.clock() + wait, 'UTC')
        await tx
          .update(mails)
          .set({ tries: tries + 1, next_utc })
          .where(eq(mails.id, id))
      }),
  }
}
export type Mails = ReturnType<typeof openMails>
