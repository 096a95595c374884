import type { FastifyRequest } from 'fastify'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import type { Service } from '../../../calendar/resource/service.ts'
import { secondsOf, toWall } from '../../../kernel/time/dates.ts'
import type { Home } from '../html/home.ts'
import type { View } from '../html/view.ts'
import { openSelections } from './selection.ts'

/** Events in the parts of the page. */
const MOST = { highlights: 3, weekend: 6, next: 9, added: 6 }
/** For how long after its publication an event is new, in milliseconds. */
const NEW = 14 * 24 * 60 * 60_000

/** Reads what the first page of the site shows; all that comes is in one of its parts. */
export function openHome(service: Service) {
  const { store, site } = service
  const selections = openSelections(service)

  /** The events that were added last and published within two weeks, without those that are shown already. */
  async function added(view: View, without: ReadonlySet<number>) {
    const now = toWall(site.clock(), 'UTC')
    const ids = store.lists.newest(view.language, secondsOf(now), MOST.added + without.size)
    const since = toWall(site.clock() - NEW, 'UTC')
    const found = await store.published(ids.filter((id) => !without.has(id)))
    const events = found.filter(({ date_utc }) => date_utc > since).slice(0, MOST.added)
    return { events, total: events.length, repeats: new Map() }
  }

  return async (view: View, request: FastifyRequest): Promise<Omit<Home, 'choices'>> => {
    const highlights = await selections.featured(view, MOST.highlights)
    const weekend = await selections.weekend(view, MOST.weekend)
    const idsOf = (events: EventRecord[]) => events.map(({ id }) => id)
    const first = new Set(idsOf([...highlights.events, ...weekend.events]))
    const found = await selections.list(view, request, {}, {}, { per_page: MOST.next + first.size })
    const isLeft = ({ id }: EventRecord) => !first.has(id)
    const highlighted = new Set(idsOf(highlights.events))
    const running = found.running.filter(({ id }) => !highlighted.has(id))
    const events = found.events.filter(isLeft).slice(0, MOST.next)
    const shown = new Set([...first, ...idsOf([...running, ...events])])
    const listed = { ...found, running, events }
    return { highlights, weekend, listed, added: await added(view, shown) }
  }
}
