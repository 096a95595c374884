import type { PostType } from './posts.ts'
import { link, type Where } from './shown.ts'
import { TAXONOMIES, type TermBase } from './terms.ts'

const NAMES: Record<PostType | 'attachment', string> = {
  tribe_events: 'Events',
  tribe_venue: 'Venues',
  tribe_organizer: 'Organizers',
  attachment: 'Media',
}
const [EVENTS] = Object.keys(NAMES) as ['tribe_events']

/** The types of posts that are served, by name. */
export const typesAt = ({ rest }: Where): Record<string, object> =>
  Object.fromEntries(
    Object.entries(NAMES).map(([slug, name]) => {
      const base = slug === 'attachment' ? 'media' : slug
      return [
        slug,
        {
          description: '',
          hierarchical: false,
          has_archive: slug === EVENTS,
          name,
          slug,
          taxonomies: slug === EVENTS ? Object.values(TAXONOMIES) : [],
          rest_base: base,
          rest_namespace: 'wp/v2',
          _links: {
            collection: link(`${rest}/wp/v2/types`),
            'wp:items': link(`${rest}/wp/v2/${base}`),
          },
        },
      ]
    }),
  )

/** The taxonomies that are served, by name. `category` has the categories of events as well. */
export const taxonomiesAt = ({ rest }: Where): Record<string, object> =>
  Object.fromEntries(
    (Object.entries(TAXONOMIES) as [TermBase, string][]).map(([base, slug]) => [
      slug,
      {
        name: base === 'tags' ? 'Tags' : 'Categories',
        slug,
        description: '',
        types: [EVENTS],
        hierarchical: base !== 'tags',
        rest_base: base,
        rest_namespace: 'wp/v2',
        _links: {
          collection: link(`${rest}/wp/v2/taxonomies`),
          'wp:items': link(`${rest}/wp/v2/${base}`),
        },
      },
    ]),
  )

/** The capabilities of WordPress by the right here that each is. */
const CAPABILITIES = {
  read: 'sign in',
  edit_posts: 'create records',
  edit_tribe_events: 'create records',
  publish_posts: 'publish records',
  publish_tribe_events: 'publish records',
  edit_others_posts: 'change and delete records of others',
  edit_others_tribe_events: 'change and delete records of others',
  upload_files: 'upload images, and change and delete own ones',
  manage_categories: 'create, change and delete tags',
  list_users: 'manage users and tokens',
  manage_options: 'manage users and tokens',
} as const

/** A user as WordPress shows it; to be edited, with role and capabilities. `has` says which rights the user has. */
export const userShown = (
  { id, login, role }: { id: number; login: string; role: string },
  has: (right: (typeof CAPABILITIES)[keyof typeof CAPABILITIES]) => boolean,
  { rest }: Where,
  isEdited: boolean,
) => ({
  id,
  name: login,
  slug: login,
  url: '',
  description: '',
  link: '',
  avatar_urls: {},
  meta: [],
  ...(isEdited && {
    username: login,
    roles: [role],
    capabilities: Object.fromEntries(Object.entries(CAPABILITIES).map(([name, right]) => [name, has(right)])),
  }),
  _links: { self: link(`${rest}/wp/v2/users/${id}`), collection: link(`${rest}/wp/v2/users`) },
})
