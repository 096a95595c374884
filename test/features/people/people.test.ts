import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { addPerson, GOOD, MAIL, mailsOf, OTHER, pageOf, signIn } from '../../support/people.ts'

const invalid = (name: string) => `400 rest_invalid_param ${name}`

t.test('users have a name and an address, which administrators see', async (t) => {
  const api = await build(t)
  const { administrator } = api
  const marta = await must(
    administrator.post('/users', {
      login: 'marta',
      role: 'editor',
      name: ' Marta ',
      email: 'Marta@Town.example ',
    }),
  )
  t.match(marta, { name: 'Marta', email: 'marta@town.example', password: /./ })
  const path = `/users/${marta.id}`
  t.match((await administrator.get('/users')).body.users.at(-1), {
    name: 'Marta',
    email: 'marta@town.example',
  })
  for (const email of [
    'x',
    'a@b',
    'a b@town.example',
    'a@town.example, b@town.example',
    'a@town.example\nBcc: b',
    `a@${'x.'.repeat(130)}example`.slice(0, 250),
  ])
    t.equal(refusal(await administrator.patch(path, { email })), invalid('email'), email)
  t.equal(refusal(await administrator.patch(path, { name: 'x'.repeat(101) })), invalid('name'))
  const { id } = await must(administrator.post('/users', { login: 'pau@town.example', role: 'editor' }))
  for (const email of ['MARTA@town.example', 'Pau@town.example'])
    t.equal(
      refusal(await administrator.post('/users', { login: 'laia', role: 'editor', email })),
      invalid('email'),
      email,
    )
  t.equal(
    refusal(await administrator.patch(path, { email: 'pau@town.example' })),
    invalid('email'),
    'a login of another',
  )
  t.equal(
    (await administrator.patch(`/users/${id}`, { email: 'pau@town.example' })).status,
    200,
    'the own login',
  )
  t.equal(
    refusal(await administrator.post('/users', { login: 'marta@town.example', role: 'editor' })),
    invalid('login'),
  )
  await t.rejects(api.app.store.users.update(id, { name: 'x'.repeat(101) }), { code: 'rest_invalid_param' })

  t.match(await must(administrator.patch(path, { name: null, email: null })), {
    name: 'Marta',
    email: 'marta@town.example',
  })
  const { name, email } = await must(administrator.patch(path, { name: '', email: '' }))
  t.same([name, email], [undefined, undefined])
  const { entries } = await must(administrator.get('/audit?code=user_changed&per_page=1'))
  t.match(entries, [{ details: { name: 'Marta → –', email: 'marta@town.example → –' } }])
})

t.test('a person reads and changes the own name and address, and nothing else', async (t) => {
  const api = await build(t, { env: MAIL })
  const { id } = await addPerson(api, 'marta', { email: 'marta@town.example' })
  const page = pageOf(await signIn(api, 'marta', GOOD))
  const own = `/users/${id}`
  const patch = (body: object) => api.anonymous.patch(own, body, page)
  t.match((await api.anonymous.get(own, undefined, page)).body, {
    login: 'marta',
    email: 'marta@town.example',
  })
  t.equal(refusal(await api.anonymous.get('/users', undefined, page)), '403 rest_forbidden')
  for (const body of [{ role: 'administrator' }, { disabled: false }, { name: 'M', role: 'editor' }])
    t.equal(refusal(await patch(body)), '403 rest_forbidden')
  t.equal(refusal(await api.anonymous.patch('/users/1', { name: 'x' }, page)), '403 rest_forbidden')
  t.match((await patch({ name: 'Marta', role: null, email: 'marta@club.example' })).body, {
    name: 'Marta',
    email: 'marta@club.example',
  })
  t.match(await mailsOf(api, 1), [
    { recipient: 'marta@town.example', subject: 'Your address at Almanac was changed' },
  ])
  t.match((await api.anonymous.get('/session', undefined, page)).body, { name: 'Marta' })
  const pau = await addPerson(api, 'pau')
  await must(api.administrator.patch(`/users/${pau.id}`, { email: 'pau@town.example' }))
  t.equal((await api.app.store.mails.due(9)).length, 1, 'there was no address before')
  api.clock.now += 11 * 60_000
  t.equal(refusal(await patch({ email: 'm@club.example' })), '401 insufficient_user_authentication')
  t.equal((await patch({ name: 'M', email: 'Marta@club.example' })).status, 200, 'it stays as it is')
  t.equal((await must(api.administrator.get(own))).name, 'M')
  t.equal((await signIn(api, 'marta', OTHER)).status, 401)
})

t.test('sessions of people are no tokens of programs', async (t) => {
  const api = await build(t)
  const { signIn: way } = await addPerson(api, 'marta')
  await signIn(api, 'marta', GOOD)
  const { tokens } = await must(api.administrator.get('/tokens?per_page=50'))
  t.match(tokens.at(-1), { name: 'Session', sign_in: way })
})
