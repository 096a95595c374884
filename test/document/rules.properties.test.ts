import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Answer, build, EVENT, ROOT } from '../support/app.ts'
import { documentOf, type Operation, operationsOf } from '../support/document.ts'
import { isRule, openRequests, RULES } from '../support/requests.ts'
import { allowed, values } from './generated.ts'

const SEED = 20_261_123
const RUNS = 8
/** Members and parameters that a request has beside those that it must have. */
const MORE = 4

/** Operations whose bodies are whole objects that stand for nothing else. */
const isWhole = ({ method, tags, operationId, body }: Operation) =>
  body && ['post', 'patch'].includes(method) && tags[0] !== 'Aliases' && !/Session|Media/.test(operationId)

async function open(t: Test) {
  const api = await build(t)
  const ids: Record<string, number> = {}
  for (const [path, body] of Object.entries({
    venues: { venue: 'Hall' },
    organizers: { organizer: 'Club' },
    events: { ...EVENT, end_date: '2030-01-01' },
    categories: { name: 'Arts' },
    tags: { name: 'Live' },
  }))
    ids[path] = (await must(api.administrator.post(`/${path}`, body))).id
  const document = documentOf(api.app)
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } } as object)
  const urlOf = ({ path }: Operation) =>
    ROOT + path.replace(/\{\w+\}/g, () => String(ids[path.split('/')[1]!] ?? 1))
  return {
    ...{ api, urlOf, operations: operationsOf(document), deref: openRequests(document).deref },
    validatorOf: (name: string) => ajv.getSchema(`document#/components/schemas/${name}`)!,
  }
}

/** What a request was refused for, beside the rules of the reference. */
function othersOf({ status, body }: Answer): string[] {
  if (status >= 500) return [body.code]
  if (status !== 400 || body.code !== 'rest_invalid_param') return []
  return Object.entries<string>(body.data.params)
    .filter(([, why]) => !isRule(why))
    .map(([name, why]) => `${name} ${why}`)
}

t.test('a body that the document allows is refused by a rule of the reference alone', async (t) => {
  const { api, operations, deref, urlOf, validatorOf } = await open(t)
  let [sent, refused] = [0, 0]
  for (const operation of operations.filter(isWhole)) {
    const validate = validatorOf(operation.bodyName!)
    const { properties = {}, required = [] } = operation.body!
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    const bodies = fc
      .subarray(optional, { maxLength: Math.min(MORE, optional.length) })
      .chain((names) =>
        fc.record(
          Object.fromEntries([...required, ...names].map((name) => [name, values(properties[name]!, deref)])),
        ),
      )
      .filter((body) => validate(body) && !/"image":"?[^}]*http/i.test(JSON.stringify(body)))
    const property = fc.asyncProperty(bodies, async (payload) => {
      const method = operation.method.toUpperCase() as 'POST'
      const answer = await api.administrator.send({ method, url: urlOf(operation), payload })
      sent++
      if (answer.status === 400) refused++
      const others = othersOf(answer)
      if (others.length > 0) throw new Error(`${operation.operationId} ${JSON.stringify(payload)}: ${others}`)
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true })
  }
  t.ok(sent > 100 && refused > 20, `${sent} sent, ${refused} refused`)
})

t.test('parameters that the document allows are refused by a rule of the reference alone', async (t) => {
  const { api, operations, deref, urlOf } = await open(t)
  let [sent, refused] = [0, 0]
  for (const operation of operations.filter(({ method }) => method === 'get')) {
    const own = operation.parameters.filter((one) => one.in === 'query')
    const queries = fc
      .subarray(own, { maxLength: Math.min(MORE, own.length) })
      .chain((some) =>
        fc.record(Object.fromEntries(some.map(({ name, schema }) => [name, allowed(schema, deref)]))),
      )
    const property = fc.asyncProperty(queries, async (query) => {
      const url = `${urlOf(operation)}?${new URLSearchParams(query as Record<string, string>)}`
      const answer = await api.administrator.send({ method: 'GET', url })
      sent++
      if (answer.status === 400) refused++
      const others = othersOf(answer)
      if (others.length > 0)
        throw new Error(`${operation.operationId} ${JSON.stringify(query)}: ${others.join()}`)
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true })
  }
  t.ok(sent > 100 && refused > 20, `${sent} sent, ${refused} refused`)
})

t.test('the program says each message of the reference', (t) => {
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`src/${name}`, 'utf8'))
    .join('\n')
    .replaceAll('\\`', '`')
  const missing = RULES.filter(({ text }) => {
    const [longest] = text.split(/…|\d+/).sort((one, other) => other.length - one.length)
    return !source.includes(longest!.trim())
  })
  t.same(
    missing.map(({ text }) => text),
    [],
  )
  t.end()
})
