import { Session } from 'node:inspector'
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { PATTERNS, repeat } from '../../../test/support/hostile.ts'

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

// Run by test/kernel/text/text.test.ts as a process of its own: prints what reading hostile texts of so many characters and of twice as many costs.

/** Characters of the shorter text, at most. */
const CHARACTERS = 8_000
/** Larger than any limit of a text. */
const HUGE = 2 ** 20

startCounting()
const { EventInput, EventPassword } = await import('../../../schemas/event.ts')
const { EventQuery } = await import('../../../schemas/event-query.ts')
const { OrganizerInput } = await import('../../../schemas/organizer.ts')
const { CategoryInput, TagQuery } = await import('../../../schemas/term.ts')
const { TokenInput, UserInput } = await import('../../../schemas/user.ts')
const { VenueInput } = await import('../../../schemas/venue.ts')
const { buildCost, readCost } = await import('../../../src/calendar/cost.ts')
const { readZone } = await import('../../../src/kernel/time/dates.ts')
const { stripHtml, toHtml } = await import('../../../src/kernel/text/html.ts')
const { trimFields } = await import('../../../src/kernel/output/negotiation.ts')
const { named } = await import('../../../src/kernel/output/header-values.ts')
const { mostSent } = await import('../../../src/kernel/input/readers.ts')
const { parseQuery, readQuery } = await import('../../../src/kernel/input/query.ts')
await import('../../../src/calendar/readers.ts')
const { readMembers } = await import('../../../src/kernel/input/readers.ts')
const { describeMoment, readMoment } = await import('../../../src/kernel/time/moments.ts')
const { readSearch, readWords } = await import('../../../src/kernel/text/search.ts')
const { fold, readUrl, toPlainText, toSlug } = await import('../../../src/kernel/text/text.ts')

const html = (text: string) => {
  try {
    return toHtml(text)
  } catch {
    return ''
  }
}
/** Whatever a text of a request comes to. */
const rules: Record<string, (text: string) => unknown> = {
  toPlainText,
  toSlug,
  fold,
  readUrl,
  readZone,
  html,
  stripHtml: (text) => stripHtml(html(text)),
  'stripHtml of what is not sanitised': stripHtml,
  cost: (text) => buildCost(readCost(text), 'USD'),
  costs: (text) => buildCost(readCost(text.split(',')), 'USD'),
  moment: (text) => readMoment(text, { now: 0, zone: 'UTC' }),
  describeMoment,
  query: (text) => parseQuery(text),
  fields: (text) => trimFields(Buffer.from('{"a":{"b":[1]},"x":1}'), text),
  etags: (text) => named(text, '"a"'),
  search: (text) => [readSearch(text), readWords(text)],
}

const measures: { name: string; once: number; twice: number }[] = []
function measure(name: string, characters: number, work: (text: string) => unknown, patterns = PATTERNS) {
  for (const pattern of patterns) {
    const [once, twice] = [characters, 2 * characters].map((length) => {
      const text = repeat(pattern, length)
      return count(() => work(text))
    }) as [number, number]
    measures.push({ name: `${name} of ${JSON.stringify(pattern)} x ${characters}`, once, twice })
  }
}

for (const [name, rule] of Object.entries(rules)) {
  rule('warm')
  measure(name, CHARACTERS, rule)
}

const inputs = {
  EventInput,
  EventPassword: Type.Object(EventPassword),
  VenueInput,
  OrganizerInput,
  CategoryInput,
  TokenInput,
  UserInput,
}
const queries = { EventQuery, TagQuery }
/** Members that are read alike are measured once. */
const seen = new Set<string>()
function isNew(schema: TSchema): boolean {
  const { description: _, ...rest } = schema
  const key = Object.getOwnPropertySymbols(schema).map((symbol) => [String(symbol), schema[symbol as never]])
  const isFirst = !seen.has(JSON.stringify([rest, key]))
  seen.add(JSON.stringify([rest, key]))
  return isFirst
}
const most = (schema: TSchema) => mostSent(schema) * (schema.maxItems ?? 1)

for (const [name, schema] of Object.entries(inputs) as [string, TObject][])
  for (const [member, own] of Object.entries(schema.properties)) {
    if (!isNew(own)) continue
    const read = (value: unknown) => readMembers(schema, { [member]: value })
    // as long as is taken, and far too long
    measure(`${name}.${member}`, Math.min(CHARACTERS, Math.floor(most(own) / 2)), read)
    measure(`${name}.${member}, too long`, Math.max(HUGE / 2, 2 * most(own)), read, PATTERNS.slice(0, 2))
    for (const item of ['', '<a>', 1, {}, []]) {
      const [once, twice] = [20_000, 40_000].map((size) => {
        const list = Array(size).fill(item)
        return count(() => read(list))
      }) as [number, number]
      measures.push({ name: `${name}.${member} of a list of ${JSON.stringify(item)}`, once, twice })
    }
  }
for (const [name, schema] of Object.entries(queries) as [string, TObject][])
  for (const [member, own] of Object.entries(schema.properties))
    if (isNew(own))
      measure(`${name}.${member}`, 4_000, (text) =>
        readQuery(schema, { [member]: { values: [text], bracketed: false } }),
      )

process.stdout.write(JSON.stringify(measures))
