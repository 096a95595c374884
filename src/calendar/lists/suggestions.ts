import { insert } from '../../kernel/tasks/collections.ts'
import { type Term, wordsOf } from '../../kernel/text/search.ts'
import type { Named } from './named.ts'
import type { Names } from './names.ts'
import { priceOf } from './price.ts'
import type { Spend } from './selections/selection.ts'
import type { openTitles } from './selections/titles.ts'

/** What visitors may mean by what they typed, as everybody sees it. */
export type Suggested = {
  /** Words that begin with the last one, those of most titles and names first. */
  words: string[]
  venues: Named[]
  organizers: Named[]
  categories: Named[]
  /** IDs of events that are not over, the next first. */
  events: number[]
}

/** Suggestions of each kind. */
const MOST = 5

const NOTHING: Suggested = { words: [], venues: [], organizers: [], categories: [], events: [] }

type Asked = { terms: Term[]; language: string | undefined; now: number; spend?: Spend | undefined }

/** Records in one language: those of it, and others without a translation into it. */
function inLanguage(all: Named[], language: string | undefined): Named[] {
  if (language === undefined) return all
  const translated = new Set(all.flatMap((one) => (one.language === language ? (one.group ?? []) : [])))
  return all.filter((one) => one.language === language || one.group === null || !translated.has(one.group))
}

/** Names that begin with what was typed first, then those of most events, then by name. */
const byRank =
  ({ text }: Term) =>
  (a: Named, b: Named) =>
    Number(!a.lines[0]?.startsWith(text)) - Number(!b.lines[0]?.startsWith(text)) ||
    b.count - a.count ||
    a.name.localeCompare(b.name) ||
    a.id - b.id

type Used = [word: string, times: number]
const byUse = (a: Used, b: Used) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)

/** The words that are used most, of thousands that are not sorted for it. */
function mostUsed(words: Iterable<Used>): string[] {
  const first: Used[] = []
  for (const used of words) {
    if (first.length === MOST && byUse(first[MOST - 1]!, used) < 0) continue
    insert(first, used, byUse)
    first.length = Math.min(first.length, MOST)
  }
  return first.map(([word]) => word)
}

/** Suggests from names and titles in memory. */
export function openSuggestions(
  names: Names,
  titles: ReturnType<typeof openTitles>,
  ready: () => Promise<unknown>,
) {
  /** The records and events that have all terms in one name or title, and how many have each word that begins with the last one. */
  async function find(terms: Term[], { language, now, spend }: Omit<Asked, 'terms'>, most: number) {
    spend?.(priceOf(terms.length)) // every name and title is looked at
    const { words, events } = await titles.find(terms, language, now, most)
    const records = inLanguage(names.matching(terms), language).sort(byRank(terms[0]!))
    const { text } = terms.at(-1)!
    for (const { lines } of records)
      for (const word of new Set(lines.flatMap(wordsOf)))
        if (word.startsWith(text)) words.set(word, (words.get(word) ?? 0) + 1)
    words.delete(text)
    return { words, events, records }
  }

  return async ({ terms, ...asked }: Asked): Promise<Suggested> => {
    const last = terms.at(-1)
    if (!last) return NOTHING
    await ready()
    const { words, events, records } = await find(terms, asked, MOST)
    // words of a search need not stand in one title
    const ranked = mostUsed(words.size > 0 ? words : (await find([last], asked, 0)).words)
    const of = (kind: Named['kind']) =>
      records
        .filter((named) => named.kind === kind && (kind !== 'category' || named.count > 0))
        .slice(0, MOST)
    return {
      words: ranked,
      venues: of('venue'),
      organizers: of('organizer'),
      categories: of('category'),
      events,
    }
  }
}
