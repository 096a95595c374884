import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import type { Permission } from '../../kernel/access/permissions.ts'
import type { Right } from '../../kernel/access/rights.ts'
import type { ErrorCode, Problems } from '../../kernel/errors.ts'
import type { OperationKind } from '../../kernel/openapi/responses.ts'
import type { Guard, Json, Key, View, Write } from '../store.ts'
import type { RecordRequest } from './service.ts'

/** A kind of record as data: the parameters, responses and functions of its routes. ID and slug share one implementation (D7). */
export type Resource<Query, Input> = {
  name: SyncKind
  plural: string
  /** The right that every write of this kind requires. */
  right: Right
  query: TObject
  input: TObject
  /** The schema of the record in responses. */
  answer: TObject
  /** Additional parameters of reads and deletes, and additional members of bodies. */
  read: TObject
  remove: TObject
  more: TObject
  /** Additional parameters of updates. */
  change?: TObject
  /** Whether records have URLs by slug. */
  hasSlugs: boolean
  /** Members that only updates by slug take; those by ID ignore them, as clients know. */
  rename?: TObject
  /** Additional errors, beyond those that all operations of a kind have. */
  errors: Record<'read' | 'create' | 'update' | 'delete', ErrorCode[]>
  /** A page of IDs, the total, the filters for links, and of how many dates of its series each event is shown instead. */
  list(
    query: Query,
    request: FastifyRequest,
  ): Promise<{ ids: number[]; total: number; filters: [string, string][] } & Pick<View, 'occurrences'>>
  /** The ID of the record with this key for this caller and language. Throws the error of a single read if there is none. */
  find(key: Key, request: RecordRequest, view: View): Promise<number>
  /** The ID of the record with this key that the caller may change, also where no read shows it: an event in the trash. Throws otherwise. */
  findEditable(key: Key, request: RecordRequest): Promise<number>
  /** Problems with the records that an input refers to, which validation can not find. */
  check(write: Write, input: Input, request: RecordRequest, key?: Key): Promise<Problems>
  /** Throws for a body that is never right, before anything else is checked. */
  refuse?(body: unknown): void
  /** Whether a write is to many records, and so has a transaction of its own; absent where none is. */
  isLong?(request: RecordRequest): boolean
  create(write: Write, input: Input): Promise<number>
  update(write: Write, key: Key, input: Input, request: RecordRequest): Promise<number>
  /** Deletes a record, or moves it to the trash; returns it as it is in the trash, or was before its deletion. */
  delete(key: Key, request: RecordRequest, view: View, guard: Guard): Promise<Json | undefined>
  /** The JSON of the records that exist. */
  show(ids: number[], view: View): Promise<Json[]>
}

type Kind = Pick<Resource<never, never>, 'name' | 'plural' | 'right'>

/** The permission that a write requires. */
export const mayDo = (verb: string, { right, plural }: Kind): Permission => ({
  right,
  to: `${verb} ${plural}`,
})

/** The code of the 404 of a record. */
export const absent = (name: Kind['name']) =>
  name === 'event' ? 'rest-event-not-found' : (`${name}-not-found` as const)

/** The error of a record that another one's source and ID are sent for, of kinds that have them. */
export const takenIn = ({ hasSlugs }: { hasSlugs: boolean }): ErrorCode[] =>
  hasSlugs ? ['external_id_taken'] : []

/** The errors of routes that understand `Idempotency-Key`. */
export const REPEATED: ErrorCode[] = ['idempotency_key_reused', 'idempotency_key_in_use']

/** Whether a request is to delete permanently. */
export const isForced = ({ query }: Pick<RecordRequest, 'query'>) => (query as { force?: boolean }).force

/** Whether a write is to all translations of a record. */
export const isForAll = ({ query }: Pick<RecordRequest, 'query'>) =>
  (query as { translations?: 'all' }).translations === 'all'

const LISTS: Record<SyncKind, string> = {
  event:
    'Returns events ordered by start, or by `orderby` and `order`: without date filters those from yesterday to 24 months ahead. See *Default dates of lists*. `geoloc_radius` is in kilometres.',
  series: 'Returns series, newest first. Their dates are events; `/events?series=4` lists them.',
  venue: 'Returns venues, newest first. `geo_lat` and `geo_lng` are in degrees.',
  organizer: 'Returns organizers, newest first.',
  category:
    'Returns categories ordered by name. Those without published events are returned only with `hide_empty=false`.',
  tag: 'Returns tags ordered by name. Those without published events are returned only with `hide_empty=false`.',
}
const CREATES: Record<SyncKind, string> = {
  event:
    'Creates an event. `start_date` and `end_date` are local times in the time zone of the event, unless they have an offset. Venues, organizers, categories and tags are given by ID or created together with the event. If one of them is invalid, nothing is created.',
  series:
    'Creates a series and its dates as far as two years ahead. `start_date` and `end_date` are those of the first one. If anything is invalid, nothing is created.',
  venue: 'Creates a venue, even if one with the same name exists.',
  organizer: 'Creates an organizer, even if one with the same name exists.',
  category:
    'Creates a category. Its name must be unique among the children of its parent, unless `slug` distinguishes it. Requires the role `author` or above.',
  tag: 'Creates a tag. Its name must be unique, unless `slug` distinguishes it. Requires the role `editor` or above.',
}
const READS: Record<SyncKind, string> = {
  event:
    'Returns one event with its venues, organizers and terms. A protected event requires its `password`, unless the caller may edit it.',
  series: 'Returns one series. A protected series requires its `password`, unless the caller may edit it.',
  venue: 'Returns one venue.',
  organizer: 'Returns one organizer.',
  category: 'Returns one category.',
  tag: 'Returns one tag.',
}
const TRANSLATED =
  'With `i18n_language`, or with a path that starts with `/ca`, `/en` or `/es`, this applies to its translation, if there is one.'
const TO_TRASH =
  'Moves the record to the trash and returns it. `POST` to its path with `/restore` brings it back as it was, an update with a `status` with that. With `force=true`, deletes it permanently.'
const DELETES: Record<SyncKind, string> = {
  event: TO_TRASH,
  series:
    'Moves the series with its dates to the trash and returns it. `POST` to its path with `/restore`, or an update with a `status`, restores it with those dates that were not deleted on their own. With `force=true`, deletes all of it permanently.',
  venue: `${TO_TRASH} Its events keep their other venues.`,
  organizer: `${TO_TRASH} Its events keep their other organizers.`,
  category: 'Deletes the category permanently and returns it. Its children move up to its parent.',
  tag: 'Deletes the tag permanently and returns it.',
}
const UPDATES =
  'Changes the fields that are sent and keeps the others. Send the `ETag` of a read in `If-Match` to be sure that the record has not changed since.'

/** The description of an operation on a resource: what the introduction does not say. */
export function descriptionOf(kind: OperationKind, name: SyncKind): string {
  const words: Record<OperationKind, string> = {
    list: LISTS[name],
    create: CREATES[name],
    read: `${READS[name]} ${TRANSLATED}`,
    update: UPDATES,
    delete: DELETES[name],
  }
  return words[kind]
}
