import type { Problems } from '../../../kernel/errors.ts'
import { type Key, seekPost } from '../posts.ts'
import type { Write } from '../write.ts'
import { checkSeries, type SeriesWrite, updateSeries } from './series.ts'
import { createSeriesOrTranslation } from './taken.ts'

/** Writes of series. */
export const seriesWrites = {
  /** Problems with what is sent for a new series, or for the one that a URL names. */
  check: async (w: Write, sent: SeriesWrite, key?: Key): Promise<Problems> =>
    checkSeries(w, sent, key && (await seekPost(w.tx, 'series', key, w.caller))),
  create: async (w: Write, sent: SeriesWrite): Promise<number> => (await createSeriesOrTranslation(w, sent)).post.id,
  update: async (w: Write, key: Key, sent: SeriesWrite): Promise<number> =>
    (await updateSeries(w, key, sent)).post.id,
}
