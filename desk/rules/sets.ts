/** A record in one language, with the IDs of its translations. */
export type Member = { id: number; language: string; translations: Record<string, number> }
/** A record and its translations in one row: the one that stands for them, and all of them that are there. */
export type Row<T> = T & { all: T[] }

/** What a record has in common with its translations: the first of their IDs. */
export const keyOf = ({ id, translations }: Member): number => Math.min(id, ...Object.values(translations))

/**
 * Rows of records in which those that are translations of one another, and alike, share one. Each stands where its first record stood, and
 * shows the one whose language comes first among `languages`.
 */
export function rowsOf<T extends Member>(
  records: readonly T[],
  languages: readonly string[],
  likeness: (record: T) => string = () => '',
): Row<T>[] {
  const sets = new Map<string, T[]>()
  for (const record of records) {
    const key = `${keyOf(record)} ${likeness(record)}`
    sets.set(key, [...(sets.get(key) ?? []), record])
  }
  const rank = ({ language }: T) => languages.indexOf(language)
  return [...sets.values()].map((all) => ({ ...all.toSorted((a, b) => rank(a) - rank(b))[0]!, all }))
}

/** All languages of a record, each with the ID of the record in it, in the order of `languages`. */
export const languagesOf = ({ id, language, translations }: Member, languages: readonly string[]) =>
  Object.entries({ ...translations, [language]: id }).toSorted(
    ([a], [b]) => languages.indexOf(a) - languages.indexOf(b),
  )
