import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from './config.ts'
import { type Mirror, type MirrorOptions, openMirror } from './imports/mirror/mirror.ts'
import { authorizationFor } from './imports/web.ts'
import { VERSION } from './package.ts'

type Parts = Pick<MirrorOptions, 'store' | 'pictures' | 'clock'> & {
  config: Pick<Config, 'mirror' | 'mirrorCredentials'>
}

/** What keeps this calendar in step with that of the settings, if they name one. Throws if the credentials for it can not be read. */
export function openMirrorOf({
  config: { mirror, mirrorCredentials: file },
  ...parts
}: Parts): Mirror | undefined {
  if (mirror === undefined) return undefined
  const authorization = file === undefined ? undefined : authorizationFor(readFileSync(file, 'utf8'), file)
  const pause = (milliseconds: number, signal: AbortSignal) => wait(milliseconds, undefined, { signal })
  const { fetch } = globalThis
  const web = { fetch, clock: parts.clock, userAgent: `Almanac/${VERSION}`, authorization }
  return openMirror({ ...parts, address: mirror, web, pause })
}
