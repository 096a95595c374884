import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { must } from './answers.ts'
import { type Api, build } from './app.ts'

/** What a receiver got: its ID, the members of the message, and whether the signature holds is checked by `verify`. */
// biome-ignore lint/suspicious/noExplicitAny: messages are what the tests are about
export type Got = { id: string; type: string; data: any; headers: Record<string, string>; text: string }
type Behaviour = (got: Got, response: ServerResponse) => unknown

export const accept: Behaviour = (_got, response) => response.writeHead(204).end()
export const answer =
  (status: number, headers: Record<string, string> = {}, text = ''): Behaviour =>
  (_got, response) =>
    response.writeHead(status, headers).end(text)

/** A receiver of webhooks: what it got, and how it answers, which may change. */
export async function openReceiver(t: Pick<Test, 'teardown'>, behaviour: Behaviour = accept) {
  const receiver = { behaviour, got: [] as Got[], url: '', port: 0, close: () => Promise.resolve() }
  const sockets = new Set<Socket>()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const headers = request.headers as Record<string, string>
    const { type, data } = JSON.parse(text)
    const got = { id: headers['webhook-id']!, type, data, headers, text }
    receiver.got.push(got)
    receiver.behaviour(got, response)
  }).on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`
  receiver.close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(receiver.close)
  return receiver
}
export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** Throws unless a message was signed with this secret, by the program that the convention gives. */
export function verify({ headers, text }: Got, secret: string, now: number) {
  const wall = Date.now
  Date.now = () => now
  try {
    return new Webhook(secret).verify(text, headers)
  } finally {
    Date.now = wall
  }
}

/** A service that may send to this machine. */
export const buildHooks = (t: Test, env: Record<string, string> = {}) =>
  build(t, { fresh: true, env: { DOWNLOAD_ALLOW: '127.0.0.1', ...env } })

type Hook = { id: number; secret: string; state: Record<string, unknown> }
/** A webhook to a receiver. */
export const addHook = (api: Api, { url }: { url: string }, more: object = {}): Promise<Hook> =>
  must(api.administrator.post('/webhooks', { url, ...more }))
/** A webhook as it is shown. */
export const hookOf = (api: Api, { id }: { id: number }) => must(api.administrator.get(`/webhooks/${id}`))
/** The deliveries of a webhook, the latest first. */
export const deliveriesOf = async (api: Api, { id }: { id: number }, query = '') =>
  (await must(api.administrator.get(`/webhooks/${id}/deliveries?per_page=50${query}`))).deliveries
