import {
  type Choice,
  choicesOf,
  FORMS,
  kindOf,
  kindsOf,
  LOWER,
  nameOf,
  OTHERS,
  referenceOf,
  UPPER,
} from './choices.ts'
import { isSame, lookUp, type OpenApi, type Schema, show, type Tell } from './openapi.ts'

/** Whether the service reads a value, and must not take less; or writes it, and must not give more. */
export type Way = 'input' | 'output'
/**
 * What a difference does to the values that fit a schema. `other` is neither narrower nor wider, or breaks clients either
 * way; `none` breaks nobody.
 */
type Effect = 'narrower' | 'wider' | 'other' | 'none'

/** One comparison of schemas: both documents, the pairs of components that it has seen, and who is told. */
type Walk = {
  older: OpenApi
  newer: OpenApi
  way: Way
  done: Set<string>
  /** Components of the older document, with what stands in their places in the newer one. */
  names: Map<string, Set<string>>
  tell: (effect: Effect, where: string, what: string) => void
  compare: (walk: Walk, where: string, before: Schema, after: Schema) => void
}

/** Compares schemas; each pair of components once for each way, under its own name. */
export function buildComparison(older: OpenApi, newer: OpenApi, tell: Tell) {
  const shared = { older, newer, done: new Set<string>(), names: new Map<string, Set<string>>() }
  return {
    names: shared.names,
    compare(where: string, before: Schema = {}, after: Schema = {}, way: Way) {
      const breaks = way === 'input' ? 'narrower' : 'wider'
      const walk: Walk = {
        ...shared,
        way,
        compare: compareSchemas,
        tell: (effect, place, what) => tell(effect === 'other' || effect === breaks, place, what),
      }
      compareSchemas(walk, where, before, after)
    },
  }
}

function compareSchemas(walk: Walk, where: string, before: Schema, after: Schema) {
  const { older, newer, way, done, names } = walk
  if (isSame(before, after) && !JSON.stringify(before).includes('"$ref"')) return
  compareNotes(walk, where, withReference(older, before), withReference(newer, after))
  const [old, now] = [referenceOf(before), referenceOf(after)]
  if (old === undefined || now === undefined) return compareParts(walk, where, before, after)
  const [oldName, newName] = [nameOf(old), nameOf(now)]
  names.set(oldName, (names.get(oldName) ?? new Set()).add(newName))
  const key = `${way} ${oldName} ${newName}`
  if (done.has(key)) return
  done.add(key)
  const [was, is] = [lookUp(older, old), lookUp(newer, now)] as [Schema, Schema]
  compareChoices(walk, `${newName} (${way})`, choicesOf(older, was), choicesOf(newer, is))
}

/** Compares schemas that are not both components; where one extends the other, the component is compared for itself. */
function compareParts(walk: Walk, where: string, before: Schema, after: Schema) {
  const { older, newer } = walk
  const [old, now] = [referenceOf(before), referenceOf(after)]
  if (isPart(after, old)) {
    compareSchemas(walk, where, before, { $ref: old })
    compareChoices({ ...walk, older: newer }, where, choicesOf(newer, { $ref: old }), choicesOf(newer, after))
  } else if (isPart(before, now)) {
    compareChoices(
      { ...walk, newer: older },
      where,
      choicesOf(older, before),
      choicesOf(older, { $ref: now }),
    )
    compareSchemas(walk, where, { $ref: now }, after)
  } else compareChoices(walk, where, choicesOf(older, before), choicesOf(newer, after))
}
const isPart = ({ allOf = [] }: Schema, reference: string | undefined): reference is string =>
  reference !== undefined && allOf.some(({ $ref }) => $ref === reference)

/** A schema with what its component says of itself. */
function withReference(document: OpenApi, schema: Schema): Schema {
  const reference = referenceOf(schema)
  return reference === undefined ? schema : { ...(lookUp(document, reference) as Schema), ...schema }
}

/** What is said beside the rules: defaults, and whether to send or expect a value at all. */
function compareNotes({ way, tell }: Walk, where: string, before: Schema, after: Schema) {
  if (!isSame(before.default, after.default))
    tell(
      way === 'input' ? 'other' : 'none',
      where,
      `has default ${show(after.default)} instead of ${show(before.default)}`,
    )
  for (const [note, what, breaks] of [
    ['readOnly', 'read-only', 'input'],
    ['writeOnly', 'write-only', 'output'],
    ['deprecated', 'deprecated', undefined],
  ] as const) {
    if (!before[note] && after[note]) tell(way === breaks ? 'other' : 'none', where, `is ${what} now`)
    if (before[note] && !after[note]) tell('none', where, `is not ${what} any more`)
  }
}

