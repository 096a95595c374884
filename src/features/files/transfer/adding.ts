import { and, eq, sql } from 'drizzle-orm'
import { media, posts, revisions, terms, users } from '../../../../drizzle/tables.ts'
import type { MediaRow, TermRow } from '../../../calendar/formats/records.ts'
import { settle } from '../../../calendar/records/media/files.ts'
import { filesOf } from '../../../calendar/records/media/media.ts'
import { project } from '../../../calendar/records/projection/project.ts'
import { record } from '../../../kernel/access/audit-log.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { recordChange } from '../../../kernel/database/log.ts'
import type { Site } from '../../../kernel/site.ts'
import { fold } from '../../../kernel/text/text.ts'
import { addPost } from './posts.ts'
import type { Line, LineKind } from './shapes.ts'
import {
  type Adding,
  type Given,
  joinSet,
  NO_OWNER,
  otherLanguage,
  ownerOf,
  refused,
  type Space,
  setOf,
  type Taken,
} from './state.ts'
import { type ReadLine, readLine } from './values.ts'

const SPACES: Record<LineKind, Space | undefined> = {
  ...{ user: 'user', media: 'media', category: 'term', tag: 'term', revision: undefined },
  ...{ venue: 'post', organizer: 'post', series: 'post', event: 'post' },
}

async function addUser(a: Adding, id: number, row: typeof users.$inferSelect): Promise<Taken> {
  const { login, role } = row
  const [same] = await a.tx.select().from(users).where(eq(users.login, login))
  if (same) return { outcome: 'present', id: same.id, remarks: [] }
  if (!a.users) return { outcome: 'present', id: a.caller.id, remarks: [] }
  const [taken] = await a.tx.select({ id: users.id }).from(users).where(eq(users.id, id))
  const remarks = taken && a.keeps ? [`has another ID than ${id}, which is that of another user here`] : []
  if (a.dry) return { outcome: 'added', id: 0, remarks }
  const [user] = await a.tx
    .insert(users)
    .values({ ...row, id: taken ? undefined : id })
    .returning()
  await project({ tx: a.tx, site: a.site, now: a.now }, 'user', { after: user! })
  await record(a, 'user_added', { kind: 'user', id: user!.id }, { login, role })
  return { outcome: 'added', id: user!.id, remarks }
}

/** Adds a picture whose files are in MEDIA_DIR, with the note about them; without files it is refused. */
async function addMedia(
  a: Adding,
  id: number,
  row: MediaRow,
  loose: number | null | undefined,
): Promise<Taken> {
  const [same] = await a.tx.select({ id: media.id }).from(media).where(eq(media.file, row.file))
  if (same) return { outcome: 'present', id: same.id, remarks: [] }
  if (loose === undefined) return refused('its files are missing, or are no pictures')
  const author_id = ownerOf(a, row.author_id)
  if (a.dry) return { outcome: 'added', id: 0, remarks: [] }
  if (author_id === undefined) return refused(NO_OWNER)
  if (loose !== null) await settle(a.tx, loose)
  const [added] = await a.tx
    .insert(media)
    .values({ ...row, id: a.keeps ? id : undefined, author_id })
    .returning()
  await project({ tx: a.tx, site: a.site, now: a.now, caller: a.caller }, 'media', { after: added! })
  return { outcome: 'added', id: added!.id, remarks: [] }
}

async function addTerm(a: Adding, taxonomy: 'category' | 'tag', id: number, row: TermRow): Promise<Taken> {
  if (!a.site.languages.includes(row.language)) return refused(otherLanguage(row.language))
  if (row.slug === '') return refused('slug is empty')
  const [same] = await a.tx
    .select()
    .from(terms)
    .where(and(eq(terms.taxonomy, taxonomy), eq(terms.slug, row.slug)))
  if (same) {
    joinSet(a, 'term', row, same)
    return { outcome: 'present', id: same.id, remarks: [] }
  }
  const remarks: string[] = []
  const parent = row.parent_id === 0 ? 0 : a.ids.term.get(row.parent_id)
  if (parent === undefined) remarks.push(`has no parent: there is no ${taxonomy} ${row.parent_id}`)
  const translation_group = await setOf(a, 'term', row, remarks)
  if (a.dry) return { outcome: 'added', id: 0, remarks }
  const [term] = await a.tx
    .insert(terms)
    .values({
      ...row,
      ...{ id: a.keeps ? id : undefined, taxonomy, folded_name: fold(row.name), count: 0 },
      ...{ parent_id: parent ?? 0, translation_group },
    })
    .returning()
  const { now, caller } = a
  await recordChange(a.tx, { kind: taxonomy, id: term!.id, operation: 'create', now, by: caller.id })
  return { outcome: 'added', id: term!.id, remarks }
}

