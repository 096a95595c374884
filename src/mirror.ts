import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Passing } from './http/resource/passing.ts'
import { type Mirror, type MirrorOptions, openMirror } from './imports/mirror/mirror.ts'
import { openPassing } from './imports/mirror/passing.ts'
import { openTurns, type Turns } from './imports/mirror/turns.ts'
import { authorizationFor } from './imports/web.ts'
import { VERSION } from './package.ts'

type Parts = Pick<MirrorOptions, 'store' | 'pictures' | 'clock'> & {
  config: Pick<Config, 'mirror' | 'mirrorCredentials'>
}
/** A mirror whose looks come in turns with the writes that are passed on; `lookNow` is for a write in its turn. */
export type TurningMirror = Mirror & { inTurn: Turns; lookNow: Mirror['look'] }

const pause = (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal })

/** How the source is reached. Throws if the credentials for it can not be read. */
function webOf({ config: { mirrorCredentials: file }, clock }: Pick<Parts, 'config' | 'clock'>) {
  const authorization = file === undefined ? undefined : authorizationFor(readFileSync(file, 'utf8'), file)
  const { fetch } = globalThis
  return { fetch, clock, userAgent: `Almanac/${VERSION}`, authorization }
}

/** What keeps this calendar in step with that of the settings, if they name one. Throws if the credentials for it can not be read. */
export function openMirrorOf({ config, ...parts }: Parts): TurningMirror | undefined {
  const { mirror: address } = config
  if (address === undefined) return undefined
  const web = webOf({ config, clock: parts.clock })
  const mirror = openMirror({ ...parts, address, web, pause })
  const inTurn = openTurns()
  return { ...mirror, inTurn, look: (signal) => inTurn(() => mirror.look(signal)), lookNow: mirror.look }
}

/** What passes writes on to the source of a mirror, if the settings want it. */
export function openPassingOf({
  config,
  mirror,
  clock,
  ...parts
}: Parts & { config: Pick<Config, 'mirrorWrites'>; mirror: TurningMirror }): Passing | undefined {
  if (config.mirrorWrites !== 'forward') return undefined
  const { inTurn, lookNow, status } = mirror
  const look = async (signal: AbortSignal) => status().state === 'following' && lookNow(signal)
  return openPassing({
    ...parts,
    address: config.mirror!,
    web: webOf({ config, clock }),
    pause,
    inTurn,
    look,
  })
}
