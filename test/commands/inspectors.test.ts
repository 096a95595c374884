import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Test } from 'tap'
import t from 'tap'
import { run } from '../../src/cli.ts'
import { inspectorsFor } from '../../src/commands/check.ts'
import { must } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'
import { openBuilt, openMeasured } from '../support/process.ts'

const { args, vars } = openBuilt()
const PROGRAM = args.at(-1)!

/** Checks a file with two processes more, or as the arguments say. */
async function check(file: string, program?: string, args = ['--processes', '2']) {
  let printed = ''
  let complained = ''
  const code = await run(['check', '--json', ...args], {
    env: { ...process.env, ...vars, DATABASE: file },
    print: (text) => (printed += text),
    complain: (text) => (complained += text),
    terminal: false,
    ...(program !== undefined && { program }),
  })
  return { code, complained, report: printed && JSON.parse(printed) }
}

/** The same with processes whose coverage is measured. */
async function checkMeasured(file: string) {
  const { args } = openMeasured()
  const { execArgv } = process
  process.execArgv = args.slice(0, -1) // with which it starts others of itself
  try {
    return await check(file, args.at(-1)!)
  } finally {
    process.execArgv = execArgv
  }
}

/** A file with events whose IDs are far apart. */
async function filled(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const { editor, app } = await build(t, { env: { DATABASE: file } })
  for (const id of [1, 2, 990, 1_000, 1_001, 7_000]) {
    await app.store.db.write(async (tx) => {
      tx.run(`update sqlite_sequence set seq = ${id - 1} where name = 'posts'`)
    })
    await must(editor.post('/events', { ...EVENT, tags: [`at ${id}`] }))
  }
  return file
}

function tamper(file: string, query: string) {
  const db = new Database(file)
  db.unsafeMode()
  db.exec(query)
  db.close()
}

t.test('several processes find what one finds, in the same order', async (t) => {
  const file = await filled(t)
  t.match(await check(file, PROGRAM), { code: 0, complained: '', report: { ok: true, total: 0 } })
  tamper(
    file,
    "delete from documents where post_id in (2, 7000); update posts set folded = 'x' where id = 1001",
  )
  const together = await checkMeasured(file)
  t.match(together, { code: 1, report: { total: 3, kinds: { document: 2, search: 1 } } })
  t.same(
    together.report.differences.map(({ id }: { id: number }) => id),
    [2, 1001, 7000],
  )
  t.strictSame(await check(file), together)
  t.strictSame(await check(file, PROGRAM, ['--processes', '1']), together)
})

t.test('of a damaged file only the damage is told', async (t) => {
  const file = await filled(t)
  tamper(file, "pragma writable_schema = on; delete from sqlite_master where name = 'posts_kind_slug'")
  const together = await checkMeasured(file)
  t.equal(together.code, 1)
  t.match(together.complained, /restore a backup/)
  t.ok(together.report.kinds.integrity > 0)
  t.equal(together.report.total, together.report.kinds.integrity)
})

t.test('what another process fails in is what the command fails in', async (t) => {
  const file = await filled(t)
  for (const [program, why] of [
    [
      "process.on('message', () => process.send({ failed: 'no more memory' }))",
      /^almanac: no more memory\n$/,
    ],
    ['process.exit(3)', /^almanac: a process that reads for the check ended \(3\)\n$/],
    [
      "process.on('message', () => process.kill(process.pid, 'SIGKILL'))",
      /^almanac: a process that reads for the check ended \(SIGKILL\)\n$/,
    ],
  ] as const) {
    const path = join(t.testdirName, 'program.cjs')
    writeFileSync(path, program)
    t.match(await check(file, path), { code: 1, complained: why })
  }
})

t.test('a process that can not read its part says why, and goes on', async (t) => {
  const file = await filled(t)
  tamper(file, 'alter table documents rename to elsewhere')
  const { args, vars } = openMeasured()
  const child = fork(args.at(-1)!, ['check-inspector'], {
    env: { ...process.env, ...vars, DATABASE: file },
    execArgv: args.slice(0, -1),
  })
  const ended = once(child, 'exit')
  for (const job of [
    { after: 0, until: 1_000 },
    { after: 1_000, until: 2_000 },
  ]) {
    const answered = once(child, 'message')
    child.send(job)
    t.match(await answered, [{ failed: /no such table: (main\.)?documents/ }])
  }
  child.disconnect()
  t.same(await ended, [0, null])
})

t.test('what the command started has ended when it ends, whatever it was doing', async (t) => {
  const file = await filled(t)
  const program = join(t.testdirName, 'program.cjs')
  writeFileSync(
    program,
    `require('node:fs').writeFileSync(__dirname + '/' + process.pid + '.started', '')
    setInterval(() => {}, 1_000)
    process.on('message', (job) => job === 'integrity' && process.send({ failed: 'no more memory' }))`,
  )
  t.match(await check(file, program), { code: 1, complained: /no more memory/ })
  const started = readdirSync(t.testdirName).filter((name) => name.endsWith('.started'))
  t.ok(started.length > 0)
  for (const name of started) t.throws(() => process.kill(Number.parseInt(name, 10), 0), { code: 'ESRCH' })
})

t.test('a large file is worth a process for each core, a small one none', async (t) => {
  t.equal(inspectorsFor(1_000_000), 0)
  t.equal(inspectorsFor(30_000_000), 1)
  t.ok(inspectorsFor(10_000_000_000) >= 1)
  t.match(await check('a.db', PROGRAM, ['--processes', '0']), {
    code: 2,
    complained: /Use a number from 1 to 64/,
  })
})
