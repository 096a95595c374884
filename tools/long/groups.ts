import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, normalize } from 'node:path'
import { build } from 'esbuild'

/** Tests that take long: a folder below `tools/long`, with what it says of itself in `group.json`. */
export type Group = {
  name: string
  about: string
  /** Its test files, by their path in the project. */
  tests: string[]
  /** Files and folders that its tests read without importing them. */
  inputs: string[]
  /** Files of the import graph whose path begins so are not what the group tests. */
  without: string[]
  /** Whether its tests start the service as it is built. */
  service: boolean
}

/** The last run of a group that was green, as committed in `green.json` of its folder. */
export type Note = { inputs: string; assertions: number; date: string }

/** What of the project becomes part of the service. */
const SERVICE = ['bin', 'desk', 'drizzle', 'package.json', 'packaging', 'schemas', 'src', 'words']
/** What is loaded with each test file. */
const RUNNER = ['test/support/files.ts', 'test/support/preload.js', 'test/support/typescript-hooks.js']

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** All groups below a folder of a project, by name. */
export function readGroups(root: string, folder = 'tools/long'): Group[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const own = `${folder}/${name}`
      const tests = readdirSync(join(root, own)).filter((file) => file.endsWith('.test.ts'))
      const said = { inputs: [], without: [], service: false, ...readJson(join(root, own, 'group.json')) }
      return { name, tests: tests.sort().map((file) => `${own}/${file}`), ...said }
    })
    .sort((one, other) => one.name.localeCompare(other.name))
}

/** The files of a path: itself, or all within it. */
function filesOf(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
}

/** The files that some files import, directly or not, and the packages that these do. */
export async function graphOf(root: string, entryPoints: string[], without: string[]) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'out',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    external: ['*.css'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
    plugins: [
      {
        name: 'without',
        setup({ onResolve }) {
          onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
            const file = normalize(join(resolveDir, path)).slice(join(root, '/').length)
            return without.some((start) => file.startsWith(start)) ? { path, external: true } : undefined
          })
        },
      },
    ],
  })
  const packages = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ path, external }) => external && !/^[./]/.test(path) && !isBuiltin(path))
      .map(({ path }) => ({ file, name: path.split('/', path.startsWith('@') ? 2 : 1).join('/') })),
  )
  return { files: Object.keys(metafile.inputs), packages }
}

type Lock = { packages: Record<string, { version?: string; dependencies?: Record<string, string> }> }

/** Versions of packages and of all that they depend on, as a lock file has them; those that it lacks are left out. */
function versionsOf({ packages }: Lock, names: string[]): string[] {
  const found = new Set<string>()
  // as Node looks for it: within the package that asks, then around it
  const seek = (name: string, within: string): string | undefined => {
    const at = within ? `${within}/node_modules/${name}` : `node_modules/${name}`
    if (packages[at]) return at
    return within ? seek(name, within.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) : undefined
  }
  const take = (name: string, within: string) => {
    const at = seek(name, within)
    if (!at || found.has(at)) return
    found.add(at)
    for (const dependency of Object.keys(packages[at]!.dependencies ?? {})) take(dependency, at)
  }
  for (const name of names) take(name, '')
  return [...found].map((at) => `${at} ${packages[at]!.version}`)
}

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

/**
 * What a group depends on, a line each: files with their digests, packages with their versions, and the release of Node.js. The files are
 * those of the import graph of its tests, those that it declares, and, where the graph reaches the service or its tests start it, what the
 * service reads.
 */
export async function inputsOf(root: string, { tests, inputs, without, service }: Group): Promise<string[]> {
  const starts = service ? ['src/main.ts', 'desk/main.tsx'] : []
  const runner = RUNNER.filter((file) => existsSync(join(root, file)))
  const graph = await graphOf(root, [...tests, ...runner, ...starts], without)
  const reachesService = service || graph.files.some((file) => file.startsWith('src/'))
  const parts = SERVICE.filter((path) => existsSync(join(root, path))).flatMap((path) => filesOf(root, path))
  const read = service ? parts : reachesService ? parts.filter((file) => !/\.tsx?$/.test(file)) : []
  const files = new Set([...graph.files, ...inputs.flatMap((path) => filesOf(root, path)), ...read])
  const locks = ['', 'tools/'].filter((folder) => existsSync(join(root, `${folder}package-lock.json`)))
  const packages = locks.flatMap((folder) => {
    const names = graph.packages.filter(({ file }) => file.startsWith(folder)).map(({ name }) => name)
    const versions = versionsOf(readJson(join(root, `${folder}package-lock.json`)), [...new Set(names)])
    return versions.map((line) => folder + line)
  })
  const lines = [...files].map((file) => `${file} ${digest(readFileSync(join(root, file)))}`)
  return [...lines, ...packages, `node ${process.versions.node.split('.')[0]}`].sort()
}

/** The digest of all inputs of a group. */
export const hashOf = async (root: string, group: Group) => digest((await inputsOf(root, group)).join('\n'))

/** Where the last green run of a group is noted. */
export const notePath = (root: string, { name }: Pick<Group, 'name'>) =>
  join(root, 'tools/long', name, 'green.json')

export const readNote = (root: string, group: Pick<Group, 'name'>): Note | undefined =>
  existsSync(notePath(root, group)) ? readJson(notePath(root, group)) : undefined

export type Decision = { name: string; runs: boolean; why: string }

/**
 * Which groups run: those whose inputs are others than in their last green run, or all; and one more of the others, which `draw` (a hash of a
 * commit) chooses.
 */
export function decide(
  groups: { name: string; hash: string; note: Note | undefined }[],
  { all = false, draw = '' }: { all?: boolean | undefined; draw?: string | undefined } = {},
): Decision[] {
  const decisions = groups.map(({ name, hash, note }): Decision => {
    if (all) return { name, runs: true, why: 'all groups were asked for' }
    if (!note) return { name, runs: true, why: 'it has no green run yet' }
    if (note.inputs !== hash) return { name, runs: true, why: `its inputs have changed since ${note.date}` }
    const count = note.assertions.toLocaleString('en')
    return { name, runs: false, why: `nothing of it has changed since ${note.date}: ${count} assertions` }
  })
  const left = decisions.filter(({ runs }) => !runs)
  if (draw === '' || left.length === 0) return decisions
  const drawn = left[Number(BigInt(`0x${digest(draw)}`) % BigInt(left.length))]!
  return decisions.map((one) =>
    one === drawn ? { ...one, runs: true, why: 'it was drawn by the commit' } : one,
  )
}
