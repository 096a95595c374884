import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

const ROOT = new URL('..', import.meta.url).pathname

/** The rooms from the top, what files they are, and what they may import beside themselves. */
const LAYERS: [name: string, files: RegExp, below: string[]][] = [
  ['main', /^src\/main$/, ['command']],
  [
    'command',
    /^src\/(cli$|(run|commands)\/)/,
    ['app', 'config', 'http', 'store', 'schemas', 'rules', 'base'],
  ],
  ['app', /^src\/app$/, ['config', 'http', 'media', 'store', 'rules', 'base']],
  ['config', /^src\/config$/, ['store', 'rules', 'base']],
  ['http', /^src\/http\//, ['media', 'store', 'formats', 'schemas', 'rules', 'base']],
  ['media', /^src\/media\//, ['store', 'rules', 'base']],
  ['store', /^src\/store\//, ['formats', 'drizzle', 'schemas', 'rules', 'base']],
  ['formats', /^src\/formats\//, ['drizzle', 'rules']],
  ['rules', /^src\/rules\//, ['base']],
  ['base', /^src\/(errors|lane|media-folder|modes|package|passwords)$/, []],
  ['schemas', /^schemas\//, []],
  ['drizzle', /^drizzle\//, ['schemas']],
]
/** Folders of one room that import one another, from the top; none imports from one that stands before it. */
const FOLDERS = [
  ['src/http/routes', 'src/http/openapi', 'src/http/plugins', 'src/http/output', 'src/http/input'],
  [
    'src/store',
    'src/store/views',
    'src/store/lists',
    'src/store/records',
    'src/store/sqlite',
    'src/store/index',
  ],
]
/** Packages that only some layers know. */
const OWNERS: Record<string, string[]> = {
  fastify: ['command', 'app', 'http'],
  'drizzle-orm': ['store', 'drizzle'],
  'better-sqlite3': ['store'],
  '@sinclair/typebox': ['http', 'schemas'],
  commander: ['command'],
}

const filesOf = (folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replace(/\.ts$/, '')}`),
  )
const files = filesOf(['src', 'schemas', 'drizzle'])
const textOf = (file: string) => readFileSync(join(ROOT, `${file}.ts`), 'utf8')
const layerOf = (file: string) => LAYERS.find(([, files]) => files.test(file))!
const importsOf = (file: string, text = textOf(file)) =>
  [...text.matchAll(/^(?:import|\} from|export .* from)\b[^']*'([^']+)'/gm)].map(([, name]) =>
    name!.startsWith('.') ? normalize(join(dirname(file), name!)).replace(/\.ts$/, '') : name!,
  )

t.test('every file imports only from its own layer and from those below', async (t) => {
  for (const file of files) {
    const [layer, , below] = layerOf(file)
    for (const name of importsOf(file)) {
      if (files.includes(name)) t.ok([layer, ...below].includes(layerOf(name)[0]), `${file} imports ${name}`)
      const owners = Object.entries(OWNERS).find(([owned]) => name === owned || name.startsWith(`${owned}/`))
      if (owners) t.ok(owners[1].includes(layer), `${file} imports ${name}`)
    }
  }
})

t.test('folders of a room import in one direction', async (t) => {
  for (const folders of FOLDERS)
    for (const file of files.filter((file) => folders.includes(dirname(file))))
      for (const name of importsOf(file).filter((name) => files.includes(name))) {
        const to = folders.indexOf(dirname(name))
        t.ok(to < 0 || to >= folders.indexOf(dirname(file)), `${file} imports ${name}`)
      }
})

t.test('every file is imported by another, and one alone reads the environment', async (t) => {
  const imported = new Set(files.flatMap((file) => importsOf(file)))
  t.same(
    files.filter((file) => !imported.has(file)),
    ['src/main'],
  )
  t.same(
    files.filter((file) => textOf(file).includes('process.env')),
    ['src/main'],
  )
})

t.test('no file needs itself by way of others', async (t) => {
  const done = new Set<string>()
  const follow = (file: string, way: string[]) => {
    if (way.includes(file)) t.fail([...way, file].join(' imports '))
    if (way.includes(file) || done.has(file)) return
    const text = textOf(file).replace(/^import type [^']*'[^']+'/gm, '')
    for (const name of importsOf(file, text)) if (all.has(name)) follow(name, [...way, file])
    done.add(file)
  }
  const all = new Set([...files, ...filesOf(['test/support', 'bench', 'demo'])])
  for (const file of all) follow(file, [])
  t.ok(done.has('bench/fuzz/main'))
})

t.test('the path of a request in the documentation has the plugins in the order of src/app.ts', async (t) => {
  const [, picture] = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('```')
  const registered = [...textOf('src/app').matchAll(/app\.register\((\w+)/g)].map(([, name]) => name!)
  // `answers` and `mounts` come before Fastify; the hook of `limits` belongs to routes, and runs after those of plugins
  const shown = [...picture!.split('resource')[0]!.matchAll(/^ {3}(\w+) {2,}\S/gm)].map(([, name]) => name!)
  const compared = shown.filter((name) => !['answers', 'mounts', 'limits'].includes(name))
  t.same(
    compared,
    registered.filter((name) => compared.includes(name)),
  )
  t.ok(compared.length > 8)
})
