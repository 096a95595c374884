import { and, eq, ne } from 'drizzle-orm'
import { terms } from '../../../../drizzle/tables.ts'
import type { TermInput } from '../../../../schemas/term.ts'
import type { Queries } from '../../../kernel/database/db.ts'
import { ApiError, type Problems } from '../../../kernel/errors.ts'
import { fold, toSlug } from '../../../kernel/text/text.ts'
import type { TermRow } from '../../formats/records.ts'
import { freeTermSlug } from '../slugs.ts'
import { newTranslationGroup, type Write } from '../write.ts'
import { resolveTerms, type Taxonomy } from './term-keys.ts'

/** Problems with the terms that an input refers to. */
export async function checkTermInput(
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
export async function checkNewName(w: Write, taxonomy: Taxonomy, input: TermInput & { name: string }) {
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
export async function closesLoop(tx: Queries, id: number, parent: number): Promise<boolean> {
  for (let at = parent; at !== 0; ) {
    if (at === id) return true
    const [row] = await tx.select({ parent: terms.parent_id }).from(terms).where(eq(terms.id, at))
    at = row!.parent
  }
  return false
}

/** The slug after an update; throws if another term has it. */
export async function slugAfter(
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

/** The set of translations that a term joins; creates one if needed. */
export async function translationGroupAfter(w: Write, original: number | null | undefined): Promise<number | null> {
  if (!original) return null
  const [row] = await w.tx.select().from(terms).where(eq(terms.id, original))
  const group = row!.translation_group ?? (await newTranslationGroup(w.tx, terms))
  if (row!.translation_group === null)
    await w.tx.update(terms).set({ translation_group: group }).where(eq(terms.id, row!.id))
  return group
}
