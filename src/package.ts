import { readFileSync } from 'node:fs'

/** The URL of a file of the program, by its path in the project. Both this module and the built file are one folder deep. */
export const fromRoot = (path: string): URL => new URL(`../${path}`, import.meta.url)

/** The version of this program. */
export const VERSION: string = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')).version
