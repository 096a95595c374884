import { register } from 'node:module'
import { basename } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { enter } from './file-tap.ts'
import { filesOf } from './groups.ts'

/** What properties draw their values from here, so that a run repeats the one before. A file that runs by itself draws new ones each time. */
const SEED = 20_261_125

/** Runs the files of a group in this process, one after the other, each as a test with its name. */
export function together(url: string) {
  fc.configureGlobal({ seed: SEED })
  register(new URL('file-tap-hooks.js', import.meta.url))
  for (const file of filesOf(basename(url, '.ts')))
    t.test(file, async (t) => {
      enter(t)
      await import(new URL(`../../${file}`, import.meta.url).href)
    })
}
