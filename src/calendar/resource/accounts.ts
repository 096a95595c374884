import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { AccountQuery } from '../../../schemas/user.ts'
import type { Permission } from '../../kernel/access/rights.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { composePage, filterTexts, MAX_PER_PAGE } from './page.ts'
import { bodyOf, type Service } from './service.ts'

/** One operation as data. `body` and `answer` are names of schema components. */
type Account = {
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
  /** Instead of that of the area. */
  permission?: Permission
  /** The status of success, where that of the kind of operation does not say it. */
  status?: number
  handle(request: FastifyRequest, reply: FastifyReply): Promise<object>
}

type Paging = { page: number; per_page: number }
/** A list as data. `find` returns the rows of a page as shown, and the total. */
type List = Omit<Account, 'method' | 'operation' | 'handle'> & {
  kind: string
  /** The member of the page that holds the entries. */
  plural: string
  find(paging: Paging, params: Params, request: FastifyRequest): Promise<{ rows: object[]; total: number }>
}

/** What operations are about: their tag in the document, and the right that all of them require. */
type Area = { tag: string; permission: Permission }
const USERS: Area = {
  tag: 'Users',
  permission: { right: 'manage users and tokens', to: 'manage users and tokens' },
}

type Params = {
  id: number
  password_id: number
  session_id: number
  passkey_id: number
  link_id: number
  delivery_id: number
  revision_id: number
}
/** What the IDs in a path are of, by their name or by the first part of the path. */
const IDS: Record<string, c.Shown> = {
  ...{ users: 'user', tokens: 'token', webhooks: 'webhook', events: 'event', series: 'series' },
  ...{
    password_id: 'application password',
    session_id: 'session',
    passkey_id: 'passkey',
    link_id: 'provider link',
    delivery_id: 'delivery',
  },
  ...{ revision_id: 'revision', imports: 'import' },
  ...{ submissions: 'submission' },
}
export const paramsOf = (request: FastifyRequest) => request.params as Params

/** A row as shown, without members that have no value. */
export const shown = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

/** The common part of routes that nobody's clients knew: those for administrators (users, application passwords, tokens, webhooks), for accounts of people, and the history of events. */
export function openAccounts(app: FastifyInstance, service: Service, { tag, permission } = USERS) {
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
    ...said
  }: Account) => {
    const ids = [...url.matchAll(/:(\w+)/g)].map(([, name]) => [
      name!,
      c.PathId(IDS[name === 'id' ? url.split('/')[1]! : name!]!),
    ])
    app.route({
      method,
      url,
      config: { operation, ...(own && { permission: own }) },
      schema: {
        ...said,
        tags: [tag],
        ...(ids.length > 0 && { params: Type.Object(Object.fromEntries(ids)) }),
        querystring: Type.Object({ ...query?.properties, ...(method === 'GET' && c.Fields) }),
        ...(body && { body: Type.Ref(body) as TSchema }),
        ...responses(operation, answer, errors, {
          ...{ signedIn: !own.anyone, except },
          ...(status && { status }),
        }),
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
    add,
    /** A list, with the same paging as the others. */
    list({ kind, plural, find, query: schema = AccountQuery, ...said }: List) {
      add({
        ...said,
        method: 'GET',
        operation: 'list',
        query: schema,
        async handle(request, reply) {
          const { page, ...query } = request.query as Paging
          const per_page = Math.min(query.per_page, MAX_PER_PAGE)
          const params = paramsOf(request)
          const { rows, total } = await find({ page, per_page }, params, request)
          const entries = rows.map((row) => [Buffer.from(JSON.stringify(row))])
          return composePage(reply, plural, kind, entries, total, {
            url: service.root(request) + said.url.replace(':id', String(params.id)),
            page,
            perPage: per_page,
            filters: filterTexts(request, schema),
          })
        },
      })
    },
    created: (request: FastifyRequest, reply: FastifyReply, path: string) =>
      void reply.code(201).header('location', service.root(request) + path),
  }
}
