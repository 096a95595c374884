import { secondsOf } from '../rules/time/dates.ts'
import type { Delivery } from '../store/webhooks/deliveries.ts'

type Told = Pick<Delivery, 'webhook_id' | 'kind' | 'record_id' | 'operation' | 'seq' | 'at_utc'> & {
  id?: number
}

/**
 * The ID of a message: the same for every try and every replay of a change. The time is part of it, because a database that was restored
 * gives its numbers again.
 */
export const messageId = ({ webhook_id, kind, seq, at_utc, id }: Told) =>
  `msg_${webhook_id}_${kind === 'ping' ? `ping${id}` : seq}_${secondsOf(at_utc)}`

/** The type of a message, such as `event.updated`. */
export const messageType = ({ kind, operation }: Pick<Told, 'kind' | 'operation'>) =>
  kind === 'ping' ? kind : `${kind}.${operation}`

/** The body of a message (Standard Webhooks, "Payload structure"), with the JSON of the record, unless it was deleted. */
export function messageBody(told: Told, record: Buffer[] = []): Buffer {
  const { kind, record_id, operation, webhook_id, at_utc } = told
  const data = kind === 'ping' ? { webhook: webhook_id } : { kind, id: record_id, operation }
  const timestamp = `${at_utc.replace(' ', 'T')}Z`
  const text = JSON.stringify({ type: messageType(told), timestamp, data })
  if (record.length === 0) return Buffer.from(text)
  return Buffer.concat([Buffer.from(`${text.slice(0, -2)},"record":`), ...record, Buffer.from('}}')])
}
