import { wordsOf } from './query.ts'
import { fold } from './text.ts'

/** How much two titles have in common, from 0 to 1: their shared words among all (Dice). Case and accents do not count. */
export function likeness(one: string, other: string): number {
  const [a, b] = [new Set(wordsOf(fold(one))), new Set(wordsOf(fold(other)))]
  const shared = [...a].filter((word) => b.has(word)).length
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}
