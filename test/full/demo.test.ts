import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { freePort, startProgram } from '../support/process.ts'

t.test('closing the terminal ends the demo, and its folder goes', async (t) => {
  const folder = join(t.testdir(), 'tmp')
  mkdirSync(folder)
  const env = { PORT: String(await freePort()), TMPDIR: folder }
  const way = { args: ['--import', 'tsx', 'demo/main.ts'], vars: { NODE_OPTIONS: '' } }
  const { child, said, ended, output } = startProgram(t, way, [], env)
  const ours = () => readdirSync(folder).filter((name) => name.startsWith('almanac-demo-'))
  await said(/Sign in with/)
  t.match(output(), 'Sign in with:  demo')
  t.equal(ours().length, 1)
  child.kill('SIGHUP')
  t.equal(await ended, 0)
  t.same(ours(), [])
})
