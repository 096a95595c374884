import t from 'tap'
import { refusal } from './support/answers.ts'
import { type Api, build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

const LOCKED = '403 event-password-protected'
const addLocked = (api: Api, title: string, password: string) =>
  must(api.editor.post('/events', { ...EVENT, title, password, description: 'secret' }))
const read = async ({ anonymous }: Api, id: number, password: string, remoteAddress = '192.0.2.1') => {
  const answer = await anonymous.get(`/events/${id}?password=${password}`, undefined, { remoteAddress })
  return answer.status === 200 ? 200 : refusal(answer)
}

t.test('wrong passwords of events are 60 a minute from one address', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'right')
  t.equal(await read(api, id, 'right'), 200)
  await addLocked(api, 'Two', 'other')
  const both = await api.anonymous.get('/events?password=neither', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(both.body.events.length, 2, 'a list counts once')
  for (let n = 0; n < 59; n++) t.equal(await read(api, id, `guess${n}`), LOCKED)
  const refused = await api.anonymous.get(`/events/${id}?password=more`, undefined, {
    remoteAddress: '192.0.2.1',
  })
  t.match(refused, { status: 429, body: { code: 'rest_rate_limited' }, headers: { 'retry-after': /^\d+$/ } })
  const list = await api.anonymous.get('/events?password=more', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(list.status, 429, 'lists count with single reads')
  t.equal(await read(api, id, 'right'), 200, 'what opened before still opens')
  t.equal(await read(api, id, 'right', '192.0.2.2'), 200, 'and other addresses may try')
  t.equal(await read(api, id, 'wrong', '192.0.2.2'), LOCKED)
  const { status } = await api.anonymous.get('/events', undefined, { remoteAddress: '192.0.2.1' })
  t.equal(status, 200, 'reads without a password go on')
  await must(api.editor.get(`/events/${id}?password=wrong`, undefined, { remoteAddress: '192.0.2.1' }))
  const wrong = { authorization: `Basic ${btoa('nobody:wrong')}` }
  const login = await api.anonymous.get('/events', undefined, { remoteAddress: '192.0.2.1', headers: wrong })
  t.equal(login.status, 401, 'failed logins are counted apart')
})

t.test('guesses at the same moment are not worked out more often than one by one', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'right')
  const seen: Record<string, number> = {}
  for (let round = 0; round < 4; round++)
    for (const answer of await Promise.all(
      Array.from({ length: 25 }, (_, n) => read(api, id, `${round}-${n}`)),
    ))
      seen[answer] = (seen[answer] ?? 0) + 1
  t.same(seen, { [LOCKED]: 60, '429 rest_rate_limited': 40 })
})

t.test('a list tries a password for five events, and those that it opened stay open', async (t) => {
  const api = await build(t)
  for (let n = 0; n < 7; n++) await addLocked(api, `Event ${n}`, 'shared')
  const open = async () =>
    (await api.anonymous.get('/events?password=shared')).body.events.map(
      ({ description }: { description: string }) => description !== '',
    )
  t.same(await open(), [true, true, true, true, true, false, false])
  t.same(await open(), Array(7).fill(true))
  const ids: number[] = (await api.anonymous.get('/events')).body.events.map(({ id }: { id: number }) => id)
  await must(api.editor.patch(`/events/${ids[0]}`, { password: 'changed' }))
  t.same(await open(), [false, ...Array(6).fill(true)], 'a password that was changed opens nothing')
})

t.test('too many guesses of many addresses are 503, and logins do not wait behind them', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'right')
  const { password } = await must(api.administrator.post('/users', { login: 'maria', role: 'editor' }))
  const order: string[] = []
  const guesses = Array.from({ length: 60 }, async (_, n) => {
    const answer = await read(api, id, `guess${n}`, `192.0.2.${n}`)
    order.push(String(answer))
    return answer
  })
  const headers = { authorization: `Basic ${btoa(`maria:${password}`)}` }
  const login = api.anonymous.get('/events', undefined, { headers }).then(({ status }) => {
    order.push(`login ${status}`)
  })
  const answers = await Promise.all(guesses)
  await login
  t.equal(answers.filter((answer) => answer === LOCKED).length, 31, 'one at a time and thirty that wait')
  t.equal(answers.filter((answer) => answer === '503 rest_overloaded').length, 29)
  t.ok(order.indexOf('login 200') < order.lastIndexOf(LOCKED), 'the login was answered before the last guess')
  const { headers: told } = await api.anonymous.get(`/events/${id}?password=right`)
  t.equal(told['retry-after'], undefined, 'and then there is room again')
})

t.test('a password has no control characters, and none is overlooked', async (t) => {
  const api = await build(t)
  const { id } = await addLocked(api, 'One', 'hunter2')
  for (const odd of ['hunter2%00', 'hunter2%00%00', '%00hunter2', 'hunter2%0A', 'hunter2%09'])
    t.equal(await read(api, id, odd), LOCKED, odd)
  t.equal(await read(api, id, 'hunter2'), 200)
  const before = await api.fingerprint()
  for (const password of ['a\0', 'a\nb', '\t', 'a\u0085', 'a\ud800']) {
    const said = JSON.stringify(password)
    t.equal(
      refusal(await api.editor.patch(`/events/${id}`, { password })),
      '400 rest_invalid_param password',
      said,
    )
    const created = await api.editor.post('/events', { ...EVENT, password })
    t.equal(refusal(created), '400 rest_invalid_param password', said)
  }
  t.equal(await api.fingerprint(), before)
  t.equal(await read(api, id, 'hunter2'), 200)
})
