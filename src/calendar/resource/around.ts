import type { FastifyRequest } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { Guard } from '../store.ts'
import { FREE } from './conditions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a feature may make the writes of the route elsewhere. */
    forwardable?: true
  }
}

/** A write of one record: its kind and what it does, and the record where the write itself does not tell it. */
export type RecordWrite = {
  kind: Exclude<SyncKind, 'media'>
  verb: 'create' | 'update' | 'delete' | 'restore'
  find?(): Promise<number>
}
/** Makes a write elsewhere instead of here, where `write` only tries it. Returns the record here. */
export type Around = (
  request: FastifyRequest,
  asked: RecordWrite,
  write: (guard: Guard) => Promise<unknown>,
) => Promise<number>

/** What a feature puts around the writes of single records, and the errors that they then may have. */
export type AroundWrites = { write?: Around; errors: ErrorCode[] }

/** Makes a write here, unless a feature makes it elsewhere. */
export const writeAround = (
  request: FastifyRequest,
  { around }: { around: AroundWrites },
  asked: RecordWrite,
  write: (guard: Guard) => Promise<number>,
) => (around.write ? around.write(request, asked, write) : write(FREE))
