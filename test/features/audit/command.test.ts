import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { AUDIT_CODES } from '../../../schemas/audit-codes.ts'
import { almanac } from '../../support/almanac.ts'
import { must } from '../../support/answers.ts'
import { basicAuth, build, EVENT } from '../../support/app.ts'
import { addPerson, GOOD, MAIL, mailsOf, OTHER, ticketIn } from '../../support/people.ts'
import { draw } from '../../support/pictures.ts'
import { accept, answer, openReceiver } from '../../support/receiver.ts'
import { NOTE, PROPOSED } from '../../support/submissions.ts'

const env = { USER: 'ada' }
const basic = (login: string, password: string) => ({
  authorization: basicAuth(login, password),
})

t.test('every code is reached, by what it tells of, and no row has a secret', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'a.db')
  const secrets: string[] = []
  const command = async (...args: string[]) => {
    const { code, printed, complained } = await almanac(file, args, false, env)
    t.equal(code, 0, args.join(' ') + complained)
    return printed
  }
  const first = await command('user', 'add', 'ada', '--role', 'administrator', '--json')
  const { password } = JSON.parse(first)
  secrets.push(password)
  const made = JSON.parse(await command('token', 'create', 'ada', '--json'))
  secrets.push(made.token)
  await command('token', 'revoke', String(made.id))
  await command('user', 'password', 'ada')
  await command('user', 'password', 'ada', '--no-new', '--revoke', '2')
  await command('config', 'set', 'CURRENCY=EUR')
  writeFileSync(join(folder, 'a.csv'), 'title,start_date\nFair,2027-01-05')
  await command('import', join(folder, 'a.csv'))
  await command('import', '--undo', '1')

  const own = { DATABASE: file, DOWNLOAD_ALLOW: '127.0.0.1', SUBMISSIONS: 'on', ...MAIL }
  const api = await build(t, { env: own, users: false })
  const headers = basic('ada', password)
  const session = await must(api.anonymous.post('/session', undefined, { headers }))
  secrets.push(session.token)
  const signed = { headers: { authorization: `Bearer ${session.token}` } }
  const send = async (method: 'post' | 'patch' | 'delete', path: string, body?: unknown) =>
    must(api.anonymous[method](path, body, signed))
  await api.anonymous.get('/session', undefined, { headers: basic('ada', 'a wrong guess') })
  secrets.push('a wrong guess')
  const bea = await send('post', '/users', { login: 'bea', role: 'author' })
  secrets.push(bea.password)
  await send('patch', `/users/${bea.id}`, { role: 'editor' })
  await send('delete', `/users/${bea.id}`)

  const { id, signIn } = await addPerson(api, 'caro', { email: 'caro@town.example' })
  await must(api.anonymous.post('/password-resets', { login: 'caro' }))
  const ticket = ticketIn((await mailsOf(api, 1))[0]!)
  await must(api.anonymous.post('/password-resets/confirm', { ticket, password: OTHER }))
  await api.app.store.signIns.remove(id, signIn)
  secrets.push(GOOD, OTHER, ticket)
  for (const decision of ['ask', 'accept', 'refuse', undefined]) {
    const { url } = await send('post', '/submissions', PROPOSED)
    const key = String(url).split('/').at(-2)!
    const [{ id }] = (await must(api.anonymous.get('/submissions', undefined, signed))).submissions
    if (decision) await send('post', `/submissions/${id}/${decision}`, { reply: 'A reply' })
    else
      await api.app.store.submissions.withdraw(key, {
        by: { origin: 'http', address: '' },
        language: 'en',
      })
    secrets.push(key, NOTE, 'A reply')
  }

  const receiver = await openReceiver(t, accept)
  const hook = await send('post', '/webhooks', { url: `${receiver.url}?key=hidden-in-a-url` })
  secrets.push(hook.secret, 'hidden-in-a-url')
  await send('patch', `/webhooks/${hook.id}`, { description: 'Mirror' })
  await send('patch', `/webhooks/${hook.id}`, { url: `${receiver.url}?key=another-in-a-url` })
  secrets.push('another-in-a-url')
  await send('patch', `/webhooks/${hook.id}`, { description: 'Mirror' })
  secrets.push((await send('post', `/webhooks/${hook.id}/secret`)).secret)
  receiver.behaviour = answer(410)

  const title = 'x'.repeat(300)
  const event = await send('post', '/events', {
    ...EVENT,
    title,
    categories: ['Jazz'],
    password: 'of an event',
  })
  secrets.push('of an event')
  await api.app.hooks.drain()
  await send('delete', `/events/${event.id}?force=true`)
  await send('delete', `/categories/${event.categories[0].id}`)
  const image = await must(
    api.anonymous.post('/media', await draw(10, 10, 'jpeg'), {
      headers: { ...signed.headers, 'content-type': 'image/jpeg' },
    }),
  )
  await send('delete', `/media/${image.id}`)
  await send('delete', `/webhooks/${hook.id}`)
  await send('delete', '/session')
  await api.app.close()
  await command('backup', join(folder, 'b.db'))

  const rowsOf = () => {
    const db = new Database(file, { readonly: true })
    const rows = db.prepare('select * from audit').all() as { code: string; details: string }[]
    db.close()
    return rows
  }
  const before = rowsOf()
  await command('restore', join(folder, 'b.db'))
  const rows = [...before, ...rowsOf()]
  t.same(
    AUDIT_CODES.filter((code) => !rows.some((row) => row.code === code)),
    [],
    'a new code has to be reached here',
  )
  const text = JSON.stringify(rows)
  for (const secret of secrets)
    t.notOk(text.includes(secret) || text.includes(secret.replaceAll(' ', '')), secret)
  t.equal(secrets.length, 25)
  t.match(text, 'x'.repeat(199))
  t.notMatch(text, 'x'.repeat(200), 'long details are shortened')
  const last = rows.at(-1)!
  t.match(last, { code: 'data_restored', origin: 'command', address: `ada@${hostname()}` })
  t.match(JSON.parse(last.details).from, join(folder, 'b.db'))

  const printed = await command('audit', '--code', 'user_added', 'user_changed', '--user', 'ADA')
  t.match(
    printed,
    /^TIME \(UTC\) +CODE +WHO +FROM +SUBJECT +DETAILS\n.*login: submissions; role: contributor\n\S+ \S+ {2}user_changed {2}ada {2}127\.0\.0\.1 {2}user 2 {3}login: bea; role: author → editor\n\S+ \S+ {2}user_added {4}ada {2}127\.0\.0\.1 {2}user 2 {3}login: bea; role: author\n$/,
  )
})

