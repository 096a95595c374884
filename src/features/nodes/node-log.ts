/** What is told of a node to operators. */
export type NodeLog = {
  warn(what: object, message: string): void
  error(what: object, message: string): void
}

/** A log for a node, which begins to follow before its service has one: what it tells is kept until `open` gives one. */
export function openNodeLog(): NodeLog & { open(log: NodeLog): void } {
  let log: NodeLog | undefined
  const waiting: ((log: NodeLog) => void)[] = []
  const tell = (one: (log: NodeLog) => void) => void (log ? one(log) : waiting.push(one))
  return {
    warn: (what, message) => tell((log) => log.warn(what, message)),
    error: (what, message) => tell((log) => log.error(what, message)),
    open(opened) {
      log = opened
      for (const one of waiting.splice(0)) one(opened)
    },
  }
}
