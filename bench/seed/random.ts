/** Evenly distributed numbers from 0 to 1, the same for the same seed. */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}
export type Random = () => number

/** An index below `count` of which the low ones are frequent, as places and words are. */
export const skewed = (random: Random, count: number) =>
  Math.min(count - 1, Math.floor(count * random() ** 3))

/** An index below `count`, each as likely as the other. */
export const even = (random: Random, count: number) => Math.floor(random() * count)

/** Choices that a seed fixes. */
export function openDice(seed: number) {
  const random = openRandom(seed)
  const below = (limit: number) => even(random, limit)
  const of = <T>(items: readonly T[]): T => items[below(items.length)]!
  return {
    ...{ below, of },
    chance: (part: number) => random() < part,
    /** One of these or more, in any order. */
    subset: <T>(items: readonly T[]): T[] => [of(items), ...items.filter(() => random() < 0.3)],
    some: <T>(items: readonly T[], most: number): T[] =>
      Array.from({ length: Math.min(below(most + 1), items.length) }, () => of(items)),
  }
}
export type Dice = ReturnType<typeof openDice>
