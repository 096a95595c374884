import t from 'tap'
import { fitted, moved, pixelsOf, sized, turned, WHOLE } from '../../desk/rules/crop.ts'

const PICTURE = { width: 1600, height: 900 }
const rounded = (frame: object) =>
  Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, Math.round(value * 1000) / 1000]))

t.test('a frame stays in the picture', async (t) => {
  const frame = { x: 0.2, y: 0.2, width: 0.5, height: 0.5 }
  t.same(rounded(moved(frame, 0.1, -0.5)), { ...frame, x: 0.3, y: 0 })
  t.same(moved(frame, 1, 1), { ...frame, x: 0.5, y: 0.5 })
  const corner = (at: [0 | 1, 0 | 1], by: [number, number]) =>
    rounded(sized(frame, at, by, PICTURE, undefined))
  t.same(corner([1, 1], [0.1, 0.9]), { x: 0.2, y: 0.2, width: 0.6, height: 0.8 })
  t.same(corner([0, 0], [-0.9, 0.1]), { x: 0, y: 0.3, width: 0.7, height: 0.4 })
  t.same(corner([1, 0], [-0.9, 0.9]), { x: 0.2, y: 0.65, width: 0.05, height: 0.05 })
})

t.test('proportions are those of the pixels', async (t) => {
  t.same(fitted(WHOLE, PICTURE, 16 / 9), WHOLE)
  const square = fitted(WHOLE, PICTURE, 1)
  t.same(pixelsOf(square, PICTURE), { width: 900, height: 900 })
  t.same(rounded(square), { x: 0.219, y: 0, width: 0.563, height: 1 })
  t.same(pixelsOf(fitted(WHOLE, turned(PICTURE, 90), 4 / 3), turned(PICTURE, 90)), {
    width: 900,
    height: 675,
  })
  t.same(turned(PICTURE, 180), PICTURE)
  const left = fitted({ x: 0, y: 0, width: 0.1, height: 0.1 }, PICTURE, 1)
  t.equal(left.x, 0, 'as near as it can be')
})

t.test('a corner keeps the proportions', async (t) => {
  const square = fitted(WHOLE, PICTURE, 1)
  for (const by of [
    [-0.1, 0],
    [0, -0.2],
    [-0.1, -0.1],
    [0.5, 0.5],
  ] as const) {
    const { width, height } = pixelsOf(sized(square, [1, 1], by, PICTURE, 1), PICTURE)
    t.ok(Math.abs(width - height) <= 1, `${by}`)
  }
  t.same(pixelsOf(sized(square, [1, 1], [0, -0.2], PICTURE, 1), PICTURE), { width: 720, height: 720 })
  t.equal(Math.round(sized(square, [0, 0], [0, 0.2], PICTURE, 1).y * 10), 2)
})
