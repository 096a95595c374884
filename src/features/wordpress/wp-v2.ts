import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { RIGHTS } from '../../calendar/rights.ts'
import { ACCOUNT_RIGHTS, has, type Right } from '../../kernel/access/rights.ts'
import { ApiError, invalid } from '../../kernel/errors.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { addCollection, parametersOf } from './collection.ts'
import { type Place, WP } from './discovery.ts'
import {
  link,
  type Own,
  POST_TYPES,
  type PostType,
  TAXONOMIES,
  type TermBase,
  TITLES,
  titleOf,
  type Where,
} from './formats.ts'
import { openKinds } from './kinds.ts'
import { type Asked, MOST, readQuery, searchQuery } from './requests.ts'
import { contextOf, jsonOf, listFrom, openShowing, showFound } from './showing.ts'

const NAMESPACE = 'wp/v2'
const ROOT = `${WP}/${NAMESPACE}`

/** The 400 of a page after the last one, with the code by which clients of WordPress end. The API itself has no such code. */
export const noSuchPage = (page: number, pages: number) =>
  Object.assign(invalid({ page: `is ${page}, and the last page is ${Math.max(pages, 1)}.` }), {
    code: 'rest_post_invalid_page_number',
  })

/** Throws the 400 of WordPress for a new post without title and text. */
function mustSay(type: PostType, body: Record<string, unknown>) {
  if (body[TITLES[type]] || body.description || body.excerpt) return
  throw new ApiError('empty_content', 'Title, content and excerpt are empty; send a title.')
}

/** `wp/v2`, as far as programs for The Events Calendar use it, but for its media. */
export const wpRoutes = (place: Place) =>
  family('wp/v2', async (app, service) => {
    const { store, site } = service
    const showing = openShowing(service, place)
    const kinds = openKinds(service)
    const reading = Type.Object(readQuery(site.languages))

    for (const [base, kind] of Object.entries(kinds))
      addCollection(app, service, showing, kind, {
        // as in WordPress, lists of terms just end
        namespace: NAMESPACE,
        base,
        mustSay,
        beyond: kind.type === undefined ? () => undefined : noSuchPage,
        show: kind.show,
        links: kind.links,
        embeds: kind.type !== undefined,
      })

    for (const [base, at] of [
      ['types', typesAt],
      ['taxonomies', taxonomiesAt],
    ] as const) {
      const all = (request: FastifyRequest) => at(showing.where(request))
      app.get(`${ROOT}/${base}`, { schema: { hide: true, querystring: reading } }, async (request, reply) =>
        bodyOf(request, reply, jsonOf(all(request))),
      )
      app.get(
        `${ROOT}/${base}/:slug`,
        { schema: { hide: true, querystring: reading } },
        async (request, reply) => {
          const { slug } = request.params as { slug: string }
          const known = all(request)
          if (!Object.hasOwn(known, slug)) throw noRoute()
          return bodyOf(request, reply, jsonOf(known[slug]))
        },
      )
    }

    app.route({
      method: 'GET',
      url: `${ROOT}/users/me`,
      config: { operation: 'read', permission: { right: ACCOUNT_RIGHTS['sign in'], to: 'read who you are' } },
      schema: { hide: true, querystring: reading },
      async handler(request, reply) {
        const { caller } = request
        const user = await store.users.find(caller!.id)
        const isEdited = contextOf(request, true) === 'edit'
        const shown = userShown(user, (right) => has(caller, right), showing.where(request), isEdited)
        return bodyOf(request, reply, jsonOf(shown))
      },
    })

    const searching = searchQuery(site.languages)
    app.route({
      method: 'GET',
      url: `${ROOT}/search`,
      config: { operation: 'list', parameters: parametersOf(searching) },
      schema: { hide: true, querystring: searching },
      async handler(request, reply) {
        const { subtype = 'any', ...asked } = request.query as Asked & { subtype?: PostType | 'any' }
        const { rest } = showing.where(request)
        const types = subtype === 'any' ? POST_TYPES : [subtype]
        const found = await store.consistently(request, async () => {
          const { entries, total } = await searchIn(types, asked, request)
          return {
            total,
            entries: entries.map(({ type, own }) => ({
              id: own.id,
              title: titleOf(type, own),
              url: own.url,
              type: 'post',
              subtype: type,
              _links: { self: link(`${rest}/wp/v2/${type}/${own.id}`) },
            })),
          }
        })
        return showing.sendList(request, reply, `${rest}/${NAMESPACE}/search`, found, (pages) =>
          noSuchPage(asked.page, pages),
        )
      },
    })

    /** A page of the lists of several kinds, one after the other. */
    async function searchIn(types: readonly PostType[], asked: Asked, request: FastifyRequest) {
      const per_page = Math.min(asked.per_page, MOST)
      const begin = asked.offset ?? (asked.page - 1) * per_page
      const entries: { type: PostType; own: Own }[] = []
      let total = 0
      for (const type of types) {
        const kind = kinds[type]
        const found = await listFrom(kind, Math.max(begin - total, 0), { ...asked, per_page }, request)
        const ids = found.ids.slice(0, per_page - entries.length)
        const records = await showFound(service, kind, { ...found, ids }, request)
        entries.push(...records.map((own) => ({ type, own })))
        total += found.total
      }
      return { entries, total }
    }
  })

const NAMES: Record<PostType | 'attachment', string> = {
  tribe_events: 'Events',
  tribe_venue: 'Venues',
  tribe_organizer: 'Organizers',
  attachment: 'Media',
}
const [EVENTS] = Object.keys(NAMES) as ['tribe_events']

/** The types of posts that are served, by name. */
const typesAt = ({ rest }: Where): Record<string, object> =>
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
const taxonomiesAt = ({ rest }: Where): Record<string, object> =>
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
  read: ACCOUNT_RIGHTS['sign in'],
  edit_posts: RIGHTS['create records'],
  edit_tribe_events: RIGHTS['create records'],
  publish_posts: RIGHTS['publish records'],
  publish_tribe_events: RIGHTS['publish records'],
  edit_others_posts: RIGHTS['change and delete records of others'],
  edit_others_tribe_events: RIGHTS['change and delete records of others'],
  upload_files: RIGHTS['upload images, and change and delete own ones'],
  manage_categories: RIGHTS['create, change and delete tags'],
  list_users: ACCOUNT_RIGHTS['manage users and tokens'],
  manage_options: ACCOUNT_RIGHTS['manage users and tokens'],
}

/** A user as WordPress shows it; to be edited, with role and capabilities. `has` says which rights the user has. */
const userShown = (
  { id, login, role }: { id: number; login: string; role: string },
  has: (right: Right) => boolean,
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
