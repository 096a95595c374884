import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const KEPT = fileURLToPath(new URL('../../.tap/compiled/', import.meta.url))
mkdirSync(KEPT, { recursive: true })

const { version } = createRequire(import.meta.url)('typescript/package.json')
/** The compiler itself takes longer to load than most tests take. */
let compiler

async function compile(path, source) {
  compiler ??= (await import('typescript')).default
  const { target, module } = { target: compiler.ScriptTarget.ES2023, module: compiler.ModuleKind.ESNext }
  return compiler.transpileModule(source, {
    fileName: path,
    compilerOptions: { target, module, verbatimModuleSyntax: true, inlineSourceMap: true },
  }).outputText
}

/** What a file is compiled to, kept under its path and content. */
export async function load(url, context, next) {
  const { pathname } = new URL(url)
  if (!url.startsWith('file:') || !pathname.endsWith('.ts')) return next(url, context)
  const path = fileURLToPath(`file://${pathname}`)
  const source = readFileSync(path, 'utf8')
  const kept = KEPT + createHash('sha256').update(version).update(path).update(source).digest('hex')
  return {
    format: 'module',
    shortCircuit: true,
    source: read(kept) ?? write(kept, await compile(path, source)),
  }
}

function read(kept) {
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    return undefined
  }
}

/** Never half a file: others may read it at the same time. */
function write(kept, text) {
  writeFileSync(`${kept}.${process.pid}`, text)
  renameSync(`${kept}.${process.pid}`, kept)
  return text
}

const ROOT = new URL('../../', import.meta.url).href
const INSTALLED = `${ROOT}node_modules/`
/** Where packages were found, which are the same for all files of the project. */
const packages = new Map()

/**
 * Finds what files of the project import without asking the disk again: other files by their address, packages once. A file with a query in its
 * address is imported by `t.mockImport`, whose hooks decide what it gets.
 */
export async function resolve(specifier, context, next) {
  const { parentURL = '' } = context
  const isOwn = parentURL.startsWith(ROOT) && !parentURL.startsWith(INSTALLED) && !parentURL.includes('?')
  if (!isOwn) return next(specifier, context)
  if (specifier.endsWith('.ts') && /^\.\.?\//.test(specifier))
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  if (/^(\.|\/|file:|node:)/.test(specifier)) return next(specifier, context)
  const known = packages.get(specifier) ?? { ...(await next(specifier, context)), shortCircuit: true }
  packages.set(specifier, known)
  return known
}
