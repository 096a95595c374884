import fc from 'fast-check'
import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../support/app.ts'
import { documentOf, type Operation, operationsOf, type Parameter } from '../support/document.ts'
import { isRule, openRequests } from '../support/requests.ts'
import { allowed, refused } from './generated.ts'

const SEED = 20_261_122
const RUNS = 4

/** Words that are ignored, and named, where the list does not know them. */
const IGNORED = / (orderby|order)$/
const isEvents = (at: string) => /^(listEvents|feed)/.test(at)

/** What stands in a path besides IDs. */
const IN_PATHS: Record<string, string> = { slug: 'concert', format: 'jsonld' }

/** The operations whose parameters stand in the address; those that change something name a record that does not exist. */
const addressed = (operations: Operation[]) =>
  operations.filter(({ method, path }) => method !== 'post' || path.includes('{'))

function send(
  { administrator }: Api,
  { method, path }: Operation,
  query: string,
  way: Record<string, string> = {},
) {
  const known = method === 'get' ? '1' : '99999'
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => way[name] ?? IN_PATHS[name] ?? known)
  return administrator.send({
    method: method.toUpperCase() as 'GET',
    url: `${ROOT}${url}${query}`,
    ...(!['get', 'delete'].includes(method) && { payload: {} }),
  })
}

async function open(t: Test) {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  await must(api.editor.post('/events', { ...EVENT, venue: { venue: 'Hall' }, categories: ['Arts'] }))
  const document = documentOf(api.app)
  const operations = addressed(operationsOf(document))
  const parameters = (place: Parameter['in']) =>
    operations.flatMap((operation) =>
      operation.parameters
        .filter((one) => one.in === place)
        .map((parameter) => ({ operation, parameter, at: `${operation.operationId} ${parameter.name}` })),
    )
  return { api, parameters, deref: openRequests(document).deref }
}

/** The reasons for which a request was refused that are no rules. */
const types = ({ status, body }: Answer): string[] =>
  status === 400 && body.code === 'rest_invalid_param'
    ? Object.values<string>(body.data.params).filter((why) => !isRule(why))
    : []

t.test('what the document allows in a query is never refused for its type', async (t) => {
  const { api, parameters, deref } = await open(t)
  for (const [at, { operation, parameter, at: name }] of parameters('query').entries()) {
    const property = fc.asyncProperty(allowed(parameter.schema, deref), async (text) => {
      const answer = await send(api, operation, `?${parameter.name}=${encodeURIComponent(text)}`)
      if (types(answer).length > 0 || answer.status >= 500)
        throw new Error(`${name} ${JSON.stringify(text)}: ${answer.text.slice(0, 300)}`)
    })
    await fc.assert(property, { seed: SEED + at, numRuns: RUNS, endOnFailure: true })
  }
})

t.test('what the document does not allow in a query is refused, and named', async (t) => {
  const { api, parameters, deref } = await open(t)
  let asked = 0
  const wrong: string[] = []
  for (const { operation, parameter, at } of parameters('query')) {
    if (isEvents(at) && IGNORED.test(at)) continue
    const isList = parameter.schema.type === 'array'
    const faults = refused(parameter.schema, deref).map(([fault, text]) => [
      fault,
      `${parameter.name}=${encodeURIComponent(text)}`,
    ])
    if (!isList) faults.push(['brackets', `${parameter.name}[]=1`])
    for (const [fault, query] of faults) {
      const { status, body } = await send(api, operation, `?${query}`)
      asked++
      const named = Object.keys(body?.data?.params ?? {}).join()
      if (status !== 400 || body.code !== 'rest_invalid_param' || named !== parameter.name)
        wrong.push(`${at}, ${fault}: ${query!.slice(0, 60)} is ${status} ${body?.code} ${named}`)
    }
  }
  t.same(wrong, [])
  t.ok(asked > 400, `${asked} requests`)
})

t.test('a path that the document allows is never refused for its type; any other is 404', async (t) => {
  const { api, parameters, deref } = await open(t)
  for (const [at, { operation, parameter, at: name }] of parameters('path').entries()) {
    const ask = async (text: string) => {
      const answer = await send(api, operation, '', { [parameter.name]: encodeURIComponent(text) })
      return { ...answer, what: `${name} ${JSON.stringify(text).slice(0, 60)}: ${answer.text.slice(0, 200)}` }
    }
    const texts = allowed(parameter.schema, deref).filter((text) => text !== '.' && text !== '..')
    const property = fc.asyncProperty(texts, async (text) => {
      const { status, what } = await ask(text)
      if (![200, 404].includes(status)) throw new Error(`${what} ${status}`)
    })
    if (operation.method === 'get')
      await fc.assert(property, { seed: SEED + at, numRuns: RUNS, endOnFailure: true })
    // what has to be sent is missed first
    if (/^(create|setOwnPassword|confirmSecondFactor|askSubmission)/.test(operation.operationId)) continue
    for (const [, text] of refused(parameter.schema, deref).filter(([, text]) => text !== '')) {
      const { status, what } = await ask(text)
      // what a record of another system could be called is told
      t.equal(status, operation.path.includes('by-external') ? 400 : 404, what)
    }
  }
})
