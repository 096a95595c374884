import { register } from 'node:module'
import { basename } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { openRandom } from '../../bench/seed/random.ts'
import { declareShuffled, enter, passedTogether } from './file-tap.ts'
import { filesOf } from './groups.ts'

/** What properties draw their values from here, so that a run repeats the one before. */
const SEED = 20_261_125

/** Runs test files in this process, one after the other, each as a test with its name. */
export function runTogether(files: string[], shuffle = process.env.TEST_SHUFFLE) {
  fc.configureGlobal({ seed: SEED })
  register(new URL('file-tap-hooks.js', import.meta.url))
  const draw = shuffle === undefined ? undefined : openRandom(Number(shuffle))
  for (const file of files)
    t.test(file, async (t) => {
      enter(t, draw !== undefined)
      await import(new URL(`../../${file}`, import.meta.url).href)
      if (draw) declareShuffled(draw)
    })
  t.teardown(() => t.comment(`${passedTogether()} more assertions were told together`))
}

/** Runs the files of the group that a file of `test/groups` is named after. */
export const together = (url: string) => runTogether(filesOf(basename(url, '.ts')))
