import { createHmac, randomBytes } from 'node:crypto'
import { secondsOf } from '../../kernel/time/dates.ts'
import type { Delivery } from './deliveries.ts'

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

/** The prefix of every secret (Standard Webhooks, "Signature scheme"). */
const PREFIX = 'whsec_'
/** Bytes of a secret: what the convention allows, and what is made here. */
const LEAST = 24
const MOST = 64
const MADE = 32

/** A new secret. */
export const makeSecret = () => PREFIX + randomBytes(MADE).toString('base64')

const keyOf = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** Whether a text is a secret: the prefix, and 24 to 64 bytes in base64. */
export function isSecret(text: string): boolean {
  const key = keyOf(text)
  return text === PREFIX + key.toString('base64') && key.length >= LEAST && key.length <= MOST
}

/** What is signed with, in turn: the secret, and the one before it until its time has come. Times are wall clocks of UTC. */
export const secretsOf = (
  hook: { secret: string; previous_secret: string | null; previous_until_utc: string | null },
  now: string,
): string[] =>
  hook.previous_secret !== null && hook.previous_until_utc! > now
    ? [hook.secret, hook.previous_secret]
    : [hook.secret]

/** The headers that identify and sign a message, at a time in Unix seconds (Standard Webhooks). */
export const signed = (id: string, seconds: number, body: Buffer, secrets: string[]) => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': secrets
    .map((secret) => {
      const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.`).update(body)
      return `v1,${hmac.digest('base64')}`
    })
    .join(' '),
})
