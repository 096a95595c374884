import { isSaid, NoHost } from './session.ts'

/** SQLSTATEs of a server that answers and takes no writes: it is read-only, its disk is full or fails, it has no memory or connection left. */
const REFUSING = /^(25006|53|58)/

/** Of several hosts, the failure that counts. */
const mainOf = (error: unknown) => (error instanceof NoHost ? error.main : error)

/** Whether PostgreSQL says that it can not take writes now, whoever sends them. */
export function isRefusal(error: unknown): boolean {
  const main = mainOf(error)
  return isSaid(main) && REFUSING.test(main.code!)
}

/** Why PostgreSQL can not be written to, for everybody: in its own words, without the names of hosts and users. */
export function tellCause(error: unknown): string {
  const main = mainOf(error)
  const { code } = main as { code?: string }
  const more = code === undefined ? '' : ` (${code})`
  if (!isSaid(main)) return `PostgreSQL does not answer${more}`
  return code!.startsWith('28')
    ? `PostgreSQL refuses the login${more}`
    : `PostgreSQL says: ${main.message}${more}`
}
