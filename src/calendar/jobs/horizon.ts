import { and, isNotNull, lte, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import { series } from '../../../drizzle/tables.ts'
import type { Db } from '../../kernel/database/db.ts'
import { openPauses } from '../../kernel/database/queue.ts'
import type { Warnings } from '../../kernel/server/log.ts'
import type { Site } from '../../kernel/site.ts'
import { type Later, later, repeat } from '../../kernel/tasks/jobs.ts'
import { datesAfter, recurrenceOf, utcHorizon } from '../records/series/dates.ts'
import { addOccurrence, updateOccurrence } from '../records/series/occurrences.ts'
import { countDates, findSeries, occurrencesOf, type Series } from '../records/series/rows.ts'
import { updateSeriesRow } from '../records/series/series.ts'
import type { ServiceWrite } from '../records/write.ts'
import type { Store } from '../store.ts'

/**
 * Gives series the dates that time brings into the horizon, each once, whoever comes first. A node whose clock is far off adds none, as it
 * publishes none.
 */
export function openHorizon(db: Pick<Db, 'read' | 'write' | 'replica'>, site: Site) {
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
      const [due] = first.all({ until: utcHorizon({ site, now: site.clock() }) })
      if (!due) return false
      return db.write(async (tx) => {
        const w = { tx, site, now: site.clock() }
        // another process or node may have been first
        const [left] = await tx
          .select({ id: series.post_id })
          .from(series)
          .where(and(isNotNull(series.next_utc), lte(series.next_utc, utcHorizon(w))))
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

/** Milliseconds between two checks, and between two series while several are due. */
const EVERY = 60_000
const PAUSE = 50

type Reporting = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }

/**
 * Gives series the dates that time brings near: one series after the other, with a pause for others. Returns a function that stops it, once
 * what is under way has ended.
 */
export function extendSeries(
  { horizon }: Pick<Store, 'horizon'>,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => Promise<void> {
  const extend = async () => ((await horizon.extend()) ? PAUSE : EVERY)
  const fail = (err: unknown) => {
    warnings.warn('horizon', log, { err }, 'series could not be given their next dates')
    return EVERY
  }
  return repeat(extend, { first: PAUSE, fail, wait })
}

/** Keeps series as far ahead as the horizon. For a process that writes. */
export const horizon = fp<{ store: Store; warnings: Warnings; writes: boolean }>(
  async (app, { store, warnings, writes }) => {
    if (!writes) return
    app.addHook('preClose', extendSeries(store, { warnings, log: app.log }))
  },
  { name: 'horizon' },
)
