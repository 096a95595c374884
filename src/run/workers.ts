import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { lstatSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import Fastify from 'fastify'
import { buildApp } from '../app.ts'
import type { Config } from '../calendar/config.ts'
import { prepare } from '../commands/prepare.ts'
import { withStore } from '../commands/tools.ts'
import { sharedAt } from '../database.ts'
import { isMeasured, listenForMetrics, openSum, sumIn } from '../kernel/server/metrics.ts'
import { fail, type Shell } from '../kernel/shell.ts'
import { acceptForwarded, type WorkerRole } from './forwarding.ts'
import {
  checkAtStart,
  greet,
  listenOptions,
  loggerOf,
  logUncaught,
  SETTINGS_SET,
  shutDown,
  stopOnSignals,
  warnAtStart,
} from './serve.ts'

/** Environment variables that tell a worker its role. */
const FOLDER = 'ALMANAC_WORKERS'
const WRITES = 'ALMANAC_WRITES'

/** Milliseconds: the delay before a worker that ended is replaced doubles with each one that ended within REMEMBERED. */
const FIRST_DELAY = 100
const LONGEST_DELAY = 10_000
const REMEMBERED = 60_000
/** What a worker sends the supervisor: that the copy can not follow any more, or that all have to start anew. */
type WorkerMessage = { stale?: string; restart?: boolean }

/**
 * Each worker accepts its own connections from one socket that listens: what a process that is killed has not accepted, another one accepts.
 * Where the first process hands connections over, one that is on its way to a worker that is killed is never answered and stays open for ever.
 */
cluster.schedulingPolicy = cluster.SCHED_NONE

/** Milliseconds that a worker gets in addition to those for its requests. */
const GRACE = 2_000
/** Milliseconds until a copy that could not be taken is tried again. */
const AGAIN = 2_000

/** Starts the service with several processes: this one supervises the workers and serves no requests itself. */
export async function serveByWorkers(config: Config, shell: Shell) {
  const folder = shell.env[FOLDER]
  if (cluster.isPrimary || folder === undefined) return supervise(config, shell)
  return work(config, shell, { folder, writes: shell.env[WRITES] === 'yes' })
}

async function supervise(config: Config, shell: Shell) {
  const { log } = Fastify({ logger: loggerOf(config.logLevel, shell.terminal, true) })
  await prepare(config, shell)
  const folder = await openSocketFolder()
  const workers = openWorkers(config, folder, log)
  process.on('exit', () => {
    workers.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  stopOnSignals(log, workers.stop)
  await withStore(
    shell,
    async (store) => {
      warnAtStart(config, log)
      if (config.check) await checkAtStart({ store, log }, config)
      try {
        await listenForSum(config, folder)
        if (await workers.start()) await greet(store, config, shell)
      } catch (error) {
        await workers.stop()
        throw error
      }
    },
    'create',
  )
}

async function listenForSum(config: Config, folder: string) {
  if (!isMeasured(config)) return
  const sum = await openSum()
  for (const at of [sumIn(folder), config.metricsPort])
    if (at !== undefined) (await listenForMetrics(sum, at)).unref()
}

/** The workers, as seen by the supervisor. The first one is the writer. */
function openWorkers(config: Config, folder: string, log: FastifyBaseLogger) {
  const { workers, stopTimeout } = config
  let state: 'starting' | 'running' | 'paused' | 'stopping' = 'starting'
  const running: (Worker | undefined)[] = Array.from({ length: workers })
  const replacing: NodeJS.Timeout[] = []
  let ends: number[] = []
  let haveStarted: () => void
  const started = new Promise<void>((resolve) => {
    haveStarted = resolve
  })
  let hasFailed: (why: Error) => void
  let isRenewing = false

  /**
   * Starts a worker, and another one in its place when it ends; calls `listens` once one of them does. One that ends by itself
   * before all have started is not replaced, because the next one would as well.
   */
  function run(place: number, listens = () => {}) {
    const worker = cluster.fork({ [FOLDER]: folder, [WRITES]: place === 0 ? 'yes' : 'no' })
    running[place] = worker
    // others are those by which metrics are asked for
    worker.on('message', ({ stale, restart }: WorkerMessage) => {
      if (isRenewing || (stale === undefined && !restart)) return
      isRenewing = true
      void (stale === undefined ? startAnew() : renew(stale))
    })
    worker.once('exit', (code, signal) => {
      running[place] = undefined
      if (state === 'running' || (state === 'starting' && signal !== null))
        replace(place, { worker: worker.process.pid, code, signal }, listens)
      else if (state === 'starting') hasFailed(fail('a worker could not start'))
    })
    worker.once('listening', listens)
  }

  function replace(place: number, ended: object, listens: () => void) {
    const now = performance.now()
    ends = ends.filter((at) => now - at < REMEMBERED)
    const delay = Math.min(FIRST_DELAY * 2 ** ends.length, LONGEST_DELAY)
    ends.push(now)
    log.error({ ...ended, delay }, 'a worker ended; another takes its place')
    replacing[place] = setTimeout(() => run(place, listens), delay)
  }

  /** Takes the copy anew, which the writer can not follow any more: all workers have it open, and start again on the new one. */
  async function renew(why: string): Promise<void> {
    await started
    try {
      const url = config.postgres!
      await sharedAt(url).renew({ url, file: config.database }, log, pauseAll)
    } catch (err) {
      log.error({ err, why }, 'the copy could not be taken anew; this is tried again')
      await pause(AGAIN)
      return renew(why)
    }
    resume()
  }

  /** Starts all workers anew, with what an administrator has set. */
  async function startAnew() {
    await started
    log.warn(SETTINGS_SET)
    await pauseAll()
    resume()
  }

  async function pauseAll() {
    if (state === 'running') state = 'paused'
    await stopAll()
  }

  function resume() {
    isRenewing = false
    if (state === 'paused') {
      state = 'running'
      for (const place of running.keys()) run(place)
    }
  }

  /** Stops the readers, then the writer, so that requests that they still forward are completed. */
  async function stopAll() {
    for (const timer of replacing) clearTimeout(timer)
    const [writer, ...readers] = running
    await Promise.all(readers.map(stop))
    await stop(writer)
  }

  async function stop(worker: Worker | undefined) {
    if (!worker) return
    const ended = once(worker, 'exit')
    const late = setTimeout(() => worker.process.kill('SIGKILL'), stopTimeout * 1_000 + GRACE)
    const send = () => worker.send('stop', () => {}) // a worker that is ending may not receive messages any more
    send()
    worker.once('listening', send) // and one that is starting may not receive them yet
    await ended
    clearTimeout(late)
  }

  return {
    /** Starts the writer, then the others; returns whether they should keep running. Throws if one can not start. */
    async start(): Promise<boolean> {
      const listening = (place: number) => new Promise<void>((resolve) => run(place, resolve))
      const failure = new Promise<never>((_, reject) => {
        hasFailed = reject
      })
      await Promise.race([listening(0), failure])
      await Promise.race([Promise.all(running.slice(1).map((_, at) => listening(at + 1))), failure])
      if (state === 'starting') state = 'running'
      haveStarted()
      return state === 'running'
    },
    async stop() {
      state = 'stopping'
      await stopAll()
    },
    kill() {
      for (const worker of running.filter((worker) => worker !== undefined)) worker.process.kill('SIGKILL')
    },
  }
}

/** Serves requests until the supervisor sends stop. It ignores signals, which are for the supervisor. */
async function work(config: Config, { terminal }: Shell, role: WorkerRole) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  try {
    if (isMeasured(config)) await openSum()
    const app = await buildApp({ config, logger: loggerOf(config.logLevel, terminal, true), worker: role })
    logUncaught(app.log)
    app.store.db.replica?.onStale((stale) => void process.send!({ stale } satisfies WorkerMessage))
    app.store.settings.onStored(() => void process.send!({ restart: true } satisfies WorkerMessage))
    process.on('message', async (word) => {
      if (word !== 'stop') return
      await shutDown(app, config.stopTimeout)
      cluster.worker!.disconnect() // new connections go to the other workers
    })
    cluster.worker!.on('disconnect', () => process.exit(0))
    if (role.writes) await acceptForwarded(app, role)
    await app.listen(listenOptions(config))
  } catch (error) {
    setImmediate(() => process.exit(1)) // after the supervisor has been told
    throw error
  }
}

const BEGINNING = 'almanac-workers-'
/** A socket that accepts connections as long as the process that created the folder runs. */
const ALIVE = 'alive'
const MAKING = 'making'
/** Greatest length in bytes of a socket path on every system. A longer one would be truncated. */
const LONGEST = 103

/**
 * Creates a private folder for the sockets of several processes, and removes the folders of killed services. Throws if the path
 * is too long for sockets.
 */
export async function openSocketFolder(within = tmpdir()): Promise<string> {
  if (Buffer.byteLength(join(within, `${BEGINNING}123456`, MAKING)) > LONGEST)
    throw fail(`TMPDIR is too long for the path of a socket, ${LONGEST} bytes: ${within}`)
  await removeAbandoned(within).catch(() => {}) // a folder that remains costs nothing but its name
  const folder = mkdtempSync(join(within, BEGINNING))
  const making = join(folder, MAKING)
  const server = createServer((socket) => socket.destroy()).listen(making)
  server.unref()
  await once(server, 'listening')
  // the socket gets its name once it accepts connections
  renameSync(making, join(folder, ALIVE))
  return folder
}

async function removeAbandoned(within: string) {
  for (const name of readdirSync(within)) {
    const folder = join(within, name)
    if (name.startsWith(BEGINNING) && isOwn(folder) && (await isAbandoned(folder)))
      rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether it is a folder (not a link) of the current user. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid!()
}

/** Whether the process of a folder has ended: the kernel then refuses connections to its socket. A folder without a socket may be new. */
const isAbandoned = (folder: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(join(folder, ALIVE))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
