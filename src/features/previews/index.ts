import { Type } from '@sinclair/typebox'
import { LanguageSelector, PathId } from '../../../schemas/common.ts'
import { Preview } from '../../../schemas/preview.ts'
import type { OpenLimits } from '../../calendar/records/limited-rights.ts'
import { mayDo } from '../../calendar/resource/resource.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { RIGHTS } from '../../calendar/rights.ts'
import type { Key } from '../../calendar/store.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Keyed, readSigned, signText, type Tokens } from '../../kernel/access/tokens.ts'
import type { User } from '../../kernel/access/users.ts'
import { ApiError } from '../../kernel/errors.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'
import type { ServiceFeature } from '../host.ts'

/** Milliseconds for which the address of a preview works. */
const LASTS = 3_600_000

/** What a key of a preview opens: an event for somebody, until a time in Unix milliseconds. */
type OpenPreview = { event: number; caller: NonNullable<Caller>; until: number }

/**
 * Keys of previews: which event, for whom, until when, and a signature under the key of the calendar. They are stored nowhere, and hold in all
 * processes and on all nodes. What a token with limits of its own made has its ID as well, and ends with it.
 */
function openPreviews(
  find: (user: number) => Promise<User>,
  tokens: Pick<Tokens, 'byId'>,
  limits: OpenLimits,
  keyed: Keyed,
  { clock }: Site,
) {
  return {
    /** A key for the preview of an event by a caller, and when it ends in UTC. */
    async add(event: number, { id, credential }: NonNullable<Caller>) {
      const [kind, token] = credential!.split(' ')
      const used = kind === 'token' ? tokens.byId(Number(token)) : undefined
      const limited = used?.token.limits ? [used.token.id] : []
      const until = Math.floor((clock() + LASTS) / 1_000)
      const text = [event, id, until, ...limited].map((number) => number.toString(36)).join('.')
      return { key: await signText(keyed, 'preview', text), expires_utc: toWall(until * 1_000, 'UTC') }
    },
    /** What a key opens; undefined if it was not made here or has ended, or its user is gone or disabled, or its token. */
    async read(key: string): Promise<OpenPreview | undefined> {
      const text = await readSigned(keyed, 'preview', key)
      if (text === undefined) return undefined
      const [event, user, until, token] = text.split('.').map((number) => Number.parseInt(number, 36))
      if (until! * 1_000 <= clock()) return undefined
      const maker = await find(user!).catch(() => undefined)
      const used = token === undefined ? undefined : tokens.byId(token)
      if (!maker || maker.disabled || (token !== undefined && !used)) return undefined
      const own = limits.of(maker.limits, used?.token.limits ?? null)
      const caller = { id: maker.id, role: maker.role, limits: own }
      return { event: event!, caller, until: until! * 1_000 }
    },
  }
}

/** The address of the page of an event before visitors see it. */
const previewRoutes = family('previews', async (app, service) => {
  const { store, site, base, pageLanguages } = service

  app.route({
    method: 'POST',
    url: '/events/:id/preview',
    config: {
      operation: 'create',
      permission: mayDo('preview', { name: 'event', plural: 'events', right: RIGHTS['create records'] }),
    },
    schema: {
      operationId: 'createPreview',
      tags: ['Events'],
      summary: 'Preview an event',
      description:
        'Returns the address of a page that shows the event as it is stored, in any status, as visitors will see it. The address works for an hour without credentials, until the caller may no longer edit the event, and search engines pass over it. With `PAGES=off` there are no pages, so it is 404.',
      params: Type.Object({ id: PathId('event') }),
      querystring: Type.Object(LanguageSelector(site.languages)),
      ...responses(
        'create',
        'Preview',
        ['rest-event-not-found', 'event-no-longer-available', 'rest_no_route'],
        { except: ['rest_missing_callback_param', 'rest_unsupported_media_type'] },
      ),
    },
    async handler(request, reply) {
      if (!pageLanguages) throw new ApiError('rest_no_route', 'This calendar has no pages.')
      const { caller } = request
      const key: Key = { ...(request.params as { id: number }), language: service.language(request) }
      const { id } = await store.posts.editable('event', key, caller)
      await store.posts.readable('event', { id }, caller)
      const { key: made, expires_utc } = await store.previews.add(id, caller!)
      const url = `${base}/preview/${made}`
      reply.code(201).header('location', url).header('cache-control', 'no-store')
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ url, expires_utc }))])
    },
  })
})

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** Addresses under which an event is shown before visitors see it. */
    previews: ReturnType<typeof openPreviews>
  }
}

/** Links under which an event is shown before visitors see it. */
export const previews: ServiceFeature = {
  name: 'previews',
  answers: [Preview],
  openStore: ({ users, tokens, limits, keyed, site }) => ({
    previews: openPreviews(users.find, tokens, limits, keyed, site),
  }),
  async plugin(app, { service }) {
    app.register(previewRoutes, { service })
  },
}
