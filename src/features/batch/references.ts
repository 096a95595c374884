import type { Operation } from '../../../schemas/batch.ts'
import { isObject } from '../../kernel/input/values.ts'

/** The members of bodies that take IDs of records. */
const TAKE_IDS = ['venue', 'organizer', 'translation_of', 'post_parent', 'parent', 'categories', 'tags']

/** The number of the operation that a text refers to, among those before one; undefined if it is none. */
export type Find = (text: unknown) => number | undefined

/** Returns what finds the operation that a text such as `#hall` refers to, among those before one. */
export function openFind(operations: readonly Operation[]): (at: number) => Find {
  const numbers = new Map(operations.flatMap(({ id }, at) => (id === undefined ? [] : [[`#${id}`, at]])))
  return (at) => (text) => {
    const found = numbers.get(text as string)
    return found !== undefined && found < at ? found : undefined
  }
}

/** Replaces what refers to operations in a value: a text, those of a list, that in the ID of an object. */
function replaced(value: unknown, find: Find, idOf: (at: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, find, idOf))
  if (isObject(value)) return 'id' in value ? { ...value, id: replaced(value.id, find, idOf) } : value
  const at = find(value)
  return at === undefined ? value : idOf(at)
}

/** An operation with IDs in place of what refers to others, and the numbers of these. */
export function resolve(operation: Operation, find: Find, idOf: (at: number) => number) {
  const needs = new Set<number>()
  const id = (at: number) => {
    needs.add(at)
    return idOf(at)
  }
  const path = operation.path.replace(/#[\w-]+/, (name) => String(id(find(name)!)))
  const body =
    operation.body &&
    Object.fromEntries(
      Object.entries(operation.body).map(([name, value]) => [
        name,
        TAKE_IDS.includes(name) ? replaced(value, find, id) : value,
      ]),
    )
  return { operation: { ...operation, path, body }, needs: [...needs] }
}

/** IDs that no record has, for those that are not made yet: of fifteen digits, the most that an ID is read with. */
const NOWHERE = 999_999_999_999_000
export const placeOf = (at: number) => NOWHERE + at

/** Puts the IDs of records in the place of those that stood for them, in what was read of a request. */
export function settle(read: unknown, ids: readonly number[]) {
  if (typeof read !== 'object' || read === null) return
  const members = read as Record<string, unknown>
  for (const [name, value] of Object.entries(members)) {
    const id = typeof value === 'number' && value >= NOWHERE ? ids[value - NOWHERE] : undefined
    if (id === undefined) settle(value, ids)
    else members[name] = id
  }
}
