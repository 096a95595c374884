import t from 'tap'
import { must } from '../support/answers.ts'
import { build, ROOT } from '../support/app.ts'
import { documentOf, operationsOf, type Parameter } from '../support/document.ts'
import { makeExamples } from './examples.ts'

/** The examples of a parameter. */
const examplesOf = ({ example, examples = {} }: Parameter): unknown[] =>
  example === undefined
    ? Object.values(examples as Record<string, { value: unknown }>).map(({ value }) => value)
    : [example]
/** An example as a part of an address: lists have commas. */
const print = (example: unknown) =>
  encodeURIComponent(Array.isArray(example) ? example.join() : String(example))

/** Parameters that need others. */
const TOGETHER: Record<string, string[]> = {
  geoloc_lat: ['geoloc_lng'],
  geoloc_lng: ['geoloc_lat'],
  geoloc_radius: ['geoloc_lat', 'geoloc_lng'],
}

t.test('every parameter has examples that work', async (t) => {
  const api = await build(t, { env: { MEDIA_DIR: t.testdir(), SUBMISSIONS: 'on' } })
  await makeExamples(api)
  let count = 0
  const order = ['get', 'patch', 'put', 'post', 'delete']
  const operations = operationsOf(documentOf(api.app)).filter(
    ({ method, path }) => method !== 'post' || path.includes('{'),
  )
  const byExternal = operations.find(({ operationId }) => operationId === 'getEventByExternalId')!
  const external = Object.fromEntries(
    ['source', 'external_id'].map((name) => [
      name,
      examplesOf(byExternal.parameters.find((one) => one.name === name)!)[0],
    ]),
  )
  for (const plural of ['events', 'series', 'venues', 'organizers']) {
    const [{ id }] = (await must(api.administrator.get(`/${plural}`)))[plural]
    await must(api.administrator.patch(`/${plural}/${id}`, external))
  }
  for (const { method, path, operationId, parameters } of operations.toSorted(
    (one, other) => order.indexOf(one.method) - order.indexOf(other.method),
  )) {
    const of = (name: string) => parameters.find((parameter) => parameter.name === name)!
    const url = ROOT + path.replace(/\{(\w+)\}/g, (_, name: string) => print(examplesOf(of(name))[0]))
    for (const parameter of parameters) {
      const examples = examplesOf(parameter)
      t.ok(examples.length > 0, `${operationId} ${parameter.name} has an example`)
      for (const example of examples) {
        count++
        const required = parameters.filter((one) => one.in === 'query' && one.required && one !== parameter)
        const more = [...(TOGETHER[parameter.name] ?? []), ...required.map((one) => one.name)].map(
          (name) => `${name}=${print(examplesOf(of(name))[0])}`,
        )
        const query =
          parameter.in === 'path' ? '' : [`${parameter.name}=${print(example)}`, ...more].join('&')
        const { status, text } = await api.administrator.send({
          method: method.toUpperCase() as 'GET',
          url: `${url}?${query}`,
          ...(!['get', 'delete'].includes(method) && { payload: {} }),
        })
        // a token is made by one calendar
        if (parameter.name === 'sync_token') continue
        // a record can be deleted once
        // and the examples have a change of an event alone
        const isOnce = method === 'delete' || operationId === 'restoreSeriesRevision'
        // the submission of the examples is accepted
        const isDecided = operationId.endsWith('Submission') && method === 'post'
        // what people prove themselves: test/features/people/second-factors.test.ts and those beside it
        const isPersonal = /\/(password|totp|recovery-codes|passkeys)(\/|$)/.test(path)
        const works = isPersonal
          ? [200, 201, 400, 403, 404]
          : isDecided
            ? [400, 409]
            : isOnce
              ? [200, 404, 410]
              : method === 'post'
                ? [200, 201, 400]
                : [200]
        t.ok(works.includes(status), `${operationId} ${query}: ${status} ${text.slice(0, 200)}`)
      }
    }
  }
  t.ok(count > 200, `${count} examples`)
})
