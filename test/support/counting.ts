import { Session } from 'node:inspector'

// What V8 runs is counted, not timed: how often each block of code ran, and how many characters or items what it has built in
// went over. Only code that is loaded afterwards is counted; nothing else may measure coverage in this process.

let built = 0
const session = new Session()
session.connect()

type Coverage = { result: { functions: { ranges: { count: number }[] }[] }[] }

/** The executions of all blocks since it was last asked. */
function takeBlocks(): number {
  let sum = 0
  session.post('Profiler.takePreciseCoverage', (_error, coverage) => {
    for (const { functions } of (coverage as Coverage).result)
      for (const { ranges } of functions) for (const { count } of ranges) sum += count
  })
  return sum
}

type Native = (this: never, ...given: never[]) => unknown

/** Has a built-in function add what it costs, by what it is called on, with, and what it gives, and where an expression began. */
function watch(
  owner: object,
  name: string,
  cost: (on: never, given: never[], result: never, began: number) => number,
) {
  const original = Reflect.get(owner, name) as Native
  Object.defineProperty(owner, name, {
    value: function (this: never, ...given: never[]) {
      const began = (this as { lastIndex?: number } | undefined)?.lastIndex ?? 0
      const result = original.apply(this, given)
      built += cost(this, given, result as never, began)
      return result
    },
  })
}

const MARKS = /\p{M}+/gu

/** Counts from here on. */
export function startCounting() {
  const { exec } = RegExp.prototype
  const marksOf = (text: string) => {
    let sum = 0
    MARKS.lastIndex = 0
    for (let run = exec.call(MARKS, text); run; run = exec.call(MARKS, text)) sum += run[0].length ** 2
    return sum
  }
  const whole = (on: { length: number }) => on.length
  for (const name of [
    'replace',
    'replaceAll',
    'split',
    'match',
    'trim',
    'trimStart',
    'trimEnd',
    'toLowerCase',
  ])
    watch(String.prototype, name, whole)
  for (const name of [
    'shift',
    'unshift',
    'indexOf',
    'includes',
    'splice',
    'join',
    'concat',
    'slice',
    'map',
    'flat',
  ])
    watch(Array.prototype, name, whole)
  // what is searched for ends where it is found
  watch(String.prototype, 'indexOf', (on: string, [, from = 0]: number[], at: number) =>
    at === -1 ? on.length - from : at - from,
  )
  watch(String.prototype, 'includes', whole)
  watch(RegExp.prototype, 'exec', (on: RegExp, [text]: string[], match: RegExpExecArray | null, began) => {
    if (match) return match.index + match[0].length - began
    return on.sticky ? 1 : String(text).length - began
  })
  // marks that follow each other are put in order one by one
  watch(String.prototype, 'normalize', (on: string) => on.length + marksOf(on))
  watch(globalThis, 'encodeURIComponent', (_on, [text]: string[]) => String(text).length)
  watch(globalThis, 'decodeURIComponent', (_on, [text]: string[]) => String(text).length)
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
}

/** What a work does, in executed blocks and characters gone over, and what little was done since the last. */
export function count(work: () => unknown): number {
  built = 0
  work()
  const natives = built
  return takeBlocks() + natives
}
