import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../../src/config.ts'
import { greet } from '../../../src/run/serve.ts'
import { almanac as runCommand } from '../../support/almanac.ts'
import { basicAuth, build, EVENT } from '../../support/app.ts'
import { openFile } from '../../support/process.ts'

/** A service on a database file, and commands that run on the same file beside it. */
async function beside(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file } })
  const almanac = (...args: string[]) => runCommand(file, args)
  const json = async (...args: string[]) => JSON.parse((await almanac(...args, '--json')).printed)
  const enter = async (authorization: string, method: 'get' | 'post' = 'post') =>
    (
      await api.anonymous[method]('/events', method === 'post' ? EVENT : undefined, {
        headers: { authorization },
      })
    ).status
  return { ...api, almanac, json, enter }
}

const done = (printed: string) => ({ code: 0, printed, complained: '' })
const failed = (complained: string) => ({ code: 1, printed: '', complained: `almanac: ${complained}\n` })

t.test('the first administrator can be invited, and names and addresses are set', async (t) => {
  const { almanac, json, app } = await beside(t)
  const person = ['--name', 'Marta Puig', '--email', 'Marta@town.example']
  const { id, url } = await json('user', 'add', 'Marta', '--role', 'administrator', '--invite', ...person)
  t.match(url, /^http:\/\/127\.0\.0\.1:3000\/desk\/#\/invitation\/[\w-]{32}$/)
  t.equal((await app.store.people.guest('invitation', url.split('/').at(-1)))!.id, id)
  const added = await almanac('user', 'add', 'pau', '--role', 'editor', '--invite')
  t.match(added, {
    code: 0,
    printed: /^Added pau \(editor\)\.\nLink to choose a password \(works once, for 7 days\): http/,
  })
  t.same(
    await almanac('user', 'add', 'PAU', '--role', 'editor', '--invite'),
    failed('a user "PAU" exists already'),
  )
  t.match(await json('user', 'invite', 'MARTA'), { id, login: 'marta', expires_utc: /^20/ })
  t.equal(await app.store.people.guest('invitation', url.split('/').at(-1)), undefined, 'the one before ends')
  t.match((await almanac('user', 'invite', 'pau')).printed, /^Link to choose a password/)
  t.same(await json('user', 'edit', 'pau', '--name', 'Pau'), {
    ...{ id: id + 1, login: 'pau', name: 'Pau', role: 'editor', disabled: false },
  })
  t.match(await almanac('user', 'edit', 'pau', '--email', 'x'), {
    code: 1,
    complained: /email: must be an address/,
  })
  t.match(await almanac('user', 'edit', 'pau', '--email', 'pau@town.example'), done('pau is changed.\n'))
  const { password } = await json(
    'user',
    'add',
    'laia',
    '--role',
    'editor',
    '--name',
    'Laia',
    '--email',
    'l@town.example',
  )
  t.match(password, /^(\w{4} ?){6}$/)
  t.match((await json('user', 'list')).at(-1), { login: 'laia', name: 'Laia', email: 'l@town.example' })
})

t.test('names and addresses have the bounds that the API has', async (t) => {
  const { almanac, app } = await beside(t)
  const before = await app.store.users.list()
  const long = 'x'.repeat(101)
  const add = ['user', 'add', 'pau', '--role', 'editor']
  for (const [most, ...args] of [
    [100, ...add, '--name', long],
    [254, ...add, '--email', `${'x'.repeat(250)}@b.example`],
    [100, 'user', 'edit', 'editor', '--name', long],
    [254, 'user', 'edit', 'editor', '--email', `${'x'.repeat(250)}@b.example`],
    [100, 'user', 'password', 'editor', '--name', long],
    [100, 'user', 'password', 'editor', '--name', ''],
    [100, 'token', 'create', 'editor', '--name', long],
  ] as const)
    t.match(await almanac(...args), {
      code: 2,
      complained: new RegExp(`is invalid. It has to have [01] to ${most} characters`),
    })
  t.same(await app.store.users.list(), before)
  t.match(await almanac('user', 'edit', 'editor', '--name', '\u{1f600}'.repeat(100)), { code: 0 })
})

t.test('what commands do to a user counts at once in a running service', async (t) => {
  const { almanac, json, enter } = await beside(t)
  const { id, login, password } = await json('user', 'add', 'Maria', '--role', 'editor')
  const maria = basicAuth(login, password)
  t.equal(await enter(maria), 201)

  t.same(
    await almanac('user', 'role', 'MARIA', '--role', 'subscriber'),
    done('maria now has the role subscriber.\n'),
  )
  t.equal(await enter(maria), 403)
  t.same(await json('user', 'role', 'maria', '--role', 'author'), {
    id,
    login,
    role: 'author',
    disabled: false,
  })
  t.equal(await enter(maria), 201)

  t.same(await almanac('user', 'disable', 'maria'), done('maria is disabled.\n'))
  t.equal(await enter(maria, 'get'), 401)
  t.match((await almanac('user', 'list')).printed, /maria {20}author \(disabled\)\n/)
  t.same(await almanac('user', 'disable', 'maria', '--undo'), done('maria is enabled.\n'))
  t.equal(await enter(maria), 201)
  t.same(await json('user', 'disable', 'maria'), { id, login, role: 'author', disabled: true })

  t.match(
    await almanac('user', 'remove', 'maria'),
    failed(
      'Invalid parameter. reassign: must be the ID of another user, who takes over the 3 records of maria.',
    ),
  )
  t.same(await almanac('user', 'remove', 'maria', '--reassign', 'editor'), done('maria is removed.\n'))
  t.equal(await enter(maria, 'get'), 401)
  const bob = await json('user', 'add', 'bob', '--role', 'author')
  t.same(await json('user', 'remove', 'bob'), { id: bob.id, login: 'bob', role: 'author', disabled: false })
})

t.test('the same for tokens', async (t) => {
  const { almanac, json, enter, credentials } = await beside(t)
  const told = await almanac('token', 'create', 'Editor')
  const [, first, token] = /^Token (\d+) of editor \(shown only once\): (alm_[\w-]{32})\n$/.exec(
    told.printed,
  )!
  t.equal(await enter(`Bearer ${token}`), 201)

  const narrow = await json(
    'token',
    'create',
    'editor',
    '--name',
    'import',
    '--scope',
    'read',
    '--expires',
    '2099-01-01',
  )
  t.match(narrow, {
    login: 'editor',
    name: 'import',
    scopes: ['read'],
    expires_utc: '2099-01-01 00:00:00',
    token: /^alm_/,
  })
  t.equal(await enter(`Bearer ${narrow.token}`, 'get'), 200)
  t.equal(await enter(`Bearer ${narrow.token}`), 403)
  const two = await json('token', 'create', 'editor', '--scope', 'read', 'write', '--expires', 'tomorrow')
  t.same(two.scopes, ['read', 'write'])
  t.equal(await enter(`Bearer ${two.token}`), 201)
  t.match(
    await almanac('token', 'create', 'editor', '--expires', '2020-01-01'),
    failed('Invalid parameter. expires: must be later than now; it is 2020-01-01 00:00:00 UTC.'),
    'one that has expired would only look like a token',
  )

  const { printed } = await almanac('token', 'list')
  const user = `user ${credentials.editor.id}`
  t.match(printed, new RegExp(`^ +${first}  ${user}  token {20}read,write,admin$`, 'm'))
  t.match(
    printed,
    new RegExp(`^ +${narrow.id}  ${user}  import {19}read  until 2099-01-01 00:00:00 UTC$`, 'm'),
  )
  const listed = await json('token', 'list')
  t.match(listed.at(-2), {
    id: narrow.id,
    user_id: credentials.editor.id,
    name: 'import',
    last_used_utc: String,
  })
  t.notMatch(printed + JSON.stringify(listed), /alm_|hash/, 'nothing that opens a door')

  t.same(await almanac('token', 'revoke', first!), done(`Token ${first} is revoked.\n`))
  t.equal(await enter(`Bearer ${token}`, 'get'), 401)
  t.match(await json('token', 'revoke', String(narrow.id)), { id: narrow.id, name: 'import' })
})

t.test('a command that can not be done says why, with exit code 1', async (t) => {
  const { almanac } = await beside(t)
  for (const [args, complaint] of [
    [['user', 'role', 'nobody', '--role', 'editor'], 'there is no user "nobody"'],
    [['user', 'disable', 'nobody'], 'there is no user "nobody"'],
    [['user', 'remove', 'nobody'], 'there is no user "nobody"'],
    [['user', 'remove', 'author', '--reassign', 'nobody'], 'there is no user "nobody"'],
    [
      ['user', 'remove', 'administrator'],
      'Invalid parameter. id: administrator is the last administrator; add another one first.',
    ],
    [
      ['user', 'disable', 'administrator'],
      'Invalid parameter. disabled: administrator is the last administrator; add another one first.',
    ],
    [
      ['user', 'role', 'administrator', '--role', 'editor'],
      'Invalid parameter. role: administrator is the last administrator; add another one first.',
    ],
    [['token', 'create', 'nobody'], 'there is no user "nobody"'],
    [['token', 'revoke', '999'], 'There is no token with ID 999.'],
  ] as const)
    t.same(await almanac(...args), failed(complaint), args.join(' '))
})

t.test('wrong usage has exit code 2, and says what would be right', async (t) => {
  const { almanac, fingerprint } = await beside(t)
  const before = await fingerprint()
  for (const [args, complaint] of [
    [['user'], /^Usage: almanac user/],
    [['user', 'role', 'editor'], /required option '--role <role>'/],
    [['user', 'role', 'editor', '--role', 'king'], /Allowed choices are subscriber, contributor/],
    [['user', 'disable'], /missing required argument 'login'/],
    [['user', 'remove', 'editor', 'author'], /too many arguments/],
    [['user', 'dance'], /unknown command 'dance'/],
    [['token', 'create'], /missing required argument 'login'/],
    [['token', 'create', 'editor', '--scope', 'root'], /Allowed choices are read, write, admin/],
    [
      ['token', 'create', 'editor', '--expires', 'never'],
      /Use a date such as 2027-01-01, or a relative time/,
    ],
    [['token', 'revoke', 'abc'], /Use a whole number\./],
    [['token', 'revoke', '0'], /Use a whole number\./],
  ] as const) {
    const { code, printed, complained } = await almanac(...args)
    t.same([code, printed], [2, ''], args.join(' '))
    t.match(complained, complaint)
  }
  t.equal(await fingerprint(), before)
})

t.test('every command has help', async (t) => {
  const { almanac } = await beside(t)
  for (const [noun, verbs] of [
    ['user', 'add list password role disable remove'],
    ['token', 'create list revoke'],
  ] as const)
    for (const verb of verbs.split(' ')) {
      const { code, printed } = await almanac(noun, verb, '--help')
      t.equal(code, 0)
      t.match(printed, new RegExp(`^Usage: almanac ${noun} ${verb} `))
      t.match(printed, /--json +print JSON/)
    }
})

/** A database without users, and what the start of a service on it says. */
function start(t: Test, database = join(t.testdir(), 'a.db')) {
  const store = openFile(database)
  t.teardown(() => store.db.close())
  const said = async (terminal: boolean, logged?: boolean, more: Record<string, string> = {}) => {
    let printed = ''
    const env = { DATABASE: database, MEDIA_DIR: join(t.testdirName, 'media'), ...more }
    await greet(store, readConfig(env), {
      terminal,
      ...(logged && { logged }),
      print: (text) => (printed += text),
    })
    return printed
  }
  const login = async (password: string) =>
    store.users.verify((await store.users.byLogin('admin'))!, password)
  return { store, said, login, file: join(t.testdirName, 'first-password') }
}

t.test('a terminal shows the first password, once, and nothing is left in a file', async (t) => {
  const { said, login, file } = start(t)
  const text = await said(true)
  const [, password] = /^Application password: {2}((\w{4} ){5}\w{4})$/m.exec(text)!
  t.ok(await login(password!))
  t.match(text, `curl -u 'admin:${password}'`)
  t.notOk(statSync(file, { throwIfNoEntry: false }))
  t.equal(await said(true), `${text.split('\n').slice(0, 2).join('\n')}\n`, 'later it says where it answers')
})

t.test('the greeting leads to the desk, if there is one', async (t) => {
  const link = 'Write events in a browser: http://127.0.0.1:3000/desk/'
  t.match(await start(t).said(true), link)
  t.notMatch(await start(t, join(t.testdirName, 'b.db')).said(true, false, { DESK: 'off' }), 'in a browser')
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
  t.match(text, `Its password is in ${file};`)
  t.notOk(text.includes(password!))
  t.equal(await said(false), `${text.split('\n').slice(0, 2).join('\n')}\n`)
})

t.test('a terminal that is a log, as that of a container, gets the path of the file', async (t) => {
  const { said, file, login } = start(t)
  const text = await said(true, true)
  t.match(text, `Its password is in ${file};`)
  t.notMatch(text, /(\w{4} ){5}\w{4}/)
  const [password] = /(\w{4} ){5}\w{4}/.exec(readFileSync(file, 'utf8'))!
  t.ok(await login(password))
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
  t.match(await said(false), `Its password is in ${file};`)
})
