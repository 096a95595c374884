import { type TSchema, Type } from '@sinclair/typebox'

export const JSON_ANSWER = 'application/json; charset=utf-8'

export const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1)

const ERRORS = {
  list: [400, 401, 404],
  read: [400, 401, 403, 404],
  create: [400, 401, 403, 413],
  update: [400, 401, 403, 404, 410, 412, 413],
  delete: [400, 401, 403, 404, 410, 412],
} as const

const WORDS: Record<number, string> = {
  200: 'Done.',
  201: 'Created.',
  400: 'A parameter is missing or can not be taken.',
  401: 'Credentials are missing or wrong.',
  403: 'The caller may not do this.',
  404: 'There is no such record or page.',
  410: 'The record is in the trash.',
  412: 'The record is not the one that If-Match names.',
  413: 'The body is too large.',
}

const answer = (status: number, schema: string) => [
  status,
  { description: WORDS[status], ...(Type.Ref(schema) as TSchema) },
]

/** What an operation can answer, by status. */
export function responses(operation: keyof typeof ERRORS, schema: string) {
  const done = operation === 'create' ? 201 : 200
  return Object.fromEntries([
    answer(done, schema),
    ...ERRORS[operation].map((status) => answer(status, 'Error')),
  ])
}
