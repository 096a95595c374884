import { and, isNotNull, lte, sql } from 'drizzle-orm'
import { series } from '../../../../drizzle/tables.ts'
import type { Db } from '../../../kernel/database/db.ts'
import { openPauses } from '../../../kernel/database/queue.ts'
import type { Site } from '../../../kernel/site.ts'
import { saveRepeating } from './copy.ts'
import { datesAfter, recurrenceOf, utcHorizon } from './dates.ts'
import { addOccurrence, bringOccurrence, type Writing } from './occurrence.ts'
import { countDates, findSeries, occurrencesOf, type Series } from './rows.ts'

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

/** Gives a series the dates that follow its last one, without a look at those that it has. */
async function addDates(w: Writing, { row: was, ...own }: Series) {
  const pause = openPauses(w.tx)
  const recurrence = recurrenceOf(was, own.event)
  const { dates, next_utc } = datesAfter(w, recurrence, was.until, await countDates(w.tx, was.post_id))
  const row = { ...was, until: dates.at(-1) ?? was.until, next_utc }
  const series = await saveRepeating(w, { ...own, row: was }, row)
  // some may be in the trash, since a rule that gave them before
  const later = await occurrencesOf(w.tx, was.post_id, was.until)
  const known = new Map(later.map((one) => [one.row.recurrence_id, one]))
  for (const id of dates) {
    const one = known.get(id)
    if (one) await bringOccurrence(w, series, one)
    else await addOccurrence(w, series, id)
    await pause()
  }
}
