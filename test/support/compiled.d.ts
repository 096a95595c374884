/** What TypeScript compiles a file to, kept under its path and content. */
export function exactly(path: string): string
