import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RouteOptions } from 'fastify'
import t from 'tap'
import { type Right, ROLES, type Role, type TokenScope } from '../../../../src/kernel/access/rights.ts'
import { toWall } from '../../../../src/kernel/time/dates.ts'
import { must } from '../../../../test/support/answers.ts'
import { type Api, basicAuth, build, ROOT } from '../../../../test/support/app.ts'
import {
  type Operation as Described,
  type Document,
  operationsOf as describedIn,
  documentOf,
  resolve,
} from '../../../../test/support/document.ts'

// All operations of the document beside all kinds of callers. What is expected is read from docs/reference/credentials.md.
const PAGE = readFileSync(new URL('../../../../docs/reference/credentials.md', import.meta.url), 'utf8')
/** The lowest role that has a right. */
const LOWEST = new Map(
  [...PAGE.matchAll(/^\| ([^|]+) \| (\w+) \|$/gm)].map(([, right, role]) => [right!, role as Role]),
)
/** Words of the rights that nobody has with limits. */
const OF_ALL = /nobody has the rights about (.+?),\s+and an administrator/
  .exec(PAGE)![1]!
  .split(/, | and /)
  .map((words) => words.replace(/s$/, ''))

type Who = {
  name: string
  role?: Role
  scopes?: readonly TokenScope[]
  isLimited?: boolean
  isRefused?: boolean
  authorization?: string
  id?: number
}
type Example = { value: unknown }
type Json = { example?: unknown; examples?: Record<string, Example | { $ref: string }> }
type Operation = { id: string; method: string; path: string; route: RouteOptions; body: Body }
type Body = { payload: unknown; type: string } | undefined

const TEXTS: Record<string, string | Buffer> = {
  'text/csv': 'title,start_date\nFair,2026-12-12 10:00:00\n',
  'image/png': Buffer.from('no picture'),
}

/** A body that the document shows, or one of another type. */
function bodyOf({ content }: Pick<Described, 'content'>, document: Document): Body {
  if (!content) return undefined
  const json = content['application/json'] as Json | undefined
  if (json) {
    const [first] = Object.values(json.examples ?? {})
    const payload = json.example ?? resolve<Example>(document, first!).value
    return { payload, type: 'application/json' }
  }
  const type = Object.keys(TEXTS).find((name) => name in content)!
  return { payload: TEXTS[type], type }
}

/** All operations of the document, with their routes. */
function operationsOf({ app }: Api): Operation[] {
  const document = documentOf(app)
  return describedIn(document).map(({ operationId: id, method, path, content }) => {
    const route = app.routesAdded.find(({ schema }) => schema?.operationId === id)!
    return { id, method: method.toUpperCase(), path, route, body: bodyOf({ content }, document) }
  })
}

/** What the scopes of a token have to have for an operation. */
function scopesOf({ route, method }: Operation): readonly TokenScope[] {
  const { permission } = route.config!
  if (permission?.scopes) return permission.scopes
  if (permission && LOWEST.get(permission.right.name) === 'administrator') return ['admin']
  return [method === 'GET' ? 'read' : 'write']
}

/** The status with which an operation is refused to a caller at once; undefined if it is not. `isOwn`: the path has the ID of the caller. */
function refusalFor({ role, scopes, isLimited, isRefused }: Who, one: Operation, isOwn: boolean) {
  const { operation, permission } = one.route.config!
  if (isRefused) return 401
  if (operation === undefined) return undefined
  if (scopes && scopesOf(one).some((scope) => !scopes.includes(scope))) return 403
  if (!permission || permission.anyone || (isOwn && permission.own)) return undefined
  if (role === undefined) return 401
  const lowest = LOWEST.get(permission.right.name)!
  if (ROLES.indexOf(role) < ROLES.indexOf(lowest)) return 403
  return isLimited && isOfAll(permission.right) ? 403 : undefined
}
const isOfAll = (right: Right) => OF_ALL.some((words) => right.name.includes(words))

const ALL = ['read', 'write', 'admin'] as const
const SCOPES: (readonly TokenScope[])[] = [['read'], ['write'], ['admin'], ['read', 'write'], ALL]

