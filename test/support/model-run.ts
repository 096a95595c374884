import { checkTables, compareRead, openWorld, send } from './model.ts'
import { expected } from './model-lists.ts'
import { type Model, moveClock, openModel, READERS, readOf, write } from './model-requests.ts'

export type Report = { writes: number; done: number; reads: number; checks: number }

/** Reads through the caches of an application, and throws where it does not answer what is right. */
export async function read(model: Model): Promise<void> {
  const { world, random } = model
  const { path, wanted } = readOf(model)
  const role = random.of(READERS)
  const root = random.of(['', '', '', '//wp-json/tribe/events/v1'])
  const app = random.of(world.cached)
  const who = role && world.known[role].authorization
  // an answer is kept when it is asked for again
  for (let again = random.below(3); again > 0; again--) await send(app, 'GET', root + path, who)
  const answer = await compareRead(world, app, root + path, who)
  if (role !== undefined || wanted === undefined || answer.status !== 200) return
  const right = await expected(world, wanted)
  const shown = (answer.body.events as { id: number }[]).map(({ id }) => id)
  if (answer.body.total !== right.total || String(shown) !== String(right.ids))
    throw new Error(`GET ${path}: ${shown} of ${answer.body.total}, not ${right.ids} of ${right.total}`)
}

/**
 * Writes of every kind, from several clients of two applications or several processes on one file, between reads through every cache, each of
 * which is compared with one that uses none. Throws with the seed where one differs.
 */
export async function runModel(file: string, seed: number, writes: number, workers = 1): Promise<Report> {
  const world = await openWorld(file, workers)
  const model = openModel(world, seed)
  const { random } = model
  const report: Report = { writes: 0, done: 0, reads: 0, checks: 0 }
  try {
    while (report.writes < writes) {
      moveClock(model)
      const batch = 1 + random.below(4)
      // reads that run beside writes fill the caches at the worst moments
      const beside = Array.from({ length: random.below(4) }, () => {
        const role = random.of(READERS)
        const who = role && world.known[role].authorization
        return send(random.of(world.cached), 'GET', readOf(model).path, who)
      })
      const done = await Promise.all(Array.from({ length: batch }, () => write(model)))
      await Promise.all(beside)
      report.writes += batch
      report.done += done.filter(Boolean).length
      // texts are merged into the index while they are searched
      const merged = random.chance(0.3) && world.reference.store.words.merge(undefined, 1 + random.below(20))
      for (let left = random.below(5); left > 0; left--, report.reads++) await read(model)
      await merged
      if (random.chance(0.01) || report.writes >= writes) {
        await checkTables(world)
        report.checks++
      }
    }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${report.writes} writes: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await world.close()
  }
  return report
}
