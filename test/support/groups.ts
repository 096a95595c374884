import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What changes what others have loaded, and so has a process of its own. */
export const ALONE = ['test/formats/toy.test.ts']

const STORE = [
  'test/store',
  ...['lists', 'postgres', 'records', 'sqlite', 'views'].map((name) => `test/store/${name}`),
]

/** The folders of tests that share a process, by the name of its file in `test/groups`. tap starts them by their names: first those that wait for other processes. */
export const GROUPS: Record<string, string[]> = {
  check: ['test/types'],
  cluster: ['test/run'],
  commands: ['test/commands'],
  document: ['test/document'],
  'http-1': ['test/http', 'test/http/pages'],
  'http-2': ['test/http', 'test/http/pages'],
  media: [
    'test/media',
    'test/outbound',
    'test/webhooks',
    'test/rules',
    'test/rules/recurrence',
    'test/tools',
  ],
  nodes: ['test/nodes'],
  'store-1': STORE,
  'store-2': STORE,
  whole: ['test', 'test/desk', 'test/formats', 'test/formats/html'],
}

/** The same for `tools/groups`: what `npm run test:full` runs. */
export const TOOLS: Record<string, string[]> = {
  'full-1': ['test/full'],
  'full-2': ['test/full'],
  'full-3': ['test/full'],
  'tools-1': ['tools/test'],
  'tools-2': ['tools/test'],
  'tools-3': ['tools/test'],
}
const ALL = { ...GROUPS, ...TOOLS }

const testsOf = (folder: string) =>
  readdirSync(ROOT + folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)

/** The files of a group in order. Groups of the same folders have one file of them each in turn. */
export function filesOf(group: string): string[] {
  const folders = ALL[group]!
  const sharing = Object.keys(ALL).filter((name) => `${ALL[name]}` === `${folders}`)
  return folders
    .flatMap(testsOf)
    .filter((file) => !ALONE.includes(file))
    .sort()
    .filter((_, at) => at % sharing.length === sharing.indexOf(group))
}
