import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** What changes what others have loaded, and so has a process of its own. */
export const ALONE = ['test/formats/toy.test.ts', 'test/kernel/toy.test.ts']

const STORE = [
  'test/store',
  ...['accounts', 'lists', 'postgres', 'records', 'sqlite', 'views', 'words'].map(
    (name) => `test/store/${name}`,
  ),
  ...['tools/test/store', 'tools/test/store/postgres'],
]
const HTTP = ['test/http', 'test/http/pages', 'test/http/series', 'test/http/wordpress', 'tools/test/http']

/** The folders of tests that share a process, by the name of its file in `test/groups`. tap starts them by their names: first those that wait for other processes, last short ones. */
export const GROUPS = {
  cluster: ['test/run', 'tools/test/run'],
  commands: ['test/commands', 'tools/test/commands'],
  document: ['test/document'],
  'http-1': HTTP,
  'http-2': HTTP,
  media: [
    'test/media',
    'test/outbound',
    'test/imports',
    'test/webhooks',
    'test/rules',
    'test/rules/recurrence',
    'test/tools',
    'tools/test/rules',
    'tools/test/rules/recurrence',
  ],
  nodes: ['tools/test/nodes'],
  'store-1': STORE,
  'store-2': STORE,
  whole: ['test', 'test/desk', 'test/formats', 'test/formats/html'],
}

const testsOf = (folder) =>
  readdirSync(ROOT + folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)

/** The files of a group in order. Groups of the same folders share their files. */
export function filesOf(group) {
  const folders = GROUPS[group]
  const sharing = Object.keys(GROUPS).filter((name) => `${GROUPS[name]}` === `${folders}`)
  const files = folders.flatMap(testsOf).filter((file) => !ALONE.includes(file))
  const share = sharing.indexOf(group)
  return files.sort().filter((_, at) => at % sharing.length === share)
}

const wordsOf = (path) => path.split(/\W+/)

/** What `npm test` leaves to `npm run test:full`: what needs packages of `tools/`, and folders and files that start processes or thousands of random values. */
const SLOW = [
  'tools/test/',
  'test/run/',
  'test/tools/',
  '.properties.test.ts',
  // what compares with programs of others, or starts them
  ...['commands/cli', 'commands/inspectors'],
  'http/listening',
  // what tries every value, of every time
  ...['http/odd-values', 'http/markup', 'http/pages/hostile', 'http/hidden', 'document/inputs'],
  ...['store/sqlite/earlier', 'store/words/merging', 'media/images', 'test/demo.test'],
  ...['commands/export', 'store/sqlite/backup', 'http/pipelining', 'document/replay'],
  ...['formats/icalendar-series'],
  ...['document/samples', 'document/guides', 'http/connections', 'http/series/long-edits', 'http/long-feeds'],
]

/** The files of `npm test`, each in one of so many shares; those first whose paths have most words of the path of a file. */
export function quickFiles(shares, near = '') {
  const words = wordsOf(near)
  const likeness = (file) => wordsOf(file).filter((word) => words.includes(word)).length
  const files = [...new Set(Object.keys(GROUPS).flatMap(filesOf))]
    .filter((file) => !SLOW.some((slow) => file.includes(slow)))
    .sort((one, other) => likeness(other) - likeness(one))
  return Array.from({ length: shares }, (_, share) => files.filter((_, at) => at % shares === share))
}
