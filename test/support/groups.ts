import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What changes what others have loaded, and so has a process of its own. */
export const ALONE = ['test/formats/toy.test.ts']

const STORE = [
  'test/store',
  ...['accounts', 'lists', 'postgres', 'records', 'sqlite', 'views', 'words'].map(
    (name) => `test/store/${name}`,
  ),
]

/** The folders of tests that share a process, by the name of its file in `test/groups`. tap starts them by their names: first those that wait for other processes, last short ones. */
export const GROUPS: Record<string, string[]> = {
  cluster: ['test/run'],
  commands: ['test/commands', 'test/types'],
  document: ['test/document'],
  'http-1': ['test/http', 'test/http/pages', 'test/http/series', 'test/http/wordpress'],
  'http-2': ['test/http', 'test/http/pages', 'test/http/series', 'test/http/wordpress'],
  media: [
    'test/media',
    'test/outbound',
    'test/imports',
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

/** How many times as long as other files those take that take longest, about, so that groups of the same folders end together. */
const LONG: Record<string, number> = {
  'tools/test/sdk': 15,
  'tools/test/pages': 14,
  'tools/test/doc': 12,
  'tools/test/pages-hostile': 11,
  'tools/test/lint': 6,
  'tools/test/desk-series': 5,
  'tools/test/month': 5,
  'tools/test/desk-safety': 4,
  'tools/test/desk-form': 4,
  'tools/test/desk-list': 3,
  'tools/test/desk-access': 3,
  'tools/test/desk': 3,
  'tools/test/desk-users': 2,
  'tools/test/desk-pictures': 2,
  'tools/test/desk-audit': 2,
  'tools/test/desk-translations': 2,
  'tools/test/desk-import': 2,
  'tools/test/visitors': 2,
  'test/full/walk': 8,
  'test/full/install': 10,
  'test/full/nodes': 9,
  'test/full/nodes-together': 5,
  'test/full/nodes-postgres': 5,
  'test/full/nodes-hooks': 4,
  'test/full/nodes-etags': 3,
  'test/full/calendar': 2,
  'test/full/nodes-behind': 2,
  'test/full/webhooks': 2,
}
const lengthOf = (file: string) => LONG[file.replace('.test.ts', '')] ?? 1

/** The files of a group in order. Groups of the same folders share their files, the longest first, each to where least is yet. */
export function filesOf(group: string): string[] {
  const folders = ALL[group]!
  const sharing = Object.keys(ALL).filter((name) => `${ALL[name]}` === `${folders}`)
  const shares = sharing.map(() => ({ length: 0, files: [] as string[] }))
  const files = folders.flatMap(testsOf).filter((file) => !ALONE.includes(file))
  for (const file of files.sort().sort((one, other) => lengthOf(other) - lengthOf(one))) {
    const least = shares.reduce((one, other) => (other.length < one.length ? other : one))
    least.length += lengthOf(file)
    least.files.push(file)
  }
  return shares[sharing.indexOf(group)]!.files.sort()
}
