/** The folder in which packages of hundreds of modules are a few files each, made once for all runs. */
export function bundled(): string
/** The file that stands for what is imported by this name, if it is of these packages. */
export function bundledFile(name: string): string | undefined
