import { createHmac, randomBytes } from 'node:crypto'
import type { Answer } from '../../kernel/outbound/requests.ts'
import { secondsOf } from '../../kernel/time/dates.ts'
import type { Delivery } from './store.ts'

type MessageFields = Pick<Delivery, 'webhook_id' | 'kind' | 'record_id' | 'operation' | 'seq' | 'at_utc'> & {
  id?: number
}

/**
 * The ID of a message: the same for every try and every replay of a change. The time is part of it, because a database that was restored
 * gives its numbers again.
 */
export const messageId = ({ webhook_id, kind, seq, at_utc, id }: MessageFields) =>
  `msg_${webhook_id}_${kind === 'ping' ? `ping${id}` : seq}_${secondsOf(at_utc)}`

/** The type of a message, such as `event.updated`. */
export const messageType = ({ kind, operation }: Pick<MessageFields, 'kind' | 'operation'>) =>
  kind === 'ping' ? kind : `${kind}.${operation}`

/** The body of a message (Standard Webhooks, "Payload structure"), with the JSON of the record, unless it was deleted. */
export function messageBody(message: MessageFields, record: Buffer[] = []): Buffer {
  const { kind, record_id, operation, webhook_id, at_utc } = message
  const data = kind === 'ping' ? { webhook: webhook_id } : { kind, id: record_id, operation }
  const timestamp = `${at_utc.replace(' ', 'T')}Z`
  const text = JSON.stringify({ type: messageType(message), timestamp, data })
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

/** What a try came to; `wait` is what the receiver asked for, in milliseconds. */
export type Outcome = {
  done: boolean
  /** The receiver wants no more messages. */
  gone: boolean
  wait: number
  response_code: number | null
  response_text: string | null
  error: string | null
  /** Milliseconds that the try took. */
  duration: number
}

/** Reads an answer: any 2xx accepts a message. */
export function outcomeOf(answer: Answer, now: number, duration: number): Outcome {
  if ('failure' in answer)
    return {
      done: false,
      gone: false,
      wait: 0,
      response_code: null,
      response_text: null,
      error: answer.failure,
      duration,
    }
  const { status, retryAfter, text } = answer
  const done = status >= 200 && status < 300
  return {
    done,
    gone: status === 410,
    wait: status === 429 || status === 503 ? readRetryAfter(retryAfter, now) : 0,
    response_code: status,
    response_text: text,
    error: done ? null : errorOf(status),
    duration,
  }
}

function errorOf(status: number): string {
  if (status === 410) return 'The server answered 410 Gone: it wants no more messages.'
  return status >= 300 && status < 400
    ? `The server redirects (status ${status}), which is not followed; register the URL that it redirects to.`
    : `The server answered with status ${status} instead of 2xx.`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** How long a message is tried, and how long a webhook may fail, in milliseconds. */
export const PATIENCE = 72 * HOUR
/** The time after a try in which nothing else was tried because the service did not run. */
export const DOWNTIME = 8 * HOUR

/** Milliseconds between one try of a message and the next; the last one repeats. */
const DELAYS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 1 * HOUR, 2 * HOUR, 4 * HOUR]
/** A delay is up to so much shorter or longer, so that receivers are not hit by all messages at once. */
const JITTER = 0.2

/** Milliseconds until the next try after so many; `random` is from 0 to 1. */
export const delayAfter = (attempts: number, random: number) =>
  Math.round(DELAYS[Math.min(attempts, DELAYS.length) - 1]! * (1 + JITTER * (2 * random - 1)))

/** Failures in a row, of any messages, from which on a webhook rests. */
export const MANY = 5
const FIRST_REST = 5 * SECOND
const LONGEST_REST = 10 * MINUTE

/** Milliseconds for which nothing is sent after so many failures in a row. */
export const restAfter = (failures: number) =>
  failures < MANY ? 0 : Math.min(FIRST_REST * 2 ** (failures - MANY), LONGEST_REST)

/** The longest wait that a receiver can ask for. */
const MOST_ASKED = 24 * HOUR

/** Milliseconds that `Retry-After` asks for, at most a day: seconds or a date (RFC 9110 §10.2.3). 0 if it says nothing. */
export function readRetryAfter(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  const asked = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now
  return asked > 0 ? Math.min(asked, MOST_ASKED) : 0
}
