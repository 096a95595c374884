import { choicesOf, FORMS, LOWER, OTHERS, UPPER } from './choices.ts'
import { isSame, type Schema, show } from './openapi.ts'
import type { Walk } from './schemas.ts'

/** Compares the rules of two alternatives of one type. */
export function compareRules(walk: Walk, where: string, before: Schema, after: Schema) {
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
