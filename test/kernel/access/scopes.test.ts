import t from 'tap'
import type { TokenScope } from '../../../src/kernel/access/rights.ts'
import { buildDocument } from '../../../src/kernel/openapi/document.ts'
import { must } from '../../support/answers.ts'
import { type Api, basicAuth, build, EVENT, ROOT } from '../../support/app.ts'
import { PROPOSED } from '../../support/submissions.ts'

const SCOPES: TokenScope[] = ['read', 'write', 'admin']
const SUBSETS = Array.from({ length: 8 }, (_, bits) => SCOPES.filter((_, at) => bits & (1 << at)))
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const basic = (login: string, password: string) => ({
  headers: { authorization: basicAuth(login, password) },
})

/** Operations that are not about records: the scopes that a token needs. Others read with `read` and write with `write`. */
const NEEDED: Record<string, TokenScope[]> = {
  deleteSession: [],
  createSession: ['write'],
  createCookieSession: ['write'],
}
for (const name of [
  ...['listUsers', 'createUser', 'getUser', 'updateUser', 'deleteUser'],
  ...[
    'listApplicationPasswords',
    'createApplicationPassword',
    'getApplicationPassword',
    'deleteApplicationPassword',
  ],
  ...['listUserSessions', 'getUserSession', 'deleteUserSession'],
  ...['getSecondFactor', 'createSecondFactor', 'confirmSecondFactor', 'deleteSecondFactor'],
  ...['createRecoveryCodes', 'listPasskeys', 'createPasskeyOptions', 'createPasskey'],
  ...['getPasskey', 'deletePasskey', 'listProviderLinks', 'deleteProviderLink'],
  ...['listTokens', 'createToken', 'getToken', 'deleteToken'],
  ...['listWebhooks', 'getWebhook', 'deleteWebhook', 'listAudit'],
  ...['listDigests', 'deleteDigest'],
  ...['getSettings', 'updateSettings'],
  ...['createInvitation', 'setOwnPassword'],
])
  NEEDED[name] = ['admin']
for (const name of [
  ...['createWebhook', 'updateWebhook', 'rotateWebhookSecret', 'testWebhook', 'replayWebhook'],
  ...['listWebhookDeliveries', 'getWebhookDelivery', 'replayWebhookDelivery'],
])
  NEEDED[name] = ['admin', 'read']
/** What needs no rights, with any credential. */
const FREE = new Set(['getIndex', 'getDocument', 'getSubmissionChallenge'])
/** What a token never does, because it proves no password. */
const PROVEN = new Set(['createUser', 'createApplicationPassword', 'createToken', 'createInvitation'])

const BODIES: Record<string, object> = {
  setOwnPassword: { password: 'three cups of green tea' },
  acceptInvitation: { ticket: 'x', password: 'three cups of green tea' },
  requestPasswordReset: { login: 'x' },
  confirmPasswordReset: { ticket: 'x', password: 'three cups of green tea' },
  createUser: { login: 'x', role: 'subscriber' },
  createApplicationPassword: { name: 'x' },
  createToken: { user: 1, name: 'x', scopes: ['admin'] },
  confirmSecondFactor: { ticket: 'x', code: '111111' },
  createFactorSession: { ticket: 'x', code: '111111' },
  createPasskeySession: {
    ...{ id: 'x', client_data: 'e30', authenticator_data: 'x', signature: 'x', user_handle: 'x' },
  },
  createPasskey: { name: 'x', client_data: 'e30', attestation: 'e30' },
  createWebhook: { url: 'https://mirror.example/hook' },
  replayWebhook: { after: 0 },
  createEvent: EVENT,
  batch: { operations: [{ method: 'PATCH', path: '/events/999' }] },
  createSeries: { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
  createSubmission: PROPOSED,
  createVenue: { venue: 'x' },
  createOrganizer: { organizer: 'x' },
  createCategory: { name: 'x' },
  createTag: { name: 'x' },
}

/** All operations, at addresses where nothing is. */
function operationsOf({ app }: Api) {
  const { paths } = buildDocument(app, '/') as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      operationId,
      method: method.toUpperCase() as 'GET',
      url: ROOT + path.replace('{format}', 'jsonld').replace(/\{\w+\}/g, '999'),
      isRead: method === 'get',
    })),
  )
}

