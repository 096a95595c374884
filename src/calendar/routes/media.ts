import fastifyStatic from '@fastify/static'
import { type TSchema, Type } from '@sinclair/typebox'
import { parse as parseDisposition } from 'content-disposition'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
} from 'fastify'
import { Fields, PathId } from '../../../schemas/common.ts'
import {
  Media,
  MediaCrop,
  MediaQuery,
  MediaUpdate,
  type MediaUpdate as Update,
} from '../../../schemas/media.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { missing, refuse } from '../../kernel/errors.ts'
import { FORM_TYPE, JSON_TYPE, MAX_UPLOAD, mergeParameters, readParts } from '../../kernel/input/bodies.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { SITE } from '../../kernel/server/mounts.ts'
import { readWords } from '../../kernel/text/search.ts'
import { permalink } from '../formats/urls.ts'
import { type Pictures, turnOf } from '../media/pictures.ts'
import { composePage, filterTexts, MAX_PER_PAGE } from '../resource/envelope.ts'
import { bodyOf, family, type Service } from '../resource/service.ts'
import { addEtag, guarded } from '../resource/writes.ts'
import { RIGHTS } from '../rights.ts'
import { checkWords } from './records.ts'

const tags = ['Media']
/** The formats of images, which may be sent as they are. */
const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']
/** What uploads require, and changes of pictures. */
export const UPLOAD = RIGHTS['upload images, and change and delete own ones']
/** Greatest size of a text beside a picture in a form, in bytes. */
const FIELD = 2 ** 14
const params = Type.Object({ id: PathId('media file') })

