import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import type { ServicePart } from '../feature.ts'
import { MAX_BODY } from '../input/bodies.ts'
import { parseQuery } from '../input/query.ts'
import { openValidation } from '../input/validator.ts'
import { openNegotiation } from '../output/negotiation.ts'
import { answerBrokenRequest, type ErrorPages, openErrors } from './errors.ts'
import { openIds, openWarnings } from './log.ts'
import { buildRewrite, type Mount, prefixOf, type Rewrite } from './mounts.ts'
import type { KernelConfig } from './plugins.ts'

/** Timeouts in milliseconds against slow clients: for the headers, for the whole request (10 MiB over a slow line), and without data. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 120_000
const IDLE_TIMEOUT = 60_000

type Options = Required<Pick<FastifyServerOptions, 'logger'>> & {
  config: Pick<KernelConfig, 'trustProxy' | 'baseUrl'>
  /** What the service is made of. */
  parts: readonly ServicePart[]
  mounts: readonly Mount[]
  /** What leads addresses beside the mounts to what is meant. */
  rewrites: readonly Rewrite[]
  /** What makes the pages of errors, if people see some. */
  pages?: ErrorPages | undefined
}

/** The server, before it has plugins and routes, with what its plugins share. */
export function openServer({ config, logger, parts, mounts, rewrites, pages }: Options) {
  const ids = openIds()
  const warnings = openWarnings()
  const sendError = openErrors(warnings, pages)
  const { bodies, schemaController } = openValidation()
  const negotiation = openNegotiation(parts)
  const app = Fastify({
    logger,
    genReqId: ids,
    logController: new LogController({ disableRequestLogging: true }), // src/kernel/server/log.ts writes one line instead of two
    return503OnClosing: false, // requests that arrive while stopping are served, and their connections closed
    trustProxy: config.trustProxy,
    bodyLimit: MAX_BODY,
    exposeHeadRoutes: false, // src/kernel/cache.ts
    pluginTimeout: 0, // no plugin waits for anything, and each route would have a timer
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: IDLE_TIMEOUT,
    http: {
      headersTimeout: HEADERS_TIMEOUT,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // src/kernel/server/connections.ts
    },
    clientErrorHandler: answerBrokenRequest,
    rewriteUrl: buildRewrite(mounts, prefixOf(config.baseUrl), negotiation, rewrites),
    schemaController,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 2000,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
  }) as unknown as FastifyInstance
  return { app, parts, ids, warnings, sendError, bodies, negotiation, hasPages: pages !== undefined }
}
export type Server = ReturnType<typeof openServer>
