import type { Command } from 'commander'
import { fail, type Shell, tell } from '../../../commands/shell.ts'
import { readConfig } from '../../../config.ts'
import { table } from '../../../kernel/cli.ts'
import { OFF, tellOffset } from '../clock.ts'
import { type KnownNode, readNodes } from '../nodes.ts'

const HEAD = ['NAME', 'ADDRESS', 'VERSION', 'STATE', 'GROUP', 'LAST SEEN (UTC)', '']

/** `nodes`: who follows, as the nodes told PostgreSQL last. */
export function addNodesCommand(program: Command, shell: Shell) {
  program
    .command('nodes')
    .description('list the nodes that share a PostgreSQL database, and how far each is')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { postgres } = readConfig(shell.env)
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

/** What is wrong with the clock of a node that tells of itself. */
const clockOf = ({ clock, state }: KnownNode) =>
  clock !== null && Math.abs(clock) > OFF && state !== 'silent'
    ? `, clock ${tellOffset(clock)} PostgreSQL`
    : ''

const cellsOf = (node: KnownNode): string[] => [
  ...[node.name, node.address, node.version],
  ...[STATES[node.state](node) + clockOf(node), String(node.seq), node.seen_utc],
  node.leads ? 'leads' : '',
]
