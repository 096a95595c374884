import fc from 'fast-check'
import t from 'tap'
import { stripTags } from '../../src/rules/tags.ts'
import { toPlainText } from '../../src/rules/text.ts'
import { build, EVENT } from '../support/app.ts'
import { findMarkup } from '../support/html.ts'

/** Texts with brackets in which nothing is markup. */
const TEXTS = [
  'x<y',
  'Vec<T> in Rust',
  'C++ <vector> basics',
  'a < b > c',
  'Ann <a@b.test>, Bo <b.o@b-c.test>',
  'see <https://x.test/?a=1&b=2>',
  'Map<K, Vec<V>>',
  'if a<b and c>d',
  'a<b and b<c',
  'x<y and z=3',
  'if x<y == true',
  'I </3 you, and <3 <!-)',
  '<your name here>',
  '<?php echo 1 ?>',
  'List<String>, <T extends U>',
  "A<B isn't B<A",
  '<<x>>',
  '1<2<3',
  '</T>',
]

/** What the browser must never get to see of a text, by itself. */
const MARKUP = [
  '<script>',
  '</script>',
  '<script',
  '<SCRIPT/x>',
  '<img src=x onerror=alert(1)>',
  '<img src=x onerror=alert(1)',
  '<svg/onload=alert(1)>',
  '<x onclick=alert(1)>',
  '<x\u0000onclick=alert(1)>',
  '<T onclick = alert(1)>',
  '<x-foo>',
  '<x-foo onclick=alert(1)>',
  '<svg:script>',
  '<b onmouseover=alert(1)>',
  '<a href=javascript:alert(1)>',
  '<y style=width:expression(alert(1))>',
  '<y v-on:click=alert(1)>',
  '<y @click=alert(1)>',
  '<y "<foo=">" onclick=alert(1)>',
  '<y <foo = ">" onclick=alert(1)>',
  '<y </z onclick=alert(1)>',
  '<y x=<b q=1 href=2> onclick=alert(1)>',
  '<y <b>onclick=alert(1)>',
  '<scr<script>ipt>',
  '<scr<b>ipt>',
  '<!--',
  '<!-- x -->',
  '<![CDATA[',
  '<!doctype html>',
  '<y a="',
  "<y a='x",
  '<y a=',
]

t.test('the judge of these tests knows what acts', async (t) => {
  const seen = MARKUP.filter((markup) => findMarkup(`${markup.replace('\u0000', ' ')} x="">`))
  t.ok(seen.length > MARKUP.length * 0.7)
  t.same(TEXTS.filter(findMarkup), [])
})

t.test('a text in which nothing is markup stays as it is', async (t) => {
  for (const text of TEXTS) t.equal(toPlainText(text), text)
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TEXTS, ' ', '< ', '&', '"', 'é'), { maxLength: 6 }), (parts) => {
      const text = parts.join(' ').replace(/ +/g, ' ').trim()
      // of two that meet, one may become an attribute of the other
      return /=/.test(text) || toPlainText(text) === text
    }),
    { numRuns: 2000 },
  )
})

t.test('markup goes, whatever it stands in', async (t) => {
  for (const markup of MARKUP)
    for (const text of [markup, `a ${markup} b`, `x<y ${markup} b`, `${markup}${markup}`, `<T ${markup}`]) {
      const plain = toPlainText(text)
      t.equal(findMarkup(plain), undefined, `${JSON.stringify(text)} gives ${plain}`)
      t.notMatch(plain, /<(?:script\b|img|svg|!-|!\[|x-foo|[a-z]+ [^>]*=["'])/i, text)
    }
  const part = fc.oneof(
    fc.constantFrom(...MARKUP, ...TEXTS),
    fc.constantFrom(
      '<',
      '>',
      '<y ',
      '</',
      '/',
      '=',
      '"',
      "'",
      ' ',
      'on',
      'onclick=1',
      '<b',
      'script',
      '-->',
      '&lt;',
      '&gt;',
      '&quot;',
      '&Tab;',
      '&#0;',
      '\n',
    ),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const plain = toPlainText(parts.join(''))
      return (
        findMarkup(plain) === undefined && findMarkup(`${plain}>`) === undefined && stripTags(plain) === plain
      )
    }),
    { numRuns: 20_000 },
  )
})

t.test('markup that comes together where other markup goes, goes too', async (t) => {
  for (const text of ['A<A<b>>', 'A<A<b&gt;&gt;', 'x<scr<b>ipt>', '<<b>b>'])
    t.equal(toPlainText(toPlainText(text)), toPlainText(text), text)
})

t.test('titles, names and lines with brackets are read, sent back and read again', async (t) => {
  const { editor } = await build(t)
  for (const text of [...TEXTS, 'AT&amp;amp;T &amp;lt;b&amp;gt;']) {
    const made = (
      await editor.post('/events', {
        ...EVENT,
        title: text,
        venue: { venue: text, city: text },
        tags: [text],
      })
    ).body
    const { id, title, venue, tags } = made
    if (TEXTS.includes(text)) t.same([title, venue.venue, venue.city, tags[0].name], [text, text, text, text])
    t.same((await editor.put(`/events/${id}`, { ...made, tags: made.tags })).body.title, title)
    t.match((await editor.put(`/venues/${venue.id}`, venue)).body, { venue: venue.venue, city: venue.city })
    const tag = (await editor.get(`/tags/${tags[0].id}`)).body
    t.equal((await editor.put(`/tags/${tag.id}`, tag)).body.name, tags[0].name)
  }
})
