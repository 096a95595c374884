import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../../config.ts'
import { openFetch } from '../../../kernel/outbound/requests.ts'
import { VERSION } from '../../../package.ts'
import { authorizationFor, authorizationsFor } from '../site/web.ts'
import { type Mirror, type MirrorOptions, openMirror } from './mirror.ts'
import { openPassing } from './passing.ts'
import { shownSources } from './sources.ts'
import { openTurns, type Turns } from './turns.ts'
import type { Passing } from './write-through.ts'

type Parts = Pick<MirrorOptions, 'store' | 'pictures' | 'clock'> & {
  log?: Pick<FastifyBaseLogger, 'warn'>
  config: Pick<Config, 'mirror' | 'mirrorCredentials' | 'downloadAllow'>
}
/** A mirror whose looks come in turns with the writes that are passed on; `lookNow` is for a write in its turn, which reaches the source by `web`. */
export type TurningMirror = Mirror & { inTurn: Turns; lookNow: Mirror['look']; web: MirrorOptions['web'] }

const pause = (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal })

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
  return hosts.map((host) => ({
    ...{ fetch: openFetch({ named: [host], allow }), clock, userAgent: `Almanac/${VERSION}` },
    authorization: isOne ? whole : known.get(host),
  }))
}

/** What keeps this calendar in step with each of those of the settings. Throws if the credentials for them can not be read. */
export function openMirrorsOf({ config, log, ...parts }: Parts): TurningMirror[] {
  const { mirror: sources = [] } = config
  const webs = websOf({ config, clock: parts.clock })
  const shown = shownSources(sources)
  const isOne = sources.length === 1
  return sources.map((one, at) => {
    const source = shown[at]!
    const hear = (named: object) =>
      log?.warn({ source, ...named }, 'an event of a source was not taken as it is')
    const web = webs[at]!
    const mirror = openMirror({ ...parts, ...one, source, isOne, web, pause, hear })
    const inTurn = openTurns()
    const look: Mirror['look'] = (signal) => inTurn(() => mirror.look(signal))
    return { ...mirror, inTurn, look, lookNow: mirror.look, web }
  })
}

/** What passes writes on to the source of a mirror, if the settings want it: it then is the only one. */
export function openPassingOf({
  config,
  mirror,
  ...parts
}: Omit<Parts, 'clock'> & { config: Pick<Config, 'mirrorWrites'>; mirror: TurningMirror }):
  | Passing
  | undefined {
  if (config.mirrorWrites !== 'forward') return undefined
  const { inTurn, lookNow, status, web } = mirror
  const [source] = config.mirror!
  const look = async (signal: AbortSignal) => status().state === 'following' && lookNow(signal)
  return openPassing({ ...parts, ...source!, web, pause, inTurn, look })
}
