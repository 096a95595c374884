import { basename } from 'node:path'
import { filesOf } from './groups.js'
import { runTogether } from './together.ts'

/** Runs the files of the group that a file of `test/groups` is named after. */
export const together = (url: string) => runTogether(filesOf(basename(url, '.ts')))
