import t from 'tap'
import { undelivered } from '../../desk/rules/problems.ts'
import { outcomeOf } from '../../src/features/webhooks/signed-messages.ts'
import { refusalOf } from '../../src/features/webhooks/store.ts'
import { post } from '../../src/kernel/outbound/requests.ts'
import { answer, openReceiver } from '../support/receiver.ts'

const answered = (status: number) =>
  undelivered(outcomeOf({ status, retryAfter: undefined, text: '' }, 0, 1).error!)

async function send(address: string, timeoutMs = 15_000) {
  const message = { headers: {}, body: Buffer.from('{}'), allow: ['127.0.0.1'], timeoutMs }
  const sent = await post(new URL(address), message)
  return 'failure' in sent && undelivered(sent.failure)
}

t.test('why a message was not taken is told in words of the desk', async (t) => {
  t.match(answered(410), { word: 'hook_gone' })
  t.match(answered(301), { word: 'hook_redirects' })
  t.match(answered(500), { word: 'hook_refused', values: { code: '500' } })
  const receiver = await openReceiver(t, () => {})
  t.match(await send(receiver.url, 50), { word: 'hook_silent', values: { seconds: '0.05' } })
  receiver.behaviour = answer(204)
  t.notOk(await send(receiver.url))
  await receiver.close()
  t.match(await send(receiver.url), { word: 'hook_unreachable', values: { code: 'ECONNREFUSED' } })
  t.match(await send('http://10.0.0.1/'), { word: 'hook_not_allowed' })
  t.match(undelivered('The server closed the connection without an answer.'), { word: 'hook_broken_off' })
  t.match(undelivered('The service stopped before the server had answered.'), { word: 'hook_cut_off' })
  t.equal(undelivered('Something else'), undefined)
})

t.test('why a webhook is paused is told in words of the desk', async (t) => {
  const filters = { status: 'any' } as never
  for (const owner_id of [1, null])
    t.match(undelivered(refusalOf({ owner_id, filters }, undefined)!), { word: 'hook_ownerless' })
})
