import fc from 'fast-check'
import t from 'tap'
import { stripTags } from '../../../src/kernel/text/html.ts'
import { fold, readUrl, toPlainText, toSlug, withSuffix } from '../../../src/kernel/text/text.ts'
import { anyText, draws } from '../../support/properties.ts'

const texts = fc.oneof(
  anyText(),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        'b',
        '/',
        '!',
        'script',
        '<script>',
        '<textarea ',
        ' ',
        '&lt;',
        '&amp;',
        '&',
        '%e6',
        '%97%a5',
        "'",
        'é',
        '日',
        '_',
        '-',
        '.',
      ),
    )
    .map((parts) => parts.join('')),
)

t.test('a one-line field loses tags and keeps everything else', async (t) => {
  const examples: [string, string][] = [
    ['Tom & Jerry <3', 'Tom & Jerry <3'],
    ['a < b > c', 'a < b > c'],
    ['<b>Bold</b> & <script>x</script>', 'Bold & x'],
    ["Desc '<script>x</script>'", "Desc 'x'"],
    ['<!-- not shown -->shown<br/>', 'shown'],
    ['<a href="x>y">z</a> & &copy', 'z & &copy'],
    ['Back\\slash "and" \'quotes\' -- ...', 'Back\\slash "and" \'quotes\' -- ...'],
    ['  A\r\n\tB\u0000C\u2028D  ', 'A B C D'],
    ['10\u00a0€', '10\u00a0€'],
    ['\ud800', '\ufffd'],
  ]
  for (const [input, text] of examples) t.equal(toPlainText(input), text)
})

t.test('entities are decoded once, and tags that come out of them are stripped as well', async (t) => {
  const examples: [string, string][] = [
    ['Evensong &amp; talk', 'Evensong & talk'],
    ['Caf&eacute; &#8217;n&#x27; bar', "Café ’n' bar"],
    ['AT&amp;amp;T', 'AT&amp;T'],
    ['R&D &unknown; &copy2026', 'R&D &unknown; &copy2026'],
    ['&lt;script&gt;alert(1)&lt;/script&gt;', 'alert(1)'],
    ['&lt;b&gt;x&lt;/b&gt; &lt;3', 'x <3'],
  ]
  for (const [input, text] of examples) t.equal(toPlainText(input), text)
})

t.test('elements whose text no browser shows lose their tags only, and those inside them', async (t) => {
  for (const name of 'script STYLE textarea title xmp noscript iframe option svg'.split(' ')) {
    t.equal(toPlainText(`a <${name} id="i">b <i>c</i> &amp; d</${name}> e`), 'a b c & d e', name)
    t.equal(toPlainText(`<${name}>&lt;img src=x onerror=alert(1)&gt;`), '', name)
  }
  t.equal(toPlainText('<title><script></title><img src=x onerror=alert(1)>'), '')
})

t.test('no bracket before the name of an element survives, whatever was typed', async (t) => {
  t.equal(toPlainText('<<b>script>alert(1)'), 'script>alert(1)')
  t.equal(toPlainText('a <img src=x onerror=alert(1) '), 'a img src=x onerror=alert(1)')
  fc.assert(
    fc.property(texts, (text) => {
      const plain = toPlainText(text)
      return (
        !/<(\/?(script|textarea)(?![^\s/>])|!--)/i.test(plain) &&
        !/[\p{Cc}\p{Cs}]/u.test(plain) &&
        plain === plain.trim()
      )
    }),
    { numRuns: draws(3000) },
  )
})

t.test('text without brackets and ampersands is plain already', async () => {
  fc.assert(fc.property(texts.map(toPlainText), (text) => /[<&]/.test(text) || toPlainText(text) === text))
})

