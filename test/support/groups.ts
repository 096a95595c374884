import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What changes what others have loaded, and so has a process of its own. */
export const ALONE = ['test/features/feeds/toy.test.ts', 'test/kernel/toy.test.ts']

const CALENDAR = ['test/calendar', 'tools/test/calendar']
const FEATURES = ['test/features', 'tools/test/features']

/**
 * The folders of tests that share a process, by the name of its file in `test/groups`, with all within them that no other group names. tap
 * starts them by their names.
 */
export const GROUPS: Record<string, string[]> = {
  'calendar-1': CALENDAR,
  'calendar-2': CALENDAR,
  cluster: ['test/run', 'tools/test/run'],
  commands: ['test/commands'],
  document: ['test/document', 'tools/test/document'],
  'features-1': FEATURES,
  'features-2': FEATURES,
  kernel: ['test/kernel', 'tools/test/kernel'],
  nodes: ['tools/test/features/nodes'],
  whole: ['test'],
}

const FILES = ['test', 'tools/test']
  .flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => file.endsWith('.test.ts'))
  .sort()

/** The folders of the group that a file is of: those that say most of where it is. */
function foldersOf(file: string) {
  const lengthIn = (folders: string[]) =>
    Math.max(...folders.map((folder) => (file.startsWith(`${folder}/`) ? folder.length : 0)))
  return Object.values(GROUPS).reduce((best, folders) =>
    lengthIn(folders) > lengthIn(best) ? folders : best,
  )
}

/** The files of a group in order. Groups of the same folders share their files. */
export function filesOf(group: string): string[] {
  const folders = GROUPS[group]
  const sharing = Object.keys(GROUPS).filter((name) => GROUPS[name] === folders)
  const files = FILES.filter((file) => foldersOf(file) === folders && !ALONE.includes(file))
  const share = sharing.indexOf(group)
  return files.filter((_, at) => at % sharing.length === share)
}

const wordsOf = (path: string) => path.split(/\W+/)

/** What `npm test` leaves to `npm run test:full`: what needs packages of `tools/`, and folders and files that start processes or thousands of random values. */
const SLOW = [
  'tools/test/',
  'test/run/',
  'test/tools/',
  '.properties.test.ts',
  // what compares with programs of others, or starts them
  ...['test/commands/cli', 'test/commands/inspectors', 'kernel/database/backup'],
  ...['features/feeds/icalendar-series', 'features/exports/export', 'features/sync/listening'],
  // what tries every value, of every time
  ...['calendar/hidden', 'calendar/routes/odd-values', 'calendar/records/markup', 'features/pages/hostile'],
  ...['test/commands/earlier', 'calendar/search/merging', 'calendar/media/images', 'test/demo.test'],
  ...['inputs', 'replay', 'samples', 'guides'].map((name) => `test/document/${name}`),
  ...['kernel/server/connections', 'kernel/server/pipelining'],
  ...['features/sync/long-series', 'features/feeds/long-feeds'],
]

/** The files of `npm test`, each in one of so many shares; those first whose paths have most words of the path of a file. */
export function quickFiles(shares: number, near = ''): string[][] {
  const words = wordsOf(near)
  const likeness = (file: string) => wordsOf(file).filter((word) => words.includes(word)).length
  const files = [...new Set(Object.keys(GROUPS).flatMap(filesOf))]
    .filter((file) => !SLOW.some((slow) => file.includes(slow)))
    .sort((one, other) => likeness(other) - likeness(one))
  return Array.from({ length: shares }, (_, share) => files.filter((_, at) => at % shares === share))
}
