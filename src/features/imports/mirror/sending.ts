import { ApiError } from '../../../kernel/errors.ts'
import { idOf, type Shown } from '../site/taken.ts'
import { jsonOf, readBytes, type WebOptions } from '../site/web.ts'

/** A request to the source. */
export type Sent = {
  method: 'POST' | 'PATCH' | 'DELETE'
  url: string
  body?: Shown | undefined
  /** Its `Idempotency-Key`. */
  key?: string | undefined
}

/** Failures after which nothing of a request can have arrived. */
const NOT_REACHED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT'],
]
/** What a source answers where it takes no writes of this reader, or none at all, or none now. */
const CLOSED = [401, 403]
const LATER = [429, 503]

/** The 502 of a source that did not take a write. */
export const sourceFailed = (source: string, why: string, data: object = {}) =>
  new ApiError('source_failed', `The calendar that this one is a mirror of, ${source}, ${why}`, {
    source,
    ...data,
  })

/** The 503 where nobody knows whether the source took a write. */
const notKnown = (source: string, why: string) =>
  new ApiError(
    'outcome_unknown',
    `The calendar that this one is a mirror of, ${source}, ${why}. The write was made there completely or not at all. If it was, it comes here within some minutes; check before you send it again.`,
    { source },
  )

/** Sends writes to a source, each once. Gives the record that it answers with, or throws what is told to the client. */
export function openSending(
  source: string,
  { fetch, userAgent, authorization, timeoutMs = 30_000 }: Omit<WebOptions, 'clock' | 'pause'>,
) {
  const read = async (response: Response): Promise<Shown> => {
    try {
      return { ...jsonOf(await readBytes(response)) }
    } catch (error) {
      if (error instanceof SyntaxError) return {}
      throw error
    }
  }

  async function ask({ method, url, body, key }: Sent): Promise<{ status: number; shown: Shown }> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...{ accept: 'application/json', 'user-agent': userAgent },
          ...(authorization && { authorization }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // a write must not become a read, and credentials are for nobody else
        redirect: 'manual',
        signal: limit,
      })
      return { status: response.status, shown: await read(response) }
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } }
      if (NOT_REACHED.includes(cause?.code ?? ''))
        throw sourceFailed(source, `can not be reached (${cause!.code}). Nothing was written.`)
      throw notKnown(source, limit.aborted ? 'did not answer in time' : `broke off (${message})`)
    }
  }

  return async (sent: Sent): Promise<Shown> => {
    const { status, shown } = await ask(sent)
    const { code, message } = shown
    const answer = {
      source_status: status,
      ...(typeof code === 'string' && { source_code: code.slice(0, 100) }),
      ...(typeof message === 'string' && { source_message: message.slice(0, 500) }),
    }
    if (status < 300) {
      if (idOf(shown.id) > 0) return shown
      throw sourceFailed(source, `answers ${status} without a record; look there.`, answer)
    }
    const says = `answers ${status}${typeof message === 'string' ? `: ${answer.source_message}` : '.'}`
    if (CLOSED.includes(status))
      throw sourceFailed(source, `${says} The credentials of the mirror do not suffice there.`, answer)
    if (LATER.includes(status) && code !== 'outcome_unknown') throw sourceFailed(source, says, answer)
    if (status >= 500) throw notKnown(source, says)
    if (status < 400) throw sourceFailed(source, `${says} It is somewhere else.`, answer)
    throw new ApiError('source_refused', `The calendar that this one is a mirror of ${says}`, {
      source,
      ...answer,
    })
  }
}
