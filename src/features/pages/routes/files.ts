import { family } from '../../../calendar/resource/service.ts'
import { sendPacked } from '../../../kernel/output/negotiation.ts'
import { noRoute } from '../../../kernel/server/errors.ts'
import { SITE } from '../../../kernel/server/mounts.ts'

/** The files that pages load, whose names change with their content; and the way from the prefix of the default language. */
export const pageFiles = family('files of pages', async (app) => {
  const { file, front } = app.pages!
  app.get(`${SITE}/assets/:name`, { schema: { hide: true } }, (request, reply) => {
    const packed = file((request.params as { name: string }).name)
    if (!packed) throw noRoute()
    return sendPacked(request, reply, packed)
  })
  // browsers ask for it where a page names no icon, as a picture that is opened by itself
  app.get(`${SITE}/favicon.ico`, { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').redirect(front.icon, 302),
  )
  const [standard] = front.languages
  for (const rest of ['', '/*'])
    app.get(
      `${SITE}/${standard}${rest}`,
      { schema: { hide: true }, config: { page: 'calendar' } },
      ({ url }, reply) => {
        // one slash, because two would begin another host
        const after = url.slice(`${SITE}/${standard}`.length).replace(/^[/\\]*/, '/')
        return reply.redirect(front.path + after, 301)
      },
    )
})
