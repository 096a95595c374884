import { capital } from './responses.ts'
import type { Complete, Json } from './rewrite.ts'

/** Where equal parts of a kind occur, and the names of the collections of these operations. */
type Use = { part: Json; count: number; collections: string[] }

/** `i18n_language` as `I18nLanguage`. */
const pascal = (name: string) =>
  name
    .split(/[^a-z0-9]+/i)
    .filter(Boolean)
    .map(capital)
    .join('')
const SINGULAR: Record<string, string> = { categories: 'category', media: 'media' }
const singular = (plural: string) => SINGULAR[plural] ?? plural.replace(/s$/, '')

const isReference = (part: Json) => '$ref' in part

/** Counts equal parts. */
function count(uses: Map<string, Use>, part: Json, path: string) {
  if (isReference(part)) return
  const key = JSON.stringify(part)
  const use = uses.get(key) ?? { part, count: 0, collections: [] }
  use.count++
  const collection = path.split('/')[1]!
  if (!use.collections.includes(collection)) use.collections.push(collection)
  uses.set(key, use)
}

/**
 * Names for parts that occur at least twice, by content. A part that only one collection has, or whose name another one has already, is
 * named after its first collection too.
 */
function nameParts(
  uses: Map<string, Use>,
  wordsOf: (part: Json) => string,
  isUnique: boolean,
): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [key, { part, count, collections }] of uses) {
    if (count < 2) continue
    const plain = wordsOf(part)
    const long = pascal(singular(collections[0]!)) + plain
    const isPlain = isUnique || collections.length > 1
    const name = isPlain && !taken.has(plain) ? plain : long
    taken.add(name)
    names.set(key, name)
  }
  return names
}

/** What an operation sends and takes, in words for names. */
const answerWords = ({ description, content }: Json): string => {
  const [{ schema }] = Object.values(content as Record<string, { schema: { $ref: string } }>) as [
    { schema: { $ref?: string } },
  ]
  // text, in one of many formats
  if (schema.$ref === undefined) return 'Feed'
  return schema.$ref.split('/').at(-1)! + (ANSWERS[String(description)] ?? '')
}
const ANSWERS: Record<string, string> = {
  'The record after the update.': 'Updated',
  'The deleted record.': 'Deleted',
}

/** Moves parameters, bodies and responses that are equal in several operations to the components, and refers to them. */
export function shareParts(document: Complete): Complete {
  const { paths, components } = document
  const kinds = {
    parameters: new Map<string, Use>(),
    requestBodies: new Map<string, Use>(),
    responses: new Map<string, Use>(),
  }
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [], requestBody, responses } of Object.values(methods)) {
      for (const part of parameters as Json[]) count(kinds.parameters, part, path)
      if (requestBody) count(kinds.requestBodies, requestBody as Json, path)
      for (const part of Object.values(responses as Json)) count(kinds.responses, part as Json, path)
    }
  const names = {
    parameters: nameParts(kinds.parameters, ({ name }) => pascal(String(name)), false),
    requestBodies: nameParts(kinds.requestBodies, answerWords, true),
    responses: nameParts(kinds.responses, answerWords, true),
  }
  const share = (kind: keyof typeof kinds, part: Json): Json => {
    const name = names[kind].get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${kind}/${name}` }
  }
  const shared = Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => {
          const { parameters, requestBody, responses } = operation
          return [
            method,
            {
              ...operation,
              ...(parameters !== undefined && {
                parameters: (parameters as Json[]).map((part) => share('parameters', part)),
              }),
              ...(requestBody !== undefined && { requestBody: share('requestBodies', requestBody as Json) }),
              responses: Object.fromEntries(
                Object.entries(responses as Record<string, Json>).map(([status, part]) => [
                  status,
                  share('responses', part),
                ]),
              ),
            },
          ]
        }),
      ),
    ]),
  )
  const moved = (kind: keyof typeof kinds) =>
    Object.fromEntries([...names[kind]].map(([key, name]) => [name, kinds[kind].get(key)!.part]))
  return {
    ...document,
    paths: shared,
    components: {
      ...components,
      parameters: { ...moved('parameters'), ...components.parameters },
      requestBodies: moved('requestBodies'),
      responses: { ...moved('responses'), ...components.responses },
    },
  }
}
