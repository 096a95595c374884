import fc from 'fast-check'
import t from 'tap'
import { openSpellings } from '../../../src/calendar/lists/corrections.ts'
import { distance } from '../../../src/kernel/text/search.ts'

/** Errors of typing between two words, by all ways to type one instead of the other. */
function errorsBetween(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, row) => [row])
  for (let at = 0; at <= b.length; at++) table[0]![at] = at
  for (let row = 1; row <= a.length; row++)
    for (let at = 1; at <= b.length; at++) {
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1]
      table[row]![at] = Math.min(
        table[row - 1]![at - 1]! + (a[row - 1] === b[at - 1] ? 0 : 1),
        table[row - 1]![at]! + 1,
        table[row]![at - 1]! + 1,
        isSwapped ? table[row - 2]![at - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
  return table[a.length]![b.length]!
}

const word = fc
  .array(fc.constantFrom(...'abcdé音'), { minLength: 1, maxLength: 8 })
  .map((letters) => letters.join(''))

t.test('words like another are those with few errors, whatever was added and taken away', async (t) => {
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 30 }),
      fc.array(fc.nat(29)),
      word,
      fc.integer({ min: 1, max: 2 }),
      (added, gone, asked, most) => {
        const spellings = openSpellings()
        const left = [...added]
        for (const own of added) spellings.add(own)
        for (const at of gone) if (left.length > 0) spellings.delete(left.splice(at % left.length, 1)[0]!)
        const right = [...new Set(left)].filter((own) => errorsBetween(asked, own) <= most).sort()
        const near = spellings.near(asked, most)
        return (
          JSON.stringify([...near.keys()].sort()) === JSON.stringify(right) &&
          left.every((own) => {
            const errors = errorsBetween(asked, own)
            return (
              distance(asked, own, most) === near.get(own) &&
              near.get(own) === (errors <= most ? errors : undefined)
            )
          })
        )
      },
    ),
    { seed: 7 },
  )
  t.pass('for these words')
})
