import type { Repeats } from '../../../formats/html/parts/repeats.ts'
import type { EventRecord, SeriesRecord } from '../../../formats/records.ts'
import type { View } from '../../../store/store.ts'
import type { Service } from '../../resource/service.ts'

/** A published series by its ID; undefined if visitors may not see it. */
export async function findSeries({ store }: Service, id: number): Promise<SeriesRecord | undefined> {
  const [series] = (await store.records.posts([id], { caller: undefined })) as SeriesRecord[]
  return series?.status === 'publish' ? series : undefined
}

/** Finds the series of events that stand for more than one of its dates, if visitors may see it. */
export function openRepeats({ store }: Service) {
  return async (events: EventRecord[], occurrences: View['occurrences']): Promise<Repeats> => {
    const several = events.filter(({ id }) => (occurrences?.get(id) ?? 1) > 1)
    if (several.length === 0) return new Map()
    const ids = several.map(({ occurrence }) => occurrence!.series_id)
    const found = (await store.records.posts(ids, { caller: undefined })) as SeriesRecord[]
    const byId = new Map(found.map((series) => [series.id, series]))
    return new Map(
      several.flatMap(({ id, occurrence }) => {
        const series = byId.get(occurrence!.series_id)!
        return series.status === 'publish' ? [[id, { series, more: occurrences!.get(id)! - 1 }]] : []
      }),
    )
  }
}