/** Uploads: list, read, create from a multipart form or raw bytes, describe, delete (D43). */
export const mediaRoutes = family('media', async (app, service) => {
  const { pictures } = service
  const { media, documents } = service.store
  publishBody(app, MediaUpdate(service.site.languages), Media)
  const show = async (request: FastifyRequest, ids: number[]) =>
    documents.media(ids, service.view(request, false))
  const read = async (request: FastifyRequest) => {
    const { id } = await media.find((request.params as { id: number }).id, request.caller)
    const [json] = await show(request, [id])
    return { id, json: json! }
  }

  app.route({
    method: 'GET',
    url: '/media',
    config: { operation: 'list' },
    schema: {
      operationId: 'listMedia',
      tags,
      summary: 'List media',
      querystring: Type.Object({ ...MediaQuery.properties, ...Fields }),
      description:
        'Returns uploaded images, newest first, all or those that a search finds: those of records that the caller may read, own uploads, and to editors all. Times are in UTC, dimensions in pixels, file sizes in bytes.',
      ...responses('list', 'MediaPage', ['media-archive-page-not-found']),
    },
    async handler(request, reply) {
      const { page, per_page, search, without_alt_text: without } = request.query as MediaQuery
      refuse(checkWords(search))
      const words = search === undefined ? undefined : readWords(search)
      const perPage = Math.min(per_page, MAX_PER_PAGE)
      const { entries, total } = await service.store.consistently(request, async () => {
        const paging = { page, per_page: perPage }
        const { ids, total } =
          search === undefined && without === undefined
            ? await media.list(paging, request.caller, request.spend)
            : await media.search(paging, request.caller, { words, without }, request.spend)
        return { total, entries: await show(request, ids) }
      })
      const place = {
        url: `${service.root(request)}/media`,
        page,
        perPage,
        filters: filterTexts(request, MediaQuery),
      }
      return bodyOf(request, reply, composePage(reply, 'media', 'media', entries, total, place))
    },
  })

  const schema = {
    operationId: 'createMedia',
    tags,
    summary: 'Upload an image',
    description:
      'Send the image as raw bytes with `Content-Disposition: attachment; filename="name.jpg"`, or as the file of a multipart form. Formats: JPEG, PNG, GIF, WebP and AVIF. Limit: 10 MiB.',
    'x-upload': { component: 'MediaUpload', types: IMAGES },
    ...responses('create', 'Media', [], { except: ['rest_invalid_json', 'rest_unsupported_media_type'] }),
  }
  addUpload(app, '/media', schema, async (request, reply, upload) => {
    const id = await storeUpload(service, request, upload)
    const [json] = await show(request, [id])
    await addEtag(request, reply, id, async () => ({ id, json: json! }))
    return bodyOf(request, reply.code(201).header('location', `${service.root(request)}/media/${id}`), json!)
  })

  app.route({
    method: 'GET',
    url: '/media/:id',
    config: { operation: 'read' },
    schema: {
      operationId: 'getMedia',
      tags,
      summary: 'Read a media file by ID',
      params,
      querystring: Type.Object(Fields),
      description:
        'Returns an uploaded image with its resized versions, if the list of media shows it to the caller. Times are in UTC, dimensions in pixels, file sizes in bytes.',
      ...responses('read', 'Media', ['media-not-found']),
    },
    async handler(request, reply) {
      const { json } = await service.store.consistently(request, () => read(request))
      return bodyOf(request, reply, json)
    },
  })

  app.route({
    method: 'PATCH',
    url: '/media/:id',
    config: { operation: 'update', permission: { right: UPLOAD, to: 'change images' } },
    schema: {
      operationId: 'updateMedia',
      tags,
      summary: 'Set the alternative texts and the focal point of an image',
      description:
        'Sets the texts in the languages that are sent, and keeps the others. Pages of events, venues and organizers show them in their language, and keep the focal point in sight where they cut the image. Authors may do so for their own images, editors for all.',
      params,
      body: Type.Ref('MediaUpdate') as TSchema,
      ...responses('update', 'Media', ['media-not-found', 'rest_precondition_failed']),
    },
    preValidation: mergeParameters,
    async handler(request, reply) {
      const { id } = request.params as { id: number }
      const set = request.body as Update
      const { caller } = request
      await media.findOwn(id, caller, 'change')
      const current = () => read(request)
      await guarded(request, reply, service.store, 'media', current, (guard) =>
        media.describe(id, set, caller, guard),
      )
      const { json } = await service.store.consistently(request, async () => {
        await addEtag(request, reply, id, current)
        return current()
      })
      return bodyOf(request, reply, json)
    },
  })

  publishBody(app, MediaCrop)
  app.route({
    method: 'POST',
    url: '/media/:id/crop',
    config: { operation: 'create', permission: { right: UPLOAD, to: 'upload images' } },
    schema: {
      operationId: 'cropMedia',
      tags,
      summary: 'Make a new image of a part of an image',
      description:
        'Turns the image if asked to, and cuts a frame out of it, as far as it lies in the image. The result is a new image with the same alternative texts, of the caller; the image itself stays as it is. Of an animation it is the first frame.',
      params,
      body: Type.Ref('MediaCrop') as TSchema,
      ...responses('create', 'Media', ['media-not-found']),
    },
    preValidation: mergeParameters,
    async handler(request, reply) {
      const { x, y, width, height, turns } = request.body as Partial<MediaCrop>
      const cut = { x: x ?? 0, y: y ?? 0, width: width ?? 1, height: height ?? 1, turns: turns ?? 0 }
      const { caller } = request
      const row = await media.find((request.params as { id: number }).id, caller)
      const picture = await pictures.crop(row, cut, turnOf(caller))
      const id = await keep(service, request, picture)
      const [json] = await show(request, [id])
      await addEtag(request, reply, id, async () => ({ id, json: json! }))
      return bodyOf(
        request,
        reply.code(201).header('location', `${service.root(request)}/media/${id}`),
        json!,
      )
    },
  })

  app.route({
    method: 'DELETE',
    url: '/media/:id',
    config: { operation: 'delete', permission: { right: UPLOAD, to: 'delete images' } },
    schema: {
      operationId: 'deleteMedia',
      tags,
      summary: 'Delete a media file',
      description:
        'Deletes the image with its resized versions. Records that used it have no image afterwards.',
      params,
      ...responses('delete', 'Media', ['media-not-found', 'rest_precondition_failed'], {
        except: ['rest_invalid_param'],
      }),
    },
    async handler(request, reply) {
      const { id } = request.params as { id: number }
      await media.findOwn(id, request.caller, 'delete')
      const current = () => read(request)
      const { json } = await current()
      const files = await guarded(request, reply, service.store, 'media', current, (guard) =>
        media.remove(id, actorOf(request), guard),
      )
      await service.pictures.erase(files)
      return bodyOf(request, reply, json)
    },
  })
})

/** An uploaded picture: its bytes, its name, and the texts beside it in a form. */
export type Upload = { bytes: Buffer; name: string; fields: Record<string, string> }