t.test('the log is printed, filtered and as JSON', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const audit = (...args: string[]) => almanac(file, ['audit', ...args], false, env)
  await almanac(file, ['user', 'add', 'ada', '--role', 'editor'], false, env)
  await almanac(file, ['user', 'add', 'bea', '--role', 'editor'], false, { SUDO_USER: 'cleo', USER: 'root' })
  await almanac(file, ['user', 'add', 'dora', '--role', 'editor'])
  const { total, entries } = JSON.parse((await audit('--json', '--code', 'user_added')).printed)
  t.equal(total, 3)
  t.same(
    entries.map(({ address }: { address: string }) => address),
    [`uid ${process.getuid!()}@${hostname()}`, `cleo@${hostname()}`, `ada@${hostname()}`],
  )
  const one = (await audit('--limit', '1', '--subject', 'user', '--from', '-1 hours')).printed
  t.match(
    one,
    /user_added {2}command {2}uid .+ {2}user 3 {3}login: dora; role: editor\n2 more; --limit shows them\.\n$/,
  )
  t.equal((await audit('--until', '2020-01-01')).printed, 'No entry matches.\n')
  t.equal((await audit('--address', 'nowhere')).printed, 'No entry matches.\n')
  t.match((await audit('--subject', 'user', '--subject-id', '2')).printed, 'login: bea')
  for (const [args, said] of [
    [['--code', 'nothing'], 'Allowed choices are session_created'],
    [['--from', 'soon'], 'Use a date such as'],
    [['--limit', 'all'], 'Use a whole number.'],
  ] as const) {
    const { code, complained } = await audit(...args)
    t.equal(code, 2)
    t.match(complained, said)
  }
  const db = new Database(file)
  const failed = "('2026-01-01 00:00:00', 'login_failed', 'http', '192.0.2.7', '{}', 12)"
  db.exec(`insert into audit (at_utc, code, origin, address, details, count) values ${failed}`)
  db.close()
  t.match((await audit('--code', 'login_failed')).printed, /login_failed {7}192\.0\.2\.7 {11}12 times\n$/)
})

t.test('what can not be told is said, and the backup is there', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'a.db')
  await almanac(file, ['user', 'add', 'ada', '--role', 'editor'])
  const db = new Database(file)
  db.exec("create trigger full before insert on audit begin select raise(abort, 'full'); end")
  const backup = (to: string) => almanac(file, ['backup', join(folder, to)])
  const { code, complained } = await backup('b.db')
  t.equal(code, 0)
  t.match(complained, /^almanac: the audit log was not told of this: .*\n$/s)
  db.exec('drop trigger full; delete from migrations where tag = (select max(tag) from migrations)')
  db.exec(
    'drop trigger audit_no_update; drop trigger audit_no_delete; drop trigger audit_no_replace; drop table audit; drop table audit_gate',
  )
  t.match(await backup('c.db'), { code: 0, complained: '' }, 'an earlier version has no such log')
  t.equal(db.prepare("select count(*) from sqlite_master where name = 'audit'").pluck().get(), 0)
  db.close()
})
