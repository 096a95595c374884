import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSocketFolder } from '../src/commands/sockets.ts'
import { serveFile } from './support/process.ts'

/** A folder whose path is short enough for sockets. */
function shortDir(t: Test) {
  const dir = mkdtempSync(join(tmpdir(), 'a-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}
const foldersIn = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('almanac-'))

t.test(
  'a first process that is killed leaves no worker behind, and its folder to the next start',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    const tmp = shortDir(t)
    const env = { WORKERS: '2', TMPDIR: tmp }
    const killed = await serveFile(file, env)
    t.teardown(() => killed.child.kill('SIGKILL'))
    const [first, ...others] = foldersIn(tmp)
    t.same(others, [])
    t.equal(statSync(join(tmp, first!)).mode & 0o777, 0o700)
    killed.child.kill('SIGKILL')
    await killed.ended // the workers write to the same output: it is closed when the last of them ends
    t.same(foldersIn(tmp), [first])

    const next = await serveFile(file, env)
    t.teardown(() => next.child.kill('SIGKILL'))
    const [second, ...more] = foldersIn(tmp)
    t.not(second, first)
    t.same(more, [])
    const beside = await serveFile(join(t.testdirName, 'b.db'), env)
    t.teardown(() => beside.child.kill('SIGKILL'))
    t.equal(foldersIn(tmp).length, 2, 'that of a service that runs is left alone')
    for (const { child, ended } of [next, beside]) {
      child.kill('SIGTERM')
      t.equal(await ended, 0)
    }
    t.same(foldersIn(tmp), [])
  },
)

t.test('only what is surely abandoned is removed', async (t) => {
  const dir = shortDir(t)
  const kept = ['almanac-workers-empty', 'almanac-workers-file', 'almanac-workers-link', 'elsewhere', 'other']
  mkdirSync(join(dir, 'almanac-workers-empty'))
  for (const name of ['elsewhere', 'other']) mkdirSync(join(dir, name))
  writeFileSync(join(dir, 'almanac-workers-file'), '')
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'almanac-workers-link'))
  const first = await openSocketFolder(dir)
  const second = await openSocketFolder(dir)
  t.same(
    readdirSync(dir).map((name) => join(dir, name)),
    [...kept.map((name) => join(dir, name)), first, second].sort(),
  )
  t.same(readdirSync(first), ['alive'])
})

t.test('where nothing can be made, the start says so', async (t) => {
  const file = join(shortDir(t), 'file')
  writeFileSync(file, '')
  await t.rejects(openSocketFolder(file), { code: 'ENOTDIR' })
  await t.rejects(openSocketFolder(`/tmp/${'x'.repeat(80)}`), {
    message: /^TMPDIR is too long for the path of a socket, 103 bytes: \/tmp\/x+$/,
    unusable: true,
  })
})
