import { and, eq, ne, sql } from 'drizzle-orm'
import { links, posts, terms, tokens, users } from '../../../drizzle/tables.ts'
import type { TermInput } from '../../../schemas/term.ts'
import { record } from '../../kernel/access/audit-log.ts'
import type { Caller, LimitSet } from '../../kernel/access/rights.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError, forbidden, invalid, type Problems, refuse } from '../../kernel/errors.ts'
import { fold, toSlug } from '../../kernel/text/text.ts'
import type { TermRow } from '../formats/records.ts'
import { canAddTerms, canReadTerm } from '../rights.ts'
import { withoutReturned } from './input.ts'
import { project } from './projection.ts'
import { linksOf, setLinks } from './rows.ts'
import { findTermById, resolveTerms, type Taxonomy, translatedTerm } from './term-keys.ts'
import { freeTermSlug, newTranslationGroup, type Write } from './write.ts'

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
      translation_group: await translationGroupAfter(w, input.translation_of),
      hidden,
    })
    .returning()
  await project(w, 'term', { after: row! })
  return row!
}

export function openTerms(db: Db, taxonomy: Taxonomy) {
  /** Reads an input for the term at a URL, or for a new one: the members that change something, and all problems. */
  async function readInput(w: Write, sent: TermInput, key?: TermKey) {
    const self = key && (await seekTerm(w.tx, taxonomy, key, w.caller))
    const { name, slug, description } = self ?? {}
    const input = self ? withoutReturned(w, sent, { name, slug, description }) : sent
    return { self, input, problems: await checkTermInput(w, taxonomy, input, self) }
  }

  return {
    /** Problems with the terms that an input refers to. */
    checkInput: async (w: Write, sent: TermInput, key?: TermKey): Promise<Problems> =>
      (await readInput(w, sent, key)).problems,
    /** The term that a URL names; throws the 404 of the taxonomy. */
    find: (key: TermKey, caller: Caller) => findTerm(db.read, taxonomy, key, caller),
    async create(w: Write, input: TermInput & { name: string }): Promise<number> {
      refuse(await checkTermInput(w, taxonomy, input))
      await checkNewName(w, taxonomy, input)
      return (await insertTerm(w, taxonomy, input, false)).id
    },
    async update(w: Write, key: TermKey, sent: TermInput): Promise<number> {
      const { self, input, problems } = await readInput(w, sent, key)
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
              : await translationGroupAfter(w, input.translation_of),
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

/** Problems with the terms that an input refers to. */
async function checkTermInput(
  w: Write,
  taxonomy: Taxonomy,
  input: TermInput,
  self?: TermRow,
): Promise<Problems> {
  const problems: Problems = {}
  const language = input.i18n_language ?? self?.language ?? w.language
  if (input.parent && (await resolveTerms(w.tx, taxonomy, [input.parent]))[0] === undefined)
    problems.parent = `There is no ${taxonomy} with ID ${input.parent}.`
  if (input.translation_of) {
    const [original] = await resolveTerms(w.tx, taxonomy, [input.translation_of])
    if (!original || original.id === self?.id)
      problems.translation_of = `There is no other ${taxonomy} with ID ${input.translation_of}.`
    else if (await isTranslated(w, original, language, self))
      problems.translation_of = `This ${taxonomy} exists in the language "${language}" already.`
  } else if (self && input.translation_of === undefined && (await isTranslated(w, self, language, self)))
    problems.i18n_language = `A translation into "${language}" exists already.`
  return problems
}

/** Whether a term, or one of its translations, is of this language; `self` does not count. */
async function isTranslated(w: Write, term: TermRow, language: string, self?: TermRow): Promise<boolean> {
  const { id, translation_group } = term
  const set = translation_group === null ? eq(terms.id, id) : eq(terms.translation_group, translation_group)
  const taken = await w.tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(set, eq(terms.language, language), ne(terms.id, self?.id ?? 0)))
  return taken.length > 0
}

/** Throws `term_exists`: a category's name among its siblings (with case), a tag's among all (without), unless a slug of its own tells them apart (reference §3.3). */
async function checkNewName(w: Write, taxonomy: Taxonomy, input: TermInput & { name: string }) {
  const language = input.i18n_language ?? w.language
  const named = and(
    eq(terms.taxonomy, taxonomy),
    eq(terms.folded_name, fold(input.name)),
    eq(terms.language, language),
  )
  const rows = await w.tx.select().from(terms).where(named)
  const same = rows.find(
    (row) =>
      (taxonomy === 'tag' || (row.parent_id === (input.parent ?? 0) && row.name === input.name)) &&
      (!input.slug || row.slug === input.slug),
  )
  if (!same) return
  const where = taxonomy === 'tag' ? '' : ' with the same parent'
  throw new ApiError('term_exists', `A ${taxonomy} named "${same.name}" exists already${where}.`, {
    term_id: same.id,
  })
}

/** Whether `id` is `parent` or one of its ancestors, so that moving it below `parent` would create a loop. */
async function closesLoop(tx: Queries, id: number, parent: number): Promise<boolean> {
  for (let at = parent; at !== 0; ) {
    if (at === id) return true
    const [row] = await tx.select({ parent: terms.parent_id }).from(terms).where(eq(terms.id, at))
    at = row!.parent
  }
  return false
}

/** The slug after an update; throws if another term has it. */
async function slugAfter(
  w: Write,
  row: TermRow,
  name: string,
  slug: string | null | undefined,
): Promise<string> {
  if (slug === undefined) return row.slug
  if (slug === null) return freeTermSlug(w.tx, row.taxonomy, toSlug(name) || row.taxonomy, row.id)
  const free = await freeTermSlug(w.tx, row.taxonomy, slug, row.id)
  if (free !== slug)
    throw new ApiError('duplicate_term_slug', `The slug "${slug}" belongs to another ${row.taxonomy}.`)
  return slug
}

/** The translation group that a term joins; creates one if needed. */
async function translationGroupAfter(w: Write, original: number | null | undefined): Promise<number | null> {
  if (!original) return null
  const [row] = await w.tx.select().from(terms).where(eq(terms.id, original))
  const group = row!.translation_group ?? (await newTranslationGroup(w.tx, terms))
  if (row!.translation_group === null)
    await w.tx.update(terms).set({ translation_group: group }).where(eq(terms.id, row!.id))
  return group
}

/** Limits of rights to a category become limits to the one that takes its place. */
async function moveLimits(w: Write, from: number, to: number) {
  const moved = (limits: LimitSet) => ({
    categories: [...new Set(limits.categories.map((id) => (id === from ? to : id)))],
    venues: [...limits.venues],
  })
  const isNamed = (table: typeof users | typeof tokens) =>
    sql`exists (select 1 from json_each(${table.limits}, '$.categories') where value = ${from})`
  for (const user of await w.tx.select().from(users).where(isNamed(users))) {
    const limits = moved(user.limits!)
    await w.tx.update(users).set({ limits }).where(eq(users.id, user.id))
    await project(w, 'user', { before: user, after: user })
    const details = { login: user.login, limits: `category ${from} → ${to}` }
    await record(w, 'user_changed', { kind: 'user', id: user.id }, details)
  }
  for (const { id, limits } of await w.tx.select().from(tokens).where(isNamed(tokens))) {
    await w.tx
      .update(tokens)
      .set({ limits: moved(limits!) })
      .where(eq(tokens.id, id))
    await project(w, 'token', { before: { id }, after: { id } })
  }
}
