import type { Reader } from './readers.ts'
import { isObject, refuse } from './values.ts'

const NAMES = ['categories', 'venues'] as const
/** IDs that one list may have. */
const MOST = 100

/** Limits of rights: lists of IDs, of which one that is not sent is empty. */
export const readRightLimits: Reader = (raw) => {
  if (!isObject(raw) || Object.keys(raw).some((name) => !(NAMES as readonly string[]).includes(name)))
    return refuse('must be null, or an object with lists of IDs: categories, venues.')
  const read = { categories: [] as number[], venues: [] as number[] }
  for (const name of NAMES) {
    const ids: unknown = raw[name] ?? []
    const isRight =
      Array.isArray(ids) && ids.length <= MOST && ids.every((id) => Number.isSafeInteger(id) && id > 0)
    if (!isRight) return refuse(`${name} must be a list of at most ${MOST} IDs.`)
    read[name] = [...new Set<number>(ids)]
  }
  return read
}
