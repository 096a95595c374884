import t from 'tap'
import { readTexts } from '../src/http/input/lists.ts'

t.test('a list is given as such or with commas; of anything but texts and numbers it is none', async (t) => {
  t.strictSame(readTexts('a, b,,c '), ['a', 'b', 'c'])
  t.strictSame(readTexts([1, 'b,2']), ['1', 'b', '2'])
  t.strictSame(readTexts(7), ['7'])
  for (const none of [{}, [{}], [null], [['a']], true]) t.equal(readTexts(none), undefined)
})