async function addRevision(a: Adding, line: Line, row: typeof revisions.$inferSelect): Promise<Taken> {
  const post = a.ids.post.get(Number(line.of))
  if (post === undefined) return refused(`there is no record ${line.of}`)
  if (a.present.has(Number(line.of))) return { outcome: 'present', remarks: [] }
  const by = row.by === null ? null : (a.ids.user.get(row.by) ?? null)
  if (!a.dry)
    await a.tx.insert(revisions).values({ ...row, id: a.keeps ? line.id : undefined, post_id: post, by })
  return { outcome: 'added', remarks: [] }
}

/** Whether an ID is free for a record that keeps it. */
async function isFree(a: Adding, space: Space, id: number): Promise<boolean> {
  if (!a.keeps || space === 'user') return true
  const table = { post: posts, term: terms, media }[space]
  const [row] = await a.tx.select({ id: table.id }).from(table).where(eq(table.id, id))
  return row === undefined
}

async function addLine(
  a: Adding,
  line: Line,
  { parts, problems }: ReadLine,
  loose: number | null | undefined,
): Promise<Taken> {
  const { kind, id } = line
  const { own } = parts
  if (problems.length > 0) return refused(problems.join('; '))
  if (kind === 'revision') return addRevision(a, line, own as never)
  const space = SPACES[kind]!
  if (a.ids[space].has(id) || !(await isFree(a, space, id)))
    return refused(`the ID ${id} is that of another record`)
  if (kind === 'user') return addUser(a, id, own as never)
  if (kind === 'media') return addMedia(a, id, own as never, loose)
  if (kind === 'category' || kind === 'tag') return addTerm(a, kind, id, own as never)
  return addPost(a, kind, id, { ...parts, line })
}

/** Adds lines of an export one after the other, each in a transaction of its own. */
export function openAdding(db: Db, site: Site, given: Given) {
  const isEmpty = (table: typeof posts | typeof terms | typeof media) =>
    db.read.get<{ none: 0 | 1 }>(sql`select not exists (select 1 from ${table}) as none`).none === 1
  const state: Omit<Adding, 'tx' | 'now'> = {
    ...given,
    site,
    keeps: [posts, terms, media].every(isEmpty),
    ids: { post: new Map(), term: new Map(), media: new Map(), user: new Map() },
    present: new Set(),
    sets: new Map(),
    patterns: new Map(),
  }
  const { files, dry } = given
  const bring = async (names: string[]) =>
    dry ? ((await files.has(names)) ? null : undefined) : files.bring(names)
  return {
    /** Whether records keep their IDs, because there were none here. */
    keeps: state.keeps,
    /** The ID here of a picture that was taken. */
    mediaId: (id: number) => state.ids.media.get(id),
    /** Takes a line, and the files of the picture that it tells of. Lines that are taken at a time share a commit, in their order. */
    async take(line: Line): Promise<Taken> {
      const read = readLine(line)
      const names =
        line.kind === 'media' && read.problems.length === 0 ? filesOf(read.parts.own as never) : []
      const loose = names.length > 0 ? await bring(names) : undefined
      const space = SPACES[line.kind]
      const work = async (tx: Queries) => {
        const taken = await addLine({ ...state, tx, now: site.clock() }, line, read, loose)
        // within the transaction, because what is written with it may name this record
        if (space && taken.id !== undefined) state.ids[space].set(line.id, taken.id)
        if (space === 'post' && taken.outcome === 'present') state.present.add(line.id)
        return taken
      }
      const taken = dry ? await work(db.read) : await db.write(work)
      if (typeof loose === 'number' && taken.outcome !== 'added') await files.drop(loose)
      return taken
    },
  }
}
export type Additions = ReturnType<typeof openAdding>
