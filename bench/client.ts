import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { tell } from './child.ts'
import { percentile } from './figures.ts'
import { ask } from './http.ts'
import type { Figures, Request } from './load.ts'

// A client that sends each of its requests once over so many connections: for writes, which can not be sent twice.

/** With a pace in requests a second, none is sent before its time. */
export type Sending = { url: string; requests: Request[]; connections: number; pace?: number }
export type Sent = Omit<Figures, 'cpu'> & {
  /** Of the records that were answered. */
  ids: number[]
}

async function send({ url, requests, connections, pace }: Sending): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const waits: number[] = []
  const ids: number[] = []
  let failures = 0
  const { hostname, port } = new URL(url)
  const one = async (call: Request) => {
    const { status, bytes, milliseconds } = await ask(agent, { hostname, port }, call)
    waits.push(milliseconds)
    if (status >= 400) failures++
    const id = /"id":(\d+)/.exec(bytes.toString())?.[1]
    if (id) ids.push(Number(id))
  }
  const left = requests.toReversed()
  const lane = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const due = pace ? began + ((requests.length - left.length - 1) / pace) * 1_000 : 0
      if (due > performance.now()) await sleep(due - performance.now())
      await one(next)
    }
  }
  const used = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: connections }, lane))
  const seconds = (performance.now() - began) / 1_000
  const { user, system } = process.cpuUsage(used)
  agent.destroy()
  const client = (user + system) / requests.length
  return {
    ...{ rate: requests.length / seconds, failures, client, ids },
    ...{ p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) },
  }
}

process.on('message', (message) => void send(message as Sending).then(tell))
tell({ port: 0 })
