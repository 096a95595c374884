import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../store/db.ts'
import { SITE } from './mounts.ts'

/** Bounds of the latency histogram in seconds: from an answer that was kept to one that somebody waits for. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Numbers of the process, of the database and of every request, as Prometheus reads them; its library is loaded where it is asked for. */
export async function openMetrics(app: FastifyInstance, db: Db, version: string) {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = await import('prom-client')
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
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const route = request.routeOptions.url?.replace(SITE, '') || 'none'
    requests.inc({ method, route, status: String(reply.statusCode) })
    seconds.observe({ method, route }, reply.elapsedTime / 1000)
    done()
  })

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
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
  gauge('almanac_database_bytes', 'Size of the database file.', () => db.sizes().database)
  gauge('almanac_wal_bytes', 'Size of the write-ahead log beside it.', () => db.sizes().wal)
  gauge('almanac_writes_waiting', 'Writes that wait for the database or are under way.', db.waiting)
  counter('almanac_cache_hits_total', 'Answers that were kept and sent again.', () => app.answers.hits)
  counter('almanac_cache_misses_total', 'Answers that were made and could be kept.', () => app.answers.misses)
  new Gauge({ name: 'almanac_info', help: 'The version that runs.', labelNames: ['version'], registers }).set(
    { version },
    1,
  )
  return { contentType: registry.contentType, text: () => registry.metrics() }
}
export type Metrics = Awaited<ReturnType<typeof openMetrics>>

/** Serves the metrics to this machine alone, on a port of their own; gives the server once it listens. */
export async function listenForMetrics({ contentType, text }: Metrics, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': contentType }).end(await text())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  return server
}
