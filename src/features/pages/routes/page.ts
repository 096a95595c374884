import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../../../calendar/resource/service.ts'
import { HTML } from '../../../kernel/output/header-values.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { type Markup, textOf } from '../html/markup.ts'
import type { View } from '../html/view.ts'

/** A page, or the path that has it, for good or for the language of this request. */
export type Shown = Markup | { location: string; forGood?: boolean }

/** A page in one language. `isOwn` says that the URL names the language. */
type Read = (view: View, request: FastifyRequest, isOwn: boolean) => Promise<Shown>

/** The internal routes of a page: without prefix for the default language, and with that of each other one. */
export const routesOf = ({ site: { languages } }: Service, url: string) =>
  languages.map((language, at) => ({
    url: at === 0 ? SITE + url : `${SITE}/${language}${url}`,
    language,
    isOwn: at > 0,
  }))

/**
 * Adds a page in every language, at `url` without language. It is kept and revalidated like a list of the API. What it shows depends on
 * its URL alone: it is the same with credentials as without. It reads no other parameters than `understands`. An `embed` may be in frames
 * of any site.
 */
export function addPage(
  app: FastifyInstance,
  service: Service,
  url: string,
  operation: 'list' | 'read',
  understands: readonly string[],
  read: Read,
  page: 'calendar' | 'embed' = 'calendar',
) {
  for (const { url: route, language, isOwn } of routesOf(service, url))
    app.get(
      route,
      { schema: { hide: true }, config: { page, operation, understands } },
      async (request, reply) => {
        const shown = await service.store.consistently(request, () =>
          read(service.pages!.viewIn(language), request, isOwn),
        )
        return sendPage(reply, shown)
      },
    )
}

/** Sends a page, or the way to it. */
export const sendPage = (reply: FastifyReply, shown: Shown) =>
  'location' in shown
    ? reply.redirect(shown.location, shown.forGood ? 301 : 302)
    : reply.type(HTML).send(Buffer.from(textOf(shown)))
