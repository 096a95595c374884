import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { HtmlInput, LineInput } from '../../../schemas/input.ts'
import { Media } from '../../../schemas/media.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { addEtag, guarded } from '../../calendar/resource/writes.ts'
import { addUpload, storeUpload, UPLOAD } from '../../calendar/routes/media.ts'
import { checkWords } from '../../calendar/routes/records.ts'
import { UNCONDITIONAL } from '../../calendar/store.ts'
import { refuse } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { readMembers, throwProblems } from '../../kernel/input/readers.ts'
import { addNames, printName } from '../../kernel/output/header-values.ts'
import { readWords } from '../../kernel/text/search.ts'
import { stemOf } from '../../kernel/text/text.ts'
import { parametersOf } from './collection.ts'
import { type Place, WP } from './discovery.ts'
import { type Context, mediaLinks, mediaShown, type Own } from './formats.ts'
import { MOST, plainOf, readQuery } from './requests.ts'
import { contextOf, jsonOf, openShowing } from './showing.ts'
import { noSuchPage } from './wp-v2.ts'

const PATH = '/wp/v2/media'

/** The texts about a picture that are stored. */
const TEXTS = Type.Object(
  {
    alt_text: Type.Optional(LineInput('', '')),
    caption: Type.Optional(HtmlInput('', '')),
  },
  { $id: 'MediaTexts' },
)
type Texts = { alt_text?: string | null; caption?: string | null }

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
      const own = await showing.picturesOf(request, ids)
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
    app.bodies.set(TEXTS.$id!, { schema: TEXTS, shown: Object.keys(Media.properties) })
    /** Texts that were read, in the language of the address. */
    const textsOf = (request: FastifyRequest, { alt_text, caption }: Texts) => {
      const at = showing.languageOf(request)
      return {
        ...(alt_text !== undefined && { alt_texts: { [at]: alt_text } }),
        ...(caption !== undefined && { captions: { [at]: caption } }),
      }
    }

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
        const list = () => {
          if (include === undefined && !search && !slug)
            return store.media.list({ page, per_page }, request.caller, request.spend)
          refuse(checkWords(search || undefined))
          const words = search ? readWords(search) : undefined
          const slugs = slug?.split(',').flatMap((one) => [one, stemOf(one)])
          return store.media.search(
            { page, per_page },
            request.caller,
            { include, words, slugs },
            request.spend,
          )
        }
        const found = await store.consistently(request, async () => {
          const { ids, total } = await list()
          return { entries: await show(request, ids, context), total }
        })
        return showing.sendList(request, reply, urlOf(request), found, (pages) => noSuchPage(page, pages))
      },
    })

    addUpload(app, WP + PATH, { hide: true, querystring: reading }, async (request, reply, upload) => {
      const sent = { ...upload.fields, ...textsIn(request) }
      const texts = readMembers(TEXTS, sent)
      throwProblems(texts)
      const id = await storeUpload(service, request, upload)
      const set = textsOf(request, texts.value as Texts)
      if (Object.keys(set).length > 0) await store.media.describe(id, set, request.caller, UNCONDITIONAL)
      addNames(reply, 'x-ignored-fields', texts.unknown.map(printName))
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
        schema: { hide: true, params, querystring: reading, body: Type.Ref(TEXTS.$id!) as TSchema },
        async preValidation(request) {
          await mergeParameters(request)
          const sent = request.body as Record<string, unknown>
          request.body = sent.caption === undefined ? sent : { ...sent, caption: plainOf(sent.caption) }
        },
        async handler(request, reply) {
          const { id } = request.params as { id: number }
          const texts = textsOf(request, request.body as Texts)
          await store.media.findOwn(id, request.caller, 'change')
          await guarded(
            request,
            reply,
            store,
            'media',
            () => read(request, 'view'),
            (guard) => store.media.describe(id, texts, request.caller, guard),
          )
          return answer(request, reply, id)
        },
      })
  })

/** The texts about a picture that stand in the address of an upload. */
const textsIn = ({ given }: FastifyRequest) =>
  Object.fromEntries(NAMES.flatMap((name) => (given[name] ? [[name, given[name].values.at(-1)!]] : [])))
const NAMES = ['alt_text', 'title', 'caption', 'description', 'post']
