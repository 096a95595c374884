import { Agent } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../http.ts'

type Call = {
  method?: string
  path: string
  token?: string | undefined
  headers?: Record<string, string>
  body?: object | Buffer
  /** Statuses that are right. */
  right?: number[]
}
// biome-ignore lint/suspicious/noExplicitAny: bodies of any operation
export type Told = { status: number; etag: string; body: any }

/** Sends requests to one address, keeps what they were answered by status, and what should not have been. */
export function openClient(root: string) {
  const { hostname, port, pathname } = new URL(root)
  const agent = new Agent({ keepAlive: true })
  const statuses: Record<string, number> = {}
  const faults: string[] = []
  const count = (status: number | string) => {
    statuses[status] = (statuses[status] ?? 0) + 1
  }

  /** Rejects where there is no answer, or one of another status than is right. */
  async function send({ method = 'GET', path, token, headers, body, right = [200] }: Call): Promise<Told> {
    const fail = (what: string) => {
      faults.push(`${method} ${path}: ${what}`)
      return new Error(faults.at(-1))
    }
    const bytes = Buffer.isBuffer(body) ? body : body && Buffer.from(JSON.stringify(body))
    const sent = {
      ...{ method, path: pathname + path, ...(bytes && { body: bytes }) },
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(bytes && { 'content-type': 'application/json' }),
        ...headers,
      },
    }
    const answer = await ask(agent, { hostname, port }, sent).catch(({ message }: Error) => {
      throw fail(message)
    })
    const { status, headers: given } = answer
    const text = answer.bytes.toString()
    count(status)
    if (!right.includes(status)) throw fail(`${status} instead of ${right}: ${text.slice(0, 500)}`)
    return { status, etag: given.etag ?? '', body: text === '' ? null : JSON.parse(text) }
  }

  /**
   * Sends the pieces of a request with `milliseconds` between them, on a connection of its own, and reads as slowly;
   * hangs up after the last one, or at the first byte of the answer, where that is wanted.
   */
  const sendSlowly = (pieces: string[], milliseconds: number, hangUp?: 'sent' | 'answered') =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        text += chunk
        if (hangUp) return socket.destroy()
        socket.pause()
        setTimeout(() => socket.resume(), milliseconds)
      })
      socket.on('close', () => {
        const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
        count(hangUp ? 'hung up' : `slow ${status}`)
        if (status !== '200' && (!hangUp || status?.startsWith('5')))
          faults.push(`a slow client was answered ${status}: ${pieces[0]}`)
        resolve()
      })
      socket.on('connect', async () => {
        for (const piece of pieces) {
          if (!socket.writable) return
          socket.write(piece)
          await pause(milliseconds)
        }
        if (hangUp === 'sent') socket.destroy()
      })
    })

  return { pathname, send, sendSlowly, statuses, faults, close: () => agent.destroy() }
}
export type Client = ReturnType<typeof openClient>
