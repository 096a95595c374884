import { copyData } from '../data.ts'
import { type Figures, load, middle, warm } from '../load.ts'
import { BOTH, type Server, startProgram } from '../process.ts'
import { byRate } from '../results.ts'
import { dates, distinct } from './lists.ts'
import { CONNECTIONS, type World } from './world.ts'

const NAME = 'list, other dates, WORKERS=2'

/**
 * Two processes beside one, on uncached lists, of the program as people start it. All cores are open to both and to the
 * client, which takes its share from them: two processes can not be twice as fast.
 */
export async function measureWorkers({ data, rounds, seconds, only, add }: World) {
  if (!NAME.includes(only)) return
  const { requests } = distinct(NAME, (random) => `/events?${dates(random)}`)
  const shape = { connections: CONNECTIONS, seconds, cores: BOTH }
  const copy = copyData(data) // one service has a database
  const [one, two] = [
    await startProgram({ DATABASE: data.file, MAX_DELAY: '0', WORKERS: '1' }, BOTH),
    await startProgram({ DATABASE: copy.file, MAX_DELAY: '0', WORKERS: '2' }, BOTH),
  ]
  const found: [Server, Figures[]][] = [
    [one, []],
    [two, []],
  ]
  for (const [server] of found) await warm(server, requests(0), shape)
  for (let round = 1; round <= rounds; round++)
    for (const [server, rounds] of found) rounds.push(await load(server, requests(round), shape))
  const [baseline, figures] = found.map(([, rounds]) => middle(rounds)) as [Figures, Figures]
  await one.stop()
  await two.stop()
  copy.remove()
  add({
    ...{ group: 'processes', scenario: NAME, connections: CONNECTIONS, bytes: 0, against: 'one process' },
    ...{ ...figures, baseline, ...byRate(figures, baseline) },
    possible: possible(baseline),
  })
}

/** One process and the client have a core each; two processes and the client share two. */
const possible = ({ cpu, client }: Figures) => (2 * cpu) / (cpu + client)
