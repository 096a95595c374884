import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { FEATURES } from '../../../src/features.ts'
import { build, withDependents } from '../../../test/support/app.ts'

t.test('without any one feature, and without all, the document is valid', async (t) => {
  const config = await createConfig({ extends: ['minimal'] })
  for (const absent of [...FEATURES.map((feature) => withDependents([feature])), FEATURES]) {
    const { anonymous } = await build(t, { features: FEATURES.filter((one) => !absent.includes(one)) })
    const { text } = await anonymous.get('/doc')
    const problems = await lintFromString({ source: text, config })
    t.same(
      problems
        .filter(({ severity }) => severity === 'error')
        .map(({ message, location }) => [message, location[0]!.pointer]),
      [],
      absent.map(({ name }) => name).join(', '),
    )
  }
  const [damaged] = await lintFromString({ source: '{"openapi":"3.1.0","info":{}}', config })
  t.equal(damaged?.severity, 'error')
})
