import { decodeHTML } from 'entities'
import fc from 'fast-check'
import t from 'tap'
import { beginningOf, stripHtml, toHtml, toHtmlAnew } from '../../../src/kernel/text/html.ts'
import { anyText, draws } from '../../support/properties.ts'

const TAGS =
  /^(?:a|abbr|b|blockquote|br|code|details|div|em|h[1-6]|hr|i|img|li|ol|p|pre|q|span|strong|table|tbody|td|th|thead|tr|u|ul)$/
const ATTRIBUTES = /^(?:href|src|cite|title|alt|class|rel|target|width|height|colspan|lang|dir|open)$/

/** The first tag that isn't known to be harmless, found without the sanitiser; undefined when all are. */
function findUnsafe(html: string): string | undefined {
  const harmful = (name: string, attributes: string): boolean => {
    if (!TAGS.test(name)) return true
    return [...attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)].some(([, key = '', value = '']) => {
      const url = decodeHTML(value).replace(/[\s\p{Cc}]/gu, '')
      const scheme = /^[^/?#]*:/.test(url) && !/^(?:https?|mailto|tel):/i.test(url)
      return !ATTRIBUTES.test(key) || (scheme && /^(?:href|src|cite)$/.test(key))
    })
  }
  const rest = html.replace(
    /<\/?([a-z0-9]+)((?: [a-z]+(?:="[^"<>]*")?)*)(?: \/)?>/g,
    (tag: string, name: string, attributes: string) => (harmful(name, attributes) ? tag : ''),
  )
  return /<[^<]*/.exec(rest)?.[0]
}

t.test('plain text gets paragraphs', async (t) => {
  const examples: [string, string][] = [
    ['plain', '<p>plain</p>'],
    ['line1\nline2\n\npara2', '<p>line1<br />\nline2</p>\n<p>para2</p>'],
    ['a\r\n\r\n \r\nb\rc\n', '<p>a</p>\n<p>b<br />\nc</p>'],
    ['It\'s "quoted" -- and... 10x5 <3 & more', '<p>It\'s "quoted" -- and... 10x5 &lt;3 &amp; more</p>'],
    [
      'A <strong>grand</strong> old hall.\n\nMore.',
      '<p>A <strong>grand</strong> old hall.</p>\n<p>More.</p>',
    ],
    ['[gallery]', '<p>[gallery]</p>'],
    ['&lt;b&gt; &eacute;&nbsp;x', '<p>&lt;b&gt; é\u00a0x</p>'],
    ['a\ud800b\u0001c&#2;', '<p>a\ufffdbc</p>'],
    ['', ''],
    [' \n\t\n', ''],
  ]
  for (const [input, html] of examples) t.equal(toHtml(input), html)
})

t.test('block elements keep their place, and text between them gets paragraphs', async (t) => {
  const examples: [string, string][] = [
    ['<h2>Heading</h2>\nLine one\nLine two', '<h2>Heading</h2>\n<p>Line one<br />\nLine two</p>'],
    ['<p>x</p>', '<p>x</p>'],
    ['<p>x\ny</p>', '<p>x\ny</p>'],
    ['a<ul><li>b\n\nc</li></ul>d', '<p>a</p>\n<ul><li>b\n\nc</li></ul>\n<p>d</p>'],
    ['<pre>\n a\n\n  b</pre>', '<pre>\n a\n\n  b</pre>'],
    ['<div>a<br>b</div>', '<div>a<br />b</div>'],
    ['x <b><p>y</p></b> z', '<p>x</p>\n<b><p>y</p></b>\n<p>z</p>'],
    ['<p>a</p><script>1</script>\n\nb<p> </p>', '<p>a</p>\n<p>b</p>'],
    ['<!-- wp:paragraph --><p class="wp-x y">Block</p><!-- /wp:paragraph -->', '<p class="wp-x">Block</p>'],
    ['<hr>', '<hr />'],
  ]
  for (const [input, html] of examples) t.equal(toHtml(input), html)
})

t.test('line breaks and <br> that meet count once', async (t) => {
  const examples: [string, string][] = [
    ['a<br>\nb', '<p>a<br />\nb</p>'],
    ['a<br class="wp-x"><br>b', '<p>a</p>\n<p>b</p>'],
    ['<br>a<b>\n\n\nb<br></b>\n c<br>', '<p>a<b><br />\n<br />\nb</b><br />\nc</p>'],
    ['<b>\nx</b>\n<i>y</i>', '<p><b>x</b><br />\n<i>y</i></p>'],
    ['<b></b>\n\n<p><br></p>', ''],
    ['<img src="/a.png">\n\n<img src="/b.png">', '<p><img src="/a.png" /></p>\n<p><img src="/b.png" /></p>'],
  ]
  for (const [input, html] of examples) t.equal(toHtml(input), html)
})

t.test('formatting, links, lists, tables and images are allowed', async (t) => {
  const html = [
    '<p><a href="https://x.test/?a=1&amp;b=2" target="_blank" rel="noopener">x</a> <a href="/rel">y</a></p>',
    '<p><a href="mailto:a@b.test">m</a> <a href="tel:+12">t</a> <em lang="fr" title="&quot;">e</em> <code>c</code></p>',
    '<ol start="3" reversed><li value="3">a</li></ol>',
    '<table><thead><tr><th scope="col">h</th></tr></thead><tbody><tr><td colspan="2">d</td></tr></tbody></table>',
    '<blockquote cite="https://x.test">q</blockquote>',
    '<figure class="wp-block-image size-large"><img src="https://x.test/i.png" alt="" width="2" /><figcaption>f</figcaption></figure>',
  ].join('\n')
  t.equal(toHtml(html), html)
})

t.test('what only looks like an element is text', async (t) => {
  t.equal(toHtml('"quotes" & <amp>'), '<p>"quotes" &amp; &lt;amp&gt;</p>')
  t.equal(toHtml('<you@host.test> <your name> x<y'), '<p>&lt;you@host.test&gt; &lt;your name&gt; x&lt;y</p>')
  t.equal(toHtml(`<${'x'.repeat(50)}>`), `<p>&lt;${'x'.repeat(50)}&gt;</p>`)
  t.equal(toHtml('<o:p>a</o:p><my-tag>b</my-tag><center>c</center>'), '<p>abc</p>')
})

t.test('scripts, frames, handlers and styles are removed, and dangerous URLs', async (t) => {
  const examples: [string, string][] = [
    ['<p onclick="x()">A</p><script>alert(1)</script><iframe src="https://x.test"></iframe>', '<p>A</p>'],
    ['<script>1</script>', ''],
    ['<style>p{}</style><p style="color:red">a</p>', '<p>a</p>'],
    ['<form action="/x">a<input name="b"><button>c</button></form>', '<p>ac</p>'],
    ['<a href="javascript:alert(1)">x</a>', '<p><a>x</a></p>'],
    ['<img src="data:image/png;base64,x"><img onerror="x">y', '<p>y</p>'],
    ['<a target="_top" href="//x.test">x</a>', '<p><a href="//x.test">x</a></p>'],
  ]
  for (const [input, html] of examples) t.equal(toHtml(input), html)
})

const VECTORS = `
<script>alert(1)</script>
<SCRIPT SRC=//evil.test/x.js></SCRIPT>
<scr<script>ipt>alert(1)</scr</script>ipt>
<<script>alert(1);//<</script>
<script>alert(1)
</script><script >alert(1)</script >
<img src=x onerror=alert(1)>
<img src=x onerror="alert(1)"//
<img/src=x/onerror=alert(1)>
<IMG SRC=javascript:alert(1)>
<IMG SRC="jav&#x09;ascript:alert(1)">
<IMG SRC=" &#14; javascript:alert(1)">
<IMG SRC=&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)>
<img """><script>alert(1)</script>">
<img src='x' title='"><script>alert(1)</script>'>
<img alt="<script>alert(1)</script>" src=x>
<img src=x:alert(alt) onerror=eval(src) alt=0>
<img srcset="x onerror=alert(1)" src=/x>
<a href="javascript:alert(1)">x</a>
<a href="JaVaScRiPt:alert(1)">x</a>
<a href="java&Tab;script:alert(1)">x</a>
<a href="javascript&colon;alert(1)">x</a>
<a href="&#1;javascript:alert(1)">x</a>
<a href="java<!-- -->script:alert(1)">x</a>
<a href="vbscript:msgbox(1)">x</a>
<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>
<a href="feed:javascript:alert(1)">x</a>
<a href="blob:https://x.test/1">x</a>
<a href=x onclick=alert(1)>x</a>
<a href="x" style="background:url(javascript:alert(1))">x</a>
<a href="https://x.test" ping="https://evil.test">x</a>
<svg onload=alert(1)>
<svg><script>alert(1)</script></svg>
<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>
<svg><animate onbegin=alert(1) attributeName=x></svg>
<svg><style><img src=x onerror=alert(1)></style></svg>
<svg></p><style><a title="</style><img src onerror=alert(1)>">
<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>
<iframe src="javascript:alert(1)"></iframe>
<iframe srcdoc="<script>alert(1)</script>"></iframe>
<object data="javascript:alert(1)"></object>
<embed src="data:text/html,x">
<form action="javascript:alert(1)"><input type=submit></form>
<button formaction="javascript:alert(1)">x</button>
<input autofocus onfocus=alert(1)>
<select autofocus onfocus=alert(1)><option><script>alert(1)</script></option></select>
<textarea><script>alert(1)</script></textarea>
<xmp><script>alert(1)</script></xmp>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<template><script>alert(1)</script></template>
<title><img src=x onerror=alert(1)></title>
<plaintext><script>alert(1)</script>
<body onload=alert(1)>
<video src=x onerror=alert(1)><source onerror=alert(1)></video>
<details open ontoggle=alert(1)>x
<div style="width:expression(alert(1))">x</div>
<table background="javascript:alert(1)"><tr><td>x</table>
<base href="javascript:alert(1)//">
<link rel=stylesheet href="javascript:alert(1)">
<meta http-equiv="refresh" content="0;url=javascript:alert(1)">
<!--><img src=x onerror=alert(1)>-->
<!--[if gte IE 4]><script>alert(1)</script><![endif]-->
<![CDATA[<script>alert(1)</script>]]>
<?xml version="1.0"?><script>alert(1)</script>
<my-x onclick=alert(1)>x</my-x>
<p/onclick=alert(1)>x
<p title="</p><script>alert(1)</script>">x
<b "<script>alert(1)</script>">x</b>
`

t.test('known attacks come out harmless', async (t) => {
  for (const bad of ['<p onclick="x">', '<script>', '<a href="java&#10;script:x">', '<p', '<img src=x>'])
    t.ok(findUnsafe(bad))
  for (const vector of VECTORS.trim().split('\n')) {
    for (const input of [
      vector,
      `a\n${vector}\n\nb`,
      `<p>${vector}`,
      `<b title="${vector}">x</b>`,
      `<ul><li>${vector}`,
    ]) {
      t.equal(findUnsafe(toHtml(input)), undefined)
    }
  }
  t.equal(findUnsafe(toHtml(VECTORS)), undefined)
})

const NAMES =
  'a b blockquote br center div em form h2 hr iframe img input li ol p pre script select span style svg table td tr u ul x'
const PIECES = '\n|\n\n| |text|<|>|&|&lt;|&nbsp;|"|<!--|-->|</|\u0001|&#1;|\ud800'
const name = fc.constantFrom(...NAMES.split(' '))
const piece = fc.oneof(
  fc.constantFrom(...PIECES.split('|')),
  name.map((tag) => `<${tag}>`),
  name.map((tag) => `</${tag}>`),
  name.map((tag) => `<${tag} class="wp-x y" href="javascript:1" src=/x.png onclick=1 title='a"<b>'>`),
)
const markup = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(''))

t.test('whatever comes in, what goes out is harmless and comes back unchanged', async () => {
  fc.assert(
    fc.property(fc.oneof(markup, anyText()), (input) => {
      const html = toHtml(input)
      return findUnsafe(html) === undefined && toHtml(html) === html
    }),
    { numRuns: draws(4000) },
  )
})

t.test('the text of HTML is one line without tags', async (t) => {
  const html =
    '<h2>Rock &amp; Roll</h2>\n<p>a<b>b</b> <a href="/x">c</a><br />\nd&nbsp;e</p><ul><li>f</li><li>g</li></ul>'
  t.equal(stripHtml(html), 'Rock & Roll ab c d e f g')
  t.equal(stripHtml('<p>1 &lt; 2</p>'), '1 < 2')
  t.equal(stripHtml(''), '')
})

t.test('elements are nested two hundred deep at most', async (t) => {
  const nested = (depth: number) => `${'<i>'.repeat(depth)}x${'</i>'.repeat(depth)}`
  t.equal(toHtml(nested(200)), `<p>${nested(49)}</p>`)
  t.throws(() => toHtml(nested(201)), RangeError)
  t.throws(() => toHtml('<b><p>'.repeat(201)), RangeError)
  t.equal(toHtml('<p>x'.repeat(999)), Array(999).fill('<p>x</p>').join('\n'), 'what is closed by the next')
})

t.test('a comment inside of a URL takes the URL with it', async (t) => {
  t.equal(toHtml('<a href="java<!-- -->script:x" cite="a">x</a>'), '<p><a>x</a></p>')
})

/** Paragraphs, most of them as they are stored, some with what makes a parser necessary. */
const oddity = fc.constantFrom(
  '',
  '',
  '',
  '',
  ' ',
  '\n',
  '\u00a0',
  '\u2028',
  '\u0085',
  '&amp;',
  '&lt;',
  '&nbsp;',
  '&',
  '<b>x</b>',
  '<br />',
  '<',
  '\ud800',
  '\u200b',
  '\ufeff',
  '"',
)
const paragraph = fc
  .tuple(oddity, fc.lorem({ maxCount: 4 }), oddity, anyText(), oddity)
  .map((parts) => `<p>${parts.join('')}</p>`)
const paragraphs = fc.array(paragraph, { minLength: 1, maxLength: 4 })

t.test('what is stored is what a parser makes of it, also where none is needed', async () => {
  const separator = fc.constantFrom('\n', '\n', '\n', '', '\n\n', ' ')
  fc.assert(
    fc.property(paragraphs, separator, (parts, between) => {
      const html = parts.join(between)
      return toHtml(html) === toHtmlAnew(html)
    }),
    { numRuns: draws(3_000), seed: 29 },
  )
})

t.test('paragraphs of plain text need no parser', async (t) => {
  const stored = '<p>First &amp; foremost, “quoted”.</p>\n<p>Second, 2 &lt; 3.</p>'
  t.equal(toHtml(stored), stored)
  t.equal(toHtmlAnew(stored), stored)
})

t.test('text without markup has the paragraphs that a parser makes of it', async () => {
  const piece = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom('a', 'Some words', '\n', '\n', '\n\n', ' ', '.', '“quoted”', '🎷'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom('&amp;', '&lt;b&gt;', '\u00a0', '\u200b', '\ufeff', '\u2028', '\u3000'),
    },
    { weight: 1, arbitrary: fc.constantFrom('&', '<', '\t', '\r', '\u0001', '\ud800', '<b>x</b>', '&nbsp;') },
    { weight: 1, arbitrary: anyText(5) },
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      return toHtml(text) === toHtmlAnew(text)
    }),
    { numRuns: draws(5_000), seed: 29 },
  )
})

t.test('the beginning of HTML is that of its text', (t) => {
  fc.assert(
    fc.property(markup, fc.nat(40), (input, length) => {
      const html = toHtml(input)
      const [beginning, whole] = [beginningOf(html, length), stripHtml(html)]
      return whole.startsWith(beginning) && (beginning === whole || beginning.length > length)
    }),
    { numRuns: draws(4000) },
  )
  t.equal(beginningOf(`<p>${'one '.repeat(20)}</p>${'<p>two</p>'.repeat(100)}`, 40).includes('two two'), true)
  t.ok(beginningOf('<p>two</p>'.repeat(1_000), 40).length < 200, 'only as much as it takes')
  t.end()
})
