import { setTimeout as pause } from 'node:timers/promises'
import type { Dice } from '../seed/random.ts'
import { beRefused, read } from './reads.ts'
import type { Kept, World } from './world.ts'
import { write } from './writes.ts'

/** What a client that hangs up may have written or not. */
export const TORN = 'Torn'

/** One client that reads, mostly, and writes; what it has written is in `events`. It goes on after a fault, which the client keeps. */
export async function mix(world: World, random: Dice, events: Kept[], until: () => boolean) {
  while (!until()) {
    const kind = random.below(100)
    const done =
      kind < 20
        ? write(world, random, events).then(() => world.writes++)
        : kind < 25
          ? beRefused(world, random)
          : read(world, random, events)
    await done.catch(() => {})
    await pause(random.below(10))
  }
}

/** One client that is slow, or hangs up in the middle. */
export async function dawdle({ client, token }: World, random: Dice, until: () => boolean) {
  const list = `GET ${client.pathname}/events?per_page=50 HTTP/1.1\r\n`
  const event = JSON.stringify({ title: TORN, start_date: '+1 day', end_date: '+1 day', status: 'draft' })
  const create = `POST ${client.pathname}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${event.length}\r\n\r\n`
  const half = event.length / 2
  while (!until()) {
    await random.of([
      () => client.sendSlowly([list, 'Host: a\r\n', 'Connection: close\r\n', '\r\n'], 300),
      () => client.sendSlowly([`${list}Host: a\r\n\r\n`], 0, 'answered'),
      () => client.sendSlowly([`${list}Host: a\r\n`], 50, 'sent'),
      () => client.sendSlowly([create, event.slice(0, half)], 20, 'sent'),
      () => client.sendSlowly([create, event], 0, 'sent'),
    ])()
    await pause(100)
  }
}
