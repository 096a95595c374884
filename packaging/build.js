// Makes dist/almanac.cjs and dist/desk of the sources: `npm run build`. With --if-possible, which npm runs after an installation and before a
// start, nothing is built again of the same sources, and a machine that has no sources or no development dependencies keeps what was built before.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { devNull } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = here('../dist/almanac.cjs')
const { values } = parseArgs({
  options: {
    outfile: { type: 'string', default: PROGRAM },
    'if-possible': { type: 'boolean', default: false },
  },
})
const { outfile, 'if-possible': optional } = values
const source = here('../src/main.ts')

const tell = (text) => void process.stderr.write(`almanac: ${text}\n`)

/** All that a build depends on: its sources, and the versions of the packages that are part of it. */
const SOURCES = [
  'desk',
  'drizzle',
  'schemas',
  'src',
  'words',
  'packaging/build.js',
  'package-lock.json',
  'package.json',
]
/** The last line of the program: of which sources it was built. */
function signatureOf() {
  const hash = createHash('sha256')
  for (const root of SOURCES.map((name) => here(`../${name}`)).filter((path) => existsSync(path))) {
    const inside = statSync(root).isDirectory() ? readdirSync(root, { recursive: true }).sort() : ['']
    for (const path of inside.map((name) => join(root, name)).filter((path) => statSync(path).isFile())) {
      const contents = readFileSync(path)
      hash.update(`${path.slice(here('..').length)} ${contents.length}\n`).update(contents)
    }
  }
  return `// built of ${hash.digest('hex')}\n`
}
const wasBuilt = (signature) =>
  [
    outfile,
    ...['desk/desk.js', 'desk/desk.css', 'swagger-ui'].map((name) => join(dirname(outfile), name)),
  ].every(existsSync) && readFileSync(outfile).subarray(-signature.length).equals(Buffer.from(signature))

/**
 * What stays outside of the program and is installed beside it: what is compiled for a machine, what opens files of its own, and what few calendars use. All else
 * that it imports is in it, and so a development dependency.
 */
const { dependencies = {} } = JSON.parse(readFileSync(here('../package.json'), 'utf8'))
/** What Fastify loads for what this service does without. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request']

async function build(signature) {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    write: false,
    external: [...Object.keys(dependencies), ...UNUSED],
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported: { 'dynamic-import': false }, // Node.js can not import from a script with what V8 compiled
    define: { 'import.meta.url': 'address' },
    banner: { js: BEGINNING },
    footer: { js: '})' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: here('..'),
  })
  const text = Buffer.from(outputFiles[0].contents).toString()
  return [
    {
      path: join(dirname(outfile), 'licences.txt'),
      contents: licencesOf([...Object.keys(metafile.inputs), SWAGGER_UI]),
    },
    { path: outfile, contents: Buffer.from(text.replace(NOT_ASCII, escaped) + signature) },
  ]
}
/** The function that Node.js makes of a module; bin/almanac.js calls it. */
const BEGINNING = `(function (exports, require, module, __filename, __dirname) {
const address = require('node:url').pathToFileURL(__filename).href`
/** What the text of regular expressions leaves. With one such character V8 keeps all of the program in two bytes each, twice the memory. */
const NOT_ASCII = /[^\0-\x7f]/g
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const DESK = ['main.tsx', 'desk.css'].map((name) => ({ in: here(`../desk/${name}`), out: 'desk' }))
/** The desk of the editors: its script and its style sheet, each in one file. */
async function buildDesk() {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    ...{ entryPoints: DESK, outdir: join(dirname(outfile), 'desk') },
    ...{ bundle: true, minify: true, write: false, logLevel: 'warning' },
    ...{ platform: 'browser', format: 'esm', target: 'es2022', jsx: 'automatic', jsxImportSource: 'preact' },
    ...{ legalComments: 'none', metafile: true, absWorkingDir: here('..') },
  })
  const licences = {
    path: join(dirname(outfile), 'desk/licences.txt'),
    contents: licencesOf(Object.keys(metafile.inputs)),
  }
  return [...outputFiles, licences]
}

/** The licences of the packages that are part of a bundle, which have to go with it. */
function licencesOf(paths) {
  const packages = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  const texts = [...new Set(packages)].sort().map((path) => {
    const folder = here(`../${path}`)
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
    return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), 'utf8') : license}`
  })
  return Buffer.from(texts.join('\n\n'))
}

/**
 * Has the program run once with each of the settings with which it is started, and keep what V8 compiled (bin/almanac.js): whoever starts it later
 * may not be allowed to write there.
 */
function compile() {
  rmSync(join(dirname(outfile), 'compiled'), { recursive: true, force: true })
  const args = ['openapi', '--output', devNull]
  const options = { stdio: 'ignore', env: { PATH: process.env.PATH } }
  spawnSync(process.execPath, [here('../bin/almanac.js'), ...args], options)
  spawnSync('sh', [here('start.sh'), ...args], options)
}

/** The files of Swagger UI for the page of the document. The package itself is not needed. */
const SWAGGER_UI = 'node_modules/@fastify/swagger-ui/static/'
const swaggerUi = () =>
  readdirSync(here(`../${SWAGGER_UI}`))
    .filter((name) => /\.(css|js|png)$/.test(name))
    .map((name) => ({
      path: join(dirname(outfile), 'swagger-ui', name),
      contents: readFileSync(here(`../${SWAGGER_UI}${name}`)),
    }))

/** In one step, because another process may be starting from it. Returns whether it was not so before. */
function write(file, contents) {
  if (existsSync(file) && readFileSync(file).equals(contents)) return false
  const partial = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(partial, contents)
  renameSync(partial, file)
  return true
}

try {
  const signature = existsSync(source) ? signatureOf() : undefined
  const files =
    signature && !(optional && wasBuilt(signature))
      ? [...(await buildDesk()), ...(await build(signature)), ...swaggerUi()]
      : []
  const written = files.filter(({ path, contents }) => write(path, contents))
  const isNew = written.length > 0 || process.env.npm_lifecycle_event === 'prepare'
  if (isNew && outfile === PROGRAM) compile()
} catch ({ code, message, errors }) {
  const built = existsSync(outfile)
  if (errors)
    process.exitCode = 1 // esbuild has printed them
  else if (!optional) {
    tell(`the program can not be built: ${message}`)
    process.exitCode = 1
  } else if (code !== 'ERR_MODULE_NOT_FOUND' && built) tell(`${outfile} is kept as it is: ${message}`)
  else if (!built && process.env.npm_lifecycle_event === 'prepare')
    tell(`${outfile} is missing. To build it: npm ci && npm run build. Then: npm prune --omit=dev`)
}
