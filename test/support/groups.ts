import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const TEST = fileURLToPath(new URL('..', import.meta.url))

/** What changes what others have loaded, and so has a process of its own. */
export const ALONE = ['formats/toy.test.ts']

/** The folders of tests that share a process, by the name of its file in `test/groups`. */
export const GROUPS: Record<string, string[]> = {
  commands: ['commands'],
  'document-1': ['document'],
  'document-2': ['document'],
  'http-1': ['http'],
  'http-2': ['http'],
  'http-3': ['http'],
  'http-pages': ['http/pages'],
  media: ['media', 'outbound', 'webhooks'],
  nodes: ['nodes'],
  rules: ['desk', 'formats', 'formats/html', 'rules', 'tools'],
  run: ['run'],
  store: ['store'],
  'store-lists': ['store/lists', 'store/views'],
  'store-postgres': ['store/postgres'],
  'store-records': ['store/records'],
  'store-sqlite': ['store/sqlite'],
  whole: ['.'],
}

const testsOf = (folder: string) =>
  readdirSync(TEST + folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`))

/** The files of a group in order, below `test`. Groups of the same folders have one file of them each in turn. */
export function filesOf(group: string): string[] {
  const folders = GROUPS[group]!
  const sharing = Object.keys(GROUPS).filter((name) => `${GROUPS[name]}` === `${folders}`)
  return folders
    .flatMap(testsOf)
    .filter((file) => !ALONE.includes(file))
    .sort()
    .filter((_, at) => at % sharing.length === sharing.indexOf(group))
}
