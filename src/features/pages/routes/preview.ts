import { family } from '../../../calendar/resource/service.ts'
import { canEdit } from '../../../kernel/access/roles.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import { timeInWords } from '../html/parts/dates.ts'
import { fill } from '../words.ts'
import { openEvent } from './event.ts'
import { sendPage } from './page.ts'

/** `/preview/{key}`: the page of an event as visitors will see it, for whoever has the address. No cache keeps it. */
export const previewPages = family('previews on pages', async (app, service) => {
  const { store, site, pages } = service
  const show = openEvent(service)

  app.get(
    `${SITE}/preview/:key`,
    { schema: { hide: true }, config: { page: 'preview', costs: true } },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      const { key } = request.params as { key: string }
      const page = await store.consistently(request, async () => {
        const preview = await store.previews.read(key)
        const post = preview && (await store.posts.byId('event', preview.event))
        if (!post || post.status === 'trash' || !canEdit(preview.caller, post))
          throw new ApiError('rest_no_route', 'This preview has ended.', { preview: 'over' })
        const view = pages!.viewIn(post.language)
        const time = timeInWords(toWall(preview.until, site.zone), post.language)
        return show(view, request, post, {
          opens: async () => true,
          // what came with a submission is published with it
          caller: await store.submissions.viewerOf(post),
          preview: fill(view.words.preview_until, { time }),
        })
      })
      return sendPage(reply, page)
    },
  )
})
