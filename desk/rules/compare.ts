/** Whether two values of a form are the same: texts, flags, and lists of them. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The members in which two versions differ. */
export const changed = <T extends object>(from: T, to: T): (keyof T)[] =>
  (Object.keys(to) as (keyof T)[]).filter((name) => !same(from[name], to[name]))

/** A member that two editors have changed in different ways. */
type Conflict<T> = { name: keyof T; mine: T[keyof T]; theirs: T[keyof T] }

/**
 * Brings together what two editors made of the same version: what one of them changed is taken from them, what both changed in
 * different ways is a conflict, for which `merged` has mine.
 */
export function merge<T extends object>(base: T, mine: T, theirs: T) {
  const merged = { ...mine }
  const conflicts: Conflict<T>[] = []
  const taken: (keyof T)[] = []
  for (const name of changed(base, theirs)) {
    if (same(mine[name], theirs[name])) continue
    if (same(base[name], mine[name])) {
      merged[name] = theirs[name]
      taken.push(name)
    } else conflicts.push({ name, mine: mine[name], theirs: theirs[name] })
  }
  return { merged, conflicts, taken }
}

/** Where two texts differ: what they begin with together, what each has between, and what they end with. */
export type Difference = { start: string; before: string; after: string; end: string }

const WORD = /\s+|[^\s]+/g

/** Compares two texts by words. */
export function differenceOf(before: string, after: string): Difference {
  const [was, is] = [before.match(WORD) ?? [], after.match(WORD) ?? []]
  const most = Math.min(was.length, is.length)
  let first = 0
  while (first < most && was[first] === is[first]) first++
  let last = 0
  while (last < most - first && was.at(-1 - last) === is.at(-1 - last)) last++
  const between = (words: string[]) => words.slice(first, words.length - last).join('')
  return {
    start: was.slice(0, first).join(''),
    before: between(was),
    after: between(is),
    end: was.slice(was.length - last).join(''),
  }
}

/** Characters of what two texts share that are shown on each side of where they differ. */
const AROUND = 60

/** The end of a text, or its beginning, if it is long. */
export const endOf = (text: string) => (text.length > AROUND ? `…${text.slice(-AROUND)}` : text)
export const beginningOf = (text: string) => (text.length > AROUND ? `${text.slice(0, AROUND)}…` : text)

const SIGNS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ', amp: '&' }

/** The text of HTML that the API gave, a line for each paragraph. A browser would read it as well, but the desk lets nothing make HTML of text. */
export const textOfHtml = (html: string): string =>
  html
    .replaceAll(/<\/(?:p|li|h\d|blockquote)>|<br\s*\/?>/g, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|nbsp|amp);/g, (_, sign: string) => SIGNS[sign]!)
    .replaceAll(/\n{2,}/g, '\n')
    .trim()
