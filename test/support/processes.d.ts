/** How many assertions passed, failed and were skipped, and whether all ended as it should. */
export type Result = { passed: number; failed: number; skipped: number; isGreen: boolean }
/** Runs test files in a process of their own, and prints how each has ended, with its tests if `depth` is 1. */
export function runFiles(
  files: string[],
  options?: { depth?: number; env?: Record<string, string> },
): Promise<Result>
