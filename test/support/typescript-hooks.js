import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundledFile, compiled } from './compiled.js'

/** Whether a file is of the packages that are a few files each. Other loaders would take what it imports for CommonJS. */
const isBundled = (url) => url.includes('/.tap/bundled-')
const isInstalled = (url) => url.includes('/node_modules/') && !isBundled(url)

export async function load(url, context, next) {
  const { pathname } = new URL(url)
  if (isBundled(url)) return { format: 'module', shortCircuit: true, source: readFileSync(new URL(url)) }
  if (!url.startsWith('file:') || !pathname.endsWith('.ts')) return next(url, context)
  return { format: 'module', shortCircuit: true, source: await compiled(fileURLToPath(`file://${pathname}`)) }
}

const ROOT = new URL('../../', import.meta.url).href
const TOOLS = `${ROOT}tools/`
/** Where packages were found, which are the same for all files of the project, and for all of `tools/`. */
const packages = new Map()

/**
 * Finds what files of the project import without asking the disk again: other files by their address, packages once. A file with a query in its
 * address is imported by `t.mockImport`, whose hooks decide what it gets.
 */
export async function resolve(specifier, context, next) {
  const { parentURL = '' } = context
  const isOwn = parentURL.startsWith(ROOT) && !isInstalled(parentURL) && !parentURL.includes('?')
  if (!isOwn) return next(specifier, context)
  if ((specifier.endsWith('.ts') || isBundled(parentURL)) && /^\.\.?\//.test(specifier))
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  if (/^(\.|\/|file:|node:)/.test(specifier)) return next(specifier, context)
  const file = bundledFile(specifier)
  if (file) return { url: pathToFileURL(file).href, format: 'module', shortCircuit: true }
  const name = parentURL.startsWith(TOOLS) ? `tools ${specifier}` : specifier
  const known = packages.get(name) ?? { ...(await next(specifier, context)), shortCircuit: true }
  packages.set(name, known)
  return known
}
