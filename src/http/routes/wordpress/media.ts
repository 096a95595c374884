import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../../schemas/common.ts'
import { MediaUpdate } from '../../../../schemas/media.ts'
import { mediaLinks, mediaShown } from '../../../formats/wordpress/media.ts'
import type { Context, Own } from '../../../formats/wordpress/shown.ts'
import { mergeParameters } from '../../input/body.ts'
import { readMembers, throwProblems } from '../../input/validation.ts'
import { addNames, printName } from '../../output/header-values.ts'
import { addEtag, bodyOf, guarded } from '../../resource/response.ts'
import { family } from '../../resource/service.ts'
import { addUpload, storeUpload, UPLOAD } from '../media/media.ts'
import { parametersOf } from './collection.ts'
import { type Place, WP } from './place.ts'
import { MOST, readQuery } from './queries.ts'
import { contextOf, jsonOf, openShowing, ownOf } from './showing.ts'
import { noSuchPage } from './wp-v2.ts'

const PATH = '/wp/v2/media'

/** `wp/v2/media`: pictures, which are uploaded, described and read. */
export const wpMediaRoutes = (place: Place) =>
  family('wp/v2/media', async (app, service) => {
    const { store, site } = service
    const showing = openShowing(service, place)
    const params = Type.Object({ id: c.PathId('media file') })
    const reading = Type.Object(readQuery(site.languages))
    const listing = Type.Object({
      ...reading.properties,
      page: c.Paging.page,
      per_page: c.Defaulted(Type.Integer(c.ID_LIMITS), 10),
      include: Type.Optional(c.Ids('', [1])),
      search: Type.Optional(Type.String({ maxLength: 1_600 })),
      slug: Type.Optional(Type.String({ maxLength: 2_000 })),
    })
    const urlOf = (request: FastifyRequest) => showing.where(request).rest + PATH
    const show = async (request: FastifyRequest, ids: number[], context: Context) => {
      const own = (await store.documents.media(ids, service.view(request, false))).map(ownOf)
      const form = {
        show: (one: Own, context: Context) => mediaShown(one, context, showing.readAt(request)),
        links: mediaLinks,
      }
      return showing.show(request, form, own, context)
    }
    const read = async (request: FastifyRequest, context: Context) => {
      const { id } = await store.media.find((request.params as { id: number }).id, request.caller)
      const [one] = await show(request, [id], context)
      return { id, json: jsonOf(one) }
    }
    /** The alternative text of a body or form, in the language of the address. */
    const textsOf = (request: FastifyRequest, { alt_text }: Record<string, unknown>) =>
      alt_text === undefined ? {} : { alt_texts: { [showing.languageOf(request)]: alt_text } }

    app.route({
      method: 'GET',
      url: WP + PATH,
      config: { operation: 'list', parameters: parametersOf(listing) },
      schema: { hide: true, querystring: listing },
      async handler(request, reply) {
        const asked = request.query as { page: number; per_page: number } & Partial<
          Record<'search' | 'slug', string> & { include: number[] }
        >
        const { page, include, search, slug } = asked
        const per_page = Math.min(asked.per_page, MOST)
        const context = contextOf(request)
        /** Pictures have neither title nor slug that could be looked for: none is found, instead of any. */
        const list = async () => {
          if (search || slug) return { ids: [], total: 0 }
          if (include === undefined)
            return store.media.list({ page, per_page }, request.caller, request.spend)
          const seen = await Promise.all(
            include.map((id) =>
              store.media.find(id, request.caller).then(
                () => [id],
                () => [],
              ),
            ),
          )
          return { ids: seen.flat().slice((page - 1) * per_page, page * per_page), total: seen.flat().length }
        }
        const found = await store.consistently(request, async () => {
          const { ids, total } = await list()
          return { entries: await show(request, ids, context), total }
        })
        return showing.sendList(request, reply, urlOf(request), found, (pages) => noSuchPage(page, pages))
      },
    })

    addUpload(app, WP + PATH, { hide: true, querystring: reading }, async (request, reply, upload) => {
      const { alt_text, ...others } = { ...upload.fields, ...textIn(request) }
      const texts = readMembers(MediaUpdate(site.languages), textsOf(request, { alt_text }))
      throwProblems(texts)
      const id = await storeUpload(service, request, upload)
      const { alt_texts } = texts.value as { alt_texts?: Record<string, string> }
      if (alt_texts) await store.media.describe(id, alt_texts, request.caller, (_tx, work) => work())
      addNames(reply, 'x-ignored-fields', Object.keys(others).map(printName))
      return answer(request, reply.code(201).header('location', `${urlOf(request)}/${id}`), id)
    })
    const answer = async (request: FastifyRequest, reply: FastifyReply, id: number) => {
      const json = await store.consistently(request, async () => {
        const current = async () => ({ id, json: jsonOf((await show(request, [id], 'view'))[0]) })
        await addEtag(request, reply, id, current)
        return jsonOf((await show(request, [id], 'edit'))[0])
      })
      return bodyOf(request, reply, json)
    }

    app.route({
      method: 'GET',
      url: `${WP}${PATH}/:id`,
      config: { operation: 'read', parameters: parametersOf(reading) },
      schema: { hide: true, params, querystring: reading },
      async handler(request, reply) {
        const context = contextOf(request)
        const { json } = await store.consistently(request, () => read(request, context))
        return bodyOf(request, reply, json)
      },
    })

    for (const method of ['POST', 'PUT', 'PATCH'])
      app.route({
        method,
        url: `${WP}${PATH}/:id`,
        config: { operation: 'update', permission: { right: UPLOAD, to: 'change images' } },
        schema: { hide: true, params, querystring: reading, body: Type.Ref('MediaUpdate') as TSchema },
        async preValidation(request) {
          await mergeParameters(request)
          const { alt_text, ...others } = request.body as Record<string, unknown>
          request.body = { ...others, ...textsOf(request, { alt_text }) }
        },
        async handler(request, reply) {
          const { id } = request.params as { id: number }
          const { alt_texts = {} } = request.body as MediaUpdate
          await store.media.findOwn(id, request.caller, 'change')
          await guarded(
            request,
            reply,
            store,
            'media',
            () => read(request, 'view'),
            (guard) => store.media.describe(id, alt_texts, request.caller, guard),
          )
          return answer(request, reply, id)
        },
      })
  })

/** The texts about a picture that stand in the address of an upload. */
const textIn = ({ given }: FastifyRequest) =>
  Object.fromEntries(TEXTS.flatMap((name) => (given[name] ? [[name, given[name].values.at(-1)!]] : [])))
const TEXTS = ['alt_text', 'title', 'caption', 'description', 'post']
