import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Fields, LanguageSelector, Unset } from '../../../schemas/common.ts'
import { IndexQuery } from '../../../schemas/root.ts'
import { ApiError } from '../../kernel/errors.ts'
import { bodySchema } from '../../kernel/input/validator.ts'
import { byPlace } from '../../kernel/openapi/components.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import { bodyOf, family } from '../resource/service.ts'

type Described = { methods: string[]; url: string; args: Record<string, object> }

/** The index of routes at the namespace root, from the same schemas as the routes themselves (D41). */
export const indexRoutes = family('index', async (app, service) => {
  app.route({
    method: 'GET',
    url: '/',
    schema: {
      operationId: 'getIndex',
      tags: ['Index'],
      summary: 'List the routes',
      querystring: Type.Object({
        ...IndexQuery.properties,
        ...Fields,
        ...LanguageSelector(service.site.languages),
      }),
      description:
        'Returns the namespace and its routes with their methods and parameters, in the format of the WordPress REST index.',
      ...responses('read', 'ApiIndex', ['rest_invalid_namespace'], { except: ['rest_forbidden'] }),
    },
    async handler(request, reply) {
      const { namespace, path } = mountOf(request)!
      // not from the parsed query: the declared default is that of one mount
      const asked = request.given.namespace?.values.at(-1)
      if (asked !== undefined && asked !== namespace)
        throw new ApiError(
          'rest_invalid_namespace',
          `There is no namespace "${asked}" at this URL; its namespace is "${namespace}".`,
        )
      const body = {
        namespace,
        routes: routesAt(app, namespace, service.base + path),
        _links: { up: [{ href: `${service.base}${path}/` }] },
      }
      return bodyOf(request, reply, [Buffer.from(JSON.stringify(body))])
    },
  })
})

const described = new WeakMap<object, Described[]>()

/** The routes of the API as an index shows them, by their patterns. `root` is the URL of their mount. */
export function routesAt(app: FastifyInstance, namespace: string, root: string) {
  const { routesAdded } = app
  const routes =
    described.get(routesAdded) ??
    routesAdded
      .filter(({ schema }) => !schema?.hide)
      .toSorted(byPlace(app.documentation.places.operations, ({ schema }) => String(schema?.operationId)))
      .map((route) => entryOf(app, route))
  described.set(routesAdded, routes)
  return index(routes, namespace, root)
}

/** A route as the index shows it. HEAD is not listed, since every GET has it. */
function entryOf(app: FastifyInstance, { method, url, schema }: RouteOptions): Described {
  const methods = [method].flat().filter((name) => name !== 'HEAD')
  const parts = [schema?.params, schema?.querystring, schema?.body && bodySchema(app, schema.body)] as (
    | TObject
    | undefined
  )[]
  const args = parts.flatMap((part) =>
    Object.entries(part?.properties ?? {}).map(([name, member]) => [name, argument(name, member, part!)]),
  )
  return { methods, url, args: Object.fromEntries(args) }
}

function argument(name: string, member: TSchema, { required, $id }: TObject): object {
  const { type, description, format, items, enum: words } = member
  // no member of an update has a default (R10)
  const isUnset = member[Unset] === true && !$id?.includes('Update')
  return JSON.parse(
    JSON.stringify({
      description,
      type,
      format,
      items,
      enum: words,
      default: isUnset ? null : member.default,
      required: required?.includes(name) ?? false,
    }),
  )
}

/** `/events/:id` as the pattern that clients know. */
const pattern = (url: string) =>
  url
    .replace(':slug', '(?P<slug>[^/]+)')
    .replace(/:format\(\^\(\?:(.*)\)\$\)/, '(?P<format>$1)')
    .replace(/:(\w+)/g, '(?P<$1>\\d+)')
    .replace(/\/$/, '')

const index = (routes: Described[], namespace: string, root: string) =>
  Object.fromEntries(
    [...group(routes)].map(([url, described]) => [
      `/${namespace}${pattern(url)}`,
      {
        namespace,
        methods: described.flatMap(({ methods }) => methods),
        endpoints: described.map(({ methods, args }) => ({ methods, args: withDefault(args, namespace) })),
        ...(!url.includes(':') && { _links: { self: [{ href: root + url.replace(/\/$/, '') }] } }),
      },
    ]),
  )

/** The default of `namespace` is that of the mount. */
const withDefault = ({ namespace: own, ...args }: Described['args'], namespace: string) =>
  own ? { namespace: { ...own, default: namespace }, ...args } : args

function group(routes: Described[]): Map<string, Described[]> {
  const groups = new Map<string, Described[]>()
  for (const route of routes) groups.set(route.url, [...(groups.get(route.url) ?? []), route])
  return groups
}