t.test('a token does nothing for which it lacks a scope, whatever other scopes it has', async (t) => {
  const api = await build(t, { env: { SUBMISSIONS: 'on' } })
  const operations = operationsOf(api)
  const { tokens } = api.app.store
  let tried = 0
  for (const scopes of SUBSETS)
    for (const { operationId, method, url, isRead } of operations) {
      if (FREE.has(operationId)) continue
      const { token } = await tokens.add(api.credentials.administrator.id, 'x', scopes, null)
      const needed = NEEDED[operationId] ?? [isRead ? 'read' : 'write']
      const lacking = needed.filter((scope) => !scopes.includes(scope))
      const before = await api.fingerprint()
      const body = BODIES[operationId]
      const answer = await api.anonymous.send({
        method,
        url,
        ...bearer(token),
        ...(body && { payload: body }),
      })
      const told = `${scopes}: ${operationId} is ${answer.status} ${answer.body?.code}`
      tried++
      if (lacking.length > 0) {
        t.match(
          answer,
          { status: 403, body: { message: `This token lacks the scope "${lacking[0]}".` } },
          told,
        )
        t.equal(await api.fingerprint(), before, told)
      } else if (PROVEN.has(operationId)) {
        t.ok(answer.status === 401 || answer.status === 403, told)
        t.equal(await api.fingerprint(), before, told)
      } else t.notMatch(answer.body?.message ?? '', /scope/, told)
    }
  t.ok(tried > 500)
})

t.test('no two steps lead from some scopes to what another one is needed for', async (t) => {
  const api = await build(t)
  const { app, anonymous, credentials } = api
  const { users, tokens } = app.store
  const draft = await must(api.editor.post('/events', { ...EVENT, status: 'draft' }))
  const hook = await must(
    api.administrator.post('/webhooks', {
      url: 'https://mirror.example/hook',
      filters: { status: ['draft'] },
    }),
  )
  const weak = (await users.add('weak', 'contributor'))!
  const gone = (await users.add('gone', 'editor'))!
  await users.update(gone.id, { disabled: true })
  const leaver = (await users.add('leaver', 'editor'))!
  const state = async () =>
    JSON.stringify([
      await api.fingerprint(),
      await users.list(),
      (await app.store.webhooks.all()).map(({ url, owner_id }) => [url, owner_id]),
    ])
  const boss = credentials.administrator.id
  for (const scopes of SUBSETS.filter((scopes) => scopes.includes('admin') && scopes.length < 3)) {
    const as = bearer((await tokens.add(boss, 'x', scopes, null)).token)
    await anonymous.get('/users', undefined, as) // notes the use of the token
    const before = await state()
    const steps: [method: 'post' | 'patch' | 'delete', path: string, body?: object][] = [
      ['post', '/session'],
      ['post', '/users', { login: 'mole', role: 'administrator' }],
      ['post', `/users/${boss}/application-passwords`, { name: 'x' }],
      ['post', `/users/${weak.id}/application-passwords`, { name: 'x' }],
      ['post', '/tokens', { user: boss, name: 'x' }],
      ['post', '/tokens', { user: boss, name: 'x', scopes }],
      ['patch', `/users/${weak.id}`, { role: 'editor' }],
      ['patch', `/users/${weak.id}`, { role: 'administrator', disabled: false }],
      ['patch', `/users/${gone.id}`, { disabled: false }],
      ['delete', `/users/${leaver.id}?reassign=${weak.id}`],
    ]
    if (!scopes.includes('read'))
      steps.push(
        ['post', '/webhooks', { url: 'https://mole.example/', filters: { status: ['draft'] } }],
        ['patch', `/webhooks/${hook.id}`, { url: 'https://mole.example/' }],
        ['post', `/webhooks/${hook.id}/secret`, {}],
        ['post', `/webhooks/${hook.id}/replay`, { after: 0 }],
      )
    for (const [method, path, body] of steps) {
      const { status } = await anonymous[method](path, body, as)
      t.ok(status === 403 || status === 401, `${scopes}: ${method} ${path} is ${status}`)
    }
    t.equal(await state(), before)
  }
  const all = bearer((await tokens.add(boss, 'x', SCOPES, null)).token)
  await must(anonymous.patch(`/users/${weak.id}`, { role: 'editor' }, all))
  await must(anonymous.patch(`/users/${gone.id}`, { disabled: false }, all))
  await must(anonymous.delete(`/users/${leaver.id}?reassign=${weak.id}`, undefined, all))
  t.equal((await anonymous.get(`/events/${draft.id}`, undefined, basic('weak', weak.password))).status, 200)
})

t.test('what takes rights away needs the scope admin alone', async (t) => {
  const { app, anonymous, credentials } = await build(t)
  const narrow = bearer(
    (await app.store.tokens.add(credentials.administrator.id, 'x', ['admin'], null)).token,
  )
  const { id } = (await app.store.users.add('maria', 'editor'))!
  for (const body of [
    { role: 'editor' },
    { role: 'author' },
    { disabled: true },
    { disabled: true, role: null },
  ])
    await must(anonymous.patch(`/users/${id}`, body, narrow))
  await must(anonymous.delete(`/users/${id}`, undefined, narrow))
})
