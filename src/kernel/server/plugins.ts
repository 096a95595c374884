import type { IncomingMessage, RequestListener } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type Accounts, auth } from '../access/auth.ts'
import { audit } from '../access/credential-audit.ts'
import { permissions } from '../access/permissions.ts'
import { cache, heads } from '../cache.ts'
import { awaiting, eventStreams, type Pace } from '../event-streams.ts'
import { idempotency } from '../idempotency.ts'
import { bodies, bodyLimits } from '../input/bodies.ts'
import { parameters, understood } from '../input/query.ts'
import { validator } from '../input/validator.ts'
import { type Documentation, openapi } from '../openapi/document.ts'
import { type MailCounts, mailing } from '../outbound/mailing.ts'
import type { Schedule } from '../output/header-values.ts'
import { costs, limits, overload } from '../rate-limits.ts'
import type { DeclaredConfig } from '../settings.ts'
import type { KernelStore } from '../store.ts'
import { retention } from '../tasks/jobs.ts'
import { admission, pipelining, slowReaders } from './connections.ts'
import { errorAnswers, isPage } from './errors.ts'
import { headers } from './headers.ts'
import { health, type ReadStatus } from './health.ts'
import { log, openAddresses, proxies } from './log.ts'
import { methods } from './methods.ts'
import { metrics } from './metrics.ts'
import type { Server } from './server.ts'

/** The settings of the kernel, as `src/calendar/config.ts` names and explains them. */
export type KernelConfig = Pick<
  DeclaredConfig,
  | 'baseUrl'
  | 'corsOrigins'
  | 'trustProxy'
  | 'maxAge'
  | 'maxDelay'
  | 'rateLimit'
  | 'costLimit'
  | 'listeners'
  | 'metricsToken'
  | 'metricsPort'
  | 'mapTiles'
  | 'smtpUrl'
  | 'mailFrom'
> & { postgres: string | undefined }

/** What the plugins of the kernel need beside the settings. */
export type KernelParts = {
  config: KernelConfig
  version: string
  documentation: Documentation
  clock(): number
  /** Whether this process writes. */
  writes: boolean
  /** Set if this is one of several processes on the database. */
  worker?: { folder: string; writes: boolean } | undefined
  pace?: Pace | undefined
  store: Omit<KernelStore, 'users'> &
    Accounts & {
      schedule: Schedule & { publish(): Promise<unknown> }
      site: { languages: readonly string[] }
    }
  /** Unix milliseconds since when answers are made as they are from the same data. */
  since(): number
}

/** How this process stands to others on the same data. */
export type Standing = {
  readStatus: ReadStatus
  /** Seconds for which what it answers may be out of date; undefined where that can not be. */
  lag?: (() => number) | undefined
}
const ALONE: Standing = { readStatus: async () => ({ role: 'single' }) }

/** What the application, the calendar or a feature puts in between, by its place. One that has nothing to do is absent, and costs nothing. */
export type Between = {
  /** Sends a request to another process, before anything is done for it here. */
  relay?(app: FastifyInstance): void
  /** Waits until this process has what others wrote. */
  freshness?(app: FastifyInstance): void
  /** Publishes what is scheduled, before anything is read. */
  publication?(app: FastifyInstance): void
  /** Makes sure, before a write of who may make it, that nothing is lacking here. */
  catchingUp?(app: FastifyInstance): void
}

/** What a request that comes over the network passes before Fastify sees it, in this order. */
export const STEPS = ['pipelining', 'cache', 'admission'] as const
type Step = (next: RequestListener) => RequestListener

