import { createHash } from 'node:crypto'
import type { Imported, RecordKind, Store } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { below, PLURALS } from '../site/source.ts'
import type { Shown } from '../site/taken.ts'
import { bodyFor, type There } from './bodies.ts'
import type { Sent } from './sending.ts'
import type { PassedWrite } from './write-through.ts'

/** A source that takes writes: its address, that of its API, its number here, and whether it is a calendar like this one. */
export type Writable = { source: string; root: string; of: number; isAlmanac: boolean }

const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE', restore: 'POST' } as const

/** Makes requests to a source of writes here. Throws the refusal of what can not be passed on. */
export function openRequests(store: Store, { source, root, of, isAlmanac }: Writable) {
  const refusal = (why: string) =>
    new ApiError('calendar_is_mirror', `This calendar is a mirror of ${source}. ${why}`, { source })

  async function own(kind: RecordKind, id: number): Promise<Imported> {
    const row = await store.imports.ofHere(of, kind, id)
    if (row) return row
    throw refusal(`The ${kind} ${id} did not come from there, so what is about it is not passed on.`)
  }

  /** What the source calls what is here. */
  const thereFor = (caller: PassedWrite['caller']): There => ({
    record: async (kind, id) => (await own(kind, id)).remote_id,
    async term(taxonomy, key) {
      const [term] = await store.terms.resolve(taxonomy, [key], store.site.languages[0]!)
      if (term) return (await own(taxonomy, term.id)).remote_id
      return typeof key === 'string' ? key : undefined
    },
    async picture(id) {
      const { origin_url } = await store.media.find(id, caller)
      if (origin_url !== null) return origin_url
      throw refusal(`The image ${id} did not come from there, so it is not passed on; send an address.`)
    },
  })

  /** Why a write is not passed on, whatever it refers to. */
  async function whyNot({ kind, verb, body, query, caller, id }: PassedWrite): Promise<string | undefined> {
    if (!isAlmanac && (kind === 'series' || verb === 'restore' || query.apply_to || query.translations))
      return 'That is no Almanac, so series, restoring and writes to several records are not passed on.'
    if (body.password) return 'Events under a password are not mirrored, so they are not passed on.'
    if (!body.author) return undefined
    const author = id === undefined ? caller.id : (await store.posts.byId(kind as 'event', id))!.author_id
    return body.author === author ? undefined : 'Users are not mirrored, so another author is not passed on.'
  }

  /** The ID of a record at the source, if it is here as it was taken. */
  async function remoteOf(kind: RecordKind, id: number): Promise<number> {
    const { remote_id, version } = await own(kind, id)
    if ((await store.imports.state(store.db.read, kind, id))?.version === version) return remote_id
    throw refusal(`The ${kind} ${id} was edited here, so it does not follow that any more.`)
  }

  return async (write: PassedWrite): Promise<Sent> => {
    const why = await whyNot(write)
    if (why !== undefined) throw refusal(why)
    const { kind, verb, id, query, status, language, caller, key } = write
    const there = thereFor(caller)
    const { author: _, password: __, ...read } = write.body
    const isNew = id === undefined
    const body: Shown = {
      // what is not sent would be another at a source in another zone or language
      ...(isNew && kind === 'event' && { timezone: store.site.zone }),
      ...(isNew && language !== undefined && { i18n_language: language }),
      ...(await bodyFor(kind, read, there)),
      ...(status !== undefined && (isNew || 'status' in read) && { status }),
    }
    const asked = {
      ...(query.apply_to && { apply_to: query.apply_to }),
      ...(query.translations && { translations: query.translations }),
      ...(query.force && { force: 'true' }),
      ...(query.reassign && { reassign: String(await there.record(kind, query.reassign)) }),
    }
    const path = [
      PLURALS[kind],
      ...(isNew ? [] : [await remoteOf(kind, id)]),
      ...(verb === 'restore' ? ['restore'] : []),
    ].join('/')
    return {
      ...{ method: METHODS[verb], url: below(root, path, asked) },
      ...((verb === 'create' || verb === 'update') && { body }),
      ...(key !== undefined && isAlmanac && { key: keyOf(caller.id, key) }),
    }
  }
}

/** The key of a request for the source, where all come from one user: the same for the same caller and key. */
const keyOf = (caller: number, key: string) =>
  createHash('sha256').update(`${caller} ${key}`).digest('base64url')
