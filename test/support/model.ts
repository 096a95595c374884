import { request } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { InjectOptions } from 'fastify'
import { users } from '../../drizzle/tables.ts'
import { type App, buildApp } from '../../src/app.ts'
import { openEventLists } from '../../src/calendar/lists/event-lists.ts'
import type { Store } from '../../src/calendar/store.ts'
import { openDocuments } from '../../src/calendar/views/documents.ts'
import { readConfig } from '../../src/config.ts'
import { ROLES, type Role } from '../../src/kernel/access/rights.ts'
import { openChanges } from '../../src/kernel/database/changes.ts'
import { openScheduler } from '../../src/kernel/tasks/scheduler.ts'
import { openClock } from './clock.ts'
import { replyTo } from './connection.ts'
import { findDamage, findDifferences } from './derived.ts'
import { NOW, ROOT } from './given.ts'
import { serveFile } from './process.ts'

/**
 * Makes an application compute every answer from the tables: each look at a cache meets an empty one, or one that is empty in every
 * state that `state` tells apart.
 */
export function withoutCaches(app: App, state: () => unknown = Symbol) {
  const { store } = app
  const fresh = <T>(open: (changes: ReturnType<typeof openChanges>) => T) => {
    let of: unknown
    let opened: T | undefined
    return {
      get() {
        const now = state()
        if (opened === undefined || now !== of) opened = open(openChanges(store.db))
        of = now
        return opened
      },
    }
  }
  Object.defineProperties(store, {
    documents: fresh((changes) => openDocuments(store.db, changes, store.site)),
    lists: fresh((changes) => openEventLists(store.db, changes, openScheduler())),
    changes: { value: { latest: () => ({ seq: Number.NaN, at_utc: undefined }), after: () => [] } },
  })
  return app
}

export type Reply = { status: number; body: Record<string, unknown>; text: string; etag: unknown }
/** What answers, what every answer has to be, who asks, and the time. */
export type World = {
  clock: { now: number }
  /** Applications or processes whose answers are looked at. */
  cached: readonly Target[]
  /** An application without caches. */
  reference: App
  /** A user of every role. */
  known: Known
  addUser(login: string, role: Role): Promise<User>
  /** Brings what was written to the reference. */
  follow(): Promise<void>
  close(): Promise<unknown>
}
type User = { id: number; authorization: string }
type Known = Record<Role, User>

/** Settings of every application and process. */
export const ENV = {
  DURABILITY: 'normal',
  BASE_URL: 'http://calendar.test',
  TIMEZONE: 'Europe/Madrid',
  MAX_DELAY: '0',
  COMPAT_LANGUAGES: 'all',
}
const PRELOAD = { NODE_OPTIONS: `--import ${new URL('clock-preload.js', import.meta.url)}` }

/** What answers requests: an application, or processes. */
export type Target = {
  inject(
    options: InjectOptions,
  ): Promise<{ statusCode: number; headers: { etag?: unknown }; payload: string }>
  close(): Promise<unknown>
}

/** Processes that share the clock of a file, each of whose answers comes over a connection of its own. */
export async function serveTarget(file: string, env: Record<string, string>): Promise<Target> {
  const { port, child, ended } = await serveFile(file, { ...ENV, ...PRELOAD, ...env })
  return {
    async inject({ method = 'GET', url, headers, payload }) {
      const more = payload ? { 'content-type': 'application/json', ...headers } : { ...headers }
      const sent = request({ port, agent: false, method, path: url as string, headers: more as never })
      const reply = replyTo(sent)
      sent.end(payload && JSON.stringify(payload))
      const { status, text, headers: answered } = await reply
      return { statusCode: status, payload: text, headers: answered }
    },
    close() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Adds a user with a token to a store. */
export async function addUser({ db, tokens }: Store, login: string, role: Role): Promise<User> {
  const [user] = await db.write(async (tx) =>
    tx.insert(users).values({ login, role, created_utc: '' }).returning(),
  )
  const { token } = await tokens.add(user!.id, 'model', ['read', 'write', 'admin'], null)
  return { id: user!.id, authorization: `Bearer ${token}` }
}

/** Adds a user of every role. */
export async function addUsers(store: Store): Promise<Known> {
  const known = {} as Known
  for (const role of ROLES) known[role] = await addUser(store, role, role)
  return known
}

/** A clock in a file, so that several processes have it. */
export function openModelClock(file: string) {
  const clock = openClock(file)
  clock.now = NOW
  return clock
}

/**
 * Two applications with caches of their own, or one of several processes, and one without caches, on one file; and a token
 * of every role.
 */
export async function openWorld(file: string, workers = 1): Promise<World> {
  const clock = openModelClock(`${file}.clock`)
  const config = readConfig({ ...ENV, DATABASE: file })
  const open = () => buildApp({ config, clock: () => clock.now })
  const reference = withoutCaches(await open())
  const cached: readonly Target[] =
    workers === 1
      ? [await open(), await open()]
      : [await serveTarget(file, { CLOCK: `${file}.clock`, WORKERS: String(workers) })]
  return {
    ...{ clock, cached, reference },
    known: await addUsers(reference.store),
    addUser: (login, role) => addUser(reference.store, login, role),
    async follow() {},
    close: () => Promise.all([...cached, reference].map((app: Target) => app.close())),
  }
}

/** The answer of an application. Throws if it failed. */
export async function send(
  app: Target,
  method: string,
  path: string,
  who?: string,
  payload?: object,
): Promise<Reply> {
  const headers = who ? { authorization: who } : {}
  const url = path.startsWith('//') ? path.slice(1) : ROOT + path
  // an application sees what another has committed from its next turn of the event loop on
  await new Promise(setImmediate)
  const answer = await app.inject({ method, url, headers, ...(payload && { payload }) } as InjectOptions)
  // a long write of one application has pauses, in which another one of this process waits for it in vain
  if (answer.statusCode === 503 && JSON.parse(answer.payload).code === 'database_busy')
    return send(app, method, path, who, payload)
  if (answer.statusCode >= 500) throw new Error(`${method} ${url}: ${answer.payload}`)
  const { statusCode: status, payload: text } = answer
  return { status, text, body: JSON.parse(text), etag: answer.headers.etag }
}

/** Throws where a read of an application with caches differs from that of the one without. */
export async function compareRead(world: World, app: Target, path: string, who?: string): Promise<Reply> {
  const answer = await send(app, 'GET', path, who)
  await world.follow()
  const right = await send(world.reference, 'GET', path, who)
  if (!isSame(answer, right)) throw new Error(`GET ${path} is stale:\n${answer.text}\nand not\n${right.text}`)
  return answer
}

/** Whether two answers are the same to a client. */
export const isSame = (a: Reply, b: Reply) => a.status === b.status && a.text === b.text && a.etag === b.etag

/** Throws where the tables contradict one another. */
export async function checkTables({ reference: { store } }: World) {
  const found = [...(await findDifferences(store.db, store.site)), ...findDamage(store.db)]
  if (!isDeepStrictEqual(found, [])) throw new Error(found.slice(0, 5).join('\n'))
}
