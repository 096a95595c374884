import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify'
import root, { type Test } from 'tap'
import { users } from '../../drizzle/tables.ts'
import { type App, type AppOptions, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { withoutIcal } from '../../src/features/feeds/addresses.ts'
import { FORMATS } from '../../src/features/feeds/formats/formats.ts'
import type { ServiceFeature } from '../../src/features/host.ts'
import { FEATURES } from '../../src/features.ts'
import { ROLES, type Role } from '../../src/kernel/access/rights.ts'
import { buildMounts } from '../../src/kernel/server/mounts.ts'
import { SERVER, settingsFor } from './database.ts'
import { basicAuth, NOW, ROOT } from './given.ts'
import { lookup } from './pictures.ts'
import { openSetBack } from './set-back.ts'
import { fingerprintOf } from './store.ts'
import { holdRequest, holdToDocument, note } from './validation.ts'

export { basicAuth, EVENT, NOW, ROOT } from './given.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the tests are about
export type Answer = { status: number; body: any; headers: Record<string, string>; text: string }

type Send = (path: string, body?: unknown, more?: Partial<InjectOptions>) => Promise<Answer>
export type Client = {
  get: Send
  post: Send
  put: Send
  patch: Send
  delete: Send
  send(options: InjectOptions): Promise<Answer>
}

/** An application on a database in memory, with a user of every role, each as a client, and `anonymous`. */
export type Api = Record<Role | 'anonymous', Client> & {
  app: App
  /** Unix milliseconds; set it to travel in time. */
  clock: { now: number }
  /** The Authorization header and ID of each role's user. */
  credentials: Record<Role, { id: number; authorization: string }>
  /** Rows in every table that requests write to, and the last change: equal before and after a refused write. */
  fingerprint(): Promise<string>
}

/** How many rows a table has. */
export const countOf = ({ app }: Pick<Api, 'app'>, table: string) =>
  app.store.db.rows<[number]>(`select count(*) from ${table}`)[0]![0]

type Options = {
  env?: Record<string, string>
  now?: number
  /** false: the database has users already. */
  users?: boolean
  /** Builds an application that no test had before, and none has after: for tests of what lives as long as a process. */
  fresh?: boolean
} & Pick<AppOptions, 'logger' | 'pace' | 'machine' | 'features'>

/** Applications that are set back and wait for the next test with the same settings; who waits longest is first. */
const waiting: Held[] = []
const MOST_WAITING = 6

/** An application with what tests use of it, and what sets it back for the next one. */
type Held = { key: string; api: Api; setBack(): Promise<boolean>; end(): Promise<void> }

async function wait(held: Held) {
  waiting.push(held)
  if (waiting.length > MOST_WAITING) await waiting.shift()!.end()
}

function takeWaiting(key: string): Held | undefined {
  const at = waiting.findIndex((held) => held.key === key)
  return at < 0 ? undefined : waiting.splice(at, 1)[0]
}

root.teardown(async () => {
  for (const held of waiting) await held.end()
})

/** What only holds for one test; all else can be set back. */
const isOfOneTest = ({ env = {}, users, ...more }: Options) => {
  const { logger, pace, machine, fresh, features } = more
  const isOwn = logger || pace || machine || fresh || features || users === false
  return Boolean(SERVER || env.DATABASE || env.MEDIA_DIR || isOwn)
}

/**
 * An application with a user of every role, as each test wants it: one that another test had before, set back to its beginning, or a
 * new one. It is closed when its test has ended, or set back for another.
 */
export async function build(t: Test, options: Options = {}): Promise<Api> {
  const { env = {}, now = NOW } = options
  if (isOfOneTest(options)) {
    const held = await make(join(t.testdirName, 'media'), options)
    t.teardown(held.end)
    return held.api
  }
  const key = JSON.stringify(Object.entries(env).sort())
  const held = takeWaiting(key) ?? (await make(mkdtempSync(join(tmpdir(), 'almanac-media-')), options, key))
  held.api.clock.now = now
  t.teardown(async () => ((await held.setBack()) ? wait(held) : held.end()))
  return held.api
}

async function make(
  mediaDir: string,
  { env = {}, now = NOW, logger, pace, machine, features, users: isNew = true }: Options,
  key = '',
): Promise<Held> {
  const clock = { now }
  const database = await settingsFor(env.DATABASE ?? ':memory:')
  const config = readConfig({
    MEDIA_DIR: mediaDir,
    BASE_URL: 'http://calendar.test',
    MAX_DELAY: '0', // tests share a machine
    ...env,
    ...database.env,
  })
  const app = await buildApp({
    config,
    clock: () => clock.now,
    logger,
    lookup,
    ...(pace && { pace }),
    ...(machine && { machine }),
    ...(features && { features }),
  })
  const end = async () => {
    await app.close()
    await database.end()
    rmSync(config.mediaDir, { recursive: true, force: true })
  }

  const credentials = {} as Api['credentials']
  for (const role of isNew ? ROLES : []) {
    const [user] = await app.store.db.write(async (tx) =>
      tx.insert(users).values({ login: role, role, created_utc: '' }).returning(),
    )
    credentials[role] = { id: user!.id, authorization: await authorizationOf(app, user!.id, role) }
  }

  const mounts = buildMounts(config.namespace, config.compatPrefixes, config.languages)
  const hold = (
    { method = 'GET', url, headers: sent, payload: body }: InjectOptions,
    { statusCode, headers, payload }: Response,
  ) => {
    const [address = '', query = ''] = String(url).split('?')
    // it may be the answer of another method's operation
    if (query.includes('_method=') || sent?.['x-http-method-override']) return
    const mount = mounts.find(({ path }) => address === path || address.startsWith(`${path}/`))
    if (!mount) return
    const type = String(headers['content-type'])
    const below = address.slice(mount.path.length) || '/'
    // a format that was negotiated is that of another address
    const format = FORMATS.find((one) => one.type === type && !below.includes('.'))
    const path = format ? `${below.replace(/\/$/, '')}.${format.extension}` : below
    note(holdToDocument({ method, path, query, status: statusCode, type, text: payload }))
    holdRequest(
      {
        method,
        path,
        query: withoutIcal(`?${query}`)?.slice(1) ?? query,
        payload: body,
        type: sent?.['content-type'] as string | undefined,
      },
      { status: statusCode, headers, text: payload },
    )
  }

  /** Whether the application has counted a failure, which it remembers of an address. */
  let isSpent = false
  const clientOf = (authorization?: string): Client => {
    const send = async (options: InjectOptions): Promise<Answer> => {
      const headers = { ...(authorization && { authorization }), ...options.headers }
      const response = await app.inject({ ...options, headers } as InjectOptions)
      if (isCounted(options.method, headers.authorization, response.statusCode)) isSpent = true
      if (response.headers['content-encoding'] === 'gzip')
        response.payload = gunzipSync(response.rawPayload).toString()
      hold(options, response)
      const json =
        String(response.headers['content-type']).startsWith('application/json') && response.payload !== ''
      return {
        status: response.statusCode,
        body: json ? JSON.parse(response.payload) : response.payload,
        headers: response.headers as Record<string, string>,
        text: response.payload,
      }
    }
    const by =
      (method: string): Send =>
      (path, body, more) =>
        send({
          method,
          url: path.startsWith('//') ? path.slice(1) : ROOT + path,
          ...(body !== undefined && { payload: body }),
          ...more,
        } as InjectOptions)
    return {
      get: by('GET'),
      post: by('POST'),
      put: by('PUT'),
      patch: by('PATCH'),
      delete: by('DELETE'),
      send,
    }
  }

  const fingerprint = async () => fingerprintOf(app.store.db)

  const clients = Object.fromEntries(
    ROLES.map((role) => [role, clientOf(credentials[role]?.authorization)]),
  ) as Record<Role, Client>
  const api = { ...clients, anonymous: clientOf(), app, clock, credentials, fingerprint }
  const setBack = key === '' ? undefined : openSetBack(app, config.mediaDir)
  return { key, api, setBack: async () => setBack !== undefined && !isSpent && setBack(), end }
}

/** Whether an answer tells of a limit, or of credentials that are wrong. */
const isCounted = (method: string | undefined, authorization: unknown, status: number) =>
  status === 429 || (status === 401 && (authorization !== undefined || method === 'POST'))

/** Administrators prove a password, since only who does makes credentials; others have tokens of programs. */
async function authorizationOf({ store }: App, user: number, role: Role) {
  if (role === 'administrator') {
    const { password } = await store.users.addPassword(user, 'test')
    return basicAuth(role, password)
  }
  const { token } = await store.tokens.add(user, 'test', ['read', 'write', 'admin'], null)
  return `Bearer ${token}`
}

/** Features, with those that can not be without one of them. */
export function withDependents(absent: readonly ServiceFeature[]): readonly ServiceFeature[] {
  const names = absent.map(({ name }) => name)
  const all = FEATURES.filter(
    ({ name, needs = [] }) => names.includes(name) || needs.some((needed) => names.includes(needed)),
  )
  return all.length === absent.length ? absent : withDependents(all)
}
