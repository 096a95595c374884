import { and, isNotNull, lte, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import { posts, series } from '../../drizzle/tables.ts'
import type { Changes } from '../kernel/database/changes.ts'
import type { Db, Queries } from '../kernel/database/db.ts'
import { openPauses } from '../kernel/database/queue.ts'
import type { Warnings } from '../kernel/server/log.ts'
import type { Site } from '../kernel/site.ts'
import { type Later, later, repeat } from '../kernel/tasks/jobs.ts'
import { toEpoch, toWall } from '../kernel/time/dates.ts'
import { hasDates } from './formats/records.ts'
import type { Pictures } from './media/pictures.ts'
import { emitChanged } from './records/changed-fields.ts'
import { project } from './records/projection.ts'
import { datesAfter, recurrenceOf, windowEndUtc } from './records/series/dates.ts'
import { addOccurrence, updateOccurrence } from './records/series/occurrences.ts'
import { countDates, findSeries, occurrencesOf, type Series } from './records/series/rows.ts'
import { updateSeriesRow } from './records/series/series.ts'
import type { ServiceWrite } from './records/write.ts'
import type { Store } from './store.ts'

/** In these words, because their index is of such records alone. */
const IS_SCHEDULED = sql`${posts.status} = 'future'`

/**
 * Publishes scheduled records whose time has come (D36). Cheap if none are due. A node whose clock is far off publishes none: nobody knows
 * whether that clock or PostgreSQL's is right, and what was published too early can not be taken back.
 */
export function openSchedule(db: Db, changes: Changes, site: Site) {
  const due = db.read
    .select({ at: sql<string | null>`min(${posts.date_utc})` })
    .from(posts)
    .where(IS_SCHEDULED)
    .prepare()
  let seen = -1
  let at = Number.POSITIVE_INFINITY
  /** When something is due next, in Unix milliseconds. */
  const next = () => {
    const { seq } = changes.latest()
    if (seq !== seen) {
      seen = seq
      const first = due.get()!.at
      at = first === null ? Number.POSITIVE_INFINITY : toEpoch(first, 'UTC')
    }
    return at
  }
  /** Whether something is due. */
  const isDue = () => next() <= site.clock() && db.replica?.status().clock.state !== 'wrong'
  return {
    next,
    isDue,
    async publish() {
      if (!isDue()) return
      await db.write((tx) => publishDue(tx, site), true)
    },
  }
}

async function publishDue(tx: Queries, site: Site) {
  const now = site.clock()
  const ripe = and(IS_SCHEDULED, sql`${posts.date_utc} <= ${toWall(now, 'UTC')}`)
  const pause = openPauses(tx)
  for (const post of await tx.update(posts).set({ status: 'publish' }).where(ripe).returning()) {
    const before = { post: { ...post, status: 'future' as const } }
    if (hasDates(post.kind)) await emitChanged({ tx, now, site }, before, { post })
    await project({ tx, site, now }, 'post', { before, after: { post } })
    await pause()
  }
}

/** Publishes due records before a request is answered; if the database can not be written, reads still work. */
export const publication = fp<{ store: Store; warnings: Warnings }>(
  async (app, { store: { schedule }, warnings }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (!schedule.isDue()) return void done()
      schedule
        .publish()
        .catch((err) =>
          warnings.warn('schedule', request.log, { err }, 'scheduled records could not be published'),
        )
        .then(() => done())
    })
  },
  { name: 'publication', dependencies: ['auth'] },
)

/**
 * Gives series the dates that time brings into the occurrence window, each once, whoever comes first. A node whose clock is far off adds none, as it
 * publishes none.
 */
export function openOccurrenceWindow(db: Pick<Db, 'read' | 'write' | 'replica'>, site: Site) {
  const first = db.read
    .select({ id: series.post_id })
    .from(series)
    .where(and(isNotNull(series.next_utc), lte(series.next_utc, sql.placeholder('until'))))
    .limit(1)
    .prepare()

  return {
    /** Extends one of the series that are due; returns whether there was one. */
    async extend(): Promise<boolean> {
      if (db.replica?.status().clock.state === 'wrong') return false
      const [due] = first.all({ until: windowEndUtc({ site, now: site.clock() }) })
      if (!due) return false
      return db.write(async (tx) => {
        const w = { tx, site, now: site.clock() }
        // another process or node may have been first
        const [left] = await tx
          .select({ id: series.post_id })
          .from(series)
          .where(and(isNotNull(series.next_utc), lte(series.next_utc, windowEndUtc(w))))
          .limit(1)
        if (!left) return false
        await addDates(w, await findSeries(tx, left.id))
        return true
      }, true)
    },
  }
}