function compareChoices(walk: Walk, where: string, before: Choice[], after: Choice[]) {
  const { paired, gone, added } = pairChoices(walk, before, after)
  for (const [old, now] of paired) compareChoice(walk, where, old, now)
  const isNarrower = gone.some((old) => !after.some((now) => !breaks(walk, old, now, 'narrower')))
  const isWider = added.some((now) => !before.some((old) => !breaks(walk, old, now, 'wider')))
  const effect = isNarrower && isWider ? 'other' : isNarrower ? 'narrower' : 'wider'
  if (!isNarrower && !isWider) return
  const [was, is] = [kindsOf(walk.older, gone), kindsOf(walk.newer, added)]
  const what =
    gone.length === 0
      ? `can be ${is} now`
      : added.length === 0
        ? `is never ${was} any more`
        : `is ${is} instead of ${was}`
  walk.tell(effect, where, what)
}

/** The alternatives that belong together: by name, because nothing differs, or as the only ones of their type. */
function pairChoices(walk: Walk, before: Choice[], after: Choice[]) {
  const [gone, added] = [[...before], [...after]]
  const paired: [Choice, Choice][] = []
  const pair = (fits: (old: Choice, now: Choice) => boolean) => {
    for (const old of [...gone]) {
      const now = added.find((now) => fits(old, now))
      if (!now) continue
      gone.splice(gone.indexOf(old), 1)
      added.splice(added.indexOf(now), 1)
      paired.push([old, now])
    }
  }
  const isOnly = (choice: Choice, all: Choice[]) =>
    all.filter((other) => familyOf(other) === familyOf(choice)).length === 1
  if (before.length > 1 || after.length > 1) {
    pair((old, now) => old.name !== undefined && old.name === now.name)
    pair((old, now) => old.type === now.type && relate(walk, old, now).size === 0)
    // an alternative that another one contains is not missed, and not new
    const kept = gone.filter((old) => !paired.some(([, now]) => !breaks(walk, old, now, 'narrower')))
    const fresh = added.filter((now) => !paired.some(([old]) => !breaks(walk, old, now, 'wider')))
    gone.splice(0, gone.length, ...kept)
    added.splice(0, added.length, ...fresh)
  }
  pair((old, now) => familyOf(old) === familyOf(now) && isOnly(old, gone) && isOnly(now, added))
  return { paired, gone, added }
}
const familyOf = ({ type }: Choice) => (type === 'integer' ? 'number' : type)

function compareChoice(walk: Walk, where: string, old: Choice, now: Choice) {
  if (old.name !== undefined && now.name !== undefined) {
    const refer = ({ name }: Choice) => ({ $ref: `#/components/schemas/${name}` })
    return compareSchemas(walk, where, refer(old), refer(now))
  }
  if (old.type !== now.type) {
    const kinds = `is ${kindOf(walk.newer, now)} instead of ${kindOf(walk.older, old)}`
    walk.tell(contains(now, old) ? 'wider' : contains(old, now) ? 'narrower' : 'other', where, kinds)
    if (familyOf(old) !== familyOf(now)) return
  }
  compareRules(walk, where, old.rules, now.rules)
}
const contains = (wider: Choice, narrower: Choice) =>
  wider.type === 'any' || (wider.type === 'number' && narrower.type === 'integer')

/** What all differences of two alternatives do, without telling anybody. */
function relate(walk: Walk, old: Choice, now: Choice): Set<Effect> {
  const effects = new Set<Effect>()
  const silent = {
    ...walk,
    done: new Set<string>(),
    names: new Map(),
    tell: (effect: Effect) => effects.add(effect),
  }
  compareChoice(silent, '', old, now)
  effects.delete('none')
  return effects
}
/** Whether the newer alternative is narrower than the older one, or wider. */
function breaks(walk: Walk, old: Choice, now: Choice, how: 'narrower' | 'wider') {
  const effects = relate(walk, old, now)
  return effects.has(how) || effects.has('other')
}