/** Every role with each kind of credential, with limits and without, and credentials that are none. */
async function callersOf(api: Api): Promise<Who[]> {
  const { app, administrator, clock } = api
  const { users, tokens } = app.store
  const category = await must(administrator.post('/categories', { name: 'Theatre' }))
  const callers: Who[] = [
    { name: 'anonymous' },
    { name: 'an unknown token', isRefused: true, authorization: 'Bearer alm_unknown' },
  ]
  const bearer = async (id: number, scopes: readonly TokenScope[], expires: string | null = null) =>
    `Bearer ${(await tokens.add(id, 'matrix', [...scopes], expires)).token}`
  for (const role of ROLES)
    for (const isLimited of role === 'administrator' ? [false] : [false, true]) {
      const login = `${role}-${isLimited ? 'limited' : 'free'}`
      const limits = isLimited ? { limits: { categories: [category.id], venues: [] } } : {}
      const { id, password } = await must(administrator.post('/users', { login, role, ...limits }))
      const basic = basicAuth(login, password)
      const session = await must(
        api.anonymous.post('/session', undefined, { headers: { authorization: basic } }),
      )
      const who = { role, isLimited, id }
      callers.push({ ...who, name: `${login} by password`, authorization: basic })
      callers.push({ ...who, name: `${login} by session`, authorization: `Bearer ${session.token}` })
      for (const scopes of SCOPES)
        callers.push({
          ...{ ...who, scopes, name: `${login} by token to ${scopes}` },
          authorization: await bearer(id, scopes),
        })
    }
  const past = toWall(clock.now + 1_000, 'UTC')
  const { id } = await must(administrator.post('/users', { login: 'gone', role: 'administrator' }))
  const disabled = await bearer(id, ALL)
  await must(administrator.patch(`/users/${id}`, { disabled: true }))
  const { id: late } = (await users.add('late', 'administrator'))!
  const expired = await bearer(late, ALL, past)
  clock.now += 2_000
  return [
    ...callers,
    { name: 'a disabled user', isRefused: true, authorization: disabled },
    { name: 'an expired token', isRefused: true, authorization: expired },
  ]
}

/** Why somebody is refused who has the right and the scope: for what is in the body or the path, or what the credentials are. */
const ASIDE =
  /^(Credentials are made only by|A token (can not|needs)|Your rights are limited to "|Your role does not allow you to (create the (category|tag)|choose the password of another)|Get a `challenge`|The login or the password is wrong|This step of signing in)/

t.test('every operation is refused to whom the documentation says, and to nobody else', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' }, fresh: true })
  const callers = await callersOf(api)
  const operations = operationsOf(api)
  t.ok(operations.length >= 162 && operations.every(({ route }) => route))
  t.ok(LOWEST.size >= 20 && OF_ALL.length >= 4)
  let asked = 0
  for (const one of operations.filter(({ id }) => id !== 'deleteSession'))
    for (const who of callers)
      for (const isOwn of one.method === 'GET' && one.route.config?.permission?.own
        ? [false, true]
        : [false]) {
        const id = isOwn ? String(who.id ?? 1) : '9999'
        const address = `10.${asked >> 16}.${(asked >> 8) & 255}.${asked & 255}` // failures count by address
        asked++
        const { status, body } = await api.anonymous.send({
          method: one.method as 'GET',
          url:
            ROOT +
            one.path
              .replace('{id}', id)
              .replace('{format}', 'jsonld')
              .replace(/\{\w+\}/g, '9999'),
          remoteAddress: address,
          headers: {
            ...(who.authorization && { authorization: who.authorization }),
            'sec-fetch-site': 'same-origin', // as a page of the service, which alone may sign in a browser
            ...(one.body && { 'content-type': one.body.type }),
          },
          ...(one.body && { payload: one.body.payload as object }),
        })
        const wanted = refusalFor(who, one, isOwn && who.id !== undefined)
        const told = `${one.id} of ${isOwn ? 'the own user' : 'another'} by ${who.name}: ${status} ${body?.code ?? ''} ${body?.message ?? ''}`
        if (wanted) t.equal(status, wanted, told)
        else if (status === 401 || status === 403) t.match(body.message, ASIDE, told)
      }
})

t.test('a large body is refused before it comes, on all operations', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' }, fresh: true })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as AddressInfo
  const anonymous = { name: 'anonymous' }
  const refused = operationsOf(api).filter((one) => one.body && refusalFor(anonymous, one, false) === 401)
  t.ok(refused.length > 50)
  for (const { id, method, path, body } of refused) {
    const asked = request({
      ...{ host: '127.0.0.1', port, method, agent: false, path: ROOT + path.replace(/\{\w+\}/g, '9999') },
      headers: { 'content-type': body!.type, 'content-length': 500_000 },
    })
    asked.on('error', () => {})
    asked.flushHeaders()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    t.equal(answer.statusCode, 401, id)
    asked.destroy()
  }
})
