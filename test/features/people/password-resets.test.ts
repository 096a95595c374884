import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Answer, type Api, build } from '../../support/app.ts'
import { addPerson, GOOD, MAIL, mailsOf, OTHER, OWN, pageOf, signIn, ticketIn } from '../../support/people.ts'

const HOUR = 3_600_000
const GONE = '404 password-reset-not-found'
const ask = ({ anonymous }: Api, login: string, more: object = {}) =>
  anonymous.post('/password-resets', { login }, { headers: OWN, ...more })
const confirm = ({ anonymous }: Api, ticket: string, password = OTHER) =>
  anonymous.post('/password-resets/confirm', { ticket, password })
const told = ({ status, headers, text }: Answer) => {
  const { 'x-request-id': _, date: __, 'ratelimit-remaining': ___, ...others } = headers
  return { status, others, text }
}
/** Forgets the mails that wait. */
async function clear({ app }: Api) {
  for (const mail of await app.store.mails.due(100)) await app.store.mails.finish(mail, true)
}

t.test('who has forgotten the password is mailed a link that works once, for an hour', async (t) => {
  const api = await build(t, { fresh: true, env: MAIL })
  const { id } = await addPerson(api, 'marta', { email: 'marta@town.example', name: 'Marta' })
  const page = pageOf(await signIn(api, 'marta', GOOD))
  t.same((await ask(api, 'Marta')).body, { mails: true })
  const [first] = await mailsOf(api, 1)
  t.match(first, {
    recipient: 'marta@town.example',
    subject: 'A new password for Almanac',
    text: /^Hello Marta,\n/,
  })
  await ask(api, 'marta@TOWN.example', { headers: { ...OWN, 'accept-language': 'fr, es;q=0.8' } })
  const [, second] = await mailsOf(api, 2)
  t.equal(second!.subject, 'Una contraseña nueva para Almanac', 'in the language of the browser')
  t.equal(refusal(await confirm(api, ticketIn(first!))), GONE, 'a new one was asked for')
  t.match(await confirm(api, ticketIn(second!), 'short'), { status: 400 })
  t.equal((await api.anonymous.get('/session', undefined, page)).status, 200)

  const both = await Promise.all([confirm(api, ticketIn(second!)), confirm(api, ticketIn(second!))])
  const [done, other] = both.sort((a, b) => a.status - b.status)
  t.strictSame([done!.status, done!.body], [200, { login: 'marta' }])
  t.equal(refusal(other!), GONE, 'of two uses one counts')
  t.equal(done!.headers['set-cookie'], undefined, 'one signs in with the new password')
  t.equal(refusal(await api.anonymous.get('/session', undefined, page)), '401 invalid_token')
  t.equal(refusal(await confirm(api, ticketIn(second!))), GONE, 'it was used')
  t.equal((await signIn(api, 'marta', OTHER)).status, 201)
  t.match((await mailsOf(api, 3))[2], { subject: 'Your password for Almanac was changed' })

  await clear(api)
  await ask(api, 'marta')
  const late = ticketIn((await mailsOf(api, 1))[0]!)
  api.clock.now += HOUR
  t.equal(refusal(await confirm(api, late)), GONE, 'ended')
  const { entries } = await must(api.administrator.get('/audit?code=reset_asked,reset_done'))
  t.match(entries, [{ code: 'reset_asked' }, { code: 'reset_done', subject: { id } }, {}, {}])
})

t.test('nothing tells who there is, and nobody is mailed who can not sign in', async (t) => {
  const api = await build(t, { fresh: true, env: MAIL })
  await addPerson(api, 'marta', { email: 'marta@town.example' })
  await addPerson(api, 'pau')
  const { id } = await addPerson(api, 'disabled', { email: 'disabled@town.example' })
  await ask(api, 'disabled')
  const [before] = await mailsOf(api, 1)
  await clear(api)
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(refusal(await confirm(api, ticketIn(before!))), GONE)
  const unknown = told(await ask(api, 'nobody'))
  t.equal(unknown.status, 202)
  for (const login of ['disabled', 'disabled@town.example', 'pau', 'no login at all', 'marta'])
    t.strictSame(told(await ask(api, login)), unknown, login)
  t.match(await mailsOf(api, 1), [{ recipient: 'marta@town.example' }])
  await clear(api)
  for (let at = 0; at < 8; at++) await ask(api, 'marta')
  await addPerson(api, 'laia', { email: 'laia@town.example' })
  await ask(api, 'laia')
  const all = await mailsOf(api, 5)
  t.equal(all.filter(({ recipient }) => recipient === 'marta@town.example').length, 4, 'five an hour')
  for (let at = 0; at < 10; at++) await ask(api, 'nobody')
  t.equal(refusal(await ask(api, 'marta')), '429 rest_rate_limited')
  for (let at = 0; at < 300; at++) await confirm(api, 'x')
  t.equal(refusal(await confirm(api, 'x')), '429 rest_rate_limited')
})

t.test('a link goes to nobody who was disabled, and to no address that was left, meanwhile', async (t) => {
  const api = await build(t, { fresh: true, env: MAIL })
  const { people, users, mails } = api.app.store
  const { id } = await addPerson(api, 'marta', { email: 'marta@town.example' })
  const by = { origin: 'http', address: '10.0.0.1' } as const
  const letter = ({ email }: { email: string }) => ({ recipient: email, subject: 'x', text: 'x' })
  /** Asks for a link while a change of the user waits to be written. */
  const askWhile = async (change: { email?: string; disabled?: boolean }) => {
    const changed = users.update(id, change)
    const isMailed = await people.askReset('marta', by, letter, () => true)
    await changed
    return isMailed
  }
  t.equal(await askWhile({ email: 'marta@club.example' }), true)
  t.match(await mails.due(9), [{ recipient: 'marta@club.example' }])
  t.equal(await askWhile({ disabled: true }), false)
  t.equal((await mails.due(9)).length, 1)
})

t.test('without a server of mail nobody is mailed, and a failure is told to the log alone', async (t) => {
  const api = await build(t, { fresh: true })
  await addPerson(api, 'marta', { email: 'marta@town.example' })
  t.same((await ask(api, 'marta')).body, { mails: false })
  const asked = new Promise<void>((resolve) => {
    api.app.store.people.askReset = async () => {
      resolve()
      throw new Error('no disk')
    }
  })
  t.equal((await ask(api, 'marta')).status, 202)
  await asked
  t.same(await api.app.store.mails.due(9), [])
})
