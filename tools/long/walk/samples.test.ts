import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { INTRODUCTION } from '../../../src/calendar/introduction.ts'
import { openService, runGuide, runSamples } from '../../../test/document/samples.ts'
import { must } from '../../../test/support/answers.ts'

const run = promisify(execFile)

/** Fails with the name of a program that the machine lacks. */
async function need(t: Test, program: string) {
  await run(program, ['--version']).catch(() =>
    t.fail(`There is no ${program}: \`apt-get install ${program}\`.`),
  )
}

t.test('every curl sample of the document runs as it stands', async (t) => {
  await need(t, 'curl')
  await runSamples(t, 'Shell', 'sh', ['-c'])
})

t.test('every Python sample of the document runs as it stands', async (t) => {
  await need(t, 'python3')
  await runSamples(t, 'Python', 'python3', ['-c'])
})

t.test('the Python receiver of the guide accepts what is signed, without a library', async (t) => {
  await need(t, 'python3')
  await runGuide(t, 'python3', 'receiver.py')
})

t.test('the steps of the introduction run as they stand', async (t) => {
  await need(t, 'curl')
  const { api, here, options } = await openService(t)
  const { password } = await must(api.administrator.post('/users', { login: 'admin', role: 'editor' }))
  const [, steps] = /```sh\n(.*?)```/s.exec(INTRODUCTION)!
  const text = here(steps!).replace('abcd EFGH ijkl MNOP qrst UVWX', password)
  const { stdout } = await run('sh', ['-c', text], options)
  t.match(stdout, /"title":"Evensong/)
  t.match(stdout, /"title":"First event"/)
  t.notMatch(stdout, /"code"/)
})
