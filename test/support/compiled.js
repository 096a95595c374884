import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * With coverage, files are compiled by TypeScript, which leaves each word where it is; without, by esbuild in a tenth of the time, whose
 * source maps are exact enough for stacks alone.
 */
const isMeasured = process.env._TAPJS_PROCESSINFO_COVERAGE_ === '1'
const KEPT = fileURLToPath(new URL(`../../.tap/${isMeasured ? 'compiled' : 'quick'}/`, import.meta.url))
mkdirSync(KEPT, { recursive: true })

const require = createRequire(import.meta.url)
const { version } = require(`${isMeasured ? 'typescript' : 'esbuild'}/package.json`)

/** Where what a file is compiled to is kept: under its path and content. */
const placeOf = (path, source) =>
  KEPT + createHash('sha256').update(version).update(path).update(source).digest('hex')

/** What a file is compiled to. */
export async function compiled(path) {
  if (isMeasured) return exactly(path)
  const source = readFileSync(path, 'utf8')
  const place = placeOf(path, source)
  return read(place) ?? write(place, await quickly(path, source))
}

/** What TypeScript compiles a file to. The compiler takes longer to load than most tests take, so it is loaded where something has changed. */
export function exactly(path) {
  const source = readFileSync(path, 'utf8')
  const place = placeOf(path, source)
  const known = read(place)
  if (known !== undefined) return known
  const compiler = require('typescript')
  const { target, module } = { target: compiler.ScriptTarget.ES2023, module: compiler.ModuleKind.ESNext }
  const { outputText } = compiler.transpileModule(source, {
    fileName: path,
    compilerOptions: { target, module, verbatimModuleSyntax: true, inlineSourceMap: true },
  })
  return write(place, outputText)
}

async function quickly(path, source) {
  const { transform } = require('esbuild')
  const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } }
  const options = { loader: 'ts', format: 'esm', target: 'node20.10', sourcemap: 'inline', sourcefile: path }
  return (await transform(source, { ...options, tsconfigRaw })).code
}

function read(place) {
  try {
    return readFileSync(place, 'utf8')
  } catch {
    return undefined
  }
}

/** Never half a file: others may read it at the same time. */
function write(place, text) {
  writeFileSync(`${place}.${process.pid}`, text)
  renameSync(`${place}.${process.pid}`, place)
  return text
}

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** Packages of hundreds of modules, which take longer to find and load than all that is ours, and what of them is imported. */
const PACKAGES = ['@sinclair/typebox', 'drizzle-orm']
const NAMES = new Set([
  ...['@sinclair/typebox', '@sinclair/typebox/value'],
  ...['drizzle-orm', 'drizzle-orm/better-sqlite3', 'drizzle-orm/pg-core', 'drizzle-orm/sqlite-core'],
])

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
