import type { FastifyPluginCallback } from 'fastify'
import type { Face, Mount } from '../../kernel/server/mounts.ts'
import type { Markup } from '../../kernel/text/markup.ts'
import type { Service } from './service.ts'

/** What stands beside the API and can be removed without a trace: its addresses and routes. */
export type Room = {
  /** Leads its addresses to what is meant, before routing. */
  rewrite: Face
  /** What pages say about it in their heads, by language. `base` is the URL of the service. */
  markupIn(base: string): (language: string) => Markup
  /** Its routes. Their hooks are for the pages and the API, which are registered after it. */
  routes: FastifyPluginCallback<{ service: Service }>[]
}

/** Opens a room, if the settings want it. */
export type OpenRoom = (
  mounts: readonly Mount[],
  languages: readonly string[],
  settings: { pages: boolean; compatLanguages: 'first' | 'all' },
) => Room | undefined
