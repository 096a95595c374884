import { Type } from '@sinclair/typebox'
import t from 'tap'
import { openComponents } from '../../../src/kernel/input/validator.ts'

t.test('a context has the schemas of the one around it, which does not have its own', async (t) => {
  const outer = openComponents()
  const shared = Type.Object({}, { $id: 'Shared' })
  outer.add(shared)
  const inner = openComponents(outer.getSchemas())
  const own = Type.Object({}, { $id: 'Own' })
  inner.add(own)
  t.equal(inner.getSchema('Shared'), shared)
  t.equal(inner.getSchema('Own'), own)
  t.strictSame(Object.keys(inner.getSchemas()), ['Shared', 'Own'])
  t.strictSame(Object.keys(outer.getSchemas()), ['Shared'])
})

t.test('no two schemas have one name', async (t) => {
  const components = openComponents()
  components.add(Type.Object({}, { $id: 'Event' }))
  t.throws(() => components.add(Type.String({ $id: 'Event' })), {
    message: 'Two schemas have the name Event.',
  })
})
