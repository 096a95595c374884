import { basename, extname } from 'node:path'
import { toSlug } from './text.ts'

/** Greatest length of the readable part of a name, in characters. */
const LONGEST = 80
/** What is added to the names of pictures, so that nobody guesses them. */
const RANDOM = /-[0-9a-f]{20}$/

/** The name of a file without its extension, as the readable part of the name under which it is stored. */
export const stemOf = (name: string): string =>
  toSlug(basename(name, extname(name)))
    .replaceAll('%', '')
    .slice(0, LONGEST) || 'image'

/** The readable part of the name of a stored file, which is that of the file that was uploaded. */
export const storedStem = (path: string): string => basename(path, extname(path)).replace(RANDOM, '')
