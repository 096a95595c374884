import type { ServiceFeature } from '../host.ts'
import { addMoveCommand, addNodesCommand } from './commands.ts'
import { NODES_SETTINGS } from './settings.ts'

/** Several machines: PostgreSQL keeps the truth, and each answers from its own copy. */
export const nodes: ServiceFeature = {
  name: 'nodes',
  settings: NODES_SETTINGS,
  addCommands(program, tools) {
    addNodesCommand(program, tools)
    addMoveCommand(program.command('move'), tools)
  },
  async plugin() {},
}
