import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { watch } from '../support/process.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** A program as it is built. */
const wrapped = (text: string) =>
  `(function (exports, require, module, __filename, __dirname) {\n${text}\n})\n`

/** A folder with the command alone, outside of the project and its packages. */
function open(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'almanac-bin-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  for (const name of ['bin', 'packaging']) cpSync(join(PROJECT, name), join(dir, name), { recursive: true })
  mkdirSync(join(dir, 'dist'))
  const run = async (...args: string[]) => {
    const env = { ...process.env, NODE_OPTIONS: '', npm_lifecycle_event: 'prepare' }
    const child = spawn(process.execPath, args, { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const { ended, output } = watch(child)
    return { code: await ended, output: output() }
  }
  return { dir, run, write: (name: string, text: string) => writeFileSync(join(dir, name), text) }
}

t.test('a Node.js that is too old, a missing build and a missing package are named', async (t) => {
  const { dir, run, write } = open(t)
  write('old.mjs', "Object.defineProperty(process, 'versions', { value: { node: '18.19.1' } })")
  t.same(await run('--import', './old.mjs', 'bin/almanac.js'), {
    code: 1,
    output: 'almanac: Node.js 18.19.1 is too old; install version 20 or newer, then run npm ci again\n',
  })
  t.same(await run('bin/almanac.js'), {
    code: 1,
    output: `almanac: ${dir}/dist/almanac.cjs is missing; in ${dir}/, run: npm ci && npm run build\n`,
  })
  write('dist/almanac.cjs', wrapped("require('no-such-package')"))
  const { code, output } = await run('bin/almanac.js')
  t.equal(code, 1)
  t.match(
    output,
    /^almanac: a package is missing; .* npm ci --omit=dev \(Cannot find module 'no-such-package'\)\n$/,
  )
  write('dist/almanac.cjs', wrapped("throw new Error('of the program')"))
  t.match(await run('bin/almanac.js'), { code: 1, output: /Error: of the program\n +at / })
})

t.test('what V8 compiles of a program is kept, and used for that program only', async (t) => {
  const { dir, run, write } = open(t)
  const compiled = join(dir, 'dist/compiled')
  /** Runs a program that is signed; tells what it printed and whether Node.js took what was compiled. */
  const runs = async (program: string, signature: string, ...flags: string[]) => {
    write('dist/almanac.cjs', `${wrapped(program)}// built of ${signature}\n`)
    return (await run('--import', './spy.mjs', ...flags, 'bin/almanac.js')).output
  }
  const spy = `import vm from 'node:vm'
    const { Script } = vm
    vm.Script = function (...given) {
      const script = new Script(...given)
      process.on('exit', () => console.log(script.cachedDataRejected))
      return script
    }`
  write('spy.mjs', spy)
  const one = 'exports.started = new Promise((end) => setTimeout(end, 10)).then(() => console.log(1))'
  t.equal(await runs(one, 'a1'), '1\nundefined\n')
  t.equal(await runs(one, 'a1'), '1\nfalse\n')
  t.equal(await runs(one.replace('(1)', '(2)'), 'b2'), '2\nundefined\n', 'of the same length')
  t.equal(await runs(one, 'a1', '--max-semi-space-size=8'), '1\nundefined\n', 'other settings of V8')
  const names = readdirSync(compiled)
  t.same(names.map((name) => name.slice(0, 3)).sort(), ['a1-', 'a1-', 'b2-'])
  for (const name of names) {
    const file = join(compiled, name)
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(file, bytes)
  }
  t.equal(await runs(one, 'a1'), '1\nundefined\n', 'damaged')
  t.equal(await runs(one, 'a1'), '1\nfalse\n')
  rmSync(compiled, { recursive: true })
  writeFileSync(compiled, 'a file in the way')
  t.equal(await runs(one, 'a1'), '1\nundefined\n', 'where nothing can be written')
})

t.test('what can not be built is kept, or its absence told', async (t) => {
  const { dir, run, write } = open(t)
  const build = (...args: string[]) => run('packaging/build.js', ...args)
  t.same(await build('--if-possible'), { code: 0, output: '' }, 'a package has no sources')
  mkdirSync(join(dir, 'src'))
  write('src/main.ts', 'export const one: number = 1')
  t.match(await build('--if-possible'), {
    code: 0,
    output: /dist\/almanac\.cjs is missing\. To build it: npm ci && npm run/,
  })
  t.match(await build(), {
    code: 1,
    output: /^almanac: the program can not be built: Cannot find package 'esbuild'/,
  })
  write('dist/almanac.cjs', 'before')
  t.same(await build('--if-possible'), { code: 0, output: '' })

  const fake = `export const build = async ({ outfile, outdir }) => {
    const paths = outfile ? [outfile] : [outdir + '/desk.js', outdir + '/desk.css']
    return { outputFiles: paths.map((path) => ({ path, contents: Buffer.from('built') })), metafile: { inputs: {} } }
  }`
  mkdirSync(join(dir, 'node_modules/esbuild'), { recursive: true })
  write('node_modules/esbuild/package.json', '{"type":"module","exports":"./index.js"}')
  write('node_modules/esbuild/index.js', fake)
  mkdirSync(join(dir, 'node_modules/@fastify/swagger-ui/static'), { recursive: true })
  write('node_modules/@fastify/swagger-ui/package.json', '{"name":"@fastify/swagger-ui","version":"1.0.0"}')
  write('node_modules/@fastify/swagger-ui/static/swagger-ui.css', 'a {}')
  for (let times = 0; times < 2; times++) t.same(await build(), { code: 0, output: '' })
  t.equal(readFileSync(join(dir, 'dist/swagger-ui/swagger-ui.css'), 'utf8'), 'a {}')
  t.match(readFileSync(join(dir, 'dist/licences.txt'), 'utf8'), /^@fastify\/swagger-ui 1\.0\.0$/m)
  mkdirSync(join(dir, 'dist/other.js'))
  t.match(await build('--if-possible', '--outfile=dist/other.js'), {
    code: 0,
    output: /dist\/other\.js is kept as it is: EISDIR/,
  })
  write('node_modules/esbuild/index.js', 'export const build = async () => { throw { errors: [{}] } }')
  t.same(await build('--if-possible'), { code: 0, output: '' }, 'the same sources are not built again')
  t.same(await build(), { code: 1, output: '' }, 'unless that is asked for')
  write('src/main.ts', 'export const one: string = 1')
  t.match(await build('--if-possible'), { code: 1 }, 'a mistake in the sources is not passed over')
})

t.test('the service starts with its settings of memory, which the environment may change', async (t) => {
  const { dir, write } = open(t)
  write(
    'dist/almanac.cjs',
    wrapped(
      'console.log(process.execArgv.join(), process.env.MALLOC_ARENA_MAX, process.argv.slice(2).join(), process.pid)',
    ),
  )
  const start = async (env: Record<string, string>) => {
    const child = spawn('sh', [join(dir, 'packaging/start.sh'), 'serve', 'a b'], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { ended, output } = watch(child)
    return [await ended, output().replace(String(child.pid), 'PID')]
  }
  const young = '--no-allocation-site-pretenuring'
  const normal = `--max-semi-space-size=8,--heap-growing-percent=50,${young} 1 serve,a b PID\n`
  t.same(await start({}), [0, normal], 'in the process that was started')
  t.same(await start({ MEMORY: 'normal' }), [0, normal])
  t.same(await start({ MEMORY: 'small' }), [
    0,
    `--max-semi-space-size=4,--heap-growing-percent=25,${young} 1 serve,a b PID\n`,
  ])
  t.same(await start({ MEMORY: 'large' }), [0, `--max-semi-space-size=16,${young} undefined serve,a b PID\n`])
  t.same(await start({ MEMORY: 'huge' }), [2, 'MEMORY=huge is unknown: it is small, normal or large\n'])
  t.same(await start({ MALLOC_ARENA_MAX: '4' }), [0, normal.replace(' 1 ', ' 4 ')])
  for (const [file, words] of [
    ['package.json', '"start": "sh packaging/start.sh"'],
    ['Dockerfile', 'CMD ["sh", "packaging/start.sh"]'],
    ['packaging/almanac.service', 'ExecStart=/bin/sh packaging/start.sh\n'],
    ['docs/examples/three-nodes/almanac-node.service', 'ExecStart=/bin/sh packaging/start.sh\n'],
  ] as const) {
    const text = readFileSync(join(PROJECT, file), 'utf8')
    t.ok(text.includes(words), file)
    t.notMatch(text, /MALLOC_|--max-|--heap-/, `${file} has no settings of its own`)
  }
})
