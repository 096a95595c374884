import { useMemo } from 'preact/hooks'
import { SITE } from '../api/site.ts'
import { readTerms, refreshTerms, useTerms } from '../api/terms.ts'
import type { Ref } from '../rules/event.ts'
import { offer, type Term, type TermKind } from '../rules/term.ts'
import { languageName, number } from '../words/words.ts'
import { type Choice, Picker } from './picker.tsx'

/** Terms as they are chosen from: in the language of a record, or by language. */
function choicesOf(
  kind: TermKind,
  terms: readonly Term[],
  text: string,
  languages: readonly string[],
): Choice[] {
  const isTag = kind === 'tag'
  return offer(terms, text, languages).map(({ id, name, language, depth, path, count }) => ({
    ...{ id, name, depth, lang: language },
    ...(languages.length > 1 && { group: languageName(language) }),
    detail: isTag ? number(count) : path.join(' › '),
  }))
}

type Props = {
  kind: TermKind
  label: string
  hint?: string
  error?: string | undefined
  value: Ref[]
  onValue: (value: Ref[]) => void
  /** The languages whose terms are offered; without them all. */
  languages?: readonly string[]
  /** The terms among which one chooses, of all; without it all. */
  among?: (terms: Term[]) => Term[]
  single?: boolean
  placeholder?: string
  create?: ((text: string) => void) | undefined
}

/** Chooses categories, from their tree or by typing, or tags. */
export function TermPicker({ kind, languages = SITE.languages, among = (all) => all, ...rest }: Props) {
  useTerms(kind) // what is typed finds them there
  const search = async (text: string) => choicesOf(kind, among(await readTerms(kind, text)), text, languages)
  return <Picker {...rest} search={search} browse={kind === 'category'} />
}

/** Terms by their IDs, with their names as soon as these are known. */
export function useNamed(kind: TermKind, ids: readonly number[]): Ref[] {
  const { value } = useTerms(kind)
  return useMemo(
    () => ids.map((id) => ({ id, name: value?.find((term) => term.id === id)?.name ?? `${id}` })),
    [value, ids.join()],
  )
}

/** Takes a term that was made, changed or deleted here to all who show terms. */
export const termsChanged = (kind: TermKind): void => void refreshTerms(kind).catch(() => {})
