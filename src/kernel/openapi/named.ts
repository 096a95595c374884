import { STATUSES } from '../../../schemas/common.ts'
import { ROLES, SCOPES } from '../../../schemas/user.ts'
import { errorCodes } from './order.ts'
import { type Complete, rewrite } from './rewrite.ts'

/** Sets of words that occur in many places, each described once. */
const wordsOf = (
  languages: readonly string[],
): Record<string, { description: string; enum: readonly string[] }> => ({
  Status: { description: 'Status of a record.', enum: STATUSES },
  Language: { description: 'A language of this calendar.', enum: languages },
  Role: { description: 'Role of a user. Each role has all rights of the roles before it.', enum: ROLES },
  Scope: { description: 'What a token may do within the rights of its user.', enum: SCOPES },
  ErrorCode: { description: 'Machine-readable error code.', enum: errorCodes() },
})

/** A name for a word, for languages whose constants need one. */
const constant = (word: unknown) =>
  String(word) === ''
    ? 'Empty'
    : String(word).replace(/(?:^|[^a-z0-9]+)(\w?)/gi, (_, letter: string) => letter.toUpperCase())

/** Refers to named sets of words wherever they occur, and names the words of a set that has an empty one. */
export function nameWords(document: Complete, languages: readonly string[]): Complete {
  const words = wordsOf(languages)
  const names = new Map(Object.entries(words).map(([name, { enum: set }]) => [String(set), name]))
  const named = rewrite(document, (schema) => {
    const { type, enum: set, ...rest } = schema
    if (!Array.isArray(set)) return schema
    const name = type === 'string' && names.get(String(set))
    if (name) return { $ref: `#/components/schemas/${name}`, ...rest }
    return set.includes('') ? { ...schema, 'x-enum-varnames': set.map(constant) } : schema
  }) as Complete
  const components = Object.entries(words).map(([name, { description, enum: set }]) => [
    name,
    { type: 'string', enum: set, description },
  ])
  named.components.schemas = { ...named.components.schemas, ...Object.fromEntries(components) }
  return named
}
