import { escaped, type Links, link, type Own, type Where } from './shown.ts'

/** The addresses of taxonomies in `wp/v2`, with their names there. `categories` are those of events too. */
export const TAXONOMIES = {
  tags: 'post_tag',
  tribe_events_cat: 'tribe_events_cat',
  categories: 'category',
} as const
export type TermBase = keyof typeof TAXONOMIES

/** A category or tag as a term of WordPress. `url` is that of its page. */
export const termShown = (base: TermBase, own: Own) => ({
  id: own.id,
  count: own.count,
  description: own.description,
  link: own.url,
  name: escaped(own.name),
  slug: own.slug,
  taxonomy: TAXONOMIES[base],
  ...(base !== 'tags' && { parent: own.parent }),
  meta: [],
})

/** The links of a term. */
export const termLinks = (base: TermBase, own: Own, { rest }: Where): Links => ({
  self: link(`${rest}/wp/v2/${base}/${own.id}`),
  collection: link(`${rest}/wp/v2/${base}`),
  about: link(`${rest}/wp/v2/taxonomies/${TAXONOMIES[base]}`),
  'wp:post_type': link(`${rest}/wp/v2/tribe_events?${base}=${own.id}`),
})
