import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

/** Milliseconds for which something is waited for, however slow the machine is. */
const PATIENCE = 180_000
/** Milliseconds after which it is no longer looked at in each turn of the loop, as it comes from another process. */
const SOON = 100

/** Waits until something holds, and gives it. Where it never does, the error shows the condition, and what was told meanwhile. */
export async function until<T>(
  holds: () => T | Promise<T>,
  told = () => '',
): Promise<Exclude<T, false | null | undefined>> {
  const began = performance.now()
  for (let waited = 0; waited < PATIENCE; waited = performance.now() - began) {
    const found = await holds()
    if (found) return found as never
    await (waited < SOON ? turn() : pause(10))
  }
  throw new Error(`It did not become so in ${PATIENCE / 1_000} seconds: ${holds}. ${told().slice(-2_000)}`)
}
