import { findAddressed, isReadable, type PostKind, unknown } from '../../../store/records/posts.ts'
import { seekTerms, type Taxonomy } from '../../../store/records/terms/term-keys.ts'
import { ApiError } from '../../../support/errors.ts'
import { family } from '../../resource/family.ts'
import { SITE } from '../../server/mounts.ts'

const COLLECTION = {
  event: 'events',
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

  for (const kind of ['event', 'venue', 'organizer'] as PostKind[]) {
    app.get(`${SITE}/${kind}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const post = await findAddressed(store.db.read, kind, slug, request.caller)
      if (!isReadable(post, request.caller)) throw unknown(kind, { slug })
      return reply.redirect(to(kind, post.id))
    })
  }
  for (const taxonomy of ['category', 'tag'] as Taxonomy[]) {
    app.get(`${SITE}/events/${taxonomy}/:slug`, { schema: { hide: true } }, async (request, reply) => {
      const { slug } = request.params as { slug: string }
      const [term] = await seekTerms(store.db.read, taxonomy, [slug], request.caller)
      if (!term)
        throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with the slug "${slug}".`)
      return reply.redirect(to(taxonomy, term.id))
    })
  }
})
