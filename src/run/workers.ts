import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { buildApp } from '../app.ts'
import { greet } from '../commands/greeting.ts'
import { fail, type Shell, withStore } from '../commands/shell.ts'
import { openSocketFolder } from '../commands/sockets.ts'
import type { Config } from '../config.ts'
import { isMeasured, listenForMetrics, openSum, sumIn } from '../http/plugins/metrics.ts'
import { type Link, takeWrites } from '../http/plugins/relay.ts'
import { checkAtStart, finish, guard, loggerOf, warnAtStart, watch } from './serve.ts'

/** Variables that tell a worker its place. */
const FOLDER = 'ALMANAC_WORKERS'
const WRITES = 'ALMANAC_WRITES'

/** Milliseconds until a worker that ended is started again: doubled by each that ended within the last so many. */
const FIRST_DELAY = 100
const LONGEST_DELAY = 10_000
const REMEMBERED = 60_000
/** Milliseconds that a worker gets on top of those that its requests have. */
const GRACE = 2_000

/** Serves by several processes: one that starts, watches and stops the others and answers nothing itself, and the workers. */
export async function serveByWorkers(config: Config, shell: Shell) {
  const folder = shell.env[FOLDER]
  if (cluster.isPrimary || folder === undefined) return supervise(config, shell)
  return work(config, shell, { folder, writes: shell.env[WRITES] === 'yes' })
}

async function supervise(config: Config, shell: Shell) {
  const folder = await openSocketFolder()
  const { log } = Fastify({ logger: loggerOf(config.logLevel, shell.terminal, true) })
  const workers = openWorkers(config, folder, log)
  process.on('exit', () => {
    workers.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  guard(log, workers.stop)
  await withStore(shell, async (store) => {
    warnAtStart(config, log)
    if (config.check) await checkAtStart({ store, log }, config)
    try {
      await listenForSum(config, folder)
      if (await workers.start()) await greet(store, config, shell)
    } catch (error) {
      await workers.stop()
      throw error
    }
  })
}

async function listenForSum(config: Config, folder: string) {
  if (!isMeasured(config)) return
  const sum = await openSum()
  for (const at of [sumIn(folder), config.metricsPort])
    if (at !== undefined) (await listenForMetrics(sum, at)).unref()
}

/** The workers, as the process that started them sees them; the first is the one that writes. */
function openWorkers({ workers, stopTimeout }: Config, folder: string, log: FastifyBaseLogger) {
  let state: 'starting' | 'running' | 'stopping' = 'starting'
  const running: (Worker | undefined)[] = Array.from({ length: workers })
  let ends: number[] = []

  /** Starts a worker, and another when it ends; returns once it listens. */
  async function run(place: number) {
    const worker = cluster.fork({ [FOLDER]: folder, [WRITES]: place === 0 ? 'yes' : 'no' })
    running[place] = worker
    worker.once('exit', (code, signal) => {
      running[place] = undefined
      if (state === 'running') replace(place, { worker: worker.process.pid, code, signal })
    })
    await once(worker, 'listening')
  }

  function replace(place: number, ended: object) {
    const now = Date.now()
    ends = ends.filter((at) => now - at < REMEMBERED)
    const delay = Math.min(FIRST_DELAY * 2 ** ends.length, LONGEST_DELAY)
    ends.push(now)
    log.error({ ...ended, delay }, 'a worker ended; another takes its place')
    setTimeout(() => state === 'running' && run(place), delay)
  }

  async function stop(worker: Worker | undefined) {
    if (!worker) return
    const ended = once(worker, 'exit')
    const late = setTimeout(() => worker.process.kill('SIGKILL'), stopTimeout * 1_000 + GRACE)
    const tell = () => worker.send('stop', () => {}) // one that ends by itself may be deaf already
    tell()
    worker.once('listening', tell) // and one that starts not hear yet
    await ended
    clearTimeout(late)
  }

  return {
    /** Starts the one that writes, then all others; whether they are to stay. Throws where one ends meanwhile. */
    async start(): Promise<boolean> {
      const failure = new Promise<never>((_, reject) => {
        cluster.once('exit', () => state === 'starting' && reject(fail('a worker could not start')))
      })
      await Promise.race([run(0), failure])
      await Promise.race([Promise.all(running.slice(1).map((_, at) => run(at + 1))), failure])
      if (state === 'starting') state = 'running'
      return state === 'running'
    },
    /** Stops all others, then the one that writes: what they still pass on is done. */
    async stop() {
      state = 'stopping'
      const [writer, ...readers] = running
      await Promise.all(readers.map(stop))
      await stop(writer)
    },
    kill() {
      for (const worker of running.filter((worker) => worker !== undefined)) worker.process.kill('SIGKILL')
    },
  }
}

/** Answers requests until the process that started this one says stop; signals are for that process to take. */
async function work(config: Config, { terminal }: Shell, link: Link) {
  process.on('SIGTERM', () => {}).on('SIGINT', () => {})
  try {
    if (isMeasured(config)) await openSum()
    const app = await buildApp({ config, logger: loggerOf(config.logLevel, terminal, true), link })
    watch(app.log)
    process.on('message', async (word) => {
      if (word !== 'stop') return
      await finish(app, config.stopTimeout)
      cluster.worker!.disconnect() // connections that were handed over meanwhile go to others
    })
    cluster.worker!.on('disconnect', () => process.exit(0))
    if (link.writes) await takeWrites(app, link)
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    setImmediate(() => process.exit(1)) // once it is told
    throw error
  }
}
