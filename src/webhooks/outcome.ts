import type { Answer } from '../outbound/post.ts'
import { readRetryAfter } from './retries.ts'

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
      ...{ done: false, gone: false, wait: 0, response_code: null, response_text: null },
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
