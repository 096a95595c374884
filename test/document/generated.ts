import fc from 'fast-check'
import type { Published } from '../support/document.ts'

/** Numbers of random values and lengths, which keep requests short. */
const LONGEST = 40
const MOST_ITEMS = 3
/** What has four bytes and is one character. */
const WIDE = '🎷'

const limit = (most: number | undefined, usual: number) => Math.min(most ?? usual, usual)
const times = (count: number, text: string) => Array.from({ length: count }, () => text)

type Deref = (schema: Published) => Published

const made = new Map<string, fc.Arbitrary<string>>()

/** Texts of a form, made once: fast-check tries many texts on each repetition in it. */
function matching(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const key = `${maxLength} ${pattern}`
  const texts = made.get(key) ?? fc.stringMatching(new RegExp(pattern), { maxLength })
  made.set(key, texts)
  return texts
}

/** Texts of a query that a schema allows: its limits, and others inside of them. */
export function allowed(schema: Published, deref: Deref): fc.Arbitrary<string> {
  const { type, enum: words, anyOf, pattern, items, ...limits } = deref(schema)
  const { minimum = 1, maximum = minimum + 1000, exclusiveMinimum, minLength = 0, maxLength } = limits
  if (anyOf) return fc.oneof(...anyOf.map((one) => allowed(one, deref)))
  if (words) return fc.constantFrom(...words.map(String))
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  if (type === 'integer')
    return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: 1000 })).map(String)
  if (type === 'number') {
    const min = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 0.001
    return fc.oneof(fc.constantFrom(min, maximum), fc.double({ min, max: maximum, noNaN: true })).map(String)
  }
  if (type === 'array') {
    const { minItems = 0, maxItems } = limits
    const item = allowed(items!, deref).filter((text) => !text.includes(',') && text.trim() !== '')
    const few = fc.array(item, { minLength: minItems, maxLength: limit(maxItems, MOST_ITEMS) })
    const most = item
      .filter(({ length }) => length < LONGEST)
      .map((text) => times(maxItems ?? MOST_ITEMS, text))
    return fc.oneof({ arbitrary: few, weight: 3 }, most).map((texts) => texts.join())
  }
  if (pattern)
    return matching(pattern, limit(maxLength, LONGEST)).filter(
      (text) => [...text].length <= (maxLength ?? Number.POSITIVE_INFINITY),
    )
  const usual = fc.string({ unit: 'grapheme', minLength, maxLength: limit(maxLength, LONGEST) })
  const longest = fc.constantFrom('x', WIDE).map((text) => text.repeat(maxLength ?? LONGEST))
  return fc.oneof({ arbitrary: usual, weight: 3 }, longest).filter((text) => text.length < 8000)
}

/** Texts just outside of a schema, with what is wrong with each. */
export function refused(schema: Published, deref: Deref): [fault: string, text: string][] {
  const { type, enum: words, pattern, anyOf, items, ...limits } = deref(schema)
  const found: [string, string][] = []
  const add = (fault: string, text: string | undefined) => text !== undefined && found.push([fault, text])
  const after = (value: number | undefined, step: number) =>
    value === undefined ? value : String(value + step)
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems } = limits
  if (anyOf) return []
  if (type === 'array') {
    if (minItems) add('no item', '')
    const [item] = deref(items!).enum ?? [1]
    if (maxItems) add('an item too many', times(maxItems + 1, String(item)).join())
    return [
      ...found,
      ...refused(items!, deref).filter(([, text]) => text.trim() !== '' && !text.includes(',')),
    ]
  }
  if (type === 'integer' || type === 'number' || type === 'boolean') {
    add('another type', 'x')
    add('nothing', '')
    if (type === 'integer') add('a fraction', '1.5')
    if (type === 'boolean') add('another number', '2')
    add('below the minimum', after(minimum, -1))
    add('the excluded minimum', after(exclusiveMinimum, 0))
    add('above the maximum', after(maximum, 1))
    return found
  }
  if (words) add('another word', `${words[0]}x`)
  if (pattern) add('another form', 'some day')
  if (minLength || words || pattern) add('nothing', '')
  if (maxLength && maxLength < 8000) add('a character too many', 'x'.repeat(maxLength + 1))
  return found
}

/** Values of a member of a body that a schema allows. Texts are short, since their limits have tests of their own. */
export function values(schema: Published, deref: Deref): fc.Arbitrary<unknown> {
  const { type, enum: words, anyOf, items, properties = {}, required = [], ...rest } = deref(schema)
  if (anyOf) return fc.oneof(...anyOf.map((one) => values(one, deref)))
  if (words) return fc.constantFrom(...words)
  const kinds = [type].flat().map((kind) => {
    if (kind === 'null') return fc.constant(null)
    if (kind === 'boolean') return fc.boolean()
    if (kind === 'array') return fc.array(values(items!, deref), { maxLength: MOST_ITEMS })
    if (kind === 'object')
      return fc.record(
        Object.fromEntries(required.map((name) => [name, values(properties[name]!, deref)])) as Record<
          string,
          fc.Arbitrary<unknown>
        >,
      )
    const maxLength = limit(rest.maxLength, LONGEST)
    const texts = allowed({ ...rest, type: kind!, maxLength }, deref)
    return kind === 'string' ? texts : texts.map(Number)
  })
  return fc.oneof(...kinds)
}

/** Values of every type, of which a schema refuses most. */
export const PROBES: unknown[] = [
  0,
  -1,
  1.5,
  2 ** 53,
  true,
  '',
  ' ',
  'some text',
  {},
  { id: 'x' },
  [],
  [{}],
  [[]],
  [true],
  'x'.repeat(100_001),
]
