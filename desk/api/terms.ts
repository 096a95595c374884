import { useEffect } from 'preact/hooks'
import { PLURAL, type Term, type TermKind } from '../rules/term.ts'
import { list, listAll } from './client.ts'
import { type Signal, signal } from './signal.ts'
import { useLoaded } from './use.ts'

/** All terms of a kind as they were read, and whether there are more than these. */
type Kept = { terms: Term[]; hasMore: boolean; at: number }

/** Pages of terms that are kept; of more, those that are used most. */
const PAGES = 20
/** Milliseconds after which what is kept is read again. */
const FRESH = 300_000

const QUERY = {
  hide_empty: false,
  orderby: 'count',
  order: 'desc',
}
const fieldsOf = (plural: string) =>
  ['total', 'total_pages']
    .concat(['id', 'name', 'parent', 'language', 'count', 'translations'].map((name) => `${plural}.${name}`))
    .join()

const kept: Record<TermKind, Signal<Kept | undefined>> = {
  category: signal<Kept | undefined>(undefined),
  tag: signal<Kept | undefined>(undefined),
}
const readings: Partial<Record<TermKind, Promise<Kept>>> = {}

/** Reads all terms of a kind anew, for all who show them. Whoever reads at the same time gets what was asked for last. */
export function refreshTerms(kind: TermKind): Promise<Kept> {
  const plural = PLURAL[kind]
  const reading: Promise<Kept> = listAll<Term>(
    `/${plural}`,
    plural,
    { ...QUERY, _fields: fieldsOf(plural) },
    PAGES,
  ).then((terms): Kept | Promise<Kept> => {
    if (readings[kind] !== reading) return readings[kind] ?? kept[kind].get()!
    const value = { terms, hasMore: terms.length >= PAGES * 50, at: Date.now() }
    kept[kind].set(value)
    return value
  })
  readings[kind] = reading
  const end = () => {
    if (readings[kind] === reading) delete readings[kind]
  }
  reading.then(end, end)
  return reading
}

/** All terms of a kind as they are kept. What is older than a while is read again meanwhile. */
const readKept = async (kind: TermKind): Promise<Kept> => {
  const known = kept[kind].get()
  const isOld = !known || Date.now() - known.at > FRESH
  const reading = isOld ? (readings[kind] ?? refreshTerms(kind)) : undefined
  if (!known) return reading!
  reading?.catch(() => {}) // what is kept stays
  return known
}

/** Of a kind that has more terms than are kept, those that the API finds for a text. */
async function beyond(kind: TermKind, text: string): Promise<Term[]> {
  const plural = PLURAL[kind]
  if (!kept[kind].get()?.hasMore || text === '') return []
  const query = { ...QUERY, search: text, per_page: 50, _fields: fieldsOf(plural) }
  return (await list<Term>(`/${plural}`, plural, query)).rows
}
const united = (terms: Term[], others: Term[]) => [
  ...terms,
  ...others.filter(({ id }) => !terms.some((term) => term.id === id)),
]

/** The terms among which one looks for a text: all that are kept and, where there are more, those that the API finds. */
export async function readTerms(kind: TermKind, text = ''): Promise<Term[]> {
  const { terms } = await readKept(kind)
  return united(terms, await beyond(kind, text))
}

/** All terms of a kind for a component, and what was looked for beyond them. What is kept is there at once; `isNewest` reads it again nevertheless. */
export function useTerms(kind: TermKind, { text = '', isNewest = false } = {}) {
  const known = kept[kind].use()
  const { failure, again } = useLoaded(`terms ${kind}`, () => readKept(kind))
  const others = useLoaded(`terms ${kind} ${known?.hasMore} ${text}`, () => beyond(kind, text))
  useEffect(() => {
    if (isNewest && known) refreshTerms(kind).catch(() => {}) // what is kept stays
  }, [kind])
  return {
    value: known && united(known.terms, others.value ?? []),
    hasMore: known?.hasMore === true,
    failure: known ? others.failure : failure,
    again: known ? others.again : again,
    loading: !known || others.loading,
  }
}