declare module 'fastify' {
  interface FastifyInstance {
    /** Puts a step before Fastify, which answers requests or passes them on to the next one. */
    enter(name: (typeof STEPS)[number], step: Step): void
    /** Has the writer answer a read. Throws if there is none. Absent in the writer, and in a single process. */
    forwardToWriter?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
  interface FastifyContextConfig {
    /** Whether a GET writes, such as one of the steps of signing in with a provider. */
    writes?: true
  }
  interface FastifyRequest {
    /** Whether the writer serves the request, and logs and counts it. */
    servedByWriter?: boolean
  }
}

/** Makes one listener of requests of all steps, once they are known. */
export const entrance = fp(
  async (app) => {
    const steps: { [name in (typeof STEPS)[number]]?: Step } = {}
    app.decorate('enter', (name, step) => {
      steps[name] = step
    })
    app.addHook('onReady', async () => {
      const [route] = app.server.listeners('request') as [RequestListener]
      const first = STEPS.reduceRight((next, name) => steps[name]?.(next) ?? next, route)
      app.server.removeListener('request', route).on('request', first)
    })
  },
  { name: 'entrance' },
)

/**
 * Registers the plugins that requests pass, in the order in which they pass them: `STEPS`, then all first hooks from the top to the bottom,
 * then all second hooks, and so on (https://fastify.dev/docs/latest/Reference/Lifecycle). A hook of `limits`, `costs` and `idempotency` belongs
 * to the routes that need it, and runs after those of all plugins. Routes come after these plugins.
 */
export function addPlugins(
  { app, parts, ids, warnings, sendError, bodies: schemas, negotiation, hasPages }: Server,
  { config, version, documentation, store, clock, since, writes, worker, pace }: KernelParts,
  between: readonly Between[] = [],
  { readStatus, lag } = ALONE,
) {
  const { db } = store
  const put = (place: keyof Between) => {
    for (const one of between) one[place]?.(app)
  }
  const addressOf: (request: IncomingMessage) => string | undefined = openAddresses(config.trustProxy)
  const mailCounts: MailCounts = { sent: 0, put_off: 0, given_up: 0 }
  const office = config.smtpUrl === '' ? undefined : { url: config.smtpUrl, from: config.mailFrom }

  // what every response has, and what answers before anything else
  app.register(errorAnswers, { send: sendError })
  app.register(metrics, { db, mails: store.mails, mailCounts, version, worker, config })
  app.register(log)
  app.register(methods)
  app.register(heads)
  app.register(headers, {
    origins: config.corsOrigins,
    baseUrl: config.baseUrl,
    clock,
    isPage: hasPages ? isPage : () => false,
    pictures: config.mapTiles ? [new URL(config.mapTiles).origin] : [],
  })
  app.register(health, { version, db, token: config.metricsToken, readStatus })
  app.after(() => app.reportHealth('mail', () => office && { waiting: store.mails.waiting() }))
  app.register(proxies, { trusted: config.trustProxy })
  app.register(understood)

  // what comes before Fastify, and responses that are ready
  app.register(entrance)
  app.register(admission, { addressOf })
  app.register(cache, {
    store,
    negotiation,
    clock,
    ids,
    lag,
    since,
    maxAge: config.maxAge,
    limited: config.rateLimit !== undefined,
    addressOf,
  })
  app.register(pipelining)
  app.register(slowReaders, { warnings })

  // who asks, and whether now
  put('relay')
  app.register(overload, { maxDelay: config.maxDelay })
  app.register(limits, { perMinute: config.rateLimit })
  app.register(eventStreams, { store, warnings, worker, most: config.listeners, pace })
  app.register(awaiting, { store })
  put('freshness')
  app.register(audit, { store, clock, warnings, writes })
  app.register(auth, { store, clock, warnings, baseUrl: config.baseUrl })
  app.register(costs, { perMinute: config.costLimit, clock })
  put('publication')

  // what runs beside requests
  app.register(retention, { db, changes: store.changes, warnings, writes })
  app.register(mailing, { store, warnings, counts: mailCounts, office: writes ? office : undefined })

  // what is asked, and whether the caller may
  app.register(bodyLimits)
  app.register(bodies)
  app.register(validator, { bodies: schemas })
  app.register(parameters)
  app.register(permissions)
  put('catchingUp')
  app.register(idempotency, { store, warnings })
  app.register(openapi, { version, documentation, parts, languages: store.site.languages })
}
