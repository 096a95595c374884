import t from 'tap'
import type { Complete } from '../../src/kernel/openapi/components.ts'
import { complete, documentOf, print } from '../../src/kernel/openapi/document.ts'
import { finish } from '../../src/kernel/tasks/scheduler.ts'
import { build } from '../support/app.ts'

const turned = <T>(members: Record<string, T>) => Object.fromEntries(Object.entries(members).toReversed())

t.test('the document does not depend on the order in which its parts are registered', async (t) => {
  const { app } = await build(t)
  const collected = app.swagger() as unknown as Complete
  const { places } = app.documentation
  const { paths, components } = collected
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  t.same(operations.map(({ operationId }) => operationId).toSorted(), places.operations.toSorted())
  t.same(Object.keys(components.schemas!).toSorted(), places.schemas.toSorted())
  const other = {
    ...collected,
    paths: turned(
      Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, turned(methods)])),
    ),
    components: { ...components, schemas: turned(components.schemas!) },
  }
  const how = { ...app.documentation, languages: ['en', 'ca'] }
  const document = finish(complete(collected, '/', how))
  t.equal(String(print(finish(complete(other, '/', how)))), String(print(document)))
  const more = { ...components, schemas: { Brandnew: {}, ...components.schemas } }
  const { Brandnew, ...known } = finish(complete({ ...collected, components: more }, '/', how)).components
    .schemas!
  t.same([Brandnew, Object.keys(known)], [{}, Object.keys(document.components.schemas!)])
})

t.test('the document is made in steps, which are the same for all who ask meanwhile', async (t) => {
  const { app, anonymous } = await build(t, { fresh: true })
  const task = documentOf(app, '/')
  let steps = 0
  for (let step = task.next(); !step.done; step = task.next()) steps++
  t.ok(steps >= 6, `${steps} steps`)
  const paths = ['/doc', '/doc', '/doc/openapi-3.0.json', '/doc/start.js']
  const [one, other, older, script] = await Promise.all(paths.map((path) => anonymous.get(path)))
  t.equal(one!.text, other!.text)
  t.match([one, older, script], [{ status: 200 }, { status: 200 }, { status: 200 }])
})
