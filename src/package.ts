/** A file that belongs to the program, by its path in the project: this module, and what it is built into, lie one folder deep. */
export const fromRoot = (path: string): URL => new URL(`../${path}`, import.meta.url)
