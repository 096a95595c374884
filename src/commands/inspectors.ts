import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, constants, setPriority } from 'node:os'
import type { Found } from '../calendar/check/derived.ts'
import { type Inspectors, inspect, type Job } from '../calendar/check/inspection.ts'
import { resolveSettings } from '../calendar/settings.ts'
import { readConfig } from '../config.ts'
import { openBeside } from '../database.ts'
import { fail, type Shell } from '../kernel/shell.ts'

/** The hidden command of a process that reads for `check`. */
export const INSPECTOR = 'check-inspector'

/** Bytes of a file for which one more process is worth its start. */
const BYTES = 25_000_000
const MOST = 8

/** How many processes share the check of a file of so many bytes; none if it takes but a few seconds. */
export const inspectorsFor = (bytes: number) =>
  Math.min(Math.floor(bytes / BYTES), availableParallelism(), MOST)

type Answer = Found | { failed: string }
type Waiting = { job: Job; resolve(found: Found): void; reject(error: Error): void }

/** Starts processes of this program that do the jobs of a check; `close` waits until all have ended, and does not wait for jobs. */
export function openInspectors(program: string, env: Shell['env'], count: number) {
  const waiting: Waiting[] = []
  const taken = new Map<ChildProcess, Waiting>()
  const free: (() => void)[] = []

  /** What is not done yet, and all of it is given at the beginning. */
  function lose(error: Error) {
    for (const { reject } of [...waiting, ...taken.values()]) reject(error)
  }

  const children = Array.from({ length: count }, () => {
    const child = fork(program, [INSPECTOR], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    /** Takes the next job, or waits for one. */
    function take() {
      const next = waiting.shift()
      if (!next) return void free.push(take)
      taken.set(child, next)
      child.send(next.job, () => {}) // its end is told below
      child.once('message', (answer: Answer) => {
        taken.delete(child)
        if ('failed' in answer) next.reject(fail(answer.failed))
        else next.resolve(answer)
        take()
      })
    }
    take()
    return {
      ended: once(child, 'exit').then(
        ([code, signal]) => lose(fail(`a process that reads for the check ended (${signal ?? code})`)),
        lose,
      ),
      end: () => (taken.has(child) ? child.kill() : child.connected && child.disconnect()),
    }
  })

  return {
    run: (job: Job) =>
      new Promise<Found>((resolve, reject) => {
        waiting.push({ job, resolve, reject })
        free.shift()?.()
      }),
    async close() {
      for (const { end } of children) end()
      await Promise.all(children.map(({ ended }) => ended))
    },
  } satisfies Inspectors & { close(): Promise<void> }
}

/** Does the jobs that the process above sends, until it ends. Whatever else the machine has to do comes first. */
export async function serveInspections({ env }: Shell) {
  setPriority(constants.priority.PRIORITY_LOW)
  const config = readConfig(env)
  const db = openBeside(config)
  const { timezone: zone, currency, languages } = resolveSettings(db, config)
  const site = { clock: Date.now, zone, currency, languages }
  process.on('message', async (job: Job) => {
    const answer: Answer = await inspect(db, site, job).catch((error: Error) => ({ failed: error.message }))
    process.send!(answer, undefined, undefined, () => {}) // nobody waits for it if the check has ended
  })
  await once(process, 'disconnect')
  db.close()
}
