import { type Answer, read, send } from '../../api/client.ts'
import { session } from '../../api/session.ts'
import type { Translated } from '../../parts/languages.tsx'
import type { Ref } from '../../rules/event.ts'

/** How records of one kind are translated. */
export type Kind<R extends Translated, T extends object> = {
  /** The path of their list. */
  plural: string
  toForm(record: R): T
  toBody(form: T, names: (keyof T)[]): object
  fieldOf(member: string): string
  nameOf(record: R): string
  /** Whether whoever has signed in may change a record. */
  isMine(record: R): boolean
  /** A translation of which nothing is written yet. */
  empty(source: R, language: string): T
  /** What a translation begins with, and may say in another way, such as the name of a city. */
  begin?(source: T): Partial<T>
  /** What a translation takes from the original and shows nowhere beside it. */
  shared(source: T, language: string): Promise<Partial<T>>
  /** What is taken over, in words, and the words of the button that does it again; absent if that is nothing. */
  taken?: { text: string; again: string } | undefined
}

/** A record, and its translation as it is or as it begins. */
export type Pair<R, T> = {
  source: R
  other?: R
  shared: Partial<T>
  name: string
  id?: number
  etag?: string | undefined
  base: T
  form?: T
}

/** Reads a record, and its translation into a language if there is one. */
export async function readPair<R extends Translated, T extends object>(
  kind: Kind<R, T>,
  id: number,
  language: string,
): Promise<Pair<R, T>> {
  const get = (id: number): Promise<Answer<R>> => send('GET', `/${kind.plural}/${id}`)
  const { body: source } = await get(id)
  const original = kind.toForm(source)
  const shared = await kind.shared(original, language)
  const name = `${session.get()!.user}.translation.${kind.plural}.${id}.${language}`
  const there = source.translations[language]
  if (there === undefined) {
    const base = kind.empty(source, language)
    return { source, shared, name, base, form: { ...base, ...kind.begin?.(original), ...shared } }
  }
  const { body, etag } = await get(there)
  return { source, other: body, shared, name, id: there, etag, base: kind.toForm(body) }
}

type Named = Translated & Record<string, unknown>

/** What a record refers to in another language, where that is translated. */
export const inLanguage =
  (plural: string, member: string, language: string) =>
  async (ref: Ref): Promise<Ref> => {
    const { translations } = await read<Named>(`/${plural}/${ref.id}`)
    const id = translations[language]
    if (id === undefined) return ref
    const { [member]: name } = await read<Named>(`/${plural}/${id}`)
    return { id, name: String(name) }
  }
