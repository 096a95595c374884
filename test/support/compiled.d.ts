/** What TypeScript compiles a file to, kept under its path and content. */
export function exactly(path: string): string
/** The folder in which packages of hundreds of modules are a few files each, made once for all runs. */
export function bundled(): string
