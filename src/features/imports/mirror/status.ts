import type { MIRROR_STATES, Mirror, MirrorStatus } from './mirror.ts'

/** How a mirror of several sources stands: the worst of them in each member, and each source. */
export type MirrorsStatus = Omit<MirrorStatus, 'source' | 'trouble'> & { sources: MirrorStatus[] }

/** The states from the worst. */
const WORST = [
  'waiting',
  'failing',
  'starting',
  'following',
  'idle',
] as const satisfies (typeof MIRROR_STATES)[number][]

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
    ...{ refused: sumOf(sources, 'refused'), left: sumOf(sources, 'left') },
    sources,
  }
}
