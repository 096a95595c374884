import { toWall } from '../../src/kernel/time/dates.ts'
import type { Dice } from '../seed/random.ts'
import type { Client } from './client.ts'

/** An event as its last write left it; a scheduled one is published for whoever waits. */
export type Kept = {
  id: number
  title: string
  status: 'publish' | 'draft' | 'trash'
  /** When everyone sees it, in Unix milliseconds. */
  due: number
  category: number
  tag: number
  venue: number
}
export type World = {
  client: Client
  token: string
  categories: number[]
  tags: number[]
  venues: number[]
  /** ETags by address, to be asked with. */
  known: Map<string, string>
  writes: number
}

const DAY = 86_400_000
export const WORDS = ['concert', 'jazz', 'theatre', 'market', 'reading', 'walk', 'film', 'circus', 'opera', 'workshop', 'dance', 'quiz', 'lecture', 'fair', 'brass', 'puppets'] // biome-ignore format: one list

/** Makes what events point to. */
export async function prepare(client: Client, token: string): Promise<World> {
  const make = async (path: string, name: string, most: number) => {
    const ids: number[] = []
    for (let at = 0; at < most; at++) {
      const body = {
        [name]: `${WORDS[at % WORDS.length]} ${path.slice(1)} ${at}`,
        description: 'x'.repeat(200),
      }
      ids.push((await client.send({ method: 'POST', path, token, body, right: [201] })).body.id)
    }
    return ids
  }
  return {
    client,
    token,
    categories: await make('/categories', 'name', 20),
    tags: await make('/tags', 'name', 50),
    venues: await make('/venues', 'venue', 40),
    known: new Map(),
    writes: 0,
  }
}

export const dayOf = (random: Dice) => toWall(Date.now() + (random.below(600) - 200) * DAY, 'UTC')
export const words = (random: Dice, most: number) =>
  Array.from({ length: 1 + random.below(most) }, () => random.of(WORDS)).join(' ')
