import Fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { MAX_BODY } from '../input/body.ts'
import { parseQuery } from '../input/query.ts'
import { answerBrokenRequest, type openErrors } from './errors.ts'

/** Timeouts in milliseconds against slow clients: for the headers, for the whole request (10 MiB over a slow line), and without data. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 120_000
const IDLE_TIMEOUT = 60_000

type Options = Required<Pick<FastifyServerOptions, 'logger' | 'rewriteUrl' | 'schemaController'>> & {
  config: { trustProxy: boolean | string }
  /** Makes the IDs of requests. */
  ids(): string
  sendError: ReturnType<typeof openErrors>
}

/** The server, before it has plugins and routes. */
export function openServer({ config, logger, ids, rewriteUrl, sendError, schemaController }: Options) {
  return Fastify({
    logger,
    genReqId: ids,
    logController: new LogController({ disableRequestLogging: true }), // src/kernel/server/log.ts writes one line instead of two
    return503OnClosing: false, // requests that arrive while stopping are served, and their connections closed
    trustProxy: config.trustProxy,
    bodyLimit: MAX_BODY,
    exposeHeadRoutes: false, // src/kernel/cache/answers.ts
    pluginTimeout: 0, // no plugin waits for anything, and each route would have a timer
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: IDLE_TIMEOUT,
    http: {
      headersTimeout: HEADERS_TIMEOUT,
      connectionsCheckingInterval: 1_000,
      requireHostHeader: false, // src/kernel/server/pipelining.ts
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
}
