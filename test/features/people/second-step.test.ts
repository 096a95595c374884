import t from 'tap'
import { hashPassword } from '../../../src/kernel/access/secrets.ts'
import { type Api, build } from '../../support/app.ts'
import { codeOf, OWN, person, secure } from '../../support/people.ts'

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
