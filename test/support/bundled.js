import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** Packages of hundreds of modules, which take longer to find and load than all that is ours, and what of them is imported. */
const PACKAGES = ['@sinclair/typebox', 'drizzle-orm']
const NAMES = new Set([
  ...['@sinclair/typebox', '@sinclair/typebox/value'],
  ...['drizzle-orm', 'drizzle-orm/better-sqlite3', 'drizzle-orm/pg-core', 'drizzle-orm/sqlite-core'],
])

const require = createRequire(import.meta.url)
let folder

/** The folder in which these packages are a few files each, made once for all runs. */
export function bundled() {
  if (folder) return folder
  const versions = [...PACKAGES, 'esbuild'].map(
    (name) => require(`${PROJECT}node_modules/${name}/package.json`).version,
  )
  const key = createHash('sha256')
    .update(JSON.stringify([...NAMES, ...versions]))
    .digest('hex')
  const kept = `${PROJECT}.tap/bundled-${key.slice(0, 16)}`
  if (!existsSync(kept)) make(kept)
  folder = `${kept}/node_modules`
  return folder
}

/** Never half of it: others may look for it at the same time. */
function make(kept) {
  const partial = `${kept}.${process.pid}`
  const outdir = `${partial}/node_modules`
  require('esbuild').buildSync({
    ...{ entryPoints: [...NAMES].map((name) => ({ in: name, out: `${name}/index` })), outdir, bundle: true },
    ...{ splitting: true, chunkNames: 'chunks/[hash]', absWorkingDir: PROJECT, logLevel: 'warning' },
    ...{ external: ['better-sqlite3', 'pg'], platform: 'node', format: 'esm', target: 'node20' },
  })
  const exports = { '.': './index.js', './*': './*/index.js' }
  for (const name of PACKAGES)
    writeFileSync(`${outdir}/${name}/package.json`, JSON.stringify({ type: 'module', exports }))
  writeFileSync(`${outdir}/package.json`, '{"type":"module"}')
  try {
    renameSync(partial, kept)
  } catch {
    rmSync(partial, { recursive: true }) // another process was first
  }
}

/** The file that stands for what is imported by this name, if it is of these packages. */
export const bundledFile = (name) => (NAMES.has(name) ? `${bundled()}/${name}/index.js` : undefined)
