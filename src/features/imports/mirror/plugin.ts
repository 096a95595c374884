import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Counter, Gauge, Registry } from 'prom-client'
import { ACCOUNT_RIGHTS, isAdministration } from '../../../kernel/access/rights.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Warnings } from '../../../kernel/server/log.ts'
import { later, repeat } from '../../../kernel/tasks/jobs.ts'

/** Milliseconds until the first poll. */
const FIRST = 50

/** What keeps the calendar in step with one of its sources. */
type Mirror = {
  /** The address of the source. */
  source: string
  poll(signal: AbortSignal): Promise<number>
  /** Milliseconds until the next poll after one that failed. */
  pause(): number
}
type Options = {
  /** The addresses of the calendars that this one is a mirror of. */
  source: string | undefined
  /** Only where this process writes. */
  mirrors: readonly Mirror[]
  warnings: Pick<Warnings, 'warn'>
  /** Whether writes of records are forwarded to the source. */
  forwards: boolean
}

const WRITES: readonly unknown[] = ['create', 'update', 'delete']

/** Whether a request would write records or pictures; accounts, webhooks and settings belong to this service. */
function writesRecords({ routeOptions: { config } }: FastifyRequest): boolean {
  const right = config.permission?.right
  return WRITES.includes(config.operation) && right !== ACCOUNT_RIGHTS['sign in'] && !isAdministration(right)
}

/** Keeps the calendar in step with the one that it is a mirror of, and refuses what clients would write into it. */
export const mirroring = fp<Options>(
  async (app, { source, mirrors, warnings, forwards }) => {
    if (source === undefined) return
    app.addHook('onRequest', (request, _reply, done) => {
      const { forwardable = false } = request.routeOptions.config
      if (!writesRecords(request) || (forwards && forwardable)) return void done()
      const message = forwards
        ? `This calendar is a mirror of ${source}. Writes of single records are passed on to it, and this is none. Write there.`
        : `This calendar is a mirror of ${source}, and changes only with it. Write there.`
      done(new ApiError('calendar_is_mirror', message, { source }))
    })
    let stops: (() => Promise<void>)[] = []
    app.addHook('onListen', async () => {
      stops = mirrors.map((mirror) => {
        const { source } = mirror
        const fail = (err: unknown) => {
          warnings.warn(
            `mirror ${source}`,
            app.log,
            { err, source },
            'the calendar could not be brought in step',
          )
          return mirror.pause()
        }
        return repeat(mirror.poll, { first: FIRST, fail, wait: later })
      })
    })
    app.addHook('preClose', async () => {
      await Promise.all(stops.map((stop) => stop()))
    })
  },
  { name: 'mirroring', dependencies: ['auth'] },
)

/** How a mirror stands to one of its sources. */
export type Mirrored = {
  status(): { source: string; state: string; lag?: number; failures: number }
  counts(): Readonly<Record<string, number>>
}
/** The classes of the library, which is loaded only if metrics are enabled. */
type Kinds = { Gauge: typeof Gauge; Counter: typeof Counter }

/** Metrics of a mirror: how far it is behind each source, and how often a poll failed. Several sources are told apart by a label. */
export function addMirrorMetrics(
  mirrors: readonly Mirrored[],
  { Gauge, Counter }: Kinds,
  registers: Registry[],
) {
  const labelNames = mirrors.length > 1 ? ['source'] : []
  const labelsOf = (source: string): Record<string, string> => (mirrors.length > 1 ? { source } : {})
  const gauge = (
    name: string,
    help: string,
    read: (status: ReturnType<Mirrored['status']>) => number | undefined,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      aggregator: 'max',
      collect() {
        for (const status of mirrors.map((mirror) => mirror.status())) {
          const value = read(status)
          if (value === undefined) this.remove(labelsOf(status.source))
          else this.set(labelsOf(status.source), value)
        }
      },
    })
  gauge(
    'almanac_mirror_lag_seconds',
    'Seconds since the calendar was as the one that it is a mirror of.',
    ({ lag }) => lag,
  )
  gauge(
    'almanac_mirror_failures',
    'Looks at the source that failed since the last one that did not.',
    ({ failures }) => failures,
  )
  gauge('almanac_mirror_waiting', '1 while the mirror waits for a person.', ({ state }) =>
    Number(state === 'waiting'),
  )
  new Counter({
    name: 'almanac_mirror_looks_total',
    help: 'Looks at the source, by outcome: done or failed.',
    labelNames: ['outcome', ...labelNames],
    registers,
    collect() {
      this.reset()
      for (const { status, counts } of mirrors)
        for (const [outcome, count] of Object.entries(counts()))
          this.inc({ outcome, ...labelsOf(status().source) }, count)
    },
  })
}
