import { toWall } from '../../kernel/time/dates.ts'
import type { Delivery } from './deliveries.ts'
import type { Webhook } from './owner.ts'

/** What a webhook is to be told of a record: what happened to it, with which change. */
export type Told = Pick<Delivery, 'kind' | 'record_id' | 'operation' | 'seq' | 'at_utc'>
/** A message of the log, the first of the changes that it covers, and of a deletion whether it covers a creation that was not told. */
export type Message = Told & { from: number; isUntold?: boolean | undefined }
/** A try of a delivery; of one that was never tried, the first change that it covers, and the delivery whose place it takes. */
export type Task = { key: string; delivery: Delivery; from?: number; replaced?: Delivery | undefined }

/** What is the same for all messages about a record. */
export const keyOf = ({ kind, record_id }: Pick<Told, 'kind' | 'record_id'>) => `${kind} ${record_id}`

/** The operation that covers one that was not told yet and a later one. */
export function merged(first: Delivery['operation'], then: Delivery['operation']): Delivery['operation'] {
  if (then === 'deleted') return then
  return first === 'deleted' ? 'updated' : first
}

/** A delivery of a message that is to be tried at a time. */
export function deliveryOf(hook: Webhook, told: Told, at: number): Delivery {
  const time = toWall(at, 'UTC')
  return {
    ...told,
    ...{ webhook_id: hook.id, status: 'waiting', attempts: 0, created_utc: time },
    ...{ first_utc: null, tried_utc: null, next_utc: time },
    ...{ response_code: null, response_text: null, error: null, duration: null },
  }
}

/** Marks a delivery whose place another one took. */
export const superseded = (delivery: Delivery) =>
  Object.assign(delivery, { status: 'superseded' as const, next_utc: null })
