import fc from 'fast-check'

const most = Number(process.env.TEST_DRAWS ?? Number.POSITIVE_INFINITY)

/** How many values a property draws: so many, or in `npm test` some hundred at most. */
export const draws = (count: number) => Math.min(count, most)

/** The halves of pairs of UTF-16, which are no characters. */
const HALVES = { first: 0xd800, count: 0x800 }

/**
 * Texts of any code points, without halves of pairs. Those of `fc.string({ unit: 'binary' })` are the same, but it makes a map of all
 * million code points first, which takes a second.
 */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff - HALVES.count }), { maxLength })
    .map((points) =>
      String.fromCodePoint(...points.map((point) => (point < HALVES.first ? point : point + HALVES.count))),
    )
