import fc from 'fast-check'
import t from 'tap'
import { readable, toHtml } from '../../../src/kernel/text/html.ts'

t.test('paragraphs, lines, lists and tables keep their shape as text', async (t) => {
  const table: [html: string, text: string][] = [
    ['<p>One &amp; two</p>\n<p>three<br />\nfour &lt;b&gt;</p>', 'One & two\n\nthree\nfour <b>'],
    ['<p>a <b>b</b>\n<i>c</i>  d</p>', 'a b c d'],
    ['<h2>Head</h2>\n<ul>\n<li>a</li>\n<li><p>b</p></li>\n</ul>\n<p>c</p>', 'Head\n\n- a\n- b\n\nc'],
    ['<ol><li>a</li><li>b</li></ol>', '- a\n- b'],
    ['<table><tr><td>1</td><td>2</td></tr><tr><th>3</th><td>4</td></tr></table>', '1 2\n3 4'],
    ['<dl><dt>a</dt><dd>b</dd></dl>', 'a\nb'],
    ['<p>x</p><pre>a\n  b\n\nc</pre>', 'x\n\na\nb\n\nc'],
    ['<p>x</p><hr /><p>y</p>', 'x\n\ny'],
    ['<p>\ufdd0x\ufdd1</p>', 'x'],
    ['', ''],
  ]
  for (const [html, text] of table) t.equal(readable(html), text, html)
})

t.test(
  'a link is followed by its address, unless that is its text; a picture is what describes it',
  async (t) => {
    const table: [html: string, text: string][] = [
      ['<p><a href="https://x.test/?a=1&amp;b=2">here</a>.</p>', 'here (https://x.test/?a=1&b=2).'],
      ['<p><a href="https://x.test/">https://x.test/</a></p>', 'https://x.test/'],
      [
        '<p><a href="mailto:a@x.test">a@x.test</a> <a href="mailto:a@x.test">us</a></p>',
        'a@x.test us (mailto:a@x.test)',
      ],
      ['<p><a>nowhere</a></a></p>', 'nowhere'],
      ['<p><img src="https://x.test/a.png" alt="A cat" /> <img src="https://x.test/b.png" /></p>', 'A cat'],
    ]
    for (const [html, text] of table) t.equal(readable(html), text, html)
  },
)

t.test('any text survives as it was written', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a&<>;"\n é😀\u0001') }), (text) => {
      const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      const words = (of: string) => of.split(/\s+/).filter(Boolean)
      t.same(words(readable(toHtml(escaped))), words(text.replace(/[^\P{Cc}\n]/gu, '')))
    }),
  )
})
