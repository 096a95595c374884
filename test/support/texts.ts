import fc from 'fast-check'

/**
 * Texts of any code points, lone surrogates among them. Those of `fc.string({ unit: 'binary' })` are the same, but it makes a map of all
 * million code points first, which takes a second.
 */
export const anyText = (maxLength?: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((points) => String.fromCodePoint(...points))
