/** Whether a value is an object with members of its own, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value that may be a list, as one. */
export const listOf = (raw: unknown): unknown[] => (Array.isArray(raw) ? raw : [raw])
/** Whether a text among the items has more characters than this. */
export const isLong = (items: (string | number)[], most: number) =>
  items.some((item) => typeof item === 'string' && item.length > most)

/** A list given as such or as texts with commas, white space around its members and empty ones dropped; undefined where it holds anything but texts and numbers. */
export function readTexts(raw: unknown): string[] | undefined {
  const items = listOf(raw)
  if (!items.every((item) => typeof item === 'string' || typeof item === 'number')) return undefined
  return items
    .flatMap((item) => String(item).split(','))
    .map((item) => item.trim())
    .filter(Boolean)
}
