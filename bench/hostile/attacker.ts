import { Agent, request } from 'node:http'
import { ATTACKS, type Sent } from './attacks.ts'

// One hostile client: attacker.ts <name> <root> <token>. It goes on until SIGTERM, and then tells how often it was answered what.
const [name, root, token] = process.argv.slice(2) as [string, string, string]
const attack = ATTACKS.find((one) => one.name === name)!
const { hostname, port, pathname } = new URL(root)
const agent = new Agent({ keepAlive: true, maxSockets: attack.connections })
const statuses: Record<string, number> = {}
let sent = 0

/** What it was answered, or how the connection ended. */
const send = ({ method, path, headers, body, withheld }: Sent) =>
  new Promise<string>((resolve) => {
    const length =
      body === undefined ? {} : { 'content-length': Buffer.byteLength(body) + (withheld ? 1 : 0) }
    const call = request({
      hostname,
      port,
      agent,
      method,
      path: pathname + path,
      headers: { ...headers, ...length },
    })
    call.on('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
    call.on('close', () => resolve('closed'))
    call.on('response', (answer) => {
      answer.resume().on('end', () => resolve(String(answer.statusCode)))
    })
    if (withheld) call.write(body)
    else call.end(body)
  })

async function goOn() {
  for (;;) {
    const status = await send(attack.request(++sent, token))
    statuses[status] = (statuses[status] ?? 0) + 1
  }
}

process.on('SIGTERM', () => process.send!({ sent, statuses }, () => process.exit(0)))
process.on('disconnect', () => process.exit(0))
for (let at = 0; at < attack.connections; at++) void goOn()