/** Gives a series the dates that follow its last one, without reading those that it has. */
async function addDates(w: ServiceWrite, { row: was, ...own }: Series) {
  const pause = openPauses(w.tx)
  const recurrence = recurrenceOf(was, own.event)
  const { dates, next_utc } = datesAfter(w, recurrence, was.until, await countDates(w.tx, was.post_id))
  const row = { ...was, until: dates.at(-1) ?? was.until, next_utc }
  const series = await updateSeriesRow(w, { ...own, row: was }, row)
  // some may be in the trash, since a rule that gave them before
  const later = await occurrencesOf(w.tx, was.post_id, was.until)
  const known = new Map(later.map((one) => [one.row.recurrence_id, one]))
  for (const id of dates) {
    const one = known.get(id)
    if (one) await updateOccurrence(w, series, one)
    else await addOccurrence(w, series, id)
    await pause()
  }
}

type Reporting = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }

/** Milliseconds between two checks for series that are due, and between two of them; and after a failure. */
const SERIES_EVERY = 60_000
const SERIES_PAUSE = 50

/**
 * Gives series the dates that time brings near: one series after the other, with a pause for others. Returns a function that stops it, once
 * what is under way has ended.
 */
export function extendSeries(
  { occurrenceWindow }: Pick<Store, 'occurrenceWindow'>,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => Promise<void> {
  const extend = async () => ((await occurrenceWindow.extend()) ? SERIES_PAUSE : SERIES_EVERY)
  const fail = (err: unknown) => {
    warnings.warn('horizon', log, { err }, 'series could not be given their next dates')
    return SERIES_EVERY
  }
  return repeat(extend, { first: SERIES_PAUSE, fail, wait })
}

/** Events that wait until they are merged together. Fewer would take as long, and searches read so many texts in a millisecond or two. */
const LEAST = 512
/** While so many times as many wait as at the last check, more are waited for: merging thousands together takes less for each. */
const GROWS = 1.25
/** Milliseconds between two checks, after a merge, and after a failure. */
const TEXTS_EVERY = 1_000
const TEXTS_PAUSE = 20
const TEXTS_AGAIN = 60_000

/**
 * Brings texts that were written into the index of words, once there are some hundreds. Returns a function that stops it, which resolves once
 * nothing is under way.
 */
export function mergeWords(
  { words }: Pick<Store, 'words'>,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => Promise<void> {
  let before = 0
  function isDue() {
    const waiting = words.waiting()
    const isGrowing = waiting < words.most && waiting > before * GROWS
    before = waiting
    return waiting >= LEAST && !isGrowing
  }
  const fail = (err: unknown) => {
    warnings.warn('words', log, { err }, 'texts could not be indexed, so searches read them')
    return TEXTS_AGAIN
  }
  return repeat((stop) => (isDue() ? words.merge(stop).then(() => TEXTS_PAUSE) : TEXTS_EVERY), {
    first: TEXTS_PAUSE,
    fail,
    wait,
  })
}

/** Milliseconds between two looks for files that no picture has. */
const SWEEP_EVERY = 3_600_000

/**
 * Deletes the files of pictures that another node deleted, once this node knows of it, and what uploads left where several nodes keep
 * their files. For the process that writes.
 */
export const leftovers = fp<{ db: Pick<Store['db'], 'leads' | 'onApplied'>; pictures: Pictures }>(
  async (app, { db, pictures }) => {
    const erase = () =>
      pictures
        .eraseDeleted()
        .catch((err) => app.log.warn({ err }, 'files of deleted pictures could not be deleted'))
    async function sweep() {
      await erase()
      if (!db.leads()) return
      const files = await pictures.sweepShare().catch((err) => {
        app.log.warn({ err }, 'files that uploads left behind could not be deleted')
        return 0
      })
      if (files > 0) app.log.info({ files }, 'files that uploads left behind were deleted')
    }
    db.onApplied(['media'], erase)
    const timer = setInterval(sweep, SWEEP_EVERY).unref()
    app.addHook('preClose', async () => clearInterval(timer))
  },
  { name: 'leftovers' },
)

type JobOptions = {
  store: Store
  pictures: Pictures
  /** For how many days changes and the audit log are kept; undefined for all. */
  config: { changesDays: number | undefined; auditDays: number | undefined }
  warnings: Warnings
  /** Whether this process writes. */
  writes: boolean
}

/**
 * What the calendar does by itself: gives series their next dates, keeps the index of words near to what is written, deletes files that no picture
 * has, and rows that are old. All but the last for the process that writes.
 */
export const jobs = fp<JobOptions>(
  async (app, { store, pictures, config: { changesDays, auditDays }, warnings, writes }) => {
    if (changesDays !== undefined)
      app.retain({
        remove: () => store.compaction.compact(changesDays),
        failed: 'old changes could not be removed',
      })
    if (auditDays !== undefined)
      app.retain({
        remove: () => store.audit.removeOld(auditDays),
        failed: 'old entries of the audit log could not be removed',
      })
    app.retain({ remove: () => store.kept.removeOld(), failed: 'answers that are over could not be removed' })
    if (!writes) return
    const reporting = { warnings, log: app.log }
    app.addHook('preClose', extendSeries(store, reporting))
    let stop: (() => Promise<void>) | undefined
    app.addHook('onReady', async () => {
      stop = mergeWords(store, reporting)
    })
    app.addHook('preClose', async () => stop?.())
    app.register(leftovers, { db: store.db, pictures })
  },
  { name: 'jobs', dependencies: ['retention'] },
)
