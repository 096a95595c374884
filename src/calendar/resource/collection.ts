import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import type { Permission } from '../../kernel/access/permissions.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { composePage, filterTexts, MAX_PER_PAGE } from './envelope.ts'
import { bodyOf, type Service } from './service.ts'

/** One operation as data. `body` and `answer` are names of schema components. */
type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
  operation: 'list' | 'read' | 'create' | 'update' | 'delete'
  operationId: string
  summary: string
  description: string
  /** Additional errors of the operation, and errors of its kind that it never returns. */
  errors?: ErrorCode[]
  except?: ErrorCode[]
  answer: string
  query?: TObject
  body?: string
  /** Instead of that of the collection. */
  permission?: Permission
  /** The status of success, where that of the kind of operation does not say it. */
  status?: number
  handle(request: FastifyRequest, reply: FastifyReply): Promise<object>
}

type Paging = { page: number; per_page: number }
/** A list as data. `find` returns the rows of a page as shown, and the total. */
type List<Params> = Omit<Operation, 'method' | 'operation' | 'handle'> & {
  kind: string
  /** The member of the page that holds the entries. */
  plural: string
  find(paging: Paging, params: Params, request: FastifyRequest): Promise<{ rows: object[]; total: number }>
}

/** What operations have in common. */
type Collection<Name extends string> = {
  /** Their tag in the document. */
  tag: string
  /** What each requires that does not say otherwise. */
  permission: Permission
  /** What the IDs in their paths are of, by the names of the parameters. */
  ids?: Record<Name, c.Shown>
}

/** The parameters of lists that have no others. */
const PAGING = Type.Object(c.Paging)

/** A page of rows that are all at hand, and how many there are. */
export const pageOf = <Row>(all: Row[], { page, per_page }: Paging) => ({
  rows: all.slice((page - 1) * per_page, page * per_page),
  total: all.length,
})

/** A row as shown, without members that have no value. */
export const shown = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/**
 * What registers lists and operations of things that have IDs and are guarded by a right: users, tokens, webhooks, submissions. Their responses
 * are never cached, and their clients know of no aliases, slugs or languages, as those of records do (`addResource`).
 */
export function openCollection<Name extends string = never>(
  app: FastifyInstance,
  service: Service,
  { tag, permission, ids }: Collection<Name>,
) {
  type Params = Record<Name, number>
  /** The IDs in the path of a request. */
  const paramsOf = (request: FastifyRequest) => request.params as Params
  const paramsIn = (url: string) =>
    Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name]) => [name!, c.PathId(ids![name as Name])]))

  const add = ({
    method,
    url,
    operation,
    answer,
    query,
    body,
    handle,
    errors,
    except = [],
    permission: own = permission,
    status,
    ...described
  }: Operation) => {
    app.route({
      method,
      url,
      config: { operation, permission: own },
      schema: {
        ...described,
        tags: [tag],
        ...(url.includes(':') && { params: Type.Object(paramsIn(url)) }),
        querystring: Type.Object({ ...query?.properties, ...(method === 'GET' && c.Fields) }),
        ...(body && { body: Type.Ref(body) as TSchema }),
        ...responses(operation, answer, errors, { signedIn: !own.anyone, except, ...(status && { status }) }),
      },
      ...(body && { preValidation: mergeParameters }),
      async handler(request, reply) {
        const made = await handle(request, reply)
        if (status) reply.code(status)
        const json = Array.isArray(made) ? made : [Buffer.from(JSON.stringify(made))]
        return bodyOf(request, reply.header('cache-control', 'no-store'), json)
      },
    })
  }

  return {
    paramsOf,
    add,
    /** A list, with the same paging as the others. */
    list({ kind, plural, find, query: schema = PAGING, ...described }: List<Params>) {
      add({
        ...described,
        method: 'GET',
        operation: 'list',
        query: schema,
        async handle(request, reply) {
          const { page, ...query } = request.query as Paging
          const per_page = Math.min(query.per_page, MAX_PER_PAGE)
          const params = paramsOf(request)
          const { rows, total } = await find({ page, per_page }, params, request)
          const entries = rows.map((row) => [Buffer.from(JSON.stringify(row))])
          const path = described.url.replace(/:(\w+)/g, (_, name: Name) => String(params[name]))
          return composePage(reply, plural, kind, entries, total, {
            url: service.root(request) + path,
            page,
            perPage: per_page,
            filters: filterTexts(request, schema),
          })
        },
      })
    },
    /** Says where what was created is, by its path in the mount. */
    created: (request: FastifyRequest, reply: FastifyReply, path: string) =>
      void reply.code(201).header('location', service.root(request) + path),
  }
}
