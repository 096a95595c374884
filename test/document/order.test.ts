import t from 'tap'
import { complete, print } from '../../src/http/openapi/document.ts'
import { OPERATIONS, SCHEMAS } from '../../src/http/openapi/order.ts'
import type { Complete } from '../../src/http/openapi/rewrite.ts'
import { build } from '../support/app.ts'

const turned = <T>(members: Record<string, T>) => Object.fromEntries(Object.entries(members).toReversed())

t.test('the document does not depend on the order in which its parts are registered', async (t) => {
  const { app } = await build(t)
  const collected = app.swagger() as unknown as Complete
  const { paths, components } = collected
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  t.same(operations.map(({ operationId }) => operationId).toSorted(), OPERATIONS.toSorted())
  t.same(Object.keys(components.schemas!).toSorted(), SCHEMAS.toSorted())
  const other = {
    ...collected,
    paths: turned(
      Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path, turned(methods)])),
    ),
    components: { ...components, schemas: turned(components.schemas!) },
  }
  const how = { path: '/', languages: ['en', 'ca'] }
  const document = complete(collected, how)
  t.equal(String(print(complete(other, how))), String(print(document)))
  const more = { ...components, schemas: { Brandnew: {}, ...components.schemas } }
  const { Brandnew, ...known } = complete({ ...collected, components: more }, how).components.schemas!
  t.same([Brandnew, Object.keys(known)], [{}, Object.keys(document.components.schemas!)])
})
