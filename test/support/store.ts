import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Test } from 'tap'
import { users } from '../../drizzle/tables.ts'
import { extend, LanguageSelector, update } from '../../schemas/common.ts'
import { LanguageInput } from '../../schemas/input.ts'
import type { Resource } from '../../src/calendar/resource/resource.ts'
import { originAt, type Service } from '../../src/calendar/resource/service.ts'
import {
  categoryResource,
  eventResource,
  organizerResource,
  seriesResource,
  tagResource,
  venueResource,
} from '../../src/calendar/routes/records.ts'
import { resolveSettings, storeSettings } from '../../src/calendar/settings.ts'
import { openStore, type Store, type Write } from '../../src/calendar/store.ts'
import { readConfig } from '../../src/config.ts'
import { FEATURES } from '../../src/features.ts'
import { type Caller, has, ROLES, type Role } from '../../src/kernel/access/rights.ts'
import { verifyPassword } from '../../src/kernel/access/secrets.ts'
import { type Db, openDb } from '../../src/kernel/database/db.ts'
import { ApiError, forbidden, refuse } from '../../src/kernel/errors.ts'
import { type GivenQuery, parseQuery, readQuery } from '../../src/kernel/input/query.ts'
import { givenOf, ignoredOf, readBody } from '../../src/kernel/input/validator.ts'
import { buildMounts } from '../../src/kernel/server/mounts.ts'
import type { Corrections } from '../../src/kernel/text/search.ts'
import type { Told } from './answers.ts'
import { NOW } from './given.ts'

/** What a store does: a record or a list as it is shown, or the error. */
export type Outcome = Told & { ignored: string[]; created: string[]; corrections?: Corrections | undefined }
export type Kind = 'event' | 'series' | 'venue' | 'organizer' | 'category' | 'tag'
type Id = number | string

/**
 * What somebody does with records, by the rules of the store and without HTTP. Records are named by ID or by slug, what is sent is read by the
 * schema of the kind, and `query` has the parameters of the operation, as `force=true&i18n_language=ca`. What is refused is an outcome as well.
 */
export type Person = {
  create(kind: Kind, sent: object): Promise<Outcome>
  change(kind: Kind, id: Id, sent: object, query?: string): Promise<Outcome>
  remove(kind: Kind, id: Id, query?: string): Promise<Outcome>
  read(kind: Kind, id: Id, query?: string): Promise<Outcome>
  /** `body` has the records by the name of their kind, as `events`, and `total`; `corrections` what words of `q` were taken as. */
  list(kind: Kind, query?: string): Promise<Outcome>
}

/** A store on a database in memory, with a user of every role. */
export type Records = Record<Role | 'anonymous', Person> & {
  store: Store
  /** Unix milliseconds; set it to travel in time. */
  clock: { now: number }
  /** The ID of each role's user. */
  ids: Record<Role, number>
  callers: Record<Role, NonNullable<Caller>>
  /** Somebody else, or with other rights. */
  as(caller: Caller): Person
  /** The same before and after what is refused. */
  fingerprint(): string
}

/** The tables that writes change, with how many rows each has and the last of them. */
const FINGERPRINT = [
  ...['posts', 'events', 'venues', 'organizers', 'terms', 'links'],
  ...['media', 'documents', 'changes', 'webhooks', 'webhook_deliveries'],
]
  .map(
    (table) => `select '${table}', count(*), max(${table === 'links' ? 'event_id' : 'rowid'}) from ${table}`,
  )
  .join(' union all ')
/** The same before and after what is refused. */
export const fingerprintOf = ({ rows }: Pick<Db, 'rows'>) => JSON.stringify(rows(FINGERPRINT))

type Options = {
  env?: Record<string, string>
  now?: number
  /** false: nobody is added. */
  users?: boolean
}

/**
 * Opens a store on `DATABASE`, by default in memory, for a site as `env` sets it up; it is closed after the test. Users that a file has already
 * are those of their roles.
 */
export async function openRecords(
  t: Pick<Test, 'teardown'>,
  { env = {}, now = NOW, users: hasUsers = true }: Options = {},
): Promise<Records> {
  const clock = { now }
  const config = readConfig({ BASE_URL: 'http://calendar.test', ...env })
  const db = openDb(env.DATABASE ?? ':memory:')
  t.teardown(() => db.close())
  const settled = resolveSettings(db, config)
  const { timezone: zone, currency, languages } = settled
  await storeSettings(db, settled, () => clock.now)
  const { seriesDays } = config
  const store = openStore(db, { clock: () => clock.now, zone, currency, languages, seriesDays }, FEATURES)
  const ids = {} as Records['ids']
  const callers = {} as Records['callers']
  const known = await db.read.select().from(users)
  for (const role of hasUsers ? ROLES : []) {
    const add = () =>
      db.write(async (tx) => tx.insert(users).values({ login: role, role, created_utc: '' }).returning())
    const user = known.find(({ login }) => login === role) ?? (await add())[0]!
    ids[role] = user.id
    callers[role] = { id: user.id, role }
  }
  const as = openPeople(store, config, languages)
  const people = Object.fromEntries(ROLES.map((role) => [role, as(callers[role])])) as Record<Role, Person>
  const fingerprint = () => fingerprintOf(db)
  return { ...people, anonymous: as(undefined), store, clock, ids, callers, as, fingerprint }
}

const NOTHING: Omit<Outcome, 'status'> = { body: undefined, ignored: [], created: [] }

