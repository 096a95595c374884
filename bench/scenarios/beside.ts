import type { Sending, Sent } from '../client.ts'
import { type Figures, load, middle, type Request, warm } from '../load.ts'
import { CLIENT, type Server, startScript } from '../process.ts'
import { byRate } from '../results.ts'
import { openRandom } from '../seed/random.ts'
import { dates, distinct } from './lists.ts'
import { searchesOf } from './search.ts'
import { CONNECTIONS, type Reading, ROOT } from './world.ts'

export const BESIDE = 'list, other dates, beside 5 % searches'

/** Of all requests. */
const SHARE = 0.05
/** Searches of all kinds that the share is made of. */
const KINDS = [
  'search, rare word',
  'search, word in 1 to 5 %',
  'search, word in 20 to 60 %',
  'search, two letters',
]

/**
 * Lists beside searches and the same lists alone, in turn; only the lists are timed. How many searches belong to the lists is known only when
 * these are answered: each round sends as many as belonged to the one before.
 */
export async function measureBeside(world: Reading) {
  if (!BESIDE.includes(world.only)) return
  const { data, rounds, seconds, server, add } = world
  const client = await startScript('client.ts', {}, CLIENT)
  const { requests } = distinct(BESIDE, (random) => `/events?${dates(random)}`)
  const kinds = searchesOf(data.events).filter(({ name }) => KINDS.includes(name))
  const random = openRandom(data.events)
  let sent = 0
  const search = (): Request => {
    const { pathOf } = kinds[sent++ % kinds.length]!
    return { path: `${ROOT}${pathOf(random)}&x=beside-${sent}` }
  }
  const shape = { connections: CONNECTIONS, seconds }
  await warm(server, requests(0), shape)
  let rate = (await load(server, requests(0), shape)).rate
  const figures: Figures[] = []
  const alone: Figures[] = []
  // round 0 finds how many lists are answered beside searches
  for (let round = 0; round <= rounds; round++) {
    const pace = (rate * SHARE) / (1 - SHARE)
    const searches = Array.from({ length: Math.max(1, Math.round(pace * seconds)) }, search)
    const [measured, told] = await Promise.all([
      load(server, requests(round), shape),
      client.ask<Sent>({ ...sending(server, searches), pace }),
    ])
    rate = measured.rate
    const baseline = await load(server, requests(round), shape)
    if (round === 0) continue
    figures.push({ ...measured, failures: measured.failures + told.failures })
    alone.push(baseline)
  }
  await client.stop()
  const [own, baseline] = [middle(figures), middle(alone)]
  add({
    ...{ group: 'mixed', scenario: BESIDE, connections: CONNECTIONS, bytes: 0, against: 'the lists alone' },
    ...{ ...own, baseline, ...byRate(own, baseline) },
  })
}

const sending = ({ url }: Server, requests: Request[]): Sending => ({
  ...{ url, requests },
  connections: CONNECTIONS,
})
