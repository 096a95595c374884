import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from './config.ts'
import { type Mirror, type MirrorOptions, openMirror } from './imports/mirror/mirror.ts'
import { authorizationFor, authorizationsFor } from './imports/web.ts'
import { VERSION } from './package.ts'
import { shownSources } from './rules/sources.ts'

type Parts = Pick<MirrorOptions, 'store' | 'pictures' | 'clock'> & {
  log?: Pick<FastifyBaseLogger, 'warn'>
  config: Pick<Config, 'mirror' | 'mirrorCredentials'>
}

/** What keeps this calendar in step with each of those of the settings. Throws if the credentials for them can not be read. */
export function openMirrorsOf({
  config: { mirror: sources = [], mirrorCredentials: file },
  log,
  ...parts
}: Parts): Mirror[] {
  const text = file === undefined ? undefined : readFileSync(file, 'utf8')
  const isOne = sources.length === 1
  const hosts = sources.map(({ address }) => new URL(address).host)
  const known = text === undefined || isOne ? new Map() : authorizationsFor(text, file!, hosts)
  const whole = text !== undefined && isOne ? authorizationFor(text, file!) : undefined
  const pause = (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal })
  const { fetch } = globalThis
  const shown = shownSources(sources)
  return sources.map((one, at) => {
    const authorization = isOne ? whole : known.get(hosts[at]!)
    const web = { fetch, clock: parts.clock, userAgent: `Almanac/${VERSION}`, authorization }
    const source = shown[at]!
    const hear = (named: object) =>
      log?.warn({ source, ...named }, 'an event of a source was not taken as it is')
    return openMirror({ ...parts, ...one, source, isOne, web, pause, hear })
  })
}
