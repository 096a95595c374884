import type { Counter, Gauge, Registry } from 'prom-client'

/** How a mirror stands to its source. */
export type Mirrored = {
  status(): { state: string; lag?: number; failures: number }
  counts(): Readonly<Record<string, number>>
}
/** The classes of the library, which is loaded only if metrics are enabled. */
type Kinds = { Gauge: typeof Gauge; Counter: typeof Counter }

/** Metrics of a mirror: how far it is behind its source, and how often it could not look. */
export function addMirrorMetrics(
  { status, counts }: Mirrored,
  { Gauge, Counter }: Kinds,
  registers: Registry[],
) {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      ...{ name, help, registers },
      aggregator: 'max',
      collect() {
        const value = read()
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  gauge(
    'almanac_mirror_lag_seconds',
    'Seconds since the calendar was as the one that it is a mirror of.',
    () => status().lag,
  )
  gauge(
    'almanac_mirror_failures',
    'Looks at the source that failed since the last one that did not.',
    () => status().failures,
  )
  gauge('almanac_mirror_waiting', '1 while the mirror waits for a person.', () =>
    Number(status().state === 'waiting'),
  )
  new Counter({
    name: 'almanac_mirror_looks_total',
    help: 'Looks at the source, by outcome: done or failed.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counts())) this.inc({ outcome }, count)
    },
  })
}
