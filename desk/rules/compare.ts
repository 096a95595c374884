/** Whether two values of a form are the same: texts, flags, and lists of them. */
export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The members in which two versions differ. */
export const changed = <T extends object>(from: T, to: T): (keyof T)[] =>
  (Object.keys(to) as (keyof T)[]).filter((name) => !same(from[name], to[name]))

/** A member that two editors have changed in different ways. */
export type Conflict<T> = { name: keyof T; mine: T[keyof T]; theirs: T[keyof T] }

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
