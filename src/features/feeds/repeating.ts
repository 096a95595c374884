import type { EventRecord, SeriesRecord } from '../../calendar/formats/records.ts'
import type { Store } from '../../calendar/store.ts'
import { type Caller, canRead } from '../../kernel/access/roles.ts'
import type { Found } from './feed.ts'
import type { Format, WholeSeries } from './formats/format.ts'

/** A series that is looked at for the first time: as a whole with the IDs of the events that it is written for, or not held as a whole. */
type Looked = { id: number; whole?: WholeSeries; written: number[] }

/**
 * The series of which a feed holds all events, in a format that writes them as one. Nothing is asked for events that are no dates of
 * series, nor for formats that list them.
 */
export function openRepeating(
  { records }: Pick<Store, 'records'>,
  caller: Caller,
  { single, ids, opens }: Pick<Found, 'single' | 'ids' | 'opens'>,
  { withSeries }: Format,
) {
  /** Series that were looked at. */
  const known = new Set<number>()
  /** Events that were written with their series. */
  const written = new Set<number>()

  let among: Set<number> | undefined

  const unknownOf = (events: EventRecord[]) =>
    new Set(
      events.flatMap(({ occurrence }) =>
        occurrence && !known.has(occurrence.series_id) ? [occurrence.series_id] : [],
      ),
    )

  /** A series with those of its events that the feed has, if these are all but some with a status of their own. */
  async function look(
    series: SeriesRecord,
    given: WholeSeries['dates'],
    still: (ids: number[]) => Promise<number[]>,
  ): Promise<Looked> {
    among ??= new Set(ids)
    const had = given.map(({ post_id }) => post_id).filter((id) => among!.has(id))
    const held = new Set(await still(had))
    const isHeld = given.every(({ status, post_id }) => status !== series.status || held.has(post_id))
    const whole = { series, dates: given.filter(({ post_id }) => held.has(post_id)) }
    const alone = isHeld && canRead(caller, series) ? withSeries!(whole) : undefined
    return { id: series.id, whole: alone && whole, written: alone ?? [] }
  }

  return {
    /** The series that some events are the first dates of in this feed. `still` gives those of some events that it still has. */
    async find(events: EventRecord[], still: (ids: number[]) => Promise<number[]>): Promise<Looked[]> {
      if (!withSeries || single) return []
      const unknown = [...unknownOf(events)]
      if (unknown.length === 0) return []
      const dates = await records.dates(unknown)
      const series = (await records.posts(unknown, { caller, opens })) as SeriesRecord[]
      const looked: Looked[] = []
      for (const one of series)
        looked.push(
          await look(
            one,
            dates.filter(({ series_id }) => series_id === one.id),
            still,
          ),
        )
      return looked
    },
    /** What is written of some events: each series before the first of its events, and without those that it is written for. */
    arrange(events: EventRecord[], looked: Looked[]): (EventRecord | WholeSeries)[] {
      for (const one of looked) {
        known.add(one.id)
        for (const id of one.written) written.add(id)
      }
      return [...looked.flatMap(({ whole }) => whole ?? []), ...events.filter(({ id }) => !written.has(id))]
    },
    /** Those of some IDs that are not written yet. */
    *left(ids: number[]): Generator<number> {
      for (const id of ids) if (!written.has(id)) yield id
    },
  }
}
