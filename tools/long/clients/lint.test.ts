import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
/** The folder of the linters, where both find their rules. */
const cwd = fileURLToPath(new URL('../..', import.meta.url))
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const env = { ...process.env, PATH: `${cwd}/node_modules/.bin:${process.env.PATH}`, NODE_OPTIONS: '' }

type Finding = { code: string; path: (string | number)[]; source: string }

const directory = t.testdir({ node_modules: t.fixture('symlink', `${cwd}/node_modules`) })
/** Both documents as files: OpenAPI 3.1 and 3.0. */
const documents = [`${directory}/openapi-3.1.json`, `${directory}/openapi-3.0.json`]
copyFileSync(`${PROJECT}/openapi.json`, documents[0]!)
const command = ['--import', 'tsx', 'src/main.ts', 'openapi', '--older', '--output', documents[1]!]
await run('node', command, { cwd: PROJECT, env })

/** What redocly finds in a document. */
async function redocly(document: string) {
  const args = ['lint', document, '--format=json']
  const { stdout } = await run('redocly', args, { cwd, env }).catch((error) => error)
  return JSON.parse(stdout) as { totals: Record<string, number>; problems: { ruleId: string }[] }
}

/** What spectral finds in documents, by these rules or by our own. */
async function spectral(documents: string[], ruleset = `${cwd}/.spectral.yaml`): Promise<Finding[]> {
  const args = ['lint', '--fail-severity=hint', '--format=json', `--ruleset=${ruleset}`, ...documents]
  const once = { ...env, NODE_OPTIONS: `--require=${cwd}/schemas-once.cjs` }
  const { stdout } = await run('spectral', args, { cwd, env: once, maxBuffer: 2 ** 26 }).catch(
    (error) => error,
  )
  return JSON.parse(stdout.replace(/\]\s*No results.*$/s, ']'))
}

/** Writes a document with some of its paths only. */
function partOf(document: string, paths: string[]): string {
  const part = document.replace('openapi-', `${paths.length}-`)
  const whole = JSON.parse(readFileSync(document, 'utf8'))
  whole.paths = Object.fromEntries(paths.map((path) => [path, whole.paths[path]]))
  writeFileSync(part, JSON.stringify(whole))
  return part
}

t.test(
  'both documents are free of errors and warnings of both linters, but for rules that are off',
  async (t) => {
    const rules = readFileSync(`${cwd}/.spectral.yaml`, 'utf8')
    const off = [...rules.matchAll(/^ {2}(\S+): off$/gm)].map(([, name]) => name!)
    t.ok(off.length > 0)
    const all = `${directory}/.spectral.yaml`
    writeFileSync(all, rules.replaceAll(/^ {2}\S+: off$/gm, ''))
    for (const document of documents) {
      const { totals, problems } = await redocly(document)
      t.match(totals, { errors: 0, warnings: 0, ignored: 0 }, JSON.stringify(problems))
    }
    t.same(await spectral(documents), [])
    // these rules take as long as a document is, and find enough in a part
    const parts = documents.map((document) => partOf(document, ['/events', '/events/{id}']))
    const found = new Set((await spectral(parts, all)).map(({ code }) => code))
    for (const name of off) t.ok(found.has(name), `${name} would find something`)
  },
)

t.test(
  'a fault in either document is found by both linters, and by each rule with places of our own',
  async (t) => {
    const paths: string[] = []
    for (const whole of documents) {
      const document = partOf(whole, ['/events'])
      const faulty = JSON.parse(readFileSync(document, 'utf8'))
      const { get, post } = faulty.paths['/events']
      delete get.operationId
      get.responses['200'].headers = {}
      get.parameters.push(
        { name: 'token', in: 'query', schema: { type: 'string' } },
        { name: 'list', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      )
      post.requestBody.content['application/json'].schema = {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      }
      writeFileSync(document, JSON.stringify(faulty))
      const { problems } = await redocly(document)
      t.ok(problems.some(({ ruleId }) => ruleId === 'operation-operationId'))
      paths.push(document)
    }
    const findings = await spectral(paths)
    for (const document of paths) {
      const { openapi } = JSON.parse(readFileSync(document, 'utf8'))
      const found = new Set(findings.filter(({ source }) => source === document).map(({ code }) => code))
      const wanted = [
        'operation-operationId',
        'owasp:api4:2023-array-limit',
        'owasp:api2:2023-no-credentials-in-url',
        'owasp:api8:2023-define-cors-origin',
      ]
      if (openapi.startsWith('3.0'))
        wanted.push(
          'owasp:api3:2023-no-additionalProperties',
          'owasp:api3:2023-constrained-additionalProperties',
        )
      for (const code of wanted) t.ok(found.has(code), `${code} in OpenAPI ${openapi}`)
    }
  },
)
