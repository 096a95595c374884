import t from 'tap'
import { beginningOf, differenceOf, endOf, textOfHtml } from '../../desk/rules/compare.ts'

t.test('what differs of two texts is told by words', async (t) => {
  for (const [before, after, expected] of [
    ['One two three', 'One other three', ['One ', 'two', 'other', ' three']],
    ['Choir', 'Choir evening', ['Choir', '', ' evening', '']],
    ['', 'New', ['', '', 'New', '']],
    ['a a a', 'a a', ['a a', ' a', '', '']],
    ['same', 'same', ['same', '', '', '']],
    ['Old', '', ['', 'Old', '', '']],
  ] as const) {
    const { start, before: was, after: is, end } = differenceOf(before, after)
    t.same([start, was, is, end], expected, `${before} → ${after}`)
    t.equal(start + is + end, after)
  }
})

t.test('of what long texts share only the parts nearby are shown', async (t) => {
  const long = `${'x'.repeat(60)}y`
  t.equal(endOf(long), `…${'x'.repeat(59)}y`)
  t.equal(beginningOf(long), `${'x'.repeat(60)}…`)
  t.same([endOf('short'), beginningOf('short')], ['short', 'short'])
})

t.test('HTML is shown as its text, a line for each paragraph', async (t) => {
  t.equal(
    textOfHtml('<p>One &amp; <b>two</b><br />three</p>\n<ul><li>a &lt;b&gt;</li></ul>'),
    'One & two\nthree\na <b>',
  )
})
