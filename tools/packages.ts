import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// What each dependency brings to an installation: npm run -s packages

type Package = {
  version: string
  license?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { packages } = JSON.parse(readFileSync(join(ROOT, 'node_modules/.package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Required<Package>
const direct = Object.keys(dependencies)

/** Where a package finds another one: beside it, or in a folder further out. */
function find(name: string, from: string): string | undefined {
  const path = `${from && `${from}/`}node_modules/${name}`
  if (packages[path]) return path
  return from === '' ? undefined : find(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** All packages that some need, with themselves. */
function reached(names: string[], from = '', found = new Set<string>()): Set<string> {
  for (const path of names.map((name) => find(name, from))) {
    if (path === undefined || found.has(path)) continue
    const { dependencies, optionalDependencies } = packages[path]!
    reached(Object.keys({ ...dependencies, ...optionalDependencies }), path, found.add(path))
  }
  return found
}

/** Bytes on a disk with blocks of 4 KB, without packages inside. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? 4096 + sizeOf(path) : Math.ceil(statSync(path).size / 4096) * 4096
    })
    .reduce((all, size) => all + size, 0)
const megabytes = (paths: string[]) =>
  (paths.reduce((all, path) => all + sizeOf(join(ROOT, path)), 0) / 1e6).toFixed(1)

const all = [...reached(direct)]
const rows = direct.map((name) => {
  const others = reached(direct.filter((other) => other !== name))
  const alone = all.filter((path) => !others.has(path))
  return [name, String(alone.length), megabytes(alone), packages[find(name, '')!]!.license ?? '']
})
rows.sort(([, , one], [, , other]) => Number(other) - Number(one))
for (const row of [
  ['package', 'packages alone', 'MB alone', 'licence'],
  ['---', '---:', '---:', '---'],
  ...rows,
])
  process.stdout.write(`| ${row.join(' | ')} |\n`)
process.stdout.write(`\n${all.length} packages, ${megabytes(all)} MB\n`)
