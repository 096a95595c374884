import fc from 'fast-check'
import t from 'tap'
import { openRows } from '../src/store/index/rows.ts'
import { found, isExact, termOf } from '../src/store/lists/matches.ts'
import { finish } from '../src/store/lists/slices.ts'
import { openDb } from '../src/store/sqlite/db.ts'
import { rebuildSearch } from '../src/store/sqlite/text-index.ts'

const letters = (some: string, most: number) =>
  fc.array(fc.constantFrom(...some), { maxLength: most }).map((all) => all.join(''))
/** Where the word may be cut, and its parts be put together again: many of its trigrams in another order. */
const cuts = fc.array(fc.tuple(fc.nat(8), fc.integer({ min: 3, max: 5 })), { maxLength: 5 })

t.test('the index finds a word exactly where it stands in the text', async (t) => {
  const db = openDb(':memory:')
  const events = openRows()
  for (const id of [1, 2, 3]) events.take(id)
  t.teardown(() => db.close())
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(letters('abcd', 9), letters('abcdefghi', 12), letters('abü𝄞" ', 9)),
      letters('abc ü𝄞"', 14),
      fc.nat(14),
      cuts,
      async (word, text, at, cuts) => {
        fc.pre(word.trim() !== '')
        const all = [...word]
        const texts = [
          text.slice(0, at) + word + text.slice(at),
          cuts.map(([from, length]) => all.slice(from, from + length).join('')).join(''),
          [...all.slice(at), ...all.slice(0, at)].join(''),
        ]
        await db.write(async (tx) => {
          for (const [at, folded] of texts.entries())
            await rebuildSearch(tx, { id: at + 1, folded, folded_title: '', password_hash: null })
        })
        const finds = finish(found(db, events, [word], false))
        for (const [at, folded] of texts.entries())
          if (
            isExact(word) ? finds.has(at) !== folded.includes(word) : folded.includes(word) && !finds.has(at)
          )
            throw new Error(`${word} in ${folded}`)
      },
    ),
    { numRuns: 1_000 },
  )
})

for (const [word, text, tokens, isExact = true] of [
  ['abc', '"abc"', 1],
  ['music', '"music"', 3],
  ['concert', 'NEAR("con" "nce" "ert", 3)', 3],
  ['jazzy "', 'NEAR("jaz" "zzy" "y """, 3)', 3],
  // moved by a letter, two of the trigrams would fit as well
  ['banana', '"banana"', 4],
  ['abcabc', '"abcabc"', 4],
  // of longer ones the beginning
  ['abcabcabcabc', '"abcabcab"', 6, false],
  ['a'.repeat(20), '"aaaaaaaa"', 6, false],
  ['abcdefghijklm', 'NEAR("abc" "cde" "efg" "ghi" "ijk" "jkl", 8)', 6, false],
] as const)
  t.test(`${word} is looked for as ${text}`, async (t) => {
    t.same(termOf(word), { text, tokens, isExact })
  })
