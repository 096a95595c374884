import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

/** Assertions that surely pass; of others tap decides. */
const SURE: Record<string, (found: unknown, wanted: unknown) => boolean> = {
  ok: (found) => Boolean(found),
  notOk: (found) => !found,
  equal: (found, wanted) => found === wanted,
  same: isDeepStrictEqual,
  match: (found, pattern) =>
    typeof found === 'string' && pattern instanceof RegExp && found.search(pattern) >= 0,
  notMatch: (found, pattern) =>
    typeof found === 'string' && pattern instanceof RegExp && found.search(pattern) < 0,
}

type Body = (t: Test) => unknown
type Declare = (title: string, body: Body) => unknown

let passed = 0
/** How many assertions were as they should be and are told together. */
export const passedTogether = () => passed

/**
 * A test whose assertions are one together as long as they pass, with their number; one that is not as it should be fails by itself, as in
 * any test. tap takes 50 µs of processor time for each that it tells, and there are ten thousands. A test that plans their number tells each.
 */
const asOne = (body: Body) => (t: Test) => {
  const before = passed
  let isPlanned = false
  const tell = () => {
    if (passed === before) return
    t.pass(`${passed - before} checks`)
    passed-- // which tap counts
  }
  const quick = new Proxy(t, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name === 'test') return declaring(value.bind(target))
      if (name === 'plan') isPlanned = true
      if (name === 'end') tell()
      const isSure = isPlanned ? undefined : SURE[String(name)]
      if (!isSure) return value.bind(target)
      return (found: unknown, ...more: unknown[]) => {
        if (!isSure(found, more[0])) return value.call(target, found, ...more)
        passed++
        return true
      }
    },
  })
  const result = body(quick)
  return result instanceof Promise ? result.then(tell) : result
}

/** `test` of tap, whose calls may have options between title and body. */
const declaring =
  (declare: (...given: unknown[]) => unknown) =>
  (...given: unknown[]) =>
    declare(...given.map((one) => (typeof one === 'function' ? asOne(one as Body) : one)))

let test: Test
/** Tests of a file that are declared when all of it is loaded, in another order. */
let shuffled: Parameters<Declare>[] | undefined

/** What is loaded from here on, and imports `tap`, declares its tests in this one: at once, or when `declareShuffled` is called. */
export const enter = (next: Test, shuffle: boolean) => {
  test = next
  shuffled = shuffle ? [] : undefined
}

/** Declares the tests that wait, in the order that `draw` gives: numbers from 0 to 1. */
export function declareShuffled(draw: () => number) {
  const tests = (shuffled ?? []).map((given) => ({ given, place: draw() }))
  shuffled = undefined
  for (const { given } of tests.sort((one, other) => one.place - other.place)) own.test(...given)
}

/** `tap` for a file that shares its process with others. */
const own = new Proxy({} as Test, {
  get(_target, name) {
    const value = Reflect.get(test, name)
    if (typeof value !== 'function') return value
    if (name !== 'test') return value.bind(test)
    if (shuffled) return (...given: Parameters<Declare>) => void shuffled!.push(given)
    return declaring(value.bind(test))
  },
})
// biome-ignore lint/style/noDefaultExport: tap has one
export default own
