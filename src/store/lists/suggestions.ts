import type { Term } from '../../rules/text/query.ts'
import { wordsOf } from '../../rules/text/query.ts'
import type { Named, Names } from './names.ts'
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

type Asked = { terms: Term[]; language: string | undefined; now: number }

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

/** Suggests from names and titles in memory. */
export function openSuggestions(
  names: Names,
  titles: ReturnType<typeof openTitles>,
  ready: () => Promise<unknown>,
) {
  return async ({ terms, language, now }: Asked): Promise<Suggested> => {
    await ready()
    const last = terms.at(-1)
    if (!last) return NOTHING
    const { words, events } = await titles.find(terms, language, now, MOST)
    const matching = inLanguage(names.matching(terms), language).sort(byRank(terms[0]!))
    for (const { lines } of matching)
      for (const word of new Set(lines.flatMap(wordsOf)))
        if (word.startsWith(last.text)) words.set(word, (words.get(word) ?? 0) + 1)
    words.delete(last.text)
    const ranked = [...words]
      .filter(([, count]) => count > 0)
      .sort(([a, of], [b, other]) => other - of || (a < b ? -1 : 1))
    const of = (kind: Named['kind']) =>
      matching
        .filter((named) => named.kind === kind && (kind !== 'category' || named.count > 0))
        .slice(0, MOST)
    return {
      words: ranked.slice(0, MOST).map(([word]) => word),
      venues: of('venue'),
      organizers: of('organizer'),
      categories: of('category'),
      events,
    }
  }
}
