import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageOf } from '../../../calendar/formats/paths.ts'
import type { EventRecord, Post } from '../../../calendar/formats/records.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import type { View as Reading } from '../../../calendar/store.ts'
import { canEdit } from '../../../kernel/access/rights.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { fill } from '../../../kernel/text/words.ts'
import { secondsOf, toWall } from '../../../kernel/time/dates.ts'
import { timeInWords } from '../html/dates.ts'
import { type Around, eventPage, type More } from '../html/event.ts'
import { linkTo, pathOf, type View } from '../html/view.ts'

import { addPage, findSeries, findShown, moved, routesOf, sendPage, slugOf, translationOf } from './page.ts'
import { openSelections } from './selection.ts'

/** Events from the beginning of a day on among which the next and the previous one are looked for: first a few, then many. */
const NEAR = [20, 200]
/** The other dates of its series on the page of an event, and the events at the same place or with the same terms. */
const MOST_DATES = 5
const MOST_MORE = 3

/** `/event/{slug}/`, and the password of a protected event, which is sent to it as a form. */
export const eventPages = family('pages of events', async (app, service) => {
  const show = openEvent(service)
  const { front, viewIn } = app.pages!

  addPage(app, service, '/event/:slug', 'read', [], async (view, request, isOwn) => {
    const post = await findShown(service, 'event', slugOf(request))
    const elsewhere = moved(request, post.slug, pathOf(view, pageOf(post)))
    if (elsewhere) return elsewhere
    const { language } = post
    if (isOwn && language !== view.language) {
      const other = await translationOf(service, post, view.language)
      if (other) return { location: front.path + pageOf(other) }
    }
    return show(isOwn ? view : viewIn(language), request, post, {})
  })

  for (const { url, language, isOwn } of routesOf(service, '/event/:slug'))
    app.post(url, { schema: { hide: true }, config: { page: 'calendar' } }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const post = await findShown(service, 'event', slugOf(request))
      const view = viewIn(isOwn ? language : post.language)
      const { password } = (request.body ?? {}) as { password?: unknown }
      if (post.password_hash === null || typeof password !== 'string' || password === '')
        return reply.redirect(linkTo(view, post), 303)
      return sendPage(
        reply,
        await unlock(service, request, reply, post, password, (reading, refused) =>
          show(view, request, post, { ...reading, refused }),
        ),
      )
    })
})

/** Shows an event with a password. If it is wrong, or too many were tried, the form is shown again with the reason. */
async function unlock<T>(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  post: Post,
  password: string,
  show: (reading: Pick<Reading, 'opens'>, refused?: Around['refused']) => T,
): Promise<T> {
  const opens = service.opens(request, password.slice(0, 255))!
  try {
    if (await opens(post.password_hash!)) return show({ opens })
    reply.code(403)
    return show({}, 'wrong')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 429) throw error
    reply.code(429).header('retry-after', String(error.data.retry_after))
    return show({}, 'busy')
  }
}

const NO_MORE: More = { events: [], repeats: new Map() }

