import { and, count, eq, gt, inArray, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { links, terms } from '../../drizzle/tables.ts'
import type { OrderBy, TermInput } from '../../schemas/term.ts'
import { ApiError, forbidden, invalid, type Problems } from '../errors.ts'
import { type Caller, canManageTerms } from '../roles.ts'
import { fold, toSlug } from '../text.ts'
import { recordChange } from './changes.ts'
import type { Db, Queries } from './db.ts'
import { unlinkEverywhere } from './links.ts'
import type { TermRow } from './render.ts'
import { freeTermSlug } from './slugs.ts'
import type { Write } from './write.ts'

export type Taxonomy = TermRow['taxonomy']

export type TermFilter = {
  page: number
  per_page: number
  search?: string
  exclude?: number[]
  include?: number[]
  order: 'asc' | 'desc'
  orderby: OrderBy
  hide_empty: boolean
  parent?: number
  event?: number
  slug?: string
  language?: string
}

const PLURAL = { category: 'categories', tag: 'tags' } as const

async function findTerm(db: Queries, taxonomy: Taxonomy, id: number): Promise<TermRow> {
  const [row] = await db
    .select()
    .from(terms)
    .where(and(eq(terms.id, id), eq(terms.taxonomy, taxonomy)))
  if (!row) throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with ID ${id}.`)
  return row
}

const matches = (taxonomy: Taxonomy, key: string) => {
  const number = /^\d{1,15}$/.test(key) ? Number(key) : -1
  const slugs = [key.toLowerCase(), encodeURIComponent(key).toLowerCase()]
  return and(
    eq(terms.taxonomy, taxonomy),
    or(inArray(terms.slug, slugs), eq(terms.id, number), eq(terms.folded_name, fold(key))),
  )
}

/** The terms that each of `keys` (ID, slug or name) means: a slug stands over an ID, an ID over a name. Unmatched ones are undefined. */
export async function resolveTerms(
  db: Queries,
  taxonomy: Taxonomy,
  keys: (number | string)[],
): Promise<(TermRow | undefined)[]> {
  const found: (TermRow | undefined)[] = []
  for (const key of keys) {
    const rows = await db
      .select()
      .from(terms)
      .where(matches(taxonomy, String(key)))
      .orderBy(terms.id)
    const slugged = rows.find((row) => row.slug === String(key).toLowerCase())
    const numbered = rows.find((row) => String(row.id) === String(key))
    found.push(typeof key === 'number' ? numbered : (slugged ?? numbered ?? rows[0]))
  }
  return found
}

/**
 * IDs of the terms named inside an event: existing ones are taken, new names created, unknown IDs skipped and
 * noted as ignored (D13). Throws 403 where a new one is not the caller's to make (D37).
 */
export async function assignTerms(
  w: Write,
  taxonomy: Taxonomy,
  keys: (number | string)[],
): Promise<number[]> {
  const ids: number[] = []
  const found = await resolveTerms(w.tx, taxonomy, keys)
  for (const [at, key] of keys.entries()) {
    const existing = found[at] ?? (await resolveTerms(w.tx, taxonomy, [key]))[0]
    if (existing) ids.push(existing.id)
    else if (/^\d+$/.test(String(key))) w.ignored.push(`${PLURAL[taxonomy]}[${key}]`)
    else if (!canManageTerms(w.caller, taxonomy))
      throw forbidden(w.caller !== undefined, `create the ${taxonomy} "${key}"`)
    else ids.push((await insertTerm(w, taxonomy, { name: String(key) })).id)
  }
  return ids
}

async function insertTerm(
  w: Write,
  taxonomy: Taxonomy,
  input: TermInput & { name: string },
): Promise<TermRow> {
  const wanted = input.slug ?? toSlug(input.name)
  const [row] = await w.tx
    .insert(terms)
    .values({
      taxonomy,
      name: input.name,
      folded_name: fold(input.name),
      slug: await freeTermSlug(w.tx, taxonomy, wanted || taxonomy, 0),
      description: input.description ?? '',
      parent_id: input.parent ?? 0,
      language: input.i18n_language ?? w.language,
      translation_group: await groupOf(w, input.translation_of),
    })
    .returning()
  await recordChange(w.tx, taxonomy, row!.id, 'create', w.now)
  return row!
}

async function groupOf(w: Write, original: number | null | undefined): Promise<number | null> {
  if (!original) return null
  const [row] = await w.tx.select().from(terms).where(eq(terms.id, original))
  const group = row!.translation_group ?? row!.id
  if (row!.translation_group === null) {
    await w.tx.update(terms).set({ translation_group: group }).where(eq(terms.id, row!.id))
    await recordChange(w.tx, row!.taxonomy, row!.id, 'update', w.now)
  }
  return group
}

/** What is wrong with the terms that an input names. */
async function checkTermInput(
  w: Write,
  taxonomy: Taxonomy,
  input: TermInput,
  self?: TermRow,
): Promise<Problems> {
  const problems: Problems = {}
  if (input.parent && (await resolveTerms(w.tx, taxonomy, [input.parent]))[0] === undefined)
    problems.parent = `There is no ${taxonomy} with ID ${input.parent}.`
  if (input.translation_of) {
    const language = input.i18n_language ?? self?.language ?? w.language
    const original = (await resolveTerms(w.tx, taxonomy, [input.translation_of]))[0]
    if (!original || original.id === self?.id)
      problems.translation_of = `There is no other ${taxonomy} with ID ${input.translation_of}.`
    else {
      const group = original.translation_group ?? original.id
      const taken = await w.tx
        .select({ id: terms.id })
        .from(terms)
        .where(
          and(
            or(eq(terms.translation_group, group), eq(terms.id, original.id)),
            eq(terms.language, language),
            ne(terms.id, self?.id ?? 0),
          ),
        )
      if (taken.length > 0)
        problems.translation_of = `This ${taxonomy} exists in the language "${language}" already.`
    }
  }
  return problems
}

function checkMayManage(caller: Caller, taxonomy: Taxonomy, verb: string) {
  if (!canManageTerms(caller, taxonomy)) throw forbidden(caller !== undefined, `${verb} ${PLURAL[taxonomy]}`)
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
  const where = taxonomy === 'tag' ? '' : ' beside it'
  throw new ApiError('term_exists', `A ${taxonomy} named "${same.name}" exists already${where}.`, {
    term_id: same.id,
  })
}

/** Whether `id` stands above `parent` or is it: to put it below would close a loop. */
async function closesLoop(tx: Queries, id: number, parent: number): Promise<boolean> {
  for (let at = parent; at !== 0; ) {
    if (at === id) return true
    const [row] = await tx.select({ parent: terms.parent_id }).from(terms).where(eq(terms.id, at))
    at = row!.parent
  }
  return false
}

export function openTerms(db: Db, taxonomy: Taxonomy) {
  /** The columns that a list is sorted by. */
  const order = (filter: TermFilter): SQL => {
    const column = {
      name: terms.folded_name,
      slug: terms.slug,
      id: terms.id,
      count: terms.count,
      description: terms.description,
      include: sql`(select key from json_each(${JSON.stringify(filter.include ?? [])}) where value = ${terms.id})`,
      term_group: terms.id,
      parent: terms.parent_id,
    }[filter.orderby]
    const direction = sql.raw(filter.order)
    return sql`${column} ${direction}, ${terms.folded_name} ${direction}, ${terms.id} ${direction}`
  }

  const conditions = (filter: TermFilter): SQL | undefined =>
    and(
      eq(terms.taxonomy, taxonomy),
      filter.search === undefined
        ? undefined
        : sql`(instr(${terms.folded_name}, ${fold(filter.search)}) > 0 or instr(${terms.slug}, ${filter.search.toLowerCase()}) > 0)`,
      filter.include && inArray(terms.id, filter.include),
      filter.exclude && notInArray(terms.id, filter.exclude),
      filter.hide_empty && !filter.include && filter.event === undefined ? gt(terms.count, 0) : undefined,
      filter.parent === undefined ? undefined : eq(terms.parent_id, filter.parent),
      filter.slug === undefined
        ? undefined
        : inArray(terms.slug, [filter.slug.toLowerCase(), encodeURIComponent(filter.slug).toLowerCase()]),
      filter.language === undefined ? undefined : eq(terms.language, filter.language),
      filter.event === undefined
        ? undefined
        : sql`exists (select 1 from ${links} where ${links.kind} = ${taxonomy} and ${links.target_id} = ${terms.id} and ${links.event_id} = ${filter.event})`,
    )

  return {
    /** Throws the taxonomy's 404. */
    find: (id: number) => findTerm(db.read, taxonomy, id),
    /** The translation of a term into `language` where there is one, else the term (D21). */
    async translated(row: TermRow, language: string | undefined): Promise<TermRow> {
      if (language === undefined || row.language === language || row.translation_group === null) return row
      const [other] = await db.read
        .select()
        .from(terms)
        .where(and(eq(terms.translation_group, row.translation_group), eq(terms.language, language)))
      return other ?? row
    },
    /** What is wrong with the IDs that a list is filtered by. */
    async check(filter: TermFilter): Promise<Problems> {
      const problems: Problems = {}
      const named = {
        include: filter.include,
        exclude: filter.exclude,
        parent: filter.parent ? [filter.parent] : undefined,
      }
      for (const [name, ids] of Object.entries(named)) {
        const found = await resolveTerms(db.read, taxonomy, ids ?? [])
        const at = found.indexOf(undefined)
        if (at >= 0) problems[name] = `There is no ${taxonomy} with ID ${ids![at]}.`
      }
      return problems
    },
    /** A page of IDs, and how many match. */
    async list(filter: TermFilter) {
      const where = conditions(filter)
      const [all] = await db.read.select({ total: count() }).from(terms).where(where)
      const rows = await db.read
        .select({ id: terms.id })
        .from(terms)
        .where(where)
        .orderBy(order(filter))
        .limit(filter.per_page)
        .offset((filter.page - 1) * filter.per_page)
      return { total: all!.total, ids: rows.map((row) => row.id) }
    },
    async create(w: Write, input: TermInput & { name: string }): Promise<number> {
      const problems = await checkTermInput(w, taxonomy, input)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      checkMayManage(w.caller, taxonomy, 'create')
      await checkNewName(w, taxonomy, input)
      return (await insertTerm(w, taxonomy, input)).id
    },
    async update(w: Write, id: number, input: TermInput): Promise<number> {
      const [self] = await w.tx
        .select()
        .from(terms)
        .where(and(eq(terms.id, id), eq(terms.taxonomy, taxonomy)))
      const problems = await checkTermInput(w, taxonomy, input, self)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      checkMayManage(w.caller, taxonomy, 'change')
      const row = self ?? (await findTerm(w.tx, taxonomy, id))
      const name = input.name ?? row.name
      const parent = input.parent === undefined ? row.parent_id : (input.parent ?? 0)
      await w.tx
        .update(terms)
        .set({
          name,
          folded_name: fold(name),
          slug: await slugAfter(w, row, name, input.slug),
          description: input.description === undefined ? row.description : (input.description ?? ''),
          parent_id: (await closesLoop(w.tx, id, parent)) ? 0 : parent,
          language: input.i18n_language ?? row.language,
          translation_group:
            input.translation_of === undefined
              ? row.translation_group
              : await groupOf(w, input.translation_of),
        })
        .where(eq(terms.id, id))
      await recordChange(w.tx, taxonomy, id, 'update', w.now)
      return id
    },
    /** Throws unless the term is there and the caller's to delete. */
    async checkRemovable(w: Write, id: number): Promise<number> {
      checkMayManage(w.caller, taxonomy, 'delete')
      return (await findTerm(w.tx, taxonomy, id)).id
    },
    /** Deletes for good; children move up (D30). */
    async remove(w: Write, id: number) {
      const row = await findTerm(w.tx, taxonomy, id)
      await unlinkEverywhere(w.tx, taxonomy, id)
      const children = await w.tx
        .update(terms)
        .set({ parent_id: row.parent_id })
        .where(eq(terms.parent_id, id))
        .returning({ id: terms.id })
      await w.tx.delete(terms).where(eq(terms.id, id))
      for (const child of children) await recordChange(w.tx, taxonomy, child.id, 'update', w.now)
      await recordChange(w.tx, taxonomy, id, 'delete', w.now)
    },
  }
}
export type Terms = ReturnType<typeof openTerms>

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
