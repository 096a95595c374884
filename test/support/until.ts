import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds for which something is waited for, however slow the machine is. */
const PATIENCE = 180_000

/** Waits until something holds, and gives it. Where it never does, the error says what was waited for, and what was told meanwhile. */
export async function until<T>(
  what: string,
  holds: () => T | Promise<T>,
  told = () => '',
): Promise<Exclude<T, false | undefined>> {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await pause(20)) {
    const found = await holds()
    if (found) return found as Exclude<T, false | undefined>
  }
  throw new Error(`After ${PATIENCE / 1_000} seconds, it is not so that ${what}. ${told().slice(-2_000)}`)
}
