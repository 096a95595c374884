import { isDeepStrictEqual } from 'node:util'
import type { Refs } from '../../../drizzle/tables.ts'
import { type Changed, noteChanged } from '../../features/history/revisions.ts'
import type { EventRow, Post, SeriesRow } from '../formats/records.ts'
import { IN_EVENT, IN_LINKS } from './series/members.ts'
import type { Write } from './write.ts'

/** What is known of an event or a series at a time. Parts that a write does not touch are absent. */
type State = {
  post: Post
  event?: EventRow | undefined
  refs?: Refs | undefined
  series?: Pick<SeriesRow, 'rrule' | 'rdate' | 'exdate'> | undefined
}

/** The members of a post, as they are kept. Of a password only whether there is one. */
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

const OF_EVENT = [...(['start_date', 'end_date', 'timezone', 'all_day'] as const), ...IN_EVENT]
const KINDS = Object.entries(IN_LINKS)
const ruleOf = ({ rrule, rdate, exdate }: NonNullable<State['series']>) => ({ rrule, rdate, exdate })

/** The members in which two states of an event or a series differ, with both values. */
export function changedBetween(before: State, after: State): Changed {
  const fields: Changed = {}
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

/** Keeps what a write changed in an event or a series, if it changed anything. */
export async function keepRevision(
  { tx, now, caller }: Pick<Write, 'tx' | 'now'> & Partial<Pick<Write, 'caller'>>,
  before: State,
  after: State,
) {
  const fields = changedBetween(before, after)
  if (Object.keys(fields).length > 0)
    await noteChanged(tx, { id: after.post.id, now, by: caller?.id }, fields)
}
