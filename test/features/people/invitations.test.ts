import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import {
  addPerson,
  GOOD,
  invite,
  MAIL,
  mailsOf,
  OTHER,
  OWN,
  pageOf,
  signIn,
  ticketIn,
} from '../../support/people.ts'

const DAY = 86_400_000
const accept = (api: Parameters<typeof signIn>[0], ticket: string, password = GOOD, headers: object = OWN) =>
  api.anonymous.post(
    '/invitations/accept',
    { ticket, password },
    { headers: headers as Record<string, string> },
  )
const GONE = '404 invitation-not-found'

t.test('an invited person chooses a password once, and is signed in', async (t) => {
  const api = await build(t)
  const { id, invitation, ticket } = await invite(api, 'Marta', {
    name: ' Marta Puig',
    email: 'Marta@Town.example',
  })
  t.strictSame(invitation, {
    mailed: false,
    expires_utc: '2026-11-28 09:00:00',
    url: `http://calendar.test/desk/#/invitation/${ticket}`,
  })
  t.match((await api.administrator.get(`/users/${id}/application-passwords`)).body, { total: 0 })
  t.equal(refusal(await signIn(api, 'marta', GOOD)), '401 incorrect_password', 'there is no password yet')
  const made = await accept(api, ticket)
  t.match(made, { status: 201, body: { user: id, login: 'marta', name: 'Marta Puig', role: 'editor' } })
  t.match(await api.anonymous.get('/session', undefined, pageOf(made)), {
    status: 200,
    body: { login: 'marta' },
  })
  t.equal(refusal(await accept(api, ticket, OTHER)), GONE, 'it was used')
  t.equal((await signIn(api, 'marta@town.example', GOOD)).status, 201)
  t.equal(refusal(await signIn(api, 'marta', OTHER)), '401 incorrect_password')
  t.same(await api.app.store.mails.due(9), [], 'no mail is sent without a server')
  const { entries } = await must(
    api.administrator.get('/audit?subject=user&code=invitation_made,invitation_accepted'),
  )
  t.match(entries, [
    { code: 'invitation_accepted', subject: { id }, details: { login: 'marta' } },
    { code: 'invitation_made', subject: { id }, login: 'administrator' },
  ])
  t.notMatch(JSON.stringify(api.app.store.db.rows('select * from audit')), new RegExp(`${ticket}|${GOOD}`))
})

t.test('an invitation ends after a week, with a new one, and works for nobody who is disabled', async (t) => {
  const api = await build(t)
  const { id, ticket } = await invite(api, 'marta')
  const path = `/users/${id}/invitation`
  const again = await must(api.administrator.post(path))
  t.equal(refusal(await accept(api, ticket)), GONE, 'a new one was made')
  const second = again.url.split('/').at(-1)
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(refusal(await accept(api, second)), GONE, 'disabled')
  t.equal(refusal(await api.administrator.post(path)), '409 user_disabled')
  const { people } = api.app.store
  const by = { origin: 'http', address: '' } as const
  t.equal(
    await people.accept('invitation', second, 'x', by),
    undefined,
    'also if that was while the hash was made',
  )
  await must(api.administrator.patch(`/users/${id}`, { disabled: false }))
  const third = (await must(api.administrator.post(path))).url.split('/').at(-1)
  const both = await Promise.all([accept(api, third), accept(api, third)])
  t.same(both.map(({ status }) => status).sort(), [201, 404], 'of two uses one counts')
  const last = (await must(api.administrator.post(path))).url.split('/').at(-1)
  t.equal((await accept(api, last, OTHER)).status, 201, 'it stands for a forgotten password, too')
  t.equal(refusal(await signIn(api, 'marta', GOOD)), '401 incorrect_password')
  const late = (await must(api.administrator.post(path))).url.split('/').at(-1)
  api.clock.now += 7 * DAY
  t.equal(refusal(await accept(api, late)), GONE, 'ended')
  t.equal(refusal(await api.administrator.post('/users/999/invitation')), '404 user-not-found')
})

t.test('an invitation is mailed if it can be, and then not shown', async (t) => {
  const api = await build(t, { env: { ...MAIL, LANGUAGES: 'ca,en', SITE_NAME: 'Agenda' } })
  const { invitation } = await invite(api, 'marta', { email: 'marta@town.example' })
  t.strictSame(invitation, { mailed: true, expires_utc: '2026-11-28 09:00:00' })
  const [mail] = await mailsOf(api, 1)
  t.match(mail, { recipient: 'marta@town.example', subject: 'El vostre accés a Agenda', text: /és marta\./ })
  t.equal((await accept(api, ticketIn(mail!))).status, 201)
  t.equal((await invite(api, 'pau')).invitation.mailed, false, 'without an address')
})

