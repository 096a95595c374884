import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import * as c from '../../../schemas/common.ts'
import { LanguageInput } from '../../../schemas/input.ts'
import type { Right } from '../../kernel/access/rights.ts'
import type { ErrorCode, Problems } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { capital, responses, withArticle } from '../../kernel/openapi/responses.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import type { Guard, Json, Key, PostKind, View, Write } from '../store.ts'
import { descriptionOf } from './descriptions.ts'
import { addByExternal } from './external.ts'
import { composePage, linkCalendar, MAX_PER_PAGE } from './page.ts'
import { bodyOf, type RecordRequest, type Service } from './service.ts'
import { addRestore, addSingle, mayDo, REPEATED, showWritten, takenIn } from './single.ts'
import { addWrite, create, refuseInput, writeAround } from './writes.ts'

/** A kind of record as data: the parameters, responses and functions of its routes. ID and slug share one implementation (D7). */
export type Resource<Query, Input> = {
  name: SyncKind
  plural: string
  /** The right that every write of this kind requires. */
  right: Right
  query: TObject
  input: TObject
  /** The schema of the record in responses. */
  answer: TObject
  /** Additional parameters of reads and deletes, and additional members of bodies. */
  read: TObject
  remove: TObject
  more: TObject
  /** Additional parameters of updates. */
  change?: TObject
  /** Whether records have URLs by slug. */
  hasSlugs: boolean
  /** Members that only updates by slug take; those by ID ignore them, as clients know. */
  rename?: TObject
  /** Additional errors, beyond those that all operations of a kind have. */
  errors: Record<'read' | 'create' | 'update' | 'delete', ErrorCode[]>
  /** A page of IDs, the total, the filters for links, and of how many dates of its series each event is shown instead. */
  list(
    query: Query,
    request: FastifyRequest,
  ): Promise<{ ids: number[]; total: number; filters: [string, string][] } & Pick<View, 'occurrences'>>
  /** The ID of the record with this key for this caller and language. Throws the error of a single read if there is none. */
  find(key: Key, request: RecordRequest, view: View): Promise<number>
  /** The ID of the record with this key that the caller may change, also where no read shows it: an event in the trash. Throws otherwise. */
  findEditable(key: Key, request: RecordRequest): Promise<number>
  /** Problems with the records that an input refers to, which validation can not find. */
  check(write: Write, input: Input, request: RecordRequest, key?: Key): Promise<Problems>
  /** Throws for a body that is never right, before anything else is checked. */
  refuse?(body: unknown): void
  /** Whether a write is to many records, and so has a transaction of its own; absent where none is. */
  isLong?(request: RecordRequest): boolean
  create(write: Write, input: Input): Promise<number>
  update(write: Write, key: Key, input: Input, request: RecordRequest): Promise<number>
  /** Deletes a record, or moves it to the trash; returns it as it is in the trash, or was before its deletion. */
  delete(key: Key, request: RecordRequest, view: View, guard: Guard): Promise<Json | undefined>
  /** The JSON of the records that exist. */
  show(ids: number[], view: View): Promise<Json[]>
}

/** Whether records of a kind have URLs by slug, and go to the trash when they are deleted: all but terms. */
const hasTrash = <R extends { name: SyncKind; hasSlugs: boolean }>(
  resource: R,
): resource is R & { name: PostKind } => resource.hasSlugs

/** Records that are shown for a unit of work. */
const SHOWN = 25

/** Whether a request is to delete permanently. */
export const isForced = ({ query }: Pick<RecordRequest, 'query'>) => (query as { force?: boolean }).force

/** Whether a write is to all translations of a record. */
export const isForAll = ({ query }: Pick<RecordRequest, 'query'>) =>
  (query as { translations?: 'all' }).translations === 'all'

type Listed = { page: number; per_page: number }

/** Registers list, create, read, update and delete, by ID and by slug, at the namespace root. */
export function addResource<Query extends Listed, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input>,
) {
  const { name, plural } = resource
  const tags = [capital(plural)]
  const One = capital(name)
  const language = c.LanguageSelector(service.site.languages)
  const own = LanguageInput(service.site.languages)
  const Input = c.extend(resource.input, { ...resource.more.properties, ...own }, { $id: `${One}Input` })
  publishBody(app, Input, resource.answer)
  const Update = c.extend(Input, resource.rename?.properties ?? {})
  publishBody(app, c.update(Update, { $id: `${One}Update` }), resource.answer)

  app.route({
    method: 'GET',
    url: `/${plural}`,
    config: { operation: 'list' },
    schema: {
      operationId: `list${capital(plural)}`,
      tags,
      summary: `List ${plural}`,
      description: descriptionOf('list', name),
      querystring: c.extend(resource.query, { ...c.Fields, ...language }),
      ...responses('list', `${One}Page`, [`${name}-archive-page-not-found`]),
    },
    async handler(request, reply) {
      const filter = request.query as Query
      filter.per_page = Math.min(filter.per_page, MAX_PER_PAGE)
      const { entries, total, filters } = await service.store.consistently(request, async () => {
        const { ids, total, filters, occurrences } = await resource.list(filter, request)
        request.spend?.(ids.length / SHOWN)
        const view = { ...service.view(request, false), occurrences }
        return { entries: await resource.show(ids, view), total, filters }
      })
      const page = {
        url: `${service.root(request)}/${plural}`,
        page: filter.page,
        perPage: filter.per_page,
        filters,
      }
      const json = composePage(reply, plural, name, entries, total, page)
      linkCalendar(request, reply, service.root(request))
      return bodyOf(request, reply, json)
    },
  })

  addWrite(app, {
    method: 'POST',
    url: `/${plural}`,
    config: {
      operation: 'create',
      permission: mayDo('create', resource),
      repeatable: true,
      forwardable: true,
    },
    schema: {
      operationId: `create${One}`,
      tags,
      summary: `Create ${withArticle(name)}`,
      description: descriptionOf('create', name),
      querystring: Type.Object(language),
      body: Type.Ref(`${One}Input`) as TSchema,
      ...responses('create', resource.answer.$id!, [
        ...resource.errors.create,
        ...takenIn(resource),
        ...REPEATED,
        ...service.around.errors,
      ]),
    },
    refuse: resource.refuse,
    async make(request, head) {
      await refuseInput(request, service, resource)
      const id = await writeAround(request, service, { kind: name, verb: 'create' }, (guard) =>
        create(request, service, resource, guard),
      )
      // what a read of `Location` shows, which repeats nothing of this query
      const key = { id, language: mountOf(request)!.language }
      const json = await showWritten(request, head, service, resource, id, key)
      head.code(201)
      head.header('location', `${service.root(request)}/${plural}/${id}`)
      return json
    },
  })

  addSingle(app, service, resource, 'id')
  if (!hasTrash(resource)) return
  addSingle(app, service, resource, 'slug')
  addByExternal(app, service, resource)
  addRestore(app, service, resource)
}
