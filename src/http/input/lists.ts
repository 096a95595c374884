/** Whether a value is an object with members of its own, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Wraps a value in a list, unless it is one. */
export const listOf = (raw: unknown): unknown[] => (Array.isArray(raw) ? raw : [raw])
/** Reads a list, or strings with commas, without empty members and surrounding white space; undefined if it contains other values than strings and numbers. */
export function readTexts(raw: unknown): string[] | undefined {
  const items = listOf(raw)
  if (!items.every((item) => typeof item === 'string' || typeof item === 'number')) return undefined
  return items
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter(Boolean)
}
