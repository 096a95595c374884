import { Agent } from 'node:http'
import type { DataSet } from '../data.ts'
import { percentile } from '../figures.ts'
import { type Call, ask as sendCall } from '../http.ts'
import type { Server } from '../process.ts'
import { ROOT } from '../scenarios/world.ts'
import { even, openRandom, type Random } from '../seed/random.ts'
import { vocabularyOf } from '../seed/vocabulary.ts'
import { HOSTILE_ADDRESS } from './attack.ts'

/** Milliseconds between two requests, whatever became of those before; and for how long one is waited for. */
const EVERY = 25
const PATIENCE = 15_000
/** Words that are searched for: the frequent ones. */
const WORDS = 500

/** What a client has waited for, in milliseconds; one that was not answered in time has waited for all of it. */
export type Waits = {
  p50: number
  p95: number
  p99: number
  most: number
  requests: number
  failures: number
}

/** A client as there are many: lists, single events, searches, and a change now and then. With `shared` it comes from the address of the hostile one. */
export function openNormal(
  { url }: Server,
  { events, venues, organizers }: DataSet,
  token: string,
  shared?: Record<string, string>,
) {
  const from = shared && { localAddress: HOSTILE_ADDRESS }
  const { hostname, port } = new URL(url)
  const random = openRandom(events)
  const vocabulary = vocabularyOf(openRandom(events))
  const id = () => venues + organizers + 1 + even(random, events)

  function ask(): Call {
    const kind = even(random, 100)
    if (kind < 40) return { method: 'GET', path: `/events?${filterOf(random)}` }
    if (kind < 75) return { method: 'GET', path: `/events/${id()}` }
    if (kind < 95)
      return { method: 'GET', path: `/events?search=${encodeURIComponent(vocabulary[even(random, WORDS)]!)}` }
    return {
      method: 'PATCH',
      path: `/events/${id()}`,
      body: JSON.stringify({ cost: String(even(random, 90)) }),
    }
  }

  /** Sends one; gives whether it was answered as it should be. */
  const send = (agent: Agent, { path, body, ...call }: Call) => {
    const written = body && { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const sent = { ...call, path: ROOT + path, headers: { ...shared, ...written }, ...(body && { body }) }
    return sendCall(agent, { hostname, port, ...from }, sent, PATIENCE).then(
      ({ status }) => status === 200,
      () => false,
    )
  }

  return {
    /**
     * Asks at a steady pace for some seconds, and waits for what is under way. Time counts from when a request should have
     * been sent, so that a service that stands still is not asked less.
     */
    async measure(seconds: number): Promise<Waits> {
      const agent = new Agent({ keepAlive: true })
      const waits: number[] = []
      let failures = 0
      const began = performance.now()
      const underWay: Promise<void>[] = []
      for (let planned = began; planned < began + seconds * 1_000; planned += EVERY) {
        await new Promise((resolve) => setTimeout(resolve, planned - performance.now()))
        underWay.push(
          send(agent, ask()).then((right) => {
            waits.push(performance.now() - planned)
            if (!right) failures++
          }),
        )
      }
      await Promise.all(underWay)
      agent.destroy()
      const at = (part: number) => percentile(waits, part)
      return {
        ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) },
        ...{ requests: waits.length, failures },
      }
    },
  }
}

const filterOf = (random: Random) =>
  [
    `page=${1 + even(random, 40)}`,
    `categories=${1 + even(random, 40)}`,
    `tags=${41 + even(random, 300)}`,
    `per_page=${10 + even(random, 40)}&page=${1 + even(random, 9)}`,
  ][even(random, 4)]!