/** Registers an upload, of raw bytes or as a form, for those who may upload. */
export const addUpload = (
  app: FastifyInstance,
  url: string,
  schema: FastifySchema,
  handle: (request: FastifyRequest, reply: FastifyReply, upload: Upload) => Promise<unknown>,
) =>
  app.register(async (scope) => {
    // any type except multipart forms: the body is the picture itself
    scope.removeContentTypeParser([JSON_TYPE, FORM_TYPE, '*'])
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_UPLOAD }, (_request, body, done) =>
      done(null, body),
    )
    scope.route({
      method: 'POST',
      url,
      bodyLimit: MAX_UPLOAD,
      config: { operation: 'create', permission: { right: UPLOAD, to: 'upload images' } },
      schema,
      handler: async (request, reply) => handle(request, reply, await readUpload(request)),
    })
  })

/** Stores an uploaded picture; returns its ID. */
export async function storeUpload(
  service: Service,
  request: FastifyRequest,
  { bytes, name }: Pick<Upload, 'bytes' | 'name'>,
): Promise<number> {
  return keep(service, request, await service.pictures.upload(bytes, name, turnOf(request.caller)))
}

type Stored = Awaited<ReturnType<Pictures['upload']>>
/** Gives the files of a new picture a row; returns its ID. If that fails, the files go. */
const keep = ({ pictures, store }: Service, { caller }: FastifyRequest, picture: Stored) =>
  store.media.create(picture, caller!).catch(async (error) => {
    await pictures.drop(picture)
    throw error
  })

async function readUpload(request: FastifyRequest): Promise<Upload> {
  if (request.isMultipart()) return readForm(request)
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) throw missing(['file'])
  const { filename = 'image' } = parseDisposition(request.headers['content-disposition'] ?? '').parameters
  return { bytes: request.body, name: filename, fields: {} }
}

/** A field of a form; a part of the type of JSON comes as its value. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** The first file of a form, and the texts up to a second one. */
async function readForm(request: FastifyRequest): Promise<Upload> {
  const fields: Upload['fields'] = {}
  let file: { bytes: Buffer; name: string } | undefined
  for await (const part of readParts(request, { limits: { fieldSize: FIELD, files: 2 } })) {
    if (part.type !== 'file') fields[part.fieldname] = textOf(part.value)
    else if (file === undefined) file = { bytes: await part.toBuffer(), name: part.filename }
    else break
  }
  if (file === undefined) throw missing(['file'])
  return { ...file, fields }
}

/** The files of pictures at /media/. One that another node has is brought here first. */
export const mediaFiles: FastifyPluginAsync<{ pictures: Pictures; dir: string }> = async (
  app,
  { pictures, dir },
) => {
  app.addHook('preHandler', (request) => pictures.ensureFile((request.params as { '*': string })['*']))
  app.register(fastifyStatic, {
    root: dir,
    prefix: `${SITE}/media/`,
    decorateReply: false,
    schemaHide: true,
    index: false,
    dotfiles: 'ignore',
    maxAge: '365d',
    immutable: true,
  })
}

const PLURAL: Record<string, string> = { series: 'series' }

/** Where a picture is shown: what is lost when it is deleted. */
export const mediaUseRoutes = family('uses of media', async (app, service) => {
  const { store, base } = service

  app.route({
    method: 'GET',
    url: '/media/:id/uses',
    config: {
      operation: 'read',
      permission: { right: RIGHTS['create records'], to: 'see where images are used' },
    },
    schema: {
      operationId: 'getMediaUses',
      tags: ['Media'],
      summary: 'Read where a media file is used',
      description:
        'Returns the events, series, venues and organizers that have the image, or show it in their texts, as far as the caller may read them: the first 100 by ID, and how many there are.',
      params: Type.Object({ id: PathId('media file') }),
      querystring: Type.Object(Fields),
      ...responses('read', 'MediaUses', ['media-not-found'], { signedIn: true }),
    },
    async handler(request, reply) {
      const { id } = request.params as { id: number }
      const { caller, spend } = request
      const found = await store.consistently(request, async () =>
        store.media.uses(await store.media.find(id, caller), caller, spend),
      )
      const uses = found.uses.map((use) => ({
        ...use,
        url: permalink(use, base),
        rest_url: `${service.root(request)}/${PLURAL[use.kind] ?? `${use.kind}s`}/${use.id}`,
      }))
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ uses, total: found.total }))])
    },
  })
})
