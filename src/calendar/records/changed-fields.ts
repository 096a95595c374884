import { isDeepStrictEqual } from 'node:util'
import type { Static } from '@sinclair/typebox'
import type { Refs, revisions } from '../../../drizzle/tables.ts'
import type { EventVersion } from '../../../schemas/revision.ts'
import type { Queries } from '../../kernel/database/db.ts'
import type { EventRow, Post, SeriesRow } from '../formats/records.ts'
import { IN_EVENT, IN_LINKS } from './series/overrides.ts'
import type { ServiceWrite } from './write.ts'

/** Changed members of a record by name, each with its value before and after. */
export type ChangedFields = (typeof revisions.$inferSelect)['fields']

declare module '../../kernel/store.ts' {
  interface DomainEvents {
    /** A write has changed members of an event or a series, by a user or by the service itself; `now` is its time in Unix milliseconds. */
    'record.changed': { tx: Queries; now: number; id: number; by: number | null; fields: ChangedFields }
  }
}

/** What is known of an event or a series at a time. Parts that a write does not touch are absent. */
type State = {
  post: Post
  event?: EventRow | undefined
  refs?: Refs | undefined
  series?: Pick<SeriesRow, 'rrule' | 'rdate' | 'exdate'> | undefined
}

/** The members that the history declares. */
type InHistory = keyof Static<typeof EventVersion>

/** The members of a post, as they are told. Of a password only whether there is one. */
const OF_POST: Record<string, (post: Post) => string | number | boolean> = {
  title: ({ title }) => title,
  description: ({ description }) => description,
  excerpt: ({ excerpt }) => excerpt,
  status: ({ status }) => status,
  slug: ({ slug, untrashed_slug }) => untrashed_slug ?? slug,
  author: ({ author_id }) => author_id,
  date: ({ date }) => date,
  image: ({ image_id }) => image_id ?? 0,
  password: ({ password_hash }) => password_hash !== null,
  post_parent: ({ parent_id }) => parent_id ?? 0,
  i18n_language: ({ language }) => language,
}

const OF_EVENT = [
  ...(['start_date', 'end_date', 'timezone', 'all_day'] as const),
  ...IN_EVENT,
] satisfies InHistory[]
const KINDS = Object.entries(IN_LINKS)
const ruleOf = ({ rrule, rdate, exdate }: NonNullable<State['series']>) => ({ rrule, rdate, exdate })

/** The members in which two states of an event or a series differ, with both values. */
function changedBetween(before: State, after: State): ChangedFields {
  const fields: ChangedFields = {}
  const compare = (name: string, was: unknown, is: unknown) => {
    if (!isDeepStrictEqual(was, is)) fields[name] = [was, is]
  }
  for (const [name, read] of Object.entries(OF_POST)) compare(name, read(before.post), read(after.post))
  if (before.post.password_hash !== after.post.password_hash)
    fields.password = [before.post.password_hash !== null, after.post.password_hash !== null]
  if (before.event && after.event)
    for (const name of OF_EVENT) compare(name, before.event[name], after.event[name])
  if (before.refs && after.refs)
    for (const [name, kind] of KINDS) compare(name, before.refs[kind], after.refs[kind])
  if (before.series && after.series) compare('recurrence', ruleOf(before.series), ruleOf(after.series))
  return fields
}

/** Emits `record.changed` with what a write changed in an event or a series, if it changed anything and somebody listens. */
export async function emitChanged(
  { tx, site: { domainEvents }, now, caller }: ServiceWrite,
  before: State,
  after: State,
) {
  if (!domainEvents?.hears('record.changed')) return
  const fields = changedBetween(before, after)
  if (Object.keys(fields).length > 0)
    await domainEvents.emit('record.changed', { tx, now, id: after.post.id, by: caller?.id ?? null, fields })
}
