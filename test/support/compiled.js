import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const KEPT = fileURLToPath(new URL('../../.tap/compiled/', import.meta.url))
mkdirSync(KEPT, { recursive: true })

const require = createRequire(import.meta.url)
const { version } = require('typescript/package.json')

/** What a file is compiled to, kept under its path and content. */
export function compiled(path) {
  const source = readFileSync(path, 'utf8')
  const kept = KEPT + createHash('sha256').update(version).update(path).update(source).digest('hex')
  return read(kept) ?? write(kept, compile(path, source))
}

/** The compiler itself takes longer to load than most tests take, so it is loaded where something has changed. */
function compile(path, source) {
  const compiler = require('typescript')
  const { target, module } = { target: compiler.ScriptTarget.ES2023, module: compiler.ModuleKind.ESNext }
  return compiler.transpileModule(source, {
    fileName: path,
    compilerOptions: { target, module, verbatimModuleSyntax: true, inlineSourceMap: true },
  }).outputText
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
