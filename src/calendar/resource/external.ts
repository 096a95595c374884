import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { ExternalInputs, ExternalParams } from '../../../schemas/input.ts'
import { INHERITED_IF_MISSING } from '../../../schemas/shared-fields.ts'
import { ApiError, missing, refuse } from '../../kernel/errors.ts'
import { type Members, readValue, take } from '../../kernel/input/readers.ts'
import { capital, responses, withArticle } from '../../kernel/openapi/responses.ts'
import type { External, Key, PostInput, PostKind, Write } from '../store.ts'
import { linkCalendar } from './envelope.ts'
import { absent, descriptionOf, mayDo, type Resource, takenIn } from './resource.ts'
import { bodyOf, type RecordRequest, type Service } from './service.ts'
import { addDifferences, addWrite, guarded, readOne, refuseInput, showWritten } from './writes.ts'

/** What the address says that another system calls a record. Throws 400 for texts that no record can be called. */
function externalOf({ params }: Pick<FastifyRequest, 'params'>): External {
  const read: Members = { value: {}, problems: {}, missing: [], unknown: [] }
  const sent = params as External
  for (const name of ['source', 'external_id'] as const)
    take(read, name, ExternalInputs[name], readValue(ExternalInputs[name], sent[name]))
  refuse(read.problems)
  return read.value as External
}

const failed = (what: string) => new ApiError('rest_precondition_failed', `${what} Nothing was written.`)

/** Throws 400 if a body says that another system calls the record otherwise than the address does. */
function refuseOther(body: PostInput, external: External) {
  const others = (['source', 'external_id'] as const).filter(
    (name) => body[name] !== undefined && body[name] !== external[name],
  )
  refuse(Object.fromEntries(others.map((name) => [name, 'must be that of the address, or not be sent.'])))
}

/** Registers the address of records by what another system calls them: reading, and creating or updating. */
export function addByExternal<Query, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input> & { name: PostKind },
) {
  const { name, plural } = resource
  const { store } = service
  const One = capital(name)
  const url = `/${plural}/by-external/:source/:external_id`
  const tags = [capital(plural)]
  const language = c.LanguageSelector(service.site.languages)
  const params = Type.Object(ExternalParams(name))
  const required = app.bodies.get(`${One}Input`)!.schema.required!

  const seek = (external: External) => store.called(store.db.read, name, external)
  /** The key of the record that is called so. Throws 404 if there is none. */
  async function find(external: External): Promise<Key> {
    const id = await seek(external)
    if (id !== undefined) return { id }
    throw new ApiError(absent(name), `There is no ${name} of this source with this external_id.`)
  }

  app.route({
    method: 'GET',
    url,
    config: { operation: 'read' },
    schema: {
      operationId: `get${One}ByExternalId`,
      tags,
      summary: `Read ${withArticle(name)} by its ID in another system`,
      description: descriptionOf('read', name),
      params,
      querystring: c.extend(resource.read, { ...c.Fields, ...language }),
      ...responses('read', resource.answer.$id!, [absent(name), ...resource.errors.read]),
    },
    async handler(request, reply) {
      const external = externalOf(request)
      const { json } = await store.consistently(request, async () => {
        const key = { ...(await find(external)), language: service.language(request) }
        const found = await readOne(request, service, resource, key)
        await addDifferences(request, reply, store, name, found.id)
        return found
      })
      linkCalendar(request, reply, service.root(request))
      return bodyOf(request, reply, json)
    },
  })

  /** Creates the record or updates it, in the transaction of the write; one in the trash comes back. */
  async function put(w: Write, external: External, input: Input & PostInput, request: RecordRequest) {
    const { headers } = request
    const id = await store.called(w.tx, name, external)
    if (id === undefined) {
      if (headers['if-match'] !== undefined) throw failed('There is no record that If-Match could be of.')
      const lacking = required.filter(
        (name) =>
          (input[name as keyof Input] ?? null) === null &&
          !(input.translation_of && INHERITED_IF_MISSING.includes(name)),
      )
      if (lacking.length > 0) throw missing(lacking, `A new ${name} needs them.`)
      return { id: await resource.create(w, input), isNew: true }
    }
    if (headers['if-none-match'] === '*') throw failed(`The ${name} exists already.`)
    const { status } = await store.former(w, name, { id })
    const update = (sent: PostInput) => resource.update(w, { id }, sent as Input & PostInput, request)
    const staysInTrash = status !== undefined && input.status === 'trash'
    await store.unlessSame(w.tx, name, id, async () => {
      if (status === undefined) await update(input)
      else await update({ ...input, status: staysInTrash ? status : (input.status ?? status) })
      if (staysInTrash) await update({ status: 'trash' })
    })
    return { id, isNew: false }
  }

  const written = responses('update', resource.answer.$id!, [
    ...new Set([...resource.errors.create, ...resource.errors.update]),
    ...(['rest_missing_callback_param', 'rest_precondition_failed'] as const),
    // of a venue or organizer inside
    ...(name === 'event' || name === 'series' ? takenIn(resource) : []),
  ])
  const own = written.response[200]
  addWrite(app, {
    method: 'PUT',
    url,
    config: { operation: 'update', permission: mayDo('change', resource) },
    schema: {
      operationId: `upsert${One}`,
      tags,
      summary: `Create or update ${withArticle(name)} by its ID in another system`,
      description: `Creates the ${name} with this \`source\` and \`external_id\`, or changes the members that are sent of the one that has them. Members that are not sent keep their values. If nothing differs from what is stored, nothing is written, and the time of the last change stays. ${capital(withArticle(name))} in the trash comes back. \`If-None-Match: *\` only creates, \`If-Match: *\` only updates.`,
      params,
      querystring: Type.Object(language),
      body: Type.Ref(`${One}Update`) as TSchema,
      ...written,
      response: { 200: own, 201: { ...(own as object), description: 'The new record.' } },
      'x-errors': written['x-errors'].filter((code) => code !== `${name}-is-in-trash`),
    },
    async make(request, head) {
      const external = externalOf(request)
      const known = await seek(external)
      const key = known === undefined ? undefined : { id: known }
      await refuseInput(request, service, resource, key)
      refuseOther(request.body as PostInput, external)
      const editable = { ...resource, find: resource.findEditable }
      const current = async () => readOne(request, service, editable, await find(external))
      const { id, isNew } = await guarded(request, head, store, name, current, (guard) =>
        service.write<Input & PostInput, { id: number; isNew: boolean }>(request, resource, (w, sent) =>
          guard(w.tx, () => put(w, external, { ...sent, ...external }, request)),
        ),
      )
      if (isNew) {
        head.code(201)
        head.header('location', `${service.root(request)}/${plural}/${id}`)
      }
      return showWritten(request, head, service, resource, id, { id })
    },
  })
}
