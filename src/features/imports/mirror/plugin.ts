import { readFileSync } from 'node:fs'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../../../calendar/config.ts'
import { ACCOUNT_RIGHTS, isAdministration } from '../../../kernel/access/rights.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Meter } from '../../../kernel/server/metrics.ts'
import { later, repeat } from '../../../kernel/tasks/jobs.ts'
import type { Host } from '../../host.ts'
import { shownSources, sourcesText } from '../settings.ts'
import { authorizationFor, authorizationsFor, webTo } from '../site/web.ts'
import { type Mirror, type MirrorOptions, type MirrorState, type MirrorStatus, openMirror } from './mirror.ts'
import { openForwarding, openWriteThrough, WRITE_THROUGH_ERRORS } from './write-through.ts'

type Parts = Pick<MirrorOptions, 'store' | 'pictures'> & {
  clock(): number
  log?: Pick<FastifyBaseLogger, 'warn'>
  config: Pick<Config, 'mirror' | 'mirrorCredentials' | 'downloadAllow'>
}

/** How each source is reached. Throws if the credentials for them can not be read. */
function websOf({
  config: { mirror: sources = [], mirrorCredentials: file, downloadAllow: allow },
  clock,
}: Pick<Parts, 'config' | 'clock'>) {
  const text = file === undefined ? undefined : readFileSync(file, 'utf8')
  const isOne = sources.length === 1
  const hosts = sources.map(({ address }) => new URL(address).host)
  const known = text === undefined || isOne ? new Map() : authorizationsFor(text, file!, hosts)
  const whole = text !== undefined && isOne ? authorizationFor(text, file!) : undefined
  return hosts.map((host) => webTo(host, allow, clock, isOne ? whole : known.get(host)))
}

/** What keeps this calendar in step with each of those of the settings. Throws if the credentials for them can not be read. */
export function openMirrorsOf({ config, log, clock, ...parts }: Parts): Mirror[] {
  const { mirror: sources = [] } = config
  const webs = websOf({ config, clock })
  const shown = shownSources(sources)
  return sources.map((one, at) => {
    const source = shown[at]!
    const onProblem = (named: object) =>
      log?.warn({ source, ...named }, 'an event of a source was not taken as it is')
    return openMirror({ ...parts, ...one, source, isOne: sources.length === 1, web: webs[at]!, onProblem })
  })
}

/** Adds what keeps the calendar in step with those that it is a mirror of, and refuses or forwards what clients would write into it. */
export function addMirrors(app: FastifyInstance, { config, service, writes, warnings, clock }: Host) {
  const { store, pictures } = service
  const mirrors = writes ? openMirrorsOf({ config, store, pictures, clock, log: app.log }) : []
  const [first] = mirrors
  const forwards = config.mirrorWrites === 'forward'
  service.around.errors.push(...WRITE_THROUGH_ERRORS)
  if (first && forwards) {
    const { exclusively, pollNow, status, web } = first
    const poll = async (signal: AbortSignal) => status().state === 'following' && pollNow(signal)
    const [source] = config.mirror!
    const writeThrough = openWriteThrough({ store, pictures, ...source!, web, exclusively, poll })
    service.around.write = openForwarding(store, writeThrough)
  }
  if (first) app.measure((meter) => addMirrorMetrics(mirrors, meter))
  app.reportHealth('mirror', () => statusOf(mirrors))
  app.register(mirroring, { source: sourcesText(config.mirror), mirrors, warnings, forwards })
}

/** Milliseconds until the first poll. */
const FIRST = 50

type Options = {
  /** The addresses of the calendars that this one is a mirror of. */
  source: string | undefined
  /** Only where this process writes. */
  mirrors: readonly Mirror[]
  warnings: Host['warnings']
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
const mirroring = fp<Options>(
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

/** Metrics of a mirror: how far it is behind each source, and how often a poll failed. Several sources are told apart by a label. */
function addMirrorMetrics(
  mirrors: readonly Mirror[],
  { library: { Gauge, Counter }, registers }: Pick<Meter, 'library' | 'registers'>,
) {
  const labelNames = mirrors.length > 1 ? ['source'] : []
  const labelsOf = (source: string): Record<string, string> => (mirrors.length > 1 ? { source } : {})
  const gauge = (name: string, help: string, read: (status: MirrorStatus) => number | undefined) =>
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

/** How a mirror of several sources stands: the worst of them in each member, and each source. */
type MirrorsStatus = Omit<MirrorStatus, 'source' | 'trouble'> & { sources: MirrorStatus[] }

/** The states from the worst. */
const WORST: MirrorState[] = ['waiting', 'failing', 'starting', 'following', 'idle']

const sumOf = (all: MirrorStatus[], name: 'refused' | 'left') =>
  all.reduce((sum, status) => sum + (status[name] ?? 0), 0)

/** How a calendar stands to those that it is a mirror of: as its only source, or as all of them; undefined without any. */
export function statusOf(mirrors: readonly Mirror[]): MirrorStatus | MirrorsStatus | undefined {
  const sources = mirrors.map((mirror) => mirror.status())
  if (sources.length < 2) return sources[0]
  const lags = sources.flatMap(({ lag }) => lag ?? [])
  return {
    state: WORST.find((state) => sources.some((one) => one.state === state))!,
    // as long as one has not been seen, nobody knows how far all are behind
    ...(lags.length === sources.length && { lag: Math.max(...lags) }),
    failures: Math.max(...sources.map(({ failures }) => failures)),
    refused: sumOf(sources, 'refused'),
    left: sumOf(sources, 'left'),
    sources,
  }
}
