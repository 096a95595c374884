import { type ConfigOf, isPostgres, onOrOff, type SettingTable, whole } from '../../kernel/settings.ts'

export const NODES_SETTINGS = {
  REPLICA: {
    default: 'data/replica.db',
    meaning: 'Path of the copy from which this node answers, if DATABASE is PostgreSQL.',
    read: (given, { must, text }) =>
      must(given, given !== ':memory:' || !isPostgres(text('DATABASE')), 'the path of a file'),
  },
  LOG_DAYS: {
    default: '7',
    meaning: 'Days that PostgreSQL keeps writes for nodes that were away; later ones take their copy anew.',
    read: whole(1, 3_650),
  },
  STALE_READS: {
    default: 'on',
    meaning:
      'on: while PostgreSQL does not answer, reads with credentials are answered from the copy, with its age in a header, and so are all reads while the node knows that it lacks what others have; off: with 503.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof NODES_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
