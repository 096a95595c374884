import { type TSchema, Type } from '@sinclair/typebox'
import type { ErrorCode } from '../errors.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** The error codes that an operation returns. The document shows each at its status. */
    'x-errors'?: ErrorCode[]
    /** What an operation does, by which the document adds headers. */
    'x-kind'?: OperationKind
    /** What a handler reads itself. */
    'x-upload'?: Upload
  }
}

/** A file in a multipart form, which a component describes, or its bytes, of one of these media types. */
export type Upload = { component: string; types: readonly string[] }

export type OperationKind = 'list' | 'read' | 'create' | 'update' | 'delete'

export const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1)
/** "an event", "a venue". */
export const withArticle = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

/** Errors of every operation: wrong credentials, too many requests, a failure of the service, or of what it asks. */
const EVERY: ErrorCode[] = [
  'incorrect_password',
  'invalid_username',
  'invalid_token',
  'rest_rate_limited',
  'internal_server_error',
  'rest_overloaded',
  'database_unavailable',
]
/** Errors of every write: the database, or the process that writes, can not take it. */
const WRITES: ErrorCode[] = [
  ...(['database_busy', 'database_read_only'] as const),
  ...(['insufficient_storage', 'outcome_unknown', 'rest_not_ready'] as const),
]
const BODY: ErrorCode[] = [
  'rest_forbidden',
  'rest_invalid_param',
  'rest_invalid_json',
  'rest_payload_too_large',
  'rest_unsupported_media_type',
]
const ERRORS: Record<OperationKind, ErrorCode[]> = {
  list: ['rest_forbidden', 'rest_invalid_param'],
  read: ['rest_forbidden', 'rest_invalid_param'],
  create: [...WRITES, ...BODY, 'rest_missing_callback_param', 'rest_bad_request'],
  update: [...WRITES, ...BODY, 'rest_bad_request'],
  delete: [...WRITES, 'rest_forbidden', 'rest_invalid_param', 'rest_invalid_json', 'rest_payload_too_large'],
}

const SIGNED_IN = [{ basic: [] }, { bearer: [] }]
const ANYBODY = [{}, ...SIGNED_IN]

/**
 * The responses and security of an operation, as members of its route's `schema`: `component` on success, otherwise the
 * errors of its kind and `more`. `except` are errors of its kind that it never returns.
 */
export function responses(
  kind: OperationKind,
  component: string,
  more: ErrorCode[] = [],
  {
    signedIn = kind !== 'list' && kind !== 'read',
    except = [] as ErrorCode[],
    status = kind === 'create' ? 201 : 200,
  } = {},
) {
  const done = { description: DONE[kind], ...(Type.Ref(component) as TSchema) }
  return {
    response: { [status]: done },
    security: signedIn ? SIGNED_IN : ANYBODY,
    'x-kind': kind,
    'x-errors': [...EVERY, ...ERRORS[kind], ...more].filter((code) => !except.includes(code)),
  }
}

const DONE: Record<OperationKind, string> = {
  list: 'A page of the list.',
  read: 'The record.',
  create: 'The new record.',
  update: 'The record after the update.',
  delete: 'The deleted record.',
}
