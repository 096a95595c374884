import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { tell } from './child.ts'
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
  const one = ({ path, method = 'GET', headers, body = '' }: Request) =>
    new Promise<void>((resolve, reject) => {
      const from = performance.now()
      const length = Buffer.byteLength(body)
      const call = request(url + path, { agent, method, headers: { ...headers, 'content-length': length } })
      call.on('error', reject)
      call.on('response', (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => (text += chunk))
        answer.on('end', () => {
          waits.push(performance.now() - from)
          if (answer.statusCode! >= 400) failures++
          const id = /"id":(\d+)/.exec(text)?.[1]
          if (id) ids.push(Number(id))
          resolve()
        })
      })
      call.end(body)
    })
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
  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!
  const client = (user + system) / requests.length
  return { rate: requests.length / seconds, p50: at(0.5), p99: at(0.99), failures, client, ids }
}

process.on('message', (message) => void send(message as Sending).then(tell))
tell({ port: 0 })