t.test('folding takes case, accents and surplus white space away', async (t) => {
  const examples: [string, string][] = [
    ['  Café\n SOCIÉTÉ ', 'cafe societe'],
    ['Straße Ærø Łódź Đorđe Þór Œuvre', 'strasse aero lodz dorde thor oeuvre'],
    ['İstanbul ISPARTA ılık', 'istanbul isparta ilik'],
    ['ΆΝΟΙΞΗ ΟΔΟΣ', 'ανοιξη οδοσ'],
    ['Ёлка й', 'елка и'],
    ['Ｆｕｌｌ ﬁ ①', 'full fi 1'],
    ['서울', '서울'],
    ['がき', 'がき'],
    ['हिन्दी', 'हिन्दी'],
  ]
  for (const [input, text] of examples) t.equal(fold(input), text)
  fc.assert(fc.property(texts, (text) => fold(fold(text)) === fold(text)))
})

t.test('names that differ in case and accents alone are folded to the same', async (t) => {
  t.equal(fold('CAFE  societe '), fold('Café Société'))
  t.equal(fold('Cafe\u0301'), fold('Café'))
  t.not(fold('Cafés'), fold('Café'))
  for (const text of ['Col·legi', 'COL.LEGI', 'coŀlegi', 'col•legi', 'co\u0140legi'])
    t.equal(fold(text), 'collegi', text)
  for (const text of ['ł.l', 'al. la', 'bil.', 'l.l', 'l·l']) t.notMatch(fold(text), /ll/, text)
  t.equal(fold('al.l.la'), 'allla')
  t.not(fold('がぎ'), fold('かき'))
})

t.test('a slug is made of words, as the reference makes it', async (t) => {
  const examples: [string, string][] = [
    ['Basic Event', 'basic-event'],
    ['Bob\'s "Best" Events', 'bobs-best-events'],
    ['Café Société', 'cafe-societe'],
    ['Événement à Paris', 'evenement-a-paris'],
    ['Rock & Roll "Night"', 'rock-roll-night'],
    ['Tom &amp; Jerry’s “Show” -- 3×4 ...', 'tom-jerrys-show-3x4'],
    ['Manual Offset 5.5', 'manual-offset-5-5'],
    ['Manual Offset -7', 'manual-offset-7'],
    ['<b>B</b> & co', 'b-co'],
    ['21+', '21'],
    ['a/b', 'a-b'],
    ['El col·legi i el coŀlegi', 'el-collegi-i-el-collegi'],
    ['Mo – Fr — noon', 'mo-fr-noon'],
    ["Site 'http://ok.test/?a=1&b=2'", 'site-http-ok-test-a1b2'],
    ["Img 'http://127.0.0.1:8088/static/remote.jpg'", 'img-http-127-0-0-18088-static-remote-jpg'],
    ['Reg {"country": "US", "stateprovince": "TX"}', 'reg-country-us-stateprovince-tx'],
    ['snake_case__x', 'snake_case__x'],
    ['50% off', '50-off'],
    ['Acme™ ®', 'acme'],
    ['20 ℃ ⑴\u{1e000}', '20-c-1'],
    ['...!?', ''],
    ['', ''],
  ]
  for (const [input, slug] of examples) t.equal(toSlug(input), slug)
})

t.test('a slug keeps other scripts, percent-encoded', async (t) => {
  const examples: [string, string][] = [
    ['日本', '日本'],
    ['Unicode 日本語 emoji 🎉', 'unicode-日本語-emoji-🎉'],
    ['Москва, май', 'москва-май'],
    ['हिन्दी मेला', 'हिन्दी-मेला'],
    ['서울', '서울'],
    ['日本、東京', '日本-東京'],
    ['¨a', 'a'],
  ]
  for (const [input, slug] of examples) t.equal(toSlug(input), encodeURIComponent(slug).toLowerCase())
  t.equal(toSlug('日'), '%e6%97%a5')
  t.equal(
    toSlug('%E6%97%A5-%zz-%e6'),
    '%e6%97%a5-zz-e6',
    'what is encoded already stays, what is broken is text',
  )
})

