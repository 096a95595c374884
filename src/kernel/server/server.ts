import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { MAX_BODY } from '../input/bodies.ts'
import { parseQuery } from '../input/query.ts'
import { openValidation } from '../input/validator.ts'
import { answerBrokenRequest, type ErrorPages, openErrors } from './errors.ts'
import { openIds, openWarnings } from './log.ts'

/** Timeouts in milliseconds against slow clients: for the headers, for the whole request (10 MiB over a slow line), and without data. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 120_000
const IDLE_TIMEOUT = 60_000

type Options = Required<Pick<FastifyServerOptions, 'logger' | 'rewriteUrl'>> & {
  config: { trustProxy: boolean | string }
  /** What makes the pages of errors, if people see some. */
  pages?: ErrorPages | undefined
}

/** The server, before it has plugins and routes, with what its plugins share. */
export function openServer({ config, logger, rewriteUrl, pages }: Options) {
  const ids = openIds()
  const warnings = openWarnings()
  const sendError = openErrors(warnings, pages)
  const { bodies, schemaController } = openValidation()
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
    rewriteUrl,
    schemaController,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 2000,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
  }) as unknown as FastifyInstance
  return { app, ids, warnings, sendError, bodies, hasPages: pages !== undefined }
}
export type Server = ReturnType<typeof openServer>
