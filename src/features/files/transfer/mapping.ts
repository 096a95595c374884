import { posts, terms } from '../../../../drizzle/tables.ts'
import type { EventRow } from '../../../calendar/formats/records.ts'
import { newTranslationGroup } from '../../../calendar/records/write.ts'
import type { Actor } from '../../../kernel/access/audit-log.ts'
import type { Caller } from '../../../kernel/access/rights.ts'
import type { Queries } from '../../../kernel/database/db.ts'
import type { Site } from '../../../kernel/site.ts'

/**
 * What became of a line: it was added; or what it tells of was here already and is left as it is; or it can not be added. `remarks`
 * say what is missing of what was added.
 */
export type LineResult = {
  outcome: 'added' | 'present' | 'refused'
  /** The ID here; 0 for what would be added. */
  id?: number
  reason?: string
  remarks: string[]
}
export const refused = (reason: string): LineResult => ({ outcome: 'refused', reason, remarks: [] })

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

export type Space = 'post' | 'term' | 'media' | 'user'

/** What an import knows while it runs. */
export type AddState = AddOptions & {
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
export async function groupOf(
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
export function joinGroup(state: AddState, space: 'post' | 'term', there: InSet, here: InSet) {
  if (there.translation_group === null || here.translation_group === null) return
  const key = `${space} ${there.translation_group}`
  const known = state.groups.get(key) ?? { group: here.translation_group, languages: new Set<string>() }
  state.groups.set(key, { ...known, languages: known.languages.add(here.language) })
}

/** Who owns here what a user owned there; undefined if nobody does. */
export const ownerOf = ({ ids, caller }: AddState, author: number): number | undefined =>
  ids.user.get(author) || caller.id || [...ids.user.values()].find((id) => id > 0)

/** Why a record is not added that nobody could own. */
export const NO_OWNER = 'nobody would own it: add a user first'

/** Why a record is not added whose language this site does not have. */
export const otherLanguage = (language: string) =>
  `language ${language} is not one of LANGUAGES; add it there first`
