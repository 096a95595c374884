type Timer = { clear(): void }
/** Runs something after so many milliseconds, unless it is cleared before. */
export type Later = (run: () => void, milliseconds: number) => Timer

/** Runs it by a timer of Node, which keeps no process alive. */
export const later: Later = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref()
  return { clear: () => clearTimeout(timer) }
}
