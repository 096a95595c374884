import t from 'tap'
import { hashPassword } from '../../src/support/passwords.ts'
import { refusal } from '../support/answers.ts'
import { type Api, build } from '../support/app.ts'
import { must } from '../support/events.ts'
import { codeOf } from '../support/one-time.ts'
import { OWN, person, secure } from '../support/people.ts'

const PASSWORD = 'a kettle of quiet owls'

/** A person with this own password. */
async function owner(api: Api, login: string) {
  const one = await person(api, login)
  const { db, signIns } = api.app.store
  await db.write((tx) => signIns.removeAll(tx, one.id, 'password'))
  const secret = await hashPassword(PASSWORD)
  await db.write((tx) => signIns.add(tx, { user_id: one.id, kind: 'password', secret }))
  return one
}
const enter = ({ anonymous }: Api, body: object, headers: object = OWN) =>
  anonymous.post('/session/cookie', body, { headers: headers as never })

t.test('the own password opens a session, and with a second factor after a code', async (t) => {
  const api = await build(t)
  const marta = await owner(api, 'marta')
  const body = { login: 'Marta', password: PASSWORD }
  t.match(await enter(api, body), {
    status: 201,
    body: { login: 'marta' },
    headers: { 'set-cookie': /^almanac-session=/ },
  })
  const { secret } = await secure(api, marta)
  const asked = await enter(api, body)
  t.match(asked, {
    status: 401,
    body: { code: 'second_factor_required', data: { ways: ['totp', 'recovery'], expires_in: 300 } },
  })
  t.equal(asked.headers['set-cookie'], undefined)
  t.equal(asked.headers['www-authenticate'], 'Bearer realm="Almanac"')
  api.clock.now += 30_000
  const { ticket } = asked.body.data
  const code = codeOf(secret, api.clock.now)
  const made = await api.anonymous.post('/session/factor', { ticket, code }, { headers: OWN })
  t.match(made, { status: 201, body: { login: 'marta' }, headers: { 'set-cookie': /^almanac-session=/ } })
  const program = await api.anonymous.post('/session/cookie', undefined, marta.as)
  t.equal(program.status, 201, 'an application password needs no code')
})

t.test('a wrong login and a wrong password are one answer, and limited', async (t) => {
  const api = await build(t)
  const marta = await owner(api, 'marta')
  await api.app.store.users.add('pau', 'editor')
  const wrong = await enter(api, { login: 'marta', password: 'x' })
  t.equal(refusal(wrong), '401 incorrect_password')
  for (const login of ['nobody', 'no one', 'pau'])
    t.same((await enter(api, { login, password: PASSWORD })).body, wrong.body, login)
  for (const body of [{}, { login: 'marta' }]) t.equal(refusal(await enter(api, body)), '401 rest_forbidden')
  const body = { login: 'marta', password: PASSWORD }
  for (const headers of [{}, { origin: 'https://evil.test' }])
    t.equal(refusal(await enter(api, body, headers)), '403 rest_forbidden')
  for (let at = 1; at < 61; at++) await enter(api, { login: 'marta', password: '\n' })
  t.equal(refusal(await enter(api, body)), '429 rest_rate_limited')
  await api.app.audited.settle()
  const told = (await must(api.administrator.get('/audit?code=login_failed&order=asc'))).entries
  t.match(told[0], { details: { reason: 'incorrect_password', login: 'marta' } })
  await api.app.store.users.update(marta.id, { disabled: true })
  const other = await api.anonymous.post('/session/cookie', body, {
    headers: OWN,
    remoteAddress: '192.0.2.9',
  })
  t.equal(refusal(other), '401 invalid_username')
})
