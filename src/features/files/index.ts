import type { ServiceFeature } from '../host.ts'
import { addExportCommand } from './command.ts'
import { openTransfer } from './transfer/transfer.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** All records as lines, for exports and imports of everything. */
    transfer: ReturnType<typeof openTransfer>
  }
}

/** A calendar as files: exports, and what moves from one calendar into another. */
export const files: ServiceFeature = {
  name: 'files',
  needs: ['feeds'],
  openStore: ({ db, site }) => ({ transfer: openTransfer(db, site) }),
  addCommands(program, tools) {
    addExportCommand(program.command('export'), tools)
  },
  async plugin() {},
}