t.test('links that were mailed to an address end with it', async (t) => {
  const api = await build(t, { env: MAIL })
  const { administrator } = api
  const { id } = await invite(api, 'marta', { email: 'marta@twon.example' })
  const move = (email: string) => must(administrator.patch(`/users/${id}`, { email }))
  await move('MARTA@twon.example')
  await move('marta@town.example')
  const [stray] = await mailsOf(api, 1)
  t.equal(refusal(await accept(api, ticketIn(stray!))), GONE, 'who reads mail there does not come in')
  await must(administrator.post(`/users/${id}/invitation`))
  t.equal((await accept(api, ticketIn((await mailsOf(api, 3))[2]!))).status, 201)
  await api.anonymous.post('/password-resets', { login: 'marta' })
  const reset = (await mailsOf(api, 4))[3]!
  await move('')
  const body = { ticket: ticketIn(reset), password: OTHER }
  t.equal(refusal(await api.anonymous.post('/password-resets/confirm', body)), '404 password-reset-not-found')
  const pau = await invite(api, 'pau')
  await must(administrator.patch(`/users/${pau.id}`, { email: 'pau@town.example', name: 'Pau' }))
  t.equal((await accept(api, pau.ticket)).status, 201, 'a link that was passed on by hand goes on')
})

t.test('only who may make credentials invites, and only pages of the service accept', async (t) => {
  const api = await build(t)
  const { id, ticket } = await invite(api, 'marta')
  t.equal(refusal(await api.editor.post(`/users/${id}/invitation`)), '403 rest_forbidden')
  t.equal(refusal(await api.anonymous.post(`/users/${id}/invitation`)), '401 rest_forbidden')
  const { token } = await api.app.store.tokens.add(
    api.credentials.administrator.id,
    'x',
    ['admin', 'read', 'write'],
    null,
  )
  const program = { headers: { authorization: `Bearer ${token}` } }
  for (const [path, body] of [
    [`/users/${id}/invitation`, undefined],
    ['/users', { login: 'pau', role: 'editor', invite: true }],
  ] as const)
    t.equal(refusal(await api.anonymous.post(path, body, program)), '401 insufficient_user_authentication')
  for (const headers of [{}, { origin: 'https://evil.test' }, { ...OWN, 'sec-fetch-site': 'cross-site' }])
    t.equal(refusal(await accept(api, ticket, GOOD, headers)), '403 rest_forbidden')
  const person = await addPerson(api, 'laia')
  await must(api.administrator.patch(`/users/${person.id}`, { name: 'Laia' }))
  t.equal(
    refusal(await api.administrator.post('/users', { login: 'LAIA', role: 'editor', invite: true })),
    '400 rest_invalid_param login',
  )
  t.equal((await accept(api, ticket)).status, 201)
})

t.test(
  'a password is refused for its length and for being known, and the link goes on working',
  async (t) => {
    const api = await build(t)
    const { ticket } = await invite(api, 'marta.puig@town', {
      name: 'Marta la Puig',
      email: 'marta@town.example',
    })
    for (const [password, why] of [
      ['short', /at least 10 characters/],
      ['x'.repeat(201), /at most 200 characters/],
      ['Marta.Puig@TOWN', /the login, the name or the address/],
      ['marta la puig', /the login, the name or the address/],
      ['MARTA@town.example', /the login, the name or the address/],
      ['Password123', /many people use/],
      ['three\tcups of tea', /control characters/],
    ] as const)
      t.match(await accept(api, ticket, password), {
        status: 400,
        body: { code: 'rest_invalid_param', data: { params: { password: why } } },
      })
    t.equal((await accept(api, ticket, `${'😀'.repeat(10)}`)).status, 201, 'no other rules')
  },
)

t.test('who guesses links is limited by address', async (t) => {
  const api = await build(t)
  const { ticket } = await invite(api, 'marta')
  const statuses: number[] = []
  for (let at = 0; at <= 300; at++) statuses.push((await accept(api, `x${at}`)).status)
  t.same([...new Set(statuses)], [404, 429])
  t.equal((await accept(api, ticket)).status, 429)
  const elsewhere = { headers: OWN, remoteAddress: '192.0.2.9' }
  t.equal(
    (await api.anonymous.post('/invitations/accept', { ticket, password: GOOD }, elsewhere)).status,
    201,
  )
})
