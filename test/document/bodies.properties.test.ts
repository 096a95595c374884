import fc from 'fast-check'
import t, { type Test } from 'tap'
import { must } from '../support/answers.ts'
import { type Answer, build, EVENT } from '../support/app.ts'
import { documentOf, operationsOf } from '../support/document.ts'
import { isPassedOver, isRule, openRequests } from '../support/requests.ts'
import { PROBES, values } from './generated.ts'

const SEED = 20_261_122
const RUNS = 4

/** Members of updates, with a request that changes one of them. */
async function open(t: Test) {
  const api = await build(t)
  const { administrator } = api
  const made: Record<string, number> = {}
  for (const [path, body] of Object.entries({
    venues: { venue: 'Hall' },
    organizers: { organizer: 'Club' },
    events: { ...EVENT, end_date: '2030-01-01' },
    categories: { name: 'Arts' },
    tags: { name: 'Live' },
  }))
    made[path] = (await must(administrator.post(`/${path}`, body))).id
  const document = documentOf(api.app)
  const members = operationsOf(document)
    .filter(({ method, path }) => method === 'patch' && made[path.split('/')[1]!] && path.endsWith('{id}'))
    .flatMap((operation) => {
      const { operationId, path, body } = operation
      const taken = Object.entries(body!.properties!).filter(([name]) => !isPassedOver(operation, name))
      return taken.map(([name, schema]) => ({
        at: `${operationId} ${name}`,
        name,
        schema,
        send: (value: unknown): Promise<Answer> =>
          administrator.patch(`/${path.split('/')[1]}/${made[path.split('/')[1]!]}`, { [name]: value }),
      }))
    })
  return { members, ...openRequests(document) }
}

/** Why a member was refused, if not by a rule. */
const typeOf = ({ status, body }: Answer, name: string): string | undefined => {
  const why = body.code === 'rest_invalid_param' ? body.data.params[name] : undefined
  return status >= 500 ? body.code : why && !isRule(why) ? why : undefined
}
/** Whether a value would be downloaded. */
const isRemote = (name: string, value: unknown) =>
  name === 'image' && /^"\s*http/i.test(JSON.stringify(value))

t.test('what the document allows in a body is never refused for its type', async (t) => {
  const { members, deref } = await open(t)
  t.ok(members.length > 60, `${members.length} members`)
  for (const [at, { at: what, name, schema, send }] of members.entries()) {
    const given = values(schema, deref).filter((value) => !isRemote(name, value))
    const property = fc.asyncProperty(given, async (value) => {
      const answer = await send(value)
      const why = typeOf(answer, name)
      if (why) throw new Error(`${what} ${JSON.stringify(value)}: ${why}`)
    })
    await fc.assert(property, { seed: SEED + at, numRuns: RUNS, endOnFailure: true })
  }
})

t.test('what the document does not allow in a body is refused, and named', async (t) => {
  const { members, allowsValue } = await open(t)
  const wrong: string[] = []
  let asked = 0
  for (const { at, name, schema, send } of members)
    for (const value of PROBES.filter((probe) => !allowsValue(name, schema, probe))) {
      asked++
      const { status, body } = await send(value)
      if (status !== 400 || !Object.keys(body.data.params ?? {}).includes(name))
        wrong.push(`${at} ${JSON.stringify(value).slice(0, 40)} is ${status} ${body.code}`)
    }
  t.same(wrong, [])
  t.ok(asked > 400, `${asked} requests`)
})
