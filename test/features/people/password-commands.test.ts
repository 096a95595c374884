import { join } from 'node:path'
import t, { type Test } from 'tap'
import { almanac as runCommand } from '../../support/almanac.ts'
import { basicAuth, build } from '../../support/app.ts'

/** A service on a database file with the user maria, and `user password` beside it. */
async function open(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const { app, anonymous } = await build(t, { env: { DATABASE: file } })
  const maria = (await app.store.users.add('maria', 'editor'))!
  const command = (...args: string[]) => runCommand(file, ['user', 'password', ...args])
  const json = async (...args: string[]) => JSON.parse((await command(...args, '--json')).printed)
  const enter = async (password: string) => {
    const headers = { authorization: basicAuth('maria', password) }
    return (await anonymous.get('/events', undefined, { headers })).status
  }
  const ids = async () => {
    await new Promise(setImmediate) // in one turn a reader sees one state, which may be that of before the command
    return (await app.store.users.passwords(maria.id)).map(({ id }) => id)
  }
  return { app, maria, command, json, enter, ids }
}
const PASSWORD = /(\w{4} ){5}\w{4}/

t.test('who has forgotten the password gets another one, at once, and sees the others', async (t) => {
  const { maria, command, enter } = await open(t)
  t.equal(await enter(maria.password), 200)
  const { code, printed, complained } = await command('Maria')
  t.same([code, complained], [0, ''])
  const [first, ...rest] = printed.split('\n')
  t.match(first, /^Application password of maria \(shown only once\): (\w{4} ){5}\w{4}$/)
  const [password] = PASSWORD.exec(first!)!
  t.equal(await enter(password), 200)
  t.equal(rest[0], 'maria also has these, which --revoke <id|all> revokes:')
  t.match(rest[1], /^ +\d+ {2}first {20}created 2026-11-21 09:00:00 UTC, last used 2026-11-21 09:00:00 UTC$/)
  t.same(rest.slice(2), [''])
})

t.test('older ones are revoked at once, by ID or all', async (t) => {
  const { maria, command, json, enter, ids } = await open(t)
  const second = await json('maria', '--name', 'laptop')
  t.match(second, { login: 'maria', disabled: false, name: 'laptop', password: PASSWORD, revoked: [] })
  t.match(second.others, [{ name: 'first', created_utc: '2026-11-21 09:00:00', last_used_utc: null }])
  t.notMatch(JSON.stringify(second.others), /hash/)
  t.equal(await enter(maria.password), 200)

  const [first] = await ids()
  const third = await json('maria', '--revoke', String(first), '--revoke', String(first))
  t.match(third, { name: 'command line', revoked: [first], others: [{ id: second.id }] })
  t.equal(await enter(maria.password), 401)
  t.equal(await enter(second.password), 200)

  const { printed } = await command('maria', '--revoke', '1', '--revoke', 'all', '--revoke', '2')
  t.match(printed, `Revoked: ${second.id}, ${third.id}.\nmaria has no other application password.\n`)
  t.equal(await enter(second.password), 401)
  t.equal((await ids()).length, 1)
})

t.test('they are listed and revoked without a new one', async (t) => {
  const { command, ids } = await open(t)
  t.match(
    (await command('maria', '--no-new')).printed,
    /^maria still has these, .*\n +\d+ {2}first .* never used\n$/,
  )
  const [id] = await ids()
  t.equal(
    (await command('maria', '--no-new', '--revoke', 'all')).printed,
    `Revoked: ${id}.\nmaria has no application password.\n`,
  )
  t.same(await ids(), [])
})

t.test('nothing happens where an ID is wrong', async (t) => {
  const { app, maria, command, ids } = await open(t)
  const before = await ids()
  const told = `almanac: maria has no application password 999; maria has the passwords ${before[0]}\n`
  const wrong = ['--revoke', String(before[0]), '--revoke', '999'] as const
  t.same(await command('maria', ...wrong), { code: 1, printed: '', complained: told })
  t.same(await ids(), before)
  await app.store.users.removePassword(maria.id, before[0]!)
  t.match((await command('maria', '--revoke', '999')).complained, 'maria has no password\n')
  t.match(await command('maria', '--revoke', 'x'), {
    code: 2,
    complained: /Use the ID of a password, or all\./,
  })
  t.match(await command('nobody'), { code: 1, complained: 'almanac: there is no user "nobody"\n' })
  t.same(await ids(), [])
})

t.test('whose credentials are rejected is told, with what would accept them', async (t) => {
  const { app, maria, command } = await open(t)
  await app.store.users.update(maria.id, { disabled: true })
  const { printed } = await command('maria')
  t.match(printed, 'maria is disabled: `almanac user disable maria --undo` accepts them again.\n')
})
