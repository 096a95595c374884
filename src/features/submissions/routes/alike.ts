import type { FastifyRequest } from 'fastify'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import type { Service } from '../../../calendar/resource/service.ts'
import type { Limit } from '../../../calendar/store.ts'
import { likeness } from '../../../kernel/text/search.ts'
import { addDays, secondsOf, startOfDay } from '../../../kernel/time/dates.ts'
import type { Submission } from '../store/rows.ts'

/** Events of a day that are looked at, and those that are named. */
const LOOKED_AT = 100
const NAMED = 5
/** Titles with as much in common are similar; at the same place it takes less. */
const SIMILAR = 0.5
const AT_THE_PLACE = 0.2

/** Finds the events that a submission may be a second time: on the same day, with a similar title, above all at the same place. */
export function openAlike({ store }: Service) {
  const START = { by: 'start', descending: false } as const
  return async (request: FastifyRequest, { event_id, title, start_date }: Submission) => {
    const { caller } = request
    const first = startOfDay(start_date)
    const limit = (than: Limit['than'], wall: string): Limit => ({
      side: 'start',
      than,
      value: secondsOf(wall),
      utc: false,
    })
    const dates = [limit('>=', first), limit('<', addDays(first, 1))]
    const { selection } = await store.lists.select(
      { status: ['any'] } as never,
      { dates, order: START },
      caller,
    )
    const { ids } = await store.lists.list(selection, { page: 1, per_page: LOOKED_AT })
    const found = (await store.records.posts([event_id, ...ids.filter((id) => id !== event_id)], {
      caller,
    })) as EventRecord[]
    const places = found
      .filter(({ id }) => id === event_id)
      .flatMap(({ venues }) => venues.map((venue) => venue.title))
    const isThere = ({ venues }: EventRecord) =>
      venues.some((venue) => places.some((place) => likeness(place, venue.title) >= SIMILAR))
    return found
      .filter(({ id }) => id !== event_id)
      .map((event) => ({
        event,
        like: likeness(title, event.title) + (isThere(event) ? SIMILAR - AT_THE_PLACE : 0),
      }))
      .filter(({ like }) => like >= SIMILAR)
      .sort((a, b) => b.like - a.like)
      .slice(0, NAMED)
      .map(({ event: { id, title, status, start_date, venues } }) => ({
        ...{ id, title, status, start_date },
        venue: venues[0]?.title ?? '',
      }))
  }
}
