import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Test } from 'tap'

/** Ports that a process has for itself. */
const BLOCK = 50
const LOWEST = 10_000

/** The first port that the kernel may give to any connection. */
function firstOfKernel(): number {
  try {
    const first = parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
    return first < LOWEST + 2 * BLOCK ? 32_768 : first
  } catch {
    return 32_768 // another system has its own above
  }
}

/** Listens at a port of all addresses; nothing where it is taken. */
async function take(port: number) {
  const server = createServer().listen(port)
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  )
}

/** The first port of a block, at which this process listens as long as it lives, so that no other one has the block. */
async function takeBlock(): Promise<number> {
  const blocks = Math.floor((firstOfKernel() - LOWEST) / BLOCK)
  for (let at = 0; at < blocks; at++) {
    const first = LOWEST + ((process.pid + at) % blocks) * BLOCK
    const server = await take(first)
    if (!server) continue
    server.unref()
    return first
  }
  throw new Error(`All ports from ${LOWEST} on are taken.`)
}

let block: Promise<number> | undefined
let given = 0

/** A port at which nothing listens. No connection and no other process of the tests takes it until it is listened at. */
export async function freePort(): Promise<number> {
  block ??= takeBlock()
  const first = await block
  for (let left = BLOCK; left > 0; left--) {
    const port = first + 1 + (given++ % (BLOCK - 1))
    const server = await take(port)
    if (!server) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`All ports from ${first} to ${first + BLOCK - 1} are taken.`)
}

/** Has a server listen at a port of this machine until the test has ended, which cuts its connections; gives the port. */
export async function listenOn(
  t: Pick<Test, 'teardown'>,
  server: Server,
  host = '127.0.0.1',
): Promise<number> {
  await once(server.listen(0, host), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Whether something takes connections at a port of this machine. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isTaken = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isTaken
}
