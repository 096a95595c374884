import type { Role } from '../../src/kernel/access/rights.ts'
import type { Api } from './app.ts'
import { must } from './events.ts'
import { codeOf } from './one-time.ts'

/** A person: what they prove with each request, and the row of their own password. */
export async function person(api: Api, login: string, role: Role = 'editor') {
  const { users, signIns, db } = api.app.store
  const { id, password } = (await users.add(login, role))!
  const own = await db.write((tx) => signIns.add(tx, { user_id: id, kind: 'password', secret: 'x' }))
  const authorization = `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`
  return { id, own, as: { headers: { authorization } }, user: await users.find(id) }
}
type Person = Awaited<ReturnType<typeof person>>

/** Gives a person a second factor, whose code of now is used up. */
export async function secure({ anonymous, clock }: Api, { id, as }: Person) {
  const { secret, ticket } = await must(anonymous.post(`/users/${id}/totp`, undefined, as))
  const code = codeOf(secret, clock.now)
  const { codes } = await must(anonymous.post(`/users/${id}/totp/confirm`, { ticket, code }, as))
  return { secret, codes } as { secret: string; codes: string[] }
}
