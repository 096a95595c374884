import type { FastifyBaseLogger } from 'fastify'

/** Milliseconds for which repeated warnings are only counted. */
const QUIET = 1_000

type Warning = { log: FastifyBaseLogger; details: object; message: string }

/**
 * Warnings about events that may happen a thousand times a second. The first of a kind is logged at once, later ones as one line a
 * second with their number in `times`.
 */
export function openWarnings() {
  const kinds = new Map<string, { times: number; last: Warning; timer: NodeJS.Timeout }>()

  const write = ({ log, details, message }: Warning, times: number) =>
    log.warn({ ...details, times }, message)

  /** Logs the counted warnings of a kind; if there are none, it removes the kind. */
  function settle(kind: string) {
    const { times, last, timer } = kinds.get(kind)!
    if (times === 0) return void kinds.delete(kind)
    write(last, times)
    kinds.set(kind, { times: 0, last, timer: timer.refresh() })
  }

  return {
    warn(kind: string, log: FastifyBaseLogger, details: object, message: string) {
      const last = { log, details, message }
      const known = kinds.get(kind)
      if (known) return void Object.assign(known, { times: known.times + 1, last })
      write(last, 1)
      kinds.set(kind, { times: 0, last, timer: setTimeout(settle, QUIET, kind).unref() })
    },
    /** Logs all counted warnings. */
    close() {
      for (const [kind, { timer }] of kinds) {
        clearTimeout(timer)
        settle(kind)
      }
    },
  }
}
export type Warnings = ReturnType<typeof openWarnings>
