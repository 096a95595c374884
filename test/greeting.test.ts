import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { greet } from '../src/commands/greeting.ts'
import { readConfig } from '../src/config.ts'
import { openFile } from './support/process.ts'

/** A database without users, and what the start of a service on it says. */
function start(t: Test, database = join(t.testdir(), 'a.db')) {
  const store = openFile(database)
  t.teardown(() => store.db.close())
  const said = async (terminal: boolean) => {
    let printed = ''
    const env = { DATABASE: database, MEDIA_DIR: join(t.testdirName, 'media') }
    await greet(store, readConfig(env), { terminal, print: (text) => (printed += text) })
    return printed
  }
  const login = async (password: string) =>
    store.users.verify((await store.users.byLogin('admin'))!, password)
  return { store, said, login, file: join(t.testdirName, 'first-password') }
}

t.test('a terminal shows the first password, once, and nothing is left in a file', async (t) => {
  const { said, login, file } = start(t)
  const text = await said(true)
  const [, password] = /^Application password: {5}((\w{4} ){5}\w{4})$/m.exec(text)!
  t.ok(await login(password!))
  t.match(text, `curl -u 'admin:${password}'`)
  t.notOk(statSync(file, { throwIfNoEntry: false }))
  t.equal(await said(true), text.slice(0, text.indexOf('\n') + 1), 'later it says where it answers')
})

t.test('elsewhere it stands in a file that its owner alone can read, which says what it is', async (t) => {
  t.testdir()
  mkdirSync(dirname(join(t.testdirName, 'first-password')), { recursive: true })
  writeFileSync(join(t.testdirName, 'first-password'), 'of another database', { mode: 0o644 })
  const { said, login, file } = start(t, join(t.testdirName, 'a.db'))
  const text = await said(false)
  const note = readFileSync(file, 'utf8')
  t.equal(statSync(file).mode & 0o777, 0o600)
  const [, password] = /^ {2}application password {2}((\w{4} ){5}\w{4})$/m.exec(note)!
  t.ok(await login(password!))
  t.match(note, /delete this file/)
  t.notMatch(note, /another database/)
  t.match(text, `The password is in ${file};`)
  t.notOk(text.includes(password!))
  t.equal(await said(false), text.slice(0, text.indexOf('\n') + 1))
})

t.test('where the file can not be written, no user is made whose password nobody knows', async (t) => {
  const { store, said, file } = start(t)
  mkdirSync(file)
  await t.rejects(said(false), {
    message: /^can not write the password of the first user: /,
    unusable: true,
  })
  t.equal(await store.users.count(), 0)
})

t.test('a database in memory has it where a database would lie', async (t) => {
  t.testdir()
  const { said, file } = start(t, ':memory:')
  t.match(await said(false), `The password is in ${file};`)
})
