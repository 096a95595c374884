import { resolve } from 'node:path'
import type { Command } from 'commander'
import { interruptible, table, withBar } from '../../kernel/cli.ts'
import { redacted } from '../../kernel/settings.ts'
import { fail, tell } from '../../kernel/shell.ts'
import type { Tools } from '../host.ts'
import { type Move, type Moved, moveToFile, moveToPostgres } from './move.ts'
import { withSession } from './schema.ts'
import { describeOffset, OFF } from './status.ts'

/** A node as it reported itself last. Times are in UTC. */
type KnownNode = {
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
  /** Milliseconds by which PostgreSQL's clock was ahead of its own; null if it did not report it. */
  clock: number | null
}

/** Whether a node has not reported for three times as long as it takes between two reports. */
const silent = "seen < now() - interval '15 seconds'"

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`

/** The nodes that followed within a day, by name, without those that were killed and started again at the same address. Throws one sentence for the operator if PostgreSQL can not be asked. */
const readNodes = (url: string): Promise<KnownNode[]> =>
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

const HEAD = ['NAME', 'ADDRESS', 'VERSION', 'STATE', 'GROUP', 'LAST SEEN (UTC)', '']

/** `nodes`: who follows, as the nodes reported last. */
export function addNodesCommand(program: Command, shell: Tools) {
  program
    .command('nodes')
    .description('list the nodes that share a PostgreSQL database, and how far each is')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { postgres } = shell.config()
      if (postgres === undefined)
        throw fail(
          'DATABASE is a file, which one service has for itself; set it to the postgres:// URL that the nodes share',
        )
      const nodes = await readNodes(postgres)
      tell(
        shell,
        json,
        nodes,
        nodes.length > 0 ? table([HEAD, ...nodes.map(cellsOf)]) : 'No node is running.',
      )
    })
}

const STATES: Record<KnownNode['state'], (node: KnownNode) => string> = {
  following: () => 'following',
  behind: ({ lag }) => `behind by ${lag}`,
  silent: ({ seen_utc }) => `silent since ${seen_utc.slice(11)}`,
  stuck: ({ lag }) => `can not write its copy, behind by ${lag}`,
  stale: () => 'takes its copy anew',
  outdated: () => 'needs a newer version',
}

/** What is wrong with the clock of a node that reports. */
const clockOf = ({ clock, state }: KnownNode) =>
  clock !== null && Math.abs(clock) > OFF && state !== 'silent'
    ? `, clock ${describeOffset(clock)} PostgreSQL`
    : ''

const cellsOf = (node: KnownNode): string[] => [
  node.name,
  node.address,
  node.version,
  STATES[node.state](node) + clockOf(node),
  String(node.seq),
  node.seen_utc,
  node.leads ? 'leads' : '',
]

type Options = { from?: string; to: string; allowMissing?: boolean; json?: boolean }
type Place = Pick<Move, 'mediaDir'> & { url?: string; file?: string }

/** `move`: a calendar from a file into PostgreSQL, or back. */
export function addMoveCommand(command: Command, shell: Tools) {
  command
    .description('move the calendar with its pictures from a file into PostgreSQL, or from there into a file')
    .option('--from <place>', 'path of a file, which nothing may have open, or URL; default: DATABASE')
    .requiredOption('--to <place>', 'URL of an empty database, or path of a new file')
    .option('--allow-missing', 'go on although files of pictures are missing')
    .option('--json', 'print JSON')
    .action(({ from, to, ...options }: Options) =>
      move(shell, placeOf(shell, from), placeOf(shell, to), options),
    )
}

/** A place as DATABASE would name it. */
function placeOf(shell: Tools, named: string | undefined): Place {
  const env = { ...shell.env, ...(named && { DATABASE: named }) }
  const { postgres, database, mediaDir } = shell.inEnvironment(env).config()
  return postgres === undefined ? { file: database, mediaDir } : { url: postgres, mediaDir }
}

async function move(
  shell: Tools,
  from: Place,
  to: Place,
  { json, allowMissing = false }: Pick<Options, 'json' | 'allowMissing'>,
) {
  const moved = await interruptible((signal) =>
    withBar({ terminal: shell.terminal && !json }, 'Moving', (progress) => {
      const how = { progress, signal, allowMissing }
      if (from.file !== undefined && to.url !== undefined)
        return moveToPostgres({ url: to.url, file: from.file, mediaDir: from.mediaDir, ...how })
      if (from.url !== undefined && to.file !== undefined)
        return moveToFile({ url: from.url, file: to.file, mediaDir: to.mediaDir, ...how })
      throw fail(
        'one of --from and --to is the path of a file, and the other a URL such as postgres://host/database',
      )
    }),
  )
  const [source, target] = [from, to].map(({ url, file }) => (url ? redacted(url) : file!)) as [
    string,
    string,
  ]
  const record = { from: source, to: target, ...moved }
  for (const place of [...(from.url ? [from] : []), to])
    await shell.noteIn(place, 'data_exported', { command: 'move', from: source, to: target })
  tell(shell, json, record, words(moved, target, to.url ? AFTER_THERE(source) : afterBack(to)))
}

const AFTER_THERE = (file: string) =>
  `Start each node with DATABASE=<this URL>; ${file} is as it was: start no service on it any more.`
const afterBack = ({ file, mediaDir }: Place) =>
  `Its pictures are in ${resolve(mediaDir)}. Stop the nodes before a service starts on ${file}: what they wrote since is not in it.`

function words({ events, venues, organizers, rows, files, missing }: Moved, target: string, after: string) {
  const number = (value: number) => value.toLocaleString('en')
  const lost = missing > 0 ? ` ${number(missing)} files of pictures were not there.` : ''
  return `${target} holds ${number(events)} events, ${number(venues)} venues, ${number(organizers)} organizers: ${number(rows)} rows were compared one by one, and ${number(files)} files of pictures by their bytes.${lost}\n${after}`
}
