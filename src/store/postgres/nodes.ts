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

/** Seconds without a word after which a node counts as silent: it tells of itself every five. */
const SILENT = 15

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`

/** The nodes that followed within a day, by name. Throws one sentence for the operator if PostgreSQL can not be asked. */
export const readNodes = (url: string): Promise<KnownNode[]> =>
  withSession(url, (session) =>
    session.ask<KnownNode>(
      `select name, address, version, case when seen < now() - interval '${SILENT} seconds' then 'silent' when state <> 'follows' then state
            when lag > 0 then 'behind' else 'following' end as state,
          seq, lag, ${utc('seen')} as seen_utc, ${utc('started')} as started_utc,
          exists (select 1 from almanac.leases where node = nodes.id and until > now()) as leads, clock
          from almanac.nodes where seen > now() - interval '1 day' order by name, address, started`,
    ),
  )
