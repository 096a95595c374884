import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { build } from '../../test/support/app.ts'

const run = promisify(execFile)
const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(`${PROJECT}/docs/sdk.md`, 'utf8')

/** The page's sections: the generator with its commands and its files, as a reader copies them. */
const sections = PAGE.split(/^## /m)
  .slice(1)
  .map((section) => {
    const blocks = [...section.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)]
    const texts = blocks.map(([, kind, name, text]) => ({ kind, name, text: text! }))
    return {
      generator: section.split('\n')[0]!,
      commands: texts.filter(({ kind }) => kind === 'sh').flatMap(({ text }) => text.trim().split('\n')),
      files: texts
        .filter(({ kind }) => kind !== 'sh')
        .map(({ name, text }) => [name || 'main.ts', text] as const),
    }
  })
const packageOf: Record<string, string> = {
  'openapi-typescript and openapi-fetch': 'openapi-typescript',
  '@hey-api/openapi-ts': '@hey-api/openapi-ts',
  orval: 'orval',
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
  files: ['main.ts'],
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`${PROJECT}/node_modules/${name}/package.json`, 'utf8')).version
const operations = Object.values(JSON.parse(readFileSync(`${PROJECT}/openapi.json`, 'utf8')).paths).flatMap(
  (methods) => Object.values(methods as Record<string, { operationId: string }>),
)

t.same(sections.map(({ generator }) => generator).sort(), Object.keys(packageOf).sort())

for (const { generator, commands, files } of sections)
  for (const document of ['/doc', '/doc/openapi-3.0.json'])
    t.test(`a client made by ${generator} from ${document} compiles and works`, async (t) => {
      const { app, credentials } = await build(t)
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const here = (text: string) =>
        text.replaceAll('https://calendar.example', origin).replace(/(?<=\/v1)\/doc(?=[ '])/, document)
      const cwd = t.testdir({
        'tsconfig.json': JSON.stringify(TSCONFIG),
        'package.json': '{"type":"module"}',
      })
      const env = {
        ...process.env,
        ALMANAC_TOKEN: credentials.editor.authorization.slice('Bearer '.length),
        PATH: `${PROJECT}/node_modules/.bin:${process.env.PATH}`,
        NODE_OPTIONS: '',
      }
      const options = { cwd, env, timeout: 120_000 }
      for (const [name, text] of files) writeFileSync(`${cwd}/${name}`, here(text))

      for (const command of commands.filter((line) => line.startsWith('npx '))) {
        const [, program, ...args] = here(command)
          .replace(/\/doc(?= )/, document)
          .split(' ')
        await run(`${PROJECT}/node_modules/.bin/${program}`, args, options)
      }
      const made = ['almanac.ts', 'almanac/sdk.gen.ts', 'almanac/types.gen.ts']
        .map((name) => {
          try {
            return readFileSync(`${cwd}/${name}`, 'utf8')
          } catch {
            return ''
          }
        })
        .join('\n')
      const generated = operations.filter(({ operationId }) =>
        new RegExp(`^(export const ${operationId} =|    ${operationId}: \\{)`, 'm').test(made),
      )
      t.equal(generated.length, operations.length, 'every operation is there')
      await run('tsc', ['--project', '.'], options).catch(({ stdout }) => t.fail(stdout))
      const { stdout } = await run('tsx', ['main.ts'], options)
      t.equal(stdout.trim(), 'Concert, sold out rest-event-not-found', 'created, read, updated and deleted')
      t.comment(
        `${generator} ${versionOf(packageOf[generator]!)}: ${generated.length} operations, round trip done`,
      )
    })
