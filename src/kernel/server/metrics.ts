import { createServer, get, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Db } from '../database/db.ts'
import type { Mails } from '../outbound/mailing.ts'
import type { DeclaredConfig } from '../settings.ts'
import type { Hear } from './log.ts'
import { SITE } from './mounts.ts'

/** Bounds of the latency histogram in seconds, from a cached response to a noticeable delay. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** The folder of the sockets of several processes. */
type Folder = { folder: string }
type Readers = Pick<DeclaredConfig, 'metricsToken' | 'metricsPort'>
/** Whether metrics are enabled. Otherwise nothing is counted. */
export const isMeasured = ({ metricsToken, metricsPort }: Readers) =>
  metricsToken !== undefined || metricsPort !== undefined

export type Metrics = { contentType: string; text(): Promise<string> }
type Counting = Metrics & { count: Hear; meter: Meter }
/** What numbers are added with. They are read when they are asked for; of several processes they are summed, or the greatest counts. */
export type Meter = {
  gauge(name: string, help: string, read: () => number, aggregator?: 'sum' | 'max'): void
  /** How often something came to each outcome. */
  outcomes(name: string, help: string, read: () => Record<string, number>): void
  /** For numbers of other kinds: the classes of the library, which is loaded only if metrics are enabled, and where they are registered. */
  library: { Gauge: typeof Gauge; Counter: typeof Counter; Histogram: typeof Histogram }
  registers: Registry[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Set if the settings enable them. */
    metrics: Counting | undefined
    /** Adds numbers, if metrics are enabled. */
    measure(add: (meter: Meter) => void): void
  }
}

type Options = {
  db: Pick<Db, 'sizes' | 'waiting'>
  mails: Pick<Mails, 'waiting'>
  /** What became of mails, by outcome. */
  mailCounts: Record<string, number>
  version: string
  worker: Folder | undefined
  config: Readers & { postgres: string | undefined }
}

/** Counts responses, if metrics are enabled. */
export const metrics = fp<Options>(
  async (app, { db, mails, mailCounts, version, worker, config }) => {
    const role = config.postgres === undefined ? 'single' : 'node'
    const metrics = isMeasured(config)
      ? await openMetrics(app, { db, mails, mailCounts }, { version, role }, worker)
      : undefined
    app.decorate('metrics', metrics)
    app.decorate('measure', (add) => metrics && add(metrics.meter))
  },
  { name: 'metrics' },
)

/**
 * Metrics of the process, the database and every request in the format of Prometheus, for all processes if there are
 * several. The library is loaded only if metrics are enabled.
 */
async function openMetrics(
  app: FastifyInstance,
  { db, mails, mailCounts }: Pick<Options, 'db' | 'mails' | 'mailCounts'>,
  { version, role }: { version: string; role: 'node' | 'single' },
  worker: Folder | undefined,
): Promise<Counting> {
  const { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import(
    'prom-client'
  )
  const registers = [new Registry()]
  const [registry] = registers as [InstanceType<typeof Registry>]
  collectDefaultMetrics({ register: registry })

  const requests = new Counter({
    name: 'almanac_http_requests_total',
    help: 'Requests that were answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'almanac_http_request_duration_seconds',
    help: 'Seconds from the first byte of a request to the last of its answer, by method and route.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  })
  const count: Hear = ({ method, route: url, status, milliseconds, lasted }) => {
    const route = url.replace(SITE, '') || 'none'
    requests.inc({ method, route, status: String(status) })
    if (!lasted) seconds.observe({ method, route }, milliseconds / 1000)
  }

  const gauge: Meter['gauge'] = (name, help, read, aggregator = 'max') =>
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      collect() {
        this.set(read())
      },
    })
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  const outcomes: Meter['outcomes'] = (name, help, read) =>
    new Counter({
      name,
      help,
      labelNames: ['outcome'],
      registers,
      collect() {
        this.reset()
        for (const [outcome, count] of Object.entries(read())) this.inc({ outcome }, count)
      },
    })
  gauge('almanac_database_bytes', 'Size of the database file.', () => db.sizes().database)
  gauge('almanac_wal_bytes', 'Size of the write-ahead log beside it.', () => db.sizes().wal)
  gauge('almanac_writes_waiting', 'Writes that wait for the database or are under way.', db.waiting, 'sum')
  gauge('almanac_listeners', 'Connections that listen to changes.', () => app.eventStreams.count(), 'sum')
  counter('almanac_cache_hits_total', 'Answers that were kept and sent again.', () => app.cacheCounts.hits)
  counter(
    'almanac_cache_misses_total',
    'Answers that were made and could be kept.',
    () => app.cacheCounts.misses,
  )
  outcomes('almanac_mails_total', 'Mails by outcome: sent, put off, or given up.', () => mailCounts)
  gauge('almanac_mails_waiting', 'Mails that wait to be sent.', mails.waiting)
  new Gauge({
    name: 'almanac_info',
    help: 'The version that runs, and whether it is one of several nodes.',
    labelNames: ['version', 'role'],
    registers,
    aggregator: 'first',
  }).set({ version, role }, 1)
  const { contentType } = registry
  const meter: Meter = { gauge, outcomes, library: { Gauge, Counter, Histogram }, registers }
  if (!worker) return { contentType, count, meter, text: () => registry.metrics() }
  AggregatorRegistry.setRegistries(registry)
  return { contentType, count, meter, text: () => fetchSum(worker) }
}

/** In the process that started the workers, returns the metrics of all workers; in a worker, contributes its own. */
export async function openSum(): Promise<Metrics> {
  const { AggregatorRegistry } = await import('prom-client')
  const registry = new AggregatorRegistry()
  return { contentType: registry.contentType, text: () => registry.clusterMetrics() }
}

const fetchSum = async ({ folder }: Folder) =>
  text(
    await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      get({ socketPath: sumIn(folder), path: '/metrics' }, resolve).on('error', reject)
    }),
  )

/** The path at which workers fetch the sum. */
export const sumIn = (folder: string) => join(folder, 'metrics')

/** Serves the metrics on a local port or socket; returns the server once it listens. */
export async function listenForMetrics({ contentType, text }: Metrics, at: number | string): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      const numbers = await text()
      response.writeHead(200, { 'content-type': contentType }).end(numbers)
    } catch {
      response.writeHead(503).end() // a worker ended during the request
    }
  })
  const place = typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(place, resolve)
  })
  return server
}
