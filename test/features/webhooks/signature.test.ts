import { createHmac } from 'node:crypto'
import t from 'tap'
import {
  delayAfter,
  isSecret,
  makeSecret,
  readRetryAfter,
  restAfter,
  secretsOf,
  signed,
} from '../../../src/features/webhooks/signed-messages.ts'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { addHook, buildHooks, openReceiver, verify } from '../../support/receiver.ts'

const DAY = 86_400_000
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`

t.test('secrets have a prefix and 24 to 64 bytes in base64', async (t) => {
  for (const secret of [makeSecret(), secretOf(24), secretOf(25), secretOf(64)])
    t.ok(isSecret(secret), secret)
  for (const secret of [
    ...['', 'whsec_', secretOf(23), secretOf(65), secretOf(24).slice(6), `${secretOf(24)} `],
    ...[secretOf(25).replace('==', ''), 'whsec_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_'],
  ])
    t.notOk(isSecret(secret), secret)
  t.not(makeSecret(), makeSecret())
})

t.test('what is signed is the ID, the time and the body', async (t) => {
  const body = Buffer.from('{"test": 2432232314}')
  const headers = signed('msg_1', 1614265330, body, [secretOf(24), secretOf(32)])
  const by = (bytes: number) =>
    createHmac('sha256', Buffer.alloc(bytes, 7))
      .update('msg_1.1614265330.{"test": 2432232314}')
      .digest('base64')
  t.same(headers, {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1614265330',
    'webhook-signature': `v1,${by(24)} v1,${by(32)}`,
  })
})

t.test('the secret before is used until its time has come', async (t) => {
  const hook = { secret: 'new', previous_secret: 'old', previous_until_utc: '2026-11-22 09:00:00' }
  t.same(secretsOf(hook, '2026-11-22 08:59:59'), ['new', 'old'])
  t.same(secretsOf(hook, '2026-11-22 09:00:00'), ['new'])
  t.same(secretsOf({ secret: 'new', previous_secret: null, previous_until_utc: null }, '2026'), ['new'])
})

t.test('delays grow, and differ by a fifth', async (t) => {
  t.same(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 50].map((attempts) => delayAfter(attempts, 0.5) / 1_000),
    [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 14_400, 14_400],
  )
  t.same([delayAfter(1, 0), delayAfter(1, 1)], [4_000, 6_000])
  t.same(
    [1, 4, 5, 6, 11, 12, 99].map((failures) => restAfter(failures) / 1_000),
    [0, 0, 5, 10, 320, 600, 600],
  )
})

t.test('Retry-After is seconds or a date, at most a day', async (t) => {
  const now = Date.parse('2026-11-21T09:00:00Z')
  for (const [text, expected] of [
    [undefined, 0],
    ['', 0],
    ['soon', 0],
    ['-5', 0],
    ['0', 0],
    ['120', 120_000],
    ['999999999', DAY],
    ['Sat, 21 Nov 2026 09:01:00 GMT', 60_000],
    ['Sat, 21 Nov 2026 08:59:00 GMT', 0],
  ] as const)
    t.equal(readRetryAfter(text, now), expected, String(text))
})

t.test('a secret is shown once, and after a rotation both sign for a day', async (t) => {
  const api = await buildHooks(t)
  const receiver = await openReceiver(t)
  const own = secretOf(40)
  const hook = await addHook(api, receiver, { secret: own })
  t.equal(hook.secret, own)
  const { administrator } = api
  const path = `/webhooks/${hook.id}`
  const next = await must(administrator.post(`${path}/secret`, {}))
  t.same(Object.keys(next), ['secret', 'previous_until_utc'])
  t.equal(next.previous_until_utc, '2026-11-22 09:00:00')
  t.ok(isSecret(next.secret))
  for (const shown of [
    await administrator.get('/webhooks'),
    await administrator.get(path),
    await administrator.patch(path, { description: 'Mirror' }),
  ])
    t.notMatch(shown.text, /whsec_/)
  const send = async () => {
    receiver.got.length = 0
    await must(api.editor.post('/events', EVENT))
    await api.app.hooks.drain()
    return receiver.got[0]!
  }
  const both = await send()
  for (const secret of [own, next.secret]) t.ok(verify(both, secret, api.clock.now))
  t.throws(() => verify(both, makeSecret(), api.clock.now))
  t.throws(() => verify({ ...both, text: `${both.text} ` }, own, api.clock.now), 'a changed body')
  t.throws(() => verify(both, own, api.clock.now + 600_000), 'an old message')
  api.clock.now += DAY
  const after = await send()
  t.ok(verify(after, next.secret, api.clock.now))
  t.throws(() => verify(after, own, api.clock.now))
  const given = secretOf(30)
  t.equal((await must(administrator.post(`${path}/secret`, { secret: given }))).secret, given)
  t.ok(verify(await send(), next.secret, api.clock.now), 'the one before, not the one before that')
})
