import { Agent, request } from 'node:http'
import { type Asks, HOSTILE_ADDRESS, type Sent, type Statuses } from './attack.ts'

/** Sends requests until the process ends, from `begins` on, and counts in `statuses` what they were answered. */
export async function ask(attack: Asks, root: string, token: string, statuses: Statuses, begins: () => void) {
  const { next_sync_token: since } = (await (await fetch(`${root}/changes?per_page=1`)).json()) as {
    next_sync_token: string
  }
  const prepared = await attack.prepare?.(root)
  begins()
  const { hostname, port, pathname } = new URL(root)
  const agent = new Agent({ keepAlive: true, maxSockets: attack.connections })
  let sent = 0

  /** What it was answered, or how the connection ended. */
  const send = ({ method, path, headers, body, withheld, leaves }: Sent) =>
    new Promise<string>((resolve) => {
      const length =
        body === undefined ? {} : { 'content-length': Buffer.byteLength(body) + (withheld ? 1 : 0) }
      const call = request({
        ...{ hostname, port, method },
        agent: leaves === undefined ? agent : false,
        localAddress: HOSTILE_ADDRESS,
        path: path.startsWith('//') ? path.slice(1) : pathname + path,
        headers: { ...headers, ...length },
      })
      call.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
      call.on('close', () => resolve('closed'))
      call.on('response', (answer) => {
        answer.resume().on('end', () => resolve(String(answer.statusCode)))
        answer.on('error', () => {}) // the call tells
        if (answer.headers['content-type'] !== 'text/event-stream') return
        answer.once('data', () => {
          resolve(String(answer.statusCode))
          call.destroy()
        })
      })
      if (leaves !== undefined)
        setTimeout(() => {
          resolve('left')
          call.destroy()
        }, leaves)
      if (withheld) call.write(body)
      else call.end(body)
    })

  async function goOn() {
    for (;;) {
      const status = await send(await attack.request(++sent, token, since, prepared, root))
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  for (let at = 0; at < attack.connections; at++) void goOn()
}
