import type { Desk } from '../../output/desk.ts'
import { sendPacked } from '../../output/packed.ts'
import { family } from '../../resource/service.ts'
import { noRoute } from '../../server/errors.ts'
import { SITE } from '../../server/mounts.ts'

/** The desk of the editors: one page, whose parts stand behind `#` in its address, and the files that it loads. */
export const deskRoutes = ({ page, files }: Desk) =>
  family('the desk', async (app) => {
    app.get(`${SITE}/desk`, { schema: { hide: true }, config: { page: 'desk' } }, (request, reply) =>
      sendPacked(request, reply, page),
    )
    app.get(`${SITE}/desk/assets/:name`, { schema: { hide: true } }, (request, reply) => {
      const packed = files.get((request.params as { name: string }).name)
      if (!packed) throw noRoute()
      return sendPacked(request, reply, packed)
    })
  })
