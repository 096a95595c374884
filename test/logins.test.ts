import t from 'tap'
import { application_passwords } from '../drizzle/tables.ts'
import { hashPassword } from '../src/passwords.ts'
import { type Api, build } from './support/app.ts'
import { must } from './support/events.ts'

const login = async ({ anonymous }: Api, name: string, password: string) => {
  const headers = { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
  const { status, body } = await anonymous.get('/events', undefined, { headers })
  return status === 200 ? 200 : body.code
}

t.test('an application password is taken as it is, spaces apart', async (t) => {
  const api = await build(t)
  const { id, password } = await must(api.administrator.post('/users', { login: 'maria', role: 'editor' }))
  const path = `/users/${id}/application-passwords`
  const others = []
  for (let n = 0; n < 100; n++) others.push(await must(api.administrator.post(path, { name: `n${n}` })))
  for (const right of [password, password.replaceAll(' ', ''), others[0].password, others[99].password])
    t.equal(await login(api, 'maria', right), 200)
  for (const wrong of [`${password}\0`, `\0${password}`, `${password}\n`, password.toLowerCase(), 'wrong'])
    t.equal(await login(api, 'maria', wrong), 'incorrect_password', JSON.stringify(wrong))
  for (const name of ['maria\0', 'maria\n', ' maria', 'maria\0x'])
    t.equal(await login(api, name, password), 'invalid_username', JSON.stringify(name))
  await must(api.administrator.delete(`${path}/${others[99].id}`))
  t.equal(await login(api, 'maria', others[99].password), 'incorrect_password', 'one that was revoked')
  const rows = await api.app.store.db.read.select().from(application_passwords)
  for (const { hash } of rows) t.match(hash, /^keyed:[\w+/=]{44}$/)
})

t.test(
  'passwords of earlier versions still open, ten of a user at the most, those first that were used last',
  async (t) => {
    const api = await build(t)
    const { store } = api.app
    const user_id = api.credentials.editor.id
    const add = async (password: string, last_used_utc: string | null) => {
      const hash = await hashPassword(password)
      await store.db.write(async (tx) => {
        await tx
          .insert(application_passwords)
          .values({ user_id, name: password, hash, created_utc: '', last_used_utc })
      })
    }
    await add('oldest', null)
    for (let n = 0; n < 9; n++) await add(`used${n}`, `2026-11-20 10:00:0${n}`)
    t.equal(await login(api, 'editor', 'oldest'), 200)
    t.equal(await login(api, 'editor', 'used0'), 200)
    t.equal(await login(api, 'editor', 'used0\0'), 'incorrect_password')
    for (let n = 0; n < 10; n++) await add(`newer${n}`, `2026-11-21 11:00:0${n}`)
    t.equal(await login(api, 'editor', 'used3'), 'incorrect_password', 'beyond ten')
    t.equal(await login(api, 'editor', 'newer0'), 200)
    const { password } = await store.users.addPassword(user_id, 'fresh')
    t.equal(await login(api, 'editor', password), 200)
  },
)