/** Compares the rules of two alternatives of one type. */
function compareRules(walk: Walk, where: string, before: Schema, after: Schema) {
  compareWords(walk, where, before.enum, after.enum)
  compareLimits(walk, where, before, after)
  for (const rule of FORMS) {
    const [old, now] = [before[rule], after[rule]]
    if (isSame(old, now)) continue
    const effect = old === undefined ? 'narrower' : now === undefined ? 'wider' : 'other'
    walk.tell(effect, where, `has ${rule} ${show(now)} instead of ${show(old)}`)
  }
  for (const rule of OTHERS)
    if (!isSame(before[rule], after[rule])) walk.tell('other', where, `has another ${rule}`)
  compareMembers(walk, where, before, after)
  compareMore(walk, where, before, after)
  if (before.items || after.items) walk.compare(walk, `${where}[]`, before.items ?? {}, after.items ?? {})
}

function compareWords({ tell }: Walk, where: string, before?: unknown[], after?: unknown[]) {
  const list = (words: unknown[]) => words.map(show).join(', ')
  if (!before && after) tell('narrower', where, `is one of ${list(after)} now`)
  if (before && !after) tell('wider', where, 'is no longer one of a few words')
  if (!before || !after) return
  const gone = before.filter((word) => !after.some((other) => isSame(word, other)))
  const added = after.filter((word) => !before.some((other) => isSame(word, other)))
  const isFewer = gone.length > after.length
  if (gone.length > 0)
    tell('narrower', where, isFewer ? `is only ${list(after)} now` : `is never ${list(gone)} any more`)
  if (added.length > 0) tell('wider', where, `can be ${list(added)} now`)
}

/** Bounds; one that is missing is no bound, and of a count it is 0. */
function compareLimits({ tell }: Walk, where: string, before: Schema, after: Schema) {
  for (const rule of [...LOWER, ...UPPER]) {
    const sign = LOWER.includes(rule) ? 1 : -1
    const missing = sign < 0 || rule.endsWith('imum') ? -Infinity : 0
    const of = (schema: Schema) => (schema[rule] === undefined ? missing : sign * Number(schema[rule]))
    const [old, now] = [of(before), of(after)]
    if (old !== now)
      tell(
        now > old ? 'narrower' : 'wider',
        where,
        `has ${rule} ${show(after[rule])} instead of ${show(before[rule])}`,
      )
  }
}

function compareMembers(walk: Walk, where: string, before: Schema, after: Schema) {
  const { tell, way } = walk
  const requires = ({ required = [] }: Schema) => Object.fromEntries(required.map((name) => [name, true]))
  const [wasRequired, isRequired] = [requires(before), requires(after)]
  const names = Object.keys({ ...before.properties, ...after.properties, ...wasRequired, ...isRequired })
  for (const name of names) {
    const place = `${where}.${name}`
    const [old, now] = [before.properties?.[name], after.properties?.[name]]
    const [was, is] = [wasRequired[name], isRequired[name]]
    if (old && !now) tell('other', place, 'was removed')
    else if (!old && now)
      tell(is ? 'narrower' : 'none', place, is && way === 'input' ? 'is new and required' : 'is new')
    else {
      if (!was && is) tell('narrower', place, way === 'input' ? 'is required now' : 'is always there now')
      if (was && !is) tell('wider', place, way === 'input' ? 'is optional now' : 'may be absent now')
      if (old && now) walk.compare(walk, place, old, now)
    }
  }
}

/** Members that are not declared: readers of answers have to ignore them, whatever the document says. */
function compareMore(walk: Walk, where: string, before: Schema, after: Schema) {
  const { older, newer, tell, way } = walk
  const read = ({ additionalProperties: more = true }: Schema) => (more === true ? {} : more)
  const [old, now] = [read(before), read(after)]
  const [wasOpen, isOpen] = [choicesOf(older, old).length > 0, choicesOf(newer, now).length > 0]
  if (wasOpen && !isOpen) tell('narrower', where, 'has no other members any more')
  if (!wasOpen && isOpen) tell(way === 'input' ? 'wider' : 'none', where, 'can have other members now')
  if (wasOpen && isOpen && Object.keys({ ...old, ...now }).length > 0)
    walk.compare(walk, `${where}.*`, old as Schema, now as Schema)
}
