import t from 'tap'
import { runSamples } from './samples.ts'

t.test('every JavaScript sample of the document runs as it stands', (t) =>
  runSamples(t, 'JavaScript', 'node', ['--input-type=module', '--eval']),
)