/** Pictures that are sent as addresses are not brought here. */
const NO_PICTURES = { bring: async () => new Map(), discard: async () => {} }

function openPeople(
  store: Store,
  { baseUrl, namespace }: ReturnType<typeof readConfig>,
  languages: string[],
) {
  const { site } = store
  const [mount] = buildMounts(namespace, [], languages)
  const origin = originAt(baseUrl, mount!)
  const writer = (caller: Caller) => ({
    ...{ caller, language: languages[0]! },
    by: { caller, origin: 'http' as const, address: '' },
  })
  const language = ({ query }: FastifyRequest) => (query as { i18n_language?: string }).i18n_language
  const checking = ({ caller, body }: FastifyRequest) => store.checking(writer(caller), (body ?? {}) as never)
  const service = { store, site, language, checking } as unknown as Service
  const resources = Object.fromEntries(
    [eventResource, seriesResource, venueResource, organizerResource, categoryResource, tagResource].map(
      (of) => [of(service).name, of(service)],
    ),
  ) as unknown as Record<Kind, Resource<never, never>>
  const selector = LanguageSelector(languages)
  const inputOf = ({ input, more }: Resource<never, never>) =>
    extend(input, { ...more.properties, ...LanguageInput(languages) })

  return (caller: Caller): Person => {
    const act = async (work: () => Promise<Partial<Outcome>>): Promise<Outcome> => {
      try {
        // as before every request
        await store.schedule.publish()
        return { status: 200, ...NOTHING, ...(await work()) }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const { code, message, status, data } = error
        return { status, ...NOTHING, body: { code, message, data: { status, ...data } } }
      }
    }
    const permit = ({ right, plural }: Resource<never, never>, verb: string) => {
      if (!has(caller, right)) throw forbidden(caller !== undefined, `${verb} ${plural}`)
    }
    const ask = (schema: TObject | undefined, text: string, body?: object) => {
      const given: GivenQuery = parseQuery(text)
      const { value, problems } = readQuery(extend(schema ?? Type.Object({}), selector), given)
      refuse(problems)
      return { caller, given, query: value, body } as unknown as FastifyRequest
    }
    const viewOf = ({ query }: FastifyRequest, single: boolean) => {
      const { password } = query as { password?: string }
      const opens = password === undefined ? undefined : (hash: string) => verifyPassword(password, hash)
      return { origin, caller, single, opens }
    }
    const keyOf = (id: Id, request: FastifyRequest) => ({
      ...(typeof id === 'number' ? { id } : { slug: id }),
      language: language(request),
    })
    const show = async (resource: Resource<never, never>, id: number, view: ReturnType<typeof viewOf>) => {
      const [json] = await resource.show([id], view)
      return JSON.parse(Buffer.concat(json!).toString())
    }
    const write = async (
      resource: Resource<never, never>,
      request: FastifyRequest,
      { schema, sent }: { schema: TObject; sent: object },
      work: (write: Write, input: never) => Promise<number>,
    ) => {
      const shown = Object.keys(resource.answer.properties)
      // as a client sends it: members without a value are not sent
      const body = readBody({ schema, shown }, JSON.parse(JSON.stringify(sent)))
      Object.assign(request, { body })
      const ignored = ignoredOf(body)
      const isLong = resource.isLong?.(request) ?? false
      const input = { body: body as never, given: givenOf(body), ignored, isLong }
      const { done, created } = await store.write(writer(caller), input, NO_PICTURES, work)
      return {
        body: await show(resource, done, viewOf(request, false)),
        ignored,
        created: created.map(({ plural, name }) => `${plural} ${name}`),
      }
    }

    return {
      create: (kind, sent) =>
        act(async () => {
          const resource = resources[kind]
          permit(resource, 'create')
          const schema = inputOf(resource)
          return write(resource, ask(undefined, ''), { schema, sent }, (w, input) =>
            resource.create(w, input),
          )
        }),
      change: (kind, id, sent, query = '') =>
        act(async () => {
          const resource = resources[kind]
          permit(resource, 'change')
          const request = ask(resource.change, query)
          // a member that only updates by slug take
          const rename = typeof id === 'string' ? resource.rename?.properties : {}
          const schema = update(extend(inputOf(resource), rename ?? {}))
          return write(resource, request, { schema, sent }, (w, input) =>
            resource.update(w, keyOf(id, request), input, request),
          )
        }),
      remove: (kind, id, query = '') =>
        act(async () => {
          const resource = resources[kind]
          permit(resource, 'delete')
          const request = ask(resource.remove, query)
          const view = viewOf(request, false)
          const json = await resource.delete(keyOf(id, request), request, view, (_tx, work) => work())
          return { body: JSON.parse(Buffer.concat(json!).toString()) }
        }),
      read: (kind, id, query = '') =>
        act(async () => {
          const resource = resources[kind]
          const request = ask(resource.read, query)
          const view = viewOf(request, true)
          return { body: await show(resource, await resource.find(keyOf(id, request), request, view), view) }
        }),
      list: (kind, query = '') =>
        act(async () => {
          const resource = resources[kind]
          const request = ask(resource.query, query)
          const { ids, total, occurrences } = await resource.list(request.query as never, request)
          const shown = await resource.show(ids, { ...viewOf(request, false), occurrences })
          const records = shown.map((json) => JSON.parse(Buffer.concat(json).toString()))
          return {
            body: { [resource.plural]: records, total },
            corrections: request.corrections,
          }
        }),
    }
  }
}
