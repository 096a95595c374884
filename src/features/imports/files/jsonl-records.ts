import { and, eq, ne, sql } from 'drizzle-orm'
import {
  events,
  type links,
  media,
  occurrences,
  organizers,
  posts,
  type Refs,
  revisions,
  series,
  terms,
  users,
  venues,
} from '../../../../drizzle/tables.ts'
import type {
  EventRow,
  External,
  MediaRow,
  OccurrenceRow,
  Post,
  SeriesRow,
  TermRow,
} from '../../../calendar/formats/records.ts'
import { foldAll, searched } from '../../../calendar/records/derived.ts'
import { endNote, filesOf } from '../../../calendar/records/media.ts'
import { findByExternal, type PostKind, storeExternal } from '../../../calendar/records/posts.ts'
import { project } from '../../../calendar/records/projection.ts'
import { LINK_KINDS, NO_REFS, setLinks } from '../../../calendar/records/rows.ts'
import { dueOf, recurrenceOf } from '../../../calendar/records/series/dates.ts'
import { spanOf } from '../../../calendar/records/series/overrides.ts'
import { newTranslationGroup } from '../../../calendar/records/write.ts'
import { nextAfter } from '../../../calendar/recurrence/expansion.ts'
import { occurrenceOf } from '../../../calendar/recurrence/recurrence.ts'
import { timesOf } from '../../../calendar/span.ts'
import { type Actor, record } from '../../../kernel/access/audit-log.ts'
import type { Caller } from '../../../kernel/access/rights.ts'
import { recordChange } from '../../../kernel/database/changes.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import type { Site } from '../../../kernel/site.ts'
import { fold } from '../../../kernel/text/text.ts'
import { toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { LINKS, type Line, type LineKind } from '../../exports/lines.ts'
import type { Entry } from './items.ts'
import type { ReadLine } from './jsonl.ts'

/** What became of a line: it was added; or what it tells of was here already and is left as it is; or it can not be added. The ID is 0 for what would be added. */
type LineResult = Pick<Entry, 'outcome' | 'id' | 'reason' | 'remarks'>
const refused = (reason: string): LineResult => ({ outcome: 'refused', reason, remarks: [] })

/** Files of pictures that lines tell of. */
export type Files = {
  /** Whether all of these files can be brought. */
  has(names: string[]): Promise<boolean>
  /** Brings files to MEDIA_DIR. Gives the number of the note about them, null if they were there, undefined if they can not be brought. */
  bring(names: string[]): Promise<number | null | undefined>
  /** Deletes the files of a note that got no row. */
  drop(loose: number): Promise<unknown>
}

/** Into what lines are added, and what is known of where they come from. */
export type AddOptions = {
  /** Who owns what is of nobody known here. With the ID 0, that is the first user whom the lines add. */
  caller: NonNullable<Caller>
  by: Actor
  /** The time zone of the site that wrote the lines. */
  zone: string
  /** Nothing is written: what would become of each line is found out. */
  dry: boolean
  /** Whether users that are not known here are added, without any means to sign in. */
  users: boolean
  files: Files
}

type Space = 'post' | 'term' | 'media' | 'user'

/** What an import knows while it runs. */
type AddState = AddOptions & {
  tx: Queries
  site: Site
  now: number
  /** Whether there were no records: then all keep their IDs. */
  keepsIds: boolean
  /** The IDs here of what lines name, by their IDs there; 0 for what would be added. */
  ids: Record<Space, Map<number, number>>
  /** IDs there of what was here before: it is left as it is, and so are the dates of such a series. */
  present: Set<number>
  /** Sets of translations here, by those there, with the languages that they have. */
  groups: Map<string, { group: number; languages: Set<string> }>
  /** Series by their IDs there, as their dates need them. */
  patterns: Map<number, EventRow>
}

type InSet = { translation_group: number | null; language: string }

/** The set of translations of a record, or none if the set has the language already. */
async function groupOf(
  state: AddState,
  space: 'post' | 'term',
  { translation_group: there, language }: InSet,
  remarks: string[],
): Promise<number | null> {
  if (there === null) return null
  const key = `${space} ${there}`
  const table = space === 'post' ? posts : terms
  const known = state.groups.get(key) ?? {
    group: state.keepsIds ? there : await newTranslationGroup(state.tx, table),
    languages: new Set<string>(),
  }
  if (known.languages.has(language)) {
    remarks.push(`is not linked to its translations: they have one in ${language} already`)
    return null
  }
  state.groups.set(key, { ...known, languages: known.languages.add(language) })
  return known.group
}

/** Notes the set of translations of what was here before, which new translations join. */
function joinGroup(state: AddState, space: 'post' | 'term', there: InSet, here: InSet) {
  if (there.translation_group === null || here.translation_group === null) return
  const key = `${space} ${there.translation_group}`
  const known = state.groups.get(key) ?? { group: here.translation_group, languages: new Set<string>() }
  state.groups.set(key, { ...known, languages: known.languages.add(here.language) })
}

/** Who owns here what a user owned there; undefined if nobody does. */
const ownerOf = ({ ids, caller }: AddState, author: number): number | undefined =>
  ids.user.get(author) || caller.id || [...ids.user.values()].find((id) => id > 0)

/** Why a record is not added that nobody could own. */
const NO_OWNER = 'nobody would own it: add a user first'

/** Why a record is not added whose language this site does not have. */
const otherLanguage = (language: string) => `language ${language} is not one of LANGUAGES; add it there first`

const SPACES: Record<LineKind, Space | undefined> = {
  user: 'user',
  media: 'media',
  category: 'term',
  tag: 'term',
  revision: undefined,
  venue: 'post',
  organizer: 'post',
  series: 'post',
  event: 'post',
}

async function addUser(state: AddState, id: number, row: typeof users.$inferSelect): Promise<LineResult> {
  const { login, role } = row
  const [same] = await state.tx.select().from(users).where(eq(users.login, login))
  if (same) return { outcome: 'present', id: same.id, remarks: [] }
  if (!state.users) return { outcome: 'present', id: state.caller.id, remarks: [] }
  const [holder] = await state.tx.select({ id: users.id }).from(users).where(eq(users.id, id))
  const remarks =
    holder && state.keepsIds ? [`has another ID than ${id}, which is that of another user here`] : []
  if (state.dry) return { outcome: 'added', id: 0, remarks }
  const [user] = await state.tx
    .insert(users)
    .values({ ...row, id: holder ? undefined : id })
    .returning()
  await project({ tx: state.tx, site: state.site, now: state.now }, 'user', { after: user! })
  await record(state, 'user_added', { kind: 'user', id: user!.id }, { login, role })
  return { outcome: 'added', id: user!.id, remarks }
}

/** Adds a picture whose files are in MEDIA_DIR, with the note about them; without files it is refused. */
async function addMedia(
  state: AddState,
  id: number,
  row: MediaRow,
  loose: number | null | undefined,
): Promise<LineResult> {
  const [same] = await state.tx.select({ id: media.id }).from(media).where(eq(media.file, row.file))
  if (same) return { outcome: 'present', id: same.id, remarks: [] }
  if (loose === undefined) return refused('its files are missing, or are no pictures')
  const author_id = ownerOf(state, row.author_id)
  if (state.dry) return { outcome: 'added', id: 0, remarks: [] }
  if (author_id === undefined) return refused(NO_OWNER)
  if (loose !== null) await endNote(state.tx, loose)
  const [added] = await state.tx
    .insert(media)
    .values({ ...row, id: state.keepsIds ? id : undefined, author_id })
    .returning()
  await project({ tx: state.tx, site: state.site, now: state.now, caller: state.caller }, 'media', {
    after: added!,
  })
  return { outcome: 'added', id: added!.id, remarks: [] }
}

async function addTerm(
  state: AddState,
  taxonomy: 'category' | 'tag',
  id: number,
  row: TermRow,
): Promise<LineResult> {
  if (!state.site.languages.includes(row.language)) return refused(otherLanguage(row.language))
  if (row.slug === '') return refused('slug is empty')
  const [same] = await state.tx
    .select()
    .from(terms)
    .where(and(eq(terms.taxonomy, taxonomy), eq(terms.slug, row.slug)))
  if (same) {
    joinGroup(state, 'term', row, same)
    return { outcome: 'present', id: same.id, remarks: [] }
  }
  const remarks: string[] = []
  const parent = row.parent_id === 0 ? 0 : state.ids.term.get(row.parent_id)
  if (parent === undefined) remarks.push(`has no parent: there is no ${taxonomy} ${row.parent_id}`)
  const translation_group = await groupOf(state, 'term', row, remarks)
  if (state.dry) return { outcome: 'added', id: 0, remarks }
  const [term] = await state.tx
    .insert(terms)
    .values({
      ...row,
      id: state.keepsIds ? id : undefined,
      taxonomy,
      folded_name: fold(row.name),
      count: 0,
      parent_id: parent ?? 0,
      translation_group,
    })
    .returning()
  const { now, caller } = state
  await recordChange(state.tx, { kind: taxonomy, id: term!.id, operation: 'create', now, by: caller.id })
  return { outcome: 'added', id: term!.id, remarks }
}

async function addRevision(
  state: AddState,
  line: Line,
  row: typeof revisions.$inferSelect,
): Promise<LineResult> {
  const post = state.ids.post.get(Number(line.of))
  if (post === undefined) return refused(`there is no record ${line.of}`)
  if (state.present.has(Number(line.of))) return { outcome: 'present', remarks: [] }
  const by = row.by === null ? null : (state.ids.user.get(row.by) ?? null)
  if (!state.dry)
    await state.tx
      .insert(revisions)
      .values({ ...row, id: state.keepsIds ? line.id : undefined, post_id: post, by })
  return { outcome: 'added', remarks: [] }
}

/** Whether an ID is free for a record that keeps it. */
async function isFree(state: AddState, space: Space, id: number): Promise<boolean> {
  if (!state.keepsIds || space === 'user') return true
  const table = { post: posts, term: terms, media }[space]
  const [row] = await state.tx.select({ id: table.id }).from(table).where(eq(table.id, id))
  return row === undefined
}

async function addLine(
  state: AddState,
  line: Line,
  { parts, problems }: ReadLine,
  loose: number | null | undefined,
): Promise<LineResult> {
  const { kind, id } = line
  const { own } = parts
  if (problems.length > 0) return refused(problems.join('; '))
  if (kind === 'revision') return addRevision(state, line, own as never)
  const space = SPACES[kind]!
  if (state.ids[space].has(id) || !(await isFree(state, space, id)))
    return refused(`the ID ${id} is that of another record`)
  if (kind === 'user') return addUser(state, id, own as never)
  if (kind === 'media') return addMedia(state, id, own as never, loose)
  if (kind === 'category' || kind === 'tag') return addTerm(state, kind, id, own as never)
  return addPost(state, kind, id, { ...parts, line })
}

/** Adds lines of an export one after the other, each in a transaction of its own. */
export function openAdding(db: Db, site: Site, given: AddOptions) {
  const isEmpty = (table: typeof posts | typeof terms | typeof media) =>
    db.read.get<{ none: 0 | 1 }>(sql`select not exists (select 1 from ${table}) as none`).none === 1
  const state: Omit<AddState, 'tx' | 'now'> = {
    ...given,
    site,
    keepsIds: [posts, terms, media].every(isEmpty),
    ids: { post: new Map(), term: new Map(), media: new Map(), user: new Map() },
    present: new Set(),
    groups: new Map(),
    patterns: new Map(),
  }
  const { files, dry } = given
  const bring = async (names: string[]) =>
    dry ? ((await files.has(names)) ? null : undefined) : files.bring(names)
  return {
    /** Whether records keep their IDs, because there were none here. */
    keepsIds: state.keepsIds,
    /** The ID here of a picture that was added. */
    mediaId: (id: number) => state.ids.media.get(id),
    /** Adds a line, and the files of the picture that it tells of. Lines that are added at a time share a commit, in their order. */
    async add(line: Line, read: ReadLine): Promise<LineResult> {
      const names =
        line.kind === 'media' && read.problems.length === 0 ? filesOf(read.parts.own as never) : []
      const loose = names.length > 0 ? await bring(names) : undefined
      const space = SPACES[line.kind]
      const work = async (tx: Queries) => {
        const result = await addLine({ ...state, tx, now: site.clock() }, line, read, loose)
        // within the transaction, because what is written with it may name this record
        if (space && result.id !== undefined) state.ids[space].set(line.id, result.id)
        if (space === 'post' && result.outcome === 'present') state.present.add(line.id)
        return result
      }
      const result = dry ? await work(db.read) : await db.write(work)
      if (typeof loose === 'number' && result.outcome !== 'added') await files.drop(loose)
      return result
    },
  }
}

type Row = Record<string, unknown>
type Parts = Record<string, Row>
const isTrashed = (post: Post) => post.status === 'trash'

/**
 * The record here that a line tells of: that with its slug. What has none, or is in the trash, where slugs occur twice, is known by its title
 * and its last change, and not looked for where records keep their IDs.
 */
async function sameAs({ tx, keepsIds }: AddState, kind: PostKind, post: Post): Promise<Post | undefined> {
  const { slug, title, modified_utc, status } = post
  const isNamed = slug !== '' && !isTrashed(post)
  if (!isNamed && keepsIds) return undefined
  const [same] = await tx
    .select()
    .from(posts)
    .where(
      and(
        eq(posts.kind, kind),
        eq(posts.slug, slug),
        isNamed
          ? ne(posts.status, 'trash')
          : sql`title = ${title} and modified_utc = ${modified_utc} and status = ${status}`,
      ),
    )
  return same
}

/** Dates on the clock of this site: a date may differ from its twin in UTC, and then is read in the zone of the other site. */
function datesHere({ zone, site }: AddState, { date, date_utc, modified_utc }: Post) {
  const at = date_utc === '' ? undefined : toEpoch(date_utc, 'UTC')
  const isTwin = at !== undefined && toWall(at, zone) === date
  return {
    date: toWall(isTwin ? at : toEpoch(date, zone), site.zone),
    modified: toWall(toEpoch(modified_utc, 'UTC'), site.zone),
  }
}

/** The times of an event by the clocks of its zone as they are known here; a date of a series keeps to its rule. */
function timesHere(state: AddState, post: Post, event: EventRow, occurrence: OccurrenceRow | undefined) {
  const pattern = occurrence && state.patterns.get(occurrence.series_id)
  if (!pattern || isTrashed(post) || occurrence.overrides.includes('start_date')) return timesOf(event)
  return spanOf({ event: pattern }, occurrence.recurrence_id, event, occurrence.overrides)
}

/** A record that a line names, or undefined with a remark. */
function named(state: AddState, id: unknown, what: string, remarks: string[]): number | undefined {
  const here = state.ids[what === 'image' ? 'media' : 'post'].get(Number(id))
  if (here === undefined) remarks.push(`has no ${what}: ${id} is not in the file`)
  return here
}

/** What an event is linked to here. */
function refsOf(state: AddState, line: Row, remarks: string[]): Refs {
  const refs: Refs = { ...NO_REFS }
  for (const [name, kind] of Object.entries(LINKS) as [string, (typeof links.$inferSelect)['kind']][]) {
    const ids = Array.isArray(line[name]) ? (line[name] as unknown[]) : []
    const space = kind === 'category' || kind === 'tag' ? 'term' : 'post'
    const found = ids.flatMap((id) => state.ids[space].get(Number(id)) ?? [])
    if (found.length < ids.length) remarks.push(`has not all of its ${name}: some are not in the file`)
    refs[kind] = [...new Set(found)]
  }
  return refs
}

/** Why the rule of a series can not be taken; undefined if it can. Brings the rule into step with its dates. */
function refusalOfRule(rule: SeriesRow, event: EventRow, post: Post): string | undefined {
  try {
    const recurrence = recurrenceOf(rule, event)
    const next = rule.until === '' || isTrashed(post) ? undefined : nextAfter(recurrence, rule.until)
    if (rule.next_utc !== null)
      rule.next_utc = next === undefined ? null : dueOf(rule, occurrenceOf(recurrence, next).utc)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Why an event can not be a date of its series. */
function refusalOfDate(state: AddState, { series_id }: OccurrenceRow): LineResult | undefined {
  if (state.present.has(series_id)) return { outcome: 'present', remarks: [] }
  return state.patterns.has(series_id) ? undefined : refused(`there is no series ${series_id}`)
}

/** The row of `posts` that a line gives, with the IDs of here. */
async function postRow(
  state: AddState,
  kind: PostKind,
  id: number,
  read: Row,
  remarks: string[],
): Promise<Post> {
  const given = { ...read, kind } as Post
  if (!state.ids.user.has(given.author_id))
    remarks.push(`has another author: there is no user ${given.author_id}`)
  const here = (name: unknown, what: string) =>
    name === null ? null : (named(state, name, what, remarks) ?? null)
  return {
    ...given,
    ...datesHere(state, given),
    id: state.keepsIds ? id : 0,
    author_id: ownerOf(state, given.author_id) ?? 0,
    image_id: here(given.image_id, 'image'),
    parent_id: here(given.parent_id, 'parent'),
    translation_group: await groupOf(state, 'post', given, remarks),
  }
}

/** The tables of what a record has beside its row of `posts`, by the names of its parts. */
const OWN_TABLES = { event: events, series, occurrence: occurrences, venue: venues, organizer: organizers }

/** Writes the rows of a record and derives what depends on them. */
async function write(state: AddState, post: Post, own: Parts, refs: Refs): Promise<number> {
  const { tx, site, now, caller } = state
  const [{ id }] = (await tx
    .insert(posts)
    .values({ ...post, id: state.keepsIds ? post.id : undefined })
    .returning({ id: posts.id })) as [{ id: number }]
  const rows: Record<string, Row> = {}
  for (const [part, table] of Object.entries(OWN_TABLES)) {
    if (!own[part]) continue
    rows[part] = { ...own[part], post_id: id }
    await tx.insert(table).values(rows[part] as never)
  }
  const external = (own.external ?? null) as Parameters<typeof storeExternal>[2]
  if (external) await storeExternal(tx, { id, kind: post.kind }, external)
  for (const kind of LINK_KINDS) await setLinks(tx, id, kind, [], refs[kind])
  const after = { occurrence: null, ...rows, post: { ...post, id }, refs, external } as never
  await project({ tx, site, now, caller }, 'post', { after })
  return id
}

/** Adds an event, a series, a venue or an organizer. */
async function addPost(state: AddState, kind: PostKind, id: number, parts: Parts): Promise<LineResult> {
  const { post: read, own: row, external } = parts as { post: Row; own: Row; external?: Row }
  const given = { ...read, kind } as Post
  if (!state.site.languages.includes(given.language)) return refused(otherLanguage(given.language))
  const date = parts.occurrence as OccurrenceRow | undefined
  const same = await sameAs(state, kind, given)
  if (same) {
    joinGroup(state, 'post', given, same)
    return { outcome: 'present', id: same.id, remarks: [] }
  }
  const unfit = date && refusalOfDate(state, date)
  if (unfit) return unfit
  const isDated = kind === 'event' || kind === 'series'
  const event = isDated ? (row as EventRow) : undefined
  const rule = parts.rule as SeriesRow | undefined
  if (event) Object.assign(event, timesHere(state, given, event, date))
  const unruled = rule && refusalOfRule(rule, event!, given)
  if (unruled) return refused(unruled)
  const remarks: string[] = []
  const refs = isDated ? refsOf(state, parts.line!, remarks) : NO_REFS
  const post = await postRow(state, kind, id, read, remarks)
  if (post.author_id === 0 && !state.dry) return refused(NO_OWNER)
  Object.assign(post, foldAll(post.title, searched[kind](post, row as never)))
  const own: Parts = {}
  if (external && (await findByExternal(state.tx, kind, external as External)) !== undefined)
    remarks.push(`has no source and external_id: another ${kind} has these`)
  else if (external) own.external = external
  if (event) own.event = row
  else own[kind] = row
  if (rule) {
    own.series = rule
    state.patterns.set(id, event!)
  }
  if (date) own.occurrence = { ...date, series_id: post.parent_id }
  return { outcome: 'added', id: state.dry ? 0 : await write(state, post, own, refs), remarks }
}