t.test('a slug is at most 200 bytes long and cut between characters', async (t) => {
  t.equal(toSlug('x'.repeat(300)), 'x'.repeat(200))
  t.equal(toSlug('日'.repeat(100)), '%e6%97%a5'.repeat(22))
  t.equal(toSlug(`${'x'.repeat(198)}é-日`), `${'x'.repeat(198)}e`, 'no dash at the end')
  t.equal(toSlug(`${'🎉'.repeat(16)}й${'🎉'.repeat(2)}`), `${'%f0%9f%8e%89'.repeat(16)}%d0%b9`)
})

t.test('a suffix fits into the 200 bytes', async (t) => {
  t.equal(withSuffix('jazz', 2), 'jazz-2')
  t.equal(withSuffix('x'.repeat(200), 12), `${'x'.repeat(197)}-12`)
  t.equal(withSuffix('%e6%97%a5'.repeat(22), 2), `${'%e6%97%a5'.repeat(22)}-2`)
  t.equal(withSuffix(`${'x'.repeat(190)}%e6%97%a5`, 2), `${'x'.repeat(190)}-2`)
})

t.test('a slug is safe in a path and gives itself', async () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, n) => {
      const slug = toSlug(text)
      const long = withSuffix(slug.repeat(9), n)
      decodeURIComponent(slug)
      decodeURIComponent(long)
      return (
        /^(?!-)(?:[a-z0-9_-]|%[0-9a-f]{2})*(?<!-)$/.test(slug) && toSlug(slug) === slug && long.length <= 200
      )
    }),
    { numRuns: draws(3000) },
  )
})

t.test('a website is an http, https, ftp or mailto URL with an ASCII host', async (t) => {
  const good = [
    'https://x.test',
    'HTTP://X.test/',
    'http://x.test/?a=1&b=2',
    'http://localhost:8088/path#top',
    'https://user:pw@x.test/caf%C3%A9/é?q={a}',
    'http://[::1]/',
    'ftp://x.test',
    'mailto:a@b.test',
    'mailto:a.b+c@b.test?subject=Hi',
  ]
  const bad = [
    '',
    'bad',
    'x.test',
    '//x.test',
    '/path',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    'https:x.test',
    'https://exämple.test',
    'http://x.test/a b',
    'http://x.test/"onmouseover=alert(1)',
    'http://x.test/<b>',
    'http://x.test:99999/',
    'http:\\\\x.test',
    'mailto:',
    'mailto:nobody',
    'tel:+123',
  ]
  for (const url of good) t.equal(readUrl(` ${url}\n`), url, url)
  for (const url of bad) t.equal(readUrl(url), undefined, url)
})

t.test('a tag ends where HTML says: quotes hide a bracket in values alone', async (t) => {
  const examples: [string, string][] = [
    ['a<b title="x>y" lang=\'>\'>c', 'ac'],
    ['a<b title = "x>y">c', 'ac'],
    ['a<b title=x"y>c">d', 'ac">d'],
    ['a<i "x>c', 'a<i "x>c'],
    ['a</b title=">">c', 'ac'],
    ['a<!-- <b> > -->c<!-->d', 'acd'],
    ['a<?php > ?>c<!doctype x>d', 'a<?php > ?>cd'],
    // of what does not end the opening bracket goes
    ['a<!-- b>c', 'a!-- b>c'],
    ['a<b title="x>c', 'ab title="x>c'],
    ['a<b title=x <i title=">c">d', 'ad'],
    ['a<b title="x" c="y>d">', 'a'],
    ['a<b c="> d=e', 'ab c="> d=e'],
    ['a<b c=">" d', 'ab c=">" d'],
    ['a<b', 'a<b'],
    ['a<em', 'aem'],
  ]
  for (const [input, text] of examples) t.equal(stripTags(input), text, input)
})

t.test(
  'of marks that follow each other thirty count, before and after what stands between them goes',
  async (t) => {
    const marks = '\u0e38\u0e48'.repeat(20)
    t.equal(fold(`\u0e01${marks}!`).length, 32)
    t.equal(fold(`\u0e01${marks}`), fold(`\u0e01${marks}\u0e38`))
    t.ok(toSlug(`\u0e01${`${marks}!`.repeat(9)}`).length <= 200)
  },
)