/** Reads what the page of an event shows. */
function openEvent(service: Service) {
  const { store, site } = service
  const selections = openSelections(service)

  /** The IDs of the events before and after one in its language, in the order of lists. */
  async function idsAround({ id, language, start_date }: EventRecord) {
    const day = start_date.slice(0, 10)
    for (const count of NEAR) {
      const later = await selections.around(language, day, '>=', count)
      const at = later.indexOf(id)
      if (at < 0 || at === count - 1) continue
      const [before] = at > 0 ? [later[at - 1]] : await selections.around(language, day, '<', 1)
      return { before, after: later[at + 1] }
    }
    return {}
  }

  /** The next dates of the series of an event beside its own; undefined for a single event. */
  async function datesOf(view: View, { id, occurrence }: EventRecord) {
    const series = occurrence && (await findSeries(service, occurrence.series_id))
    if (!series) return undefined
    const { events, total } = await selections.dates(view, series.id, MOST_DATES + 1)
    const others = events.filter((one) => one.id !== id)
    const next = others.slice(0, MOST_DATES)
    return { series, next, more: total - (events.length - others.length) - next.length }
  }

  /** The next events that have something in common with one, without those of its series, and without some others. */
  async function moreOf(
    view: View,
    event: EventRecord,
    query: Parameters<typeof selections.next>[1],
    without: EventRecord[],
  ): Promise<More> {
    const series = event.occurrence?.series_id
    const left = new Set([event, ...without].map(({ id }) => id))
    const { events, repeats } = await selections.next(view, query, event.language, MOST_MORE + left.size + 1)
    const others = events.filter(
      ({ id, occurrence }) => !left.has(id) && (series === undefined || occurrence?.series_id !== series),
    )
    return { events: others.slice(0, MOST_MORE), repeats }
  }

  /** What is next at the place of an event, and what else has its categories; if it has none, its tags. */
  async function moreAround(view: View, event: EventRecord) {
    const { venues, categories, tags } = event
    const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)
    const there = venues[0] ? await moreOf(view, event, { venue: [venues[0].id] }, []) : NO_MORE
    const terms = categories.length > 0 ? { categories: idsOf(categories) } : { tags: idsOf(tags) }
    const alike =
      categories.length + tags.length > 0 ? await moreOf(view, event, terms, there.events) : NO_MORE
    return { there, alike }
  }

  return async (
    view: View,
    request: FastifyRequest,
    post: Post,
    {
      opens,
      refused,
      preview,
      caller,
    }: Pick<Reading, 'opens'> & Pick<Around, 'refused' | 'preview'> & { caller?: Reading['caller'] },
  ) => {
    const read = opens
      ? await store.records.posts([post.id], { caller, opens })
      : await store.published([post.id])
    const [event] = read as [EventRecord]
    const end = secondsOf(event.utc_end_date) * 1000
    const over = end <= site.clock()
    const isProtected = post.password_hash !== null
    const more = isProtected ? { there: NO_MORE, alike: NO_MORE } : await moreAround(view, event)
    // it is another page when the event has ended, or one of the next ones has begun
    const starts = [more.there, more.alike].flatMap(({ events }) =>
      events.map(({ utc_start_date }) => secondsOf(utc_start_date) * 1000),
    )
    const until = Math.min(...starts, over ? Number.POSITIVE_INFINITY : end)
    if (Number.isFinite(until)) request.until = until
    const { before, after } = await idsAround(event)
    const ids = [before, after].filter((id) => id !== undefined)
    const others = await store.published([...ids, ...Object.values(event.translations)])
    const byId = new Map(others.map((one) => [one.id, one]))
    const translations = Object.values(event.translations).map((id) => byId.get(id)!)
    return eventPage(view, event, {
      previous: byId.get(before!),
      next: byId.get(after!),
      translations: translations.filter(({ status }) => status === 'publish'),
      dates: await datesOf(view, event),
      ...more,
      over,
      isProtected,
      refused,
      preview,
    })
  }
}

/** `/preview/{key}`: the page of an event as visitors will see it, for whoever has the address. No cache keeps it. */
export const previewPages = family('previews on pages', async (app, service) => {
  const { store, site } = service
  const show = openEvent(service)

  app.get(
    `${SITE}/preview/:key`,
    { schema: { hide: true }, config: { page: 'preview', costs: true } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      const { key } = request.params as { key: string }
      const page = await store.consistently(request, async () => {
        const preview = await store.previews.read(key)
        const post = preview && (await store.posts.byId('event', preview.event))
        if (!post || post.status === 'trash' || !canEdit(preview.caller, post))
          throw new ApiError('rest_no_route', 'This preview has ended.', { preview: 'over' })
        const view = app.pages!.viewIn(post.language)
        const time = timeInWords(toWall(preview.until, site.zone), post.language)
        return show(view, request, post, {
          opens: async () => true,
          // what came with a submission is published with it
          caller: await store.submissions.viewerOf(post),
          preview: fill(view.words.preview_until, { time }),
        })
      })
      return sendPage(reply, page)
    },
  )
})
