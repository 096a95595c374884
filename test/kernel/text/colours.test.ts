import t from 'tap'
import { contrast, legible, readColour } from '../../../src/calendar/branding.ts'

const WHITE = readColour('#fff')!
const BLACK = readColour('#000000')!

t.test('colours are read in both lengths', async (t) => {
  t.same(readColour('#B31'), [187, 51, 17])
  t.same(readColour('#b5341c'), [181, 52, 28])
  for (const text of ['', 'red', '#12', '#1234', '#gggggg', 'b31', '#b5341c '])
    t.equal(readColour(text), undefined, text)
})

t.test('contrast is that of WCAG', async (t) => {
  t.equal(contrast(WHITE, BLACK), 21)
  t.equal(contrast(BLACK, BLACK), 1)
  t.equal(contrast(readColour('#777')!, WHITE).toFixed(2), '4.48')
  t.equal(contrast(WHITE, readColour('#777')!).toFixed(2), '4.48')
})

t.test('a colour is changed just enough to be read', async (t) => {
  t.equal(legible(readColour('#b5341c')!, WHITE), '#b5341c', 'as it is where it can be read')
  for (const colour of ['#ffffff', '#ffff00', '#00aaff', '#777777', '#000000', '#b5341c'])
    for (const ground of ['#fbf8f2', '#171512', '#777777', '#ffffff', '#000000']) {
      const made = readColour(legible(readColour(colour)!, readColour(ground)!))!
      t.ok(contrast(made, readColour(ground)!) >= 4.5, `${colour} on ${ground}`)
    }
  t.equal(legible(WHITE, WHITE), '#737373')
})
