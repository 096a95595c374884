import fc from 'fast-check'
import t from 'tap'
import { openPacking } from '../../../src/kernel/database/packing.ts'

const COMMON = '{"title":"","description":"<p></p>","start_date":"2026-11-21 09:00:00"'
const { pack, unpack } = openPacking(Buffer.from(COMMON))
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  // with repetitions, some of which overlap, and some that are in what is common
  fc
    .array(fc.oneof(fc.constantFrom('a', 'title', '"description":"', ', start_date', 'é'), fc.string()), {
      maxLength: 60,
    })
    .map((parts) => parts.join('')),
  fc.tuple(fc.string({ minLength: 1 }), fc.nat(900)).map(([part, count]) => part.repeat(count)),
)

t.test('what was packed is unpacked to the same bytes', async (t) => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [bytes, before] = [Buffer.from(one), Buffer.from(other)]
      t.strictSame(unpack(pack(bytes)), bytes)
      t.strictSame(unpack(pack(bytes, before), before), bytes)
    }),
  )
})

t.test('also if it is longer than what one looks back to', async (t) => {
  const random = (length: number) =>
    Buffer.from(fc.sample(fc.string({ minLength: length, maxLength: length }), 1)[0]!)
  const [one, other] = [random(3_000), random(70_000)]
  const bytes = Buffer.concat([one, other, one, Buffer.alloc(100_000, 'a')])
  t.ok(unpack(pack(bytes))!.equals(bytes))
  t.ok(unpack(pack(bytes, other), other)!.equals(bytes))
})

t.test('what is common, or at hand, takes a few bytes', async (t) => {
  const description = fc.sample(fc.string({ minLength: 500, maxLength: 500 }), 1)[0]!
  const bytes = Buffer.from(COMMON.replace('<p></p>', `<p>${description}</p>`))
  t.ok(pack(bytes).length < 540)
  t.ok(pack(bytes, bytes).length < 30)
})

t.test('damaged bytes are undefined or other bytes, and never an error', async (t) => {
  const texts = [`${COMMON} and so on, ${'more and '.repeat(300)}`, 'a text that has nothing twice']
  for (const packed of texts.map((text) => pack(Buffer.from(text))))
    for (let at = 0; at < packed.length; at++) {
      t.equal(unpack(packed.subarray(0, at)), undefined)
      for (const byte of [0, 1, 15, 127, 240, 255]) {
        const damaged = Buffer.from(packed)
        damaged[at] = byte
        const found = unpack(damaged)
        t.ok(found === undefined || found.length < 10_000)
      }
    }
})
