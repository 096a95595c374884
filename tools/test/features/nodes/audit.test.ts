import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import { basicAuth, EVENT } from '../../../../test/support/given.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const { ask } = postgres

t.test('every node shows what was done on any, once and in the same words', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  const author = { login: 'berta', role: 'author' }
  const { password } = await must(two.anonymous.post('/users', author, as('administrator')))
  await follow(one)
  const headers = { authorization: basicAuth('berta', password) }
  await must(one.anonymous.post('/session', undefined, { headers }))
  const { id } = await must(one.editor.post('/events', EVENT))
  await follow(two)
  await must(two.anonymous.delete(`/events/${id}?force=true`, undefined, as('editor')))
  const shown: unknown[] = []
  for (const node of [one, two, one, two]) {
    await follow(node)
    const { entries } = await must(
      node.anonymous.get('/audit?per_page=50&order=asc', undefined, as('administrator')),
    )
    shown.push(entries)
  }
  // an address that one node has noted is not noted again by the other
  const wanted = [
    'credential_used administrator',
    'user_added administrator',
    'password_created administrator',
    'credential_used berta',
    'session_created berta',
    'credential_used editor',
    'record_deleted editor',
  ]
  for (const entries of shown as { id: number; code: string; login: string }[][]) {
    const byPeople = entries.filter(({ login }) => login !== undefined)
    t.same(
      byPeople.map(({ code, login }) => `${code} ${login}`),
      wanted,
    )
    t.same(entries, shown[0])
  }
})

t.test('PostgreSQL refuses to change the log; what is too old goes on all nodes', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  await must(one.anonymous.get('/session', undefined, as('administrator')))
  const rows = () => ask('select * from almanac.audit order by id')
  const before = await rows()
  t.ok(before.length > 0)
  for (const statement of [
    "update almanac.audit set login = 'nobody'",
    'delete from almanac.audit',
    'truncate almanac.audit',
  ])
    await t.rejects(ask(statement), /the audit log is append-only/, statement)
  t.same(await rows(), before)
  const total = async (node: typeof one) => {
    await follow(node)
    return (await node.app.store.audit.list({}, { page: 1, per_page: 1 })).total
  }
  t.equal(await total(two), before.length)
  // settings are noted before there is an application, by the clock of the machine
  one.clock.now = Math.max(one.clock.now, Date.now()) + 3 * 86_400_000
  await one.app.store.audit.removeOld(2)
  t.same([(await rows()).length, await total(one), await total(two)], [0, 0, 0])
})
