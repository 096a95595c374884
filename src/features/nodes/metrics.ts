import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Replica, ReplicaStatus } from '../../calendar/store.ts'

/** Bounds of the histograms in seconds, from a database in the same house to one that others hold for long. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATES: ReplicaStatus['state'][] = ['follows', 'alone', 'behind', 'stuck', 'stale', 'outdated']

/** The classes of the library, which is loaded only if metrics are enabled. */
type Kinds = { Gauge: typeof Gauge; Counter: typeof Counter; Histogram: typeof Histogram }

/** Metrics of one of several nodes: how far it is behind, and what PostgreSQL costs it. */
export function addNodeMetrics(
  replica: Replica,
  { Gauge, Counter, Histogram }: Kinds,
  registers: Registry[],
) {
  const gauge = (name: string, help: string, read: (status: ReplicaStatus) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(replica.status()))
      },
    })
  const counter = (name: string, help: string, read: (status: ReplicaStatus) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read(replica.status()))
      },
    })
  new Gauge({
    name: 'almanac_node_state',
    help: '1 for the state of this node: follows, alone (PostgreSQL does not answer), behind (by more than a minute), stuck (can not write its copy), stale (takes its copy anew) or outdated.',
    labelNames: ['state'],
    registers,
    collect() {
      const { state } = replica.status()
      for (const one of STATES) this.set({ state: one }, Number(one === state))
    },
  })
  gauge('almanac_node_seq', 'The last group of writes that this node has.', ({ seq }) => seq)
  gauge('almanac_node_head', 'The last group of writes that it knows of.', ({ head }) => head)
  gauge('almanac_node_lag_groups', 'Groups of writes that it lacks.', ({ head, seq }) => head - seq)
  gauge('almanac_node_lag_seconds', 'Seconds since it last had all groups; 0 while it has.', ({ age }) => age)
  gauge('almanac_node_trouble', '1 while /health says what is wrong.', ({ trouble }) =>
    Number(trouble !== undefined),
  )
  gauge(
    'almanac_node_clock_offset_seconds',
    'Seconds by which the clock of PostgreSQL is ahead of that of this node.',
    ({ clock }) => clock.offset / 1_000,
  )
  gauge('almanac_node_leads', '1 if it does the work that one node does for all.', ({ leads }) =>
    Number(leads),
  )
  counter('almanac_node_groups_applied_total', 'Groups of other nodes that it applied.', (s) => s.applied)
  counter('almanac_node_copies_total', 'Copies that it had to take anew.', ({ copies }) => copies)
  const seconds = {
    lock: new Histogram({
      name: 'almanac_node_lock_wait_seconds',
      help: 'Seconds until PostgreSQL gave the lock of the writer, for each group that was written here.',
      buckets: BUCKETS,
      registers,
    }),
    commit: new Histogram({
      name: 'almanac_node_commit_seconds',
      help: 'Seconds until PostgreSQL had stored a group that was written here.',
      buckets: BUCKETS,
      registers,
    }),
  }
  replica.onMeasured((what, milliseconds) => seconds[what].observe(milliseconds / 1_000))
}
