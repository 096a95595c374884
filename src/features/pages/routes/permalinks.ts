import { family } from '../../../calendar/resource/service.ts'
import type { PostKind, Taxonomy } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { SITE } from '../../../kernel/server/mounts.ts'

const COLLECTION = {
  event: 'events',
  series: 'series',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
} as const

/**
 * The `url` of records with `PAGES=off`: it redirects to the record in the API (R9). To a caller who may not read the record it is as
 * unknown as a page of it would be.
 */
export const permalinks = family('permanent addresses', async (app, { store, home }) => {
  const to = (kind: keyof typeof COLLECTION, id: number) => `${home}/${COLLECTION[kind]}/${id}`

  for (const kind of ['event', 'series', 'venue', 'organizer'] as PostKind[]) {
    app.get(`${SITE}/${kind}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const post = await store.posts.addressed(kind, slug, request.caller)
      if (!store.posts.isReadable(post, request.caller)) throw store.posts.unknown(kind, { slug })
      return reply.redirect(to(kind, post.id))
    })
  }
  for (const taxonomy of ['category', 'tag'] as Taxonomy[]) {
    app.get(`${SITE}/events/${taxonomy}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const [term] = await store.terms.seek(taxonomy, [slug], request.caller)
      if (!term)
        throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with the slug "${slug}".`)
      return reply.redirect(to(taxonomy, term.id))
    })
  }
})
