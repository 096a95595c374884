import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Json } from '../../store/store.ts'
import { ignoredOf } from '../input/validator.ts'
import { JSON_ANSWER } from '../output/content-type.ts'
import { trimFields } from '../output/fields.ts'
import { addNames, printName } from '../output/names.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Terms that the write made, as `X-Created-Terms` names them. */
    createdTerms?: string[]
  }
}

/** Sends JSON bytes; on reads only the members that `_fields` names. What a write ignored and made besides is named in headers. */
export function send(request: FastifyRequest, reply: FastifyReply, json: Json) {
  const { _fields } = request.query as { _fields?: string }
  addNames(reply, 'x-ignored-fields', ignoredOf(request.body).map(printName))
  addNames(reply, 'x-created-terms', request.createdTerms ?? [])
  const bytes = Buffer.concat(json)
  return reply.type(JSON_ANSWER).send(_fields ? trimFields(bytes, _fields) : bytes)
}
