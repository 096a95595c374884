import type { Counter, Gauge, Registry } from 'prom-client'

/** How a mirror stands to one of its sources. */
export type Mirrored = {
  status(): { source: string; state: string; lag?: number; failures: number }
  counts(): Readonly<Record<string, number>>
}
/** The classes of the library, which is loaded only if metrics are enabled. */
type Kinds = { Gauge: typeof Gauge; Counter: typeof Counter }

/** Metrics of a mirror: how far it is behind each source, and how often it could not look. Several sources are told apart by a label. */
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
      ...{ name, help, labelNames, registers },
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
