import type { ApplyTo } from '../../../schemas/recurrence.ts'
import type { Problems } from '../../kernel/errors.ts'
import type { EventWrite } from './events.ts'
import { type Key, seekPost } from './posts.ts'
import { checkEvent, createEvent, createSeries, updateEvent } from './series/edits.ts'
import { checkSeries, type SeriesWrite, updateSeries } from './series/series.ts'
import {
  updateEventTranslations,
  updateLinkedTranslations,
  updateSeriesTranslations,
} from './translations.ts'
import { type LinkedKind, type LinkedWrites, organizerWrites, venueWrites } from './venues-and-organizers.ts'
import type { PostInput, Write } from './write.ts'

/** Writes of venues or organizers. */
function linkedWrites<I extends PostInput>(kind: LinkedKind, writes: LinkedWrites<I>) {
  return {
    ...writes,
    update: (w: Write, key: Key, sent: I, all = false): Promise<number> =>
      all ? updateLinkedTranslations(kind, writes.update, w, key, sent) : writes.update(w, key, sent),
  }
}

/**
 * The writes of each kind of record, inside a transaction. `check` gives the problems of what is sent for a new record, or for the one that a
 * URL names. `create` and `update` throw these, check rights, save the rows (`savePost` of write.ts and the file of the kind), end in `project`
 * (projection.ts) and return the ID. An update with `all` is shared with the translations that the caller may edit.
 */
export const writes = {
  events: {
    check: checkEvent,
    create: createEvent,
    /** Of a date of a series `range` says to which dates the update applies. */
    update: (w: Write, key: Key, sent: EventWrite, range?: ApplyTo, all = false): Promise<number> =>
      all ? updateEventTranslations(w, key, sent, range) : updateEvent(w, key, sent, range),
  },
  series: {
    check: async (w: Write, sent: SeriesWrite, key?: Key): Promise<Problems> =>
      checkSeries(w, sent, key && (await seekPost(w.tx, 'series', key, w.caller))),
    create: async (w: Write, sent: SeriesWrite): Promise<number> => (await createSeries(w, sent)).post.id,
    update: (w: Write, key: Key, sent: SeriesWrite, all = false): Promise<number> =>
      all ? updateSeriesTranslations(w, key, sent) : updateSeries(w, key, sent),
  },
  venues: linkedWrites('venue', venueWrites),
  organizers: linkedWrites('organizer', organizerWrites),
}
