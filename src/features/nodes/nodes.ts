import { withSession } from './tables/schema.ts'

/** A node as it told of itself last. Times are in UTC. */
export type KnownNode = {
  name: string
  address: string
  version: string
  state: 'following' | 'behind' | 'silent' | 'stuck' | 'stale' | 'outdated'
  seq: number
  /** Groups that it lacked. */
  lag: number
  seen_utc: string
  started_utc: string
  leads: boolean
  /** Milliseconds by which PostgreSQL's clock was ahead of its own; null if it told nothing of it. */
  clock: number | null
}

/** Whether a node told nothing of itself for three times as long as it takes between two words. */
const silent = "seen < now() - interval '15 seconds'"

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`

/** The nodes that followed within a day, by name, without those that were killed and started again at the same address. Throws one sentence for the operator if PostgreSQL can not be asked. */
export const readNodes = (url: string): Promise<KnownNode[]> =>
  withSession(url, (session) =>
    session.ask<KnownNode>(
      `select name, address, version, case when ${silent} then 'silent' when state <> 'follows' then state
            when lag > 0 then 'behind' else 'following' end as state,
          seq, lag, ${utc('seen')} as seen_utc, ${utc('started')} as started_utc,
          exists (select 1 from almanac.leases where node = nodes.id and until > now()) as leads, clock
          from almanac.nodes where seen > now() - interval '1 day' and not (${silent} and exists (select 1 from almanac.nodes later
            where later.name = nodes.name and later.address = nodes.address and later.started > nodes.started)) order by name, address, started`,
    ),
  )
