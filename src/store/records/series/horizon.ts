import { and, isNotNull, lte, sql } from 'drizzle-orm'
import { series } from '../../../../drizzle/tables.ts'
import type { Site } from '../../../rules/site.ts'
import type { Db } from '../../sqlite/db.ts'
import { repeatOtherwise } from './copy.ts'
import { recurrenceOf, utcHorizon } from './dates.ts'
import { follow } from './follow.ts'
import { findSeries } from './rows.ts'

/**
 * Gives series the dates that time brings into the horizon, each once, whoever comes first. A node whose clock is far off adds none, as it
 * publishes none.
 */
export function openHorizon(db: Pick<Db, 'read' | 'write' | 'node'>, site: Site) {
  const first = db.read
    .select({ id: series.post_id })
    .from(series)
    .where(and(isNotNull(series.next_utc), lte(series.next_utc, sql.placeholder('until'))))
    .limit(1)
    .prepare()

  return {
    /** Extends one of the series that are due; returns whether there was one. */
    async extend(): Promise<boolean> {
      if (db.node?.status().clock.state === 'wrong') return false
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
        const { row, ...own } = await findSeries(tx, left.id)
        await follow(w, await repeatOtherwise(w, { ...own, row }, recurrenceOf(row, own.event)))
        return true
      })
    },
  }
}
