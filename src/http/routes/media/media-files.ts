import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsync } from 'fastify'
import type { Pictures } from '../../../media/pictures.ts'
import { SITE } from '../../server/mounts.ts'

/** The files of pictures at /media/. One that another node has is brought here first. */
export const mediaFiles: FastifyPluginAsync<{ pictures: Pictures; dir: string }> = async (
  app,
  { pictures, dir },
) => {
  app.addHook('preHandler', (request) => pictures.bringFile((request.params as { '*': string })['*']))
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
