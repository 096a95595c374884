import { and, eq } from 'drizzle-orm'
import { links, posts, terms } from '../../../../drizzle/tables.ts'
import type { TermInput } from '../../../../schemas/term.ts'
import { record } from '../../../kernel/access/audit-log.ts'
import { type Caller, canAddTerms, canReadTerm } from '../../../kernel/access/roles.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError, forbidden, invalid, type Problems, refuse } from '../../../kernel/errors.ts'
import { fold, toSlug } from '../../../kernel/text/text.ts'
import type { TermRow } from '../../formats/records.ts'
import { withoutReturned } from '../input.ts'
import { moveLimits } from '../limits.ts'
import { linksOf, setLinks } from '../projection/links.ts'
import { project } from '../projection/project.ts'
import { freeTermSlug } from '../slugs.ts'
import type { Write } from '../write.ts'
import { findTermById, resolveTerms, type Taxonomy, translatedTerm } from './term-keys.ts'
import { checkNewName, checkTermInput, closesLoop, groupOf, slugAfter } from './term-rules.ts'

const PLURAL = { category: 'categories', tag: 'tags' } as const

const notFound = (taxonomy: Taxonomy, id: number) =>
  new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with ID ${id}.`)

/** How a URL names a term: by ID, and with a language by its translation, if there is one (D21, R12). */
export type TermKey = { id: number; language?: string | undefined }

async function seekTerm(
  db: Queries,
  taxonomy: Taxonomy,
  { id, language }: TermKey,
  caller: Caller,
): Promise<TermRow | undefined> {
  const row = await findTermById(db, taxonomy, id)
  return row && canReadTerm(caller, row) ? translatedTerm(db, row, language, caller) : undefined
}

async function findTerm(db: Queries, taxonomy: Taxonomy, key: TermKey, caller: Caller): Promise<TermRow> {
  const row = await seekTerm(db, taxonomy, key, caller)
  if (!row) throw notFound(taxonomy, key.id)
  return row
}

/**
 * IDs of the terms named inside an event: existing ones are taken, new names created, unknown IDs skipped and
 * noted as ignored (D13). Throws 403 if the caller may not create a new one (D37).
 */
export async function assignTerms(
  w: Write,
  taxonomy: Taxonomy,
  keys: (number | string)[],
): Promise<number[]> {
  const ids: number[] = []
  for (const key of keys) {
    // one by one, since a name may occur twice
    const [existing] = await resolveTerms(w.tx, taxonomy, [key], w)
    if (existing) ids.push(existing.id)
    else if (/^\d+$/.test(String(key))) w.ignored.push(`${PLURAL[taxonomy]}[${key}]`)
    else if (!canAddTerms(w.caller, taxonomy)) throw forbidden(true, `create the ${taxonomy} "${key}"`)
    else {
      const { id, name } = await insertTerm(w, taxonomy, { name: String(key) }, true)
      w.created.push({ plural: PLURAL[taxonomy], id, name })
      ids.push(id)
    }
  }
  return ids
}

/** Adds a term. One that is made inside of an event is hidden until everybody sees an event that has it. */
async function insertTerm(
  w: Write,
  taxonomy: Taxonomy,
  input: TermInput & { name: string },
  hidden: boolean,
): Promise<TermRow> {
  const wanted = input.slug ?? toSlug(input.name)
  const [row] = await w.tx
    .insert(terms)
    .values({
      ...(!hidden && w.ids?.own !== undefined && { id: w.ids.own }),
      taxonomy,
      name: input.name,
      folded_name: fold(input.name),
      slug: await freeTermSlug(w.tx, taxonomy, wanted || taxonomy, 0),
      description: input.description ?? '',
      parent_id: input.parent ?? 0,
      language: input.i18n_language ?? w.language,
      translation_group: await groupOf(w, input.translation_of),
      hidden,
    })
    .returning()
  await project(w, 'term', { after: row! })
  return row!
}

export function openTerms(db: Db, taxonomy: Taxonomy) {
  /** Reads an input for the term at a URL, or for a new one: the members that change something, and all problems. */
  async function look(w: Write, sent: TermInput, key?: TermKey) {
    const self = key && (await seekTerm(w.tx, taxonomy, key, w.caller))
    const { name, slug, description } = self ?? {}
    const input = self ? withoutReturned(w, sent, { name, slug, description }) : sent
    return { self, input, problems: await checkTermInput(w, taxonomy, input, self) }
  }

  return {
    /** Problems with the terms that an input refers to. */
    checkInput: async (w: Write, sent: TermInput, key?: TermKey): Promise<Problems> =>
      (await look(w, sent, key)).problems,
    /** The term that a URL names; throws the 404 of the taxonomy. */
    find: (key: TermKey, caller: Caller) => findTerm(db.read, taxonomy, key, caller),
    async create(w: Write, input: TermInput & { name: string }): Promise<number> {
      refuse(await checkTermInput(w, taxonomy, input))
      await checkNewName(w, taxonomy, input)
      return (await insertTerm(w, taxonomy, input, false)).id
    },
    async update(w: Write, key: TermKey, sent: TermInput): Promise<number> {
      const { self, input, problems } = await look(w, sent, key)
      refuse(problems)
      if (!self) throw notFound(taxonomy, key.id)
      const { id } = self
      const name = input.name ?? self.name
      const parent = input.parent === undefined ? self.parent_id : (input.parent ?? 0)
      const [row] = await w.tx
        .update(terms)
        .set({
          name,
          folded_name: fold(name),
          slug: await slugAfter(w, self, name, input.slug),
          description: input.description === undefined ? self.description : (input.description ?? ''),
          parent_id: (await closesLoop(w.tx, id, parent)) ? 0 : parent,
          language: input.i18n_language ?? self.language,
          translation_group:
            input.translation_of === undefined
              ? self.translation_group
              : await groupOf(w, input.translation_of),
        })
        .where(eq(terms.id, id))
        .returning()
      await project(w, 'term', { before: self, after: row! })
      return id
    },
    /** Deletes permanently; children move up (D30). Its events get the term `heir` in its place, if there is one. */
    async remove(w: Write, id: number, heir?: number) {
      const row = await findTerm(w.tx, taxonomy, { id }, w.caller)
      if (heir !== undefined) await reassignEvents(w, row, heir)
      const children = await w.tx
        .update(terms)
        .set({ parent_id: row.parent_id })
        .where(eq(terms.parent_id, id))
        .returning()
      if (heir !== undefined && taxonomy === 'category') await moveLimits(w, id, heir)
      await w.tx.delete(terms).where(eq(terms.id, id))
      await project(w, 'term', { before: row })
      await record(w, 'record_deleted', { kind: taxonomy, id }, { name: row.name, reassigned_to: heir })
      for (const child of children)
        await project(w, 'term', { before: { ...child, parent_id: id }, after: child })
    },
  }
}
export type Terms = ReturnType<typeof openTerms>

/** Gives all events of a term to another one of its kind, also those in the trash. An event that has both keeps one. Throws 400 if there is no other. */
async function reassignEvents(w: Write, { id, taxonomy, name }: TermRow, heir: number) {
  const other = heir === id ? undefined : await findTermById(w.tx, taxonomy, heir)
  if (!other)
    throw invalid({ reassign: `must be the ID of another ${taxonomy}, which the events of "${name}" get.` })
  const linked = and(eq(links.kind, taxonomy), eq(links.target_id, id))
  const events = await w.tx
    .select({ post: posts })
    .from(links)
    .innerJoin(posts, eq(posts.id, links.event_id))
    .where(linked)
  for (const { post } of events) {
    const refs = await linksOf(w.tx, post.id)
    const after = [...new Set(refs[taxonomy].map((one) => (one === id ? heir : one)))]
    await setLinks(w.tx, post.id, taxonomy, refs[taxonomy], after)
    await project(w, 'post', { before: { post, refs }, after: { post } })
  }
}
