import type { FastifyRequest } from 'fastify'
import { family, type Service } from '../../../calendar/resource/service.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import { subscribePage } from '../html/subscribe.ts'
import { SUBSCRIBED, type Subscribed } from '../html/view.ts'
import { fill, type Words } from '../words.ts'
import { textIn } from './address.ts'
import { addPage } from './page.ts'

/** What is attended online, as the feeds of pages say it. */
const ONLINE = 'online,mixed'
/** A longer search is refused by its feed. */
const LONGEST = 200

type Kind = 'category' | 'tag' | 'venue' | 'organizer' | 'series'
const unknown = (kind: Kind, name: string) =>
  new ApiError(`${kind}-not-found`, `There is no ${kind} "${name}".`, { name })

/** What the filters of a feed are called. Throws 404 for a name that nothing has, and 400 for a value that is none. */
async function namesOf({ store }: Service, words: Words, filters: Subscribed): Promise<string[]> {
  const { q, search, attendance_mode, free } = filters
  const names: string[] = []
  for (const typed of [q, search]) {
    if (typed && typed.length > LONGEST) throw invalid({ q: 'is too long.' })
    if (typed) names.push(fill(words.quoted, { word: typed }))
  }
  for (const [kind, given] of [
    ['category', filters.categories],
    ['tag', filters.tags],
  ] as const) {
    const slugs = given?.split(',') ?? []
    const found = await store.terms.seek(kind, slugs, undefined)
    names.push(
      ...found.map((term, at) => {
        if (!term) throw unknown(kind, slugs[at]!)
        return term.name
      }),
    )
  }
  for (const kind of ['venue', 'organizer', 'series'] as const) {
    const id = filters[kind]
    if (id === undefined) continue
    const post = /^[1-9]\d{0,14}$/.test(id)
      ? await store.posts.seek(kind, { id: Number(id) }, undefined)
      : undefined
    if (post?.status !== 'publish') throw unknown(kind, id)
    names.push(post.title)
  }
  if (attendance_mode !== undefined && attendance_mode !== ONLINE)
    throw invalid({ attendance_mode: `must be ${ONLINE}.` })
  if (free !== undefined && free !== 'true') throw invalid({ free: 'must be true.' })
  return [...names, ...(attendance_mode ? [words.online] : []), ...(free ? [words.free] : [])]
}

/** `/events/subscribe/`: how to subscribe to the events of a list, whose filters it takes by the names of the API. */
export const subscribePages = family('the page of subscriptions', async (app, service) => {
  const filtersIn = (request: FastifyRequest): Subscribed =>
    Object.fromEntries(SUBSCRIBED.map((name) => [name, textIn(request, name)]))
  addPage(app, service, '/events/subscribe', 'list', SUBSCRIBED, async (view, request) => {
    const filters = filtersIn(request)
    return subscribePage(view, filters, await namesOf(service, view.words, filters))
  })
})
