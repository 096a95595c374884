import fc from 'fast-check'
import sharp from 'sharp'
import t, { type Test } from 'tap'
import { stripTags } from '../../../src/kernel/text/html.ts'
import { toPlainText } from '../../../src/kernel/text/text.ts'
import { type Answer, build, EVENT, ROOT } from '../../support/app.ts'
import { ATTACKS, findDanger, findMarkup, SCRIPTS, URLS, wrap } from '../../support/hostile.ts'

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

const COUNT = SCRIPTS.length + URLS.length

const HTML = ['description', 'excerpt', 'caption']

/** Whether a browser takes an answer for data, whatever it holds. */
const isData = (headers: Record<string, string>) =>
  headers['content-type'] === 'application/json; charset=utf-8' &&
  headers['x-content-type-options'] === 'nosniff'

/** Looks at every text of an answer, as a page would show it. */
function check(t: Test, { status, body, headers }: Answer, what: string) {
  if (status >= 300 && status !== 400) t.fail(`${what} is ${status}`)
  if (!isData(headers)) t.fail(`${what}: a browser may show it`, headers)
  const visit = (value: unknown, name: string) => {
    if (typeof value === 'string') {
      const danger = HTML.includes(name) ? findDanger(value) : findMarkup(value)
      if (danger !== undefined) t.fail(`${what}: ${name} holds ${danger}`, { value })
      if ((name === 'website' || name === 'sameAs') && !/^((https?|ftp|mailto):|$)/.test(value))
        t.fail(`${what}: ${value}`)
    } else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) visit(member, Array.isArray(value) ? name : key)
  }
  if (status < 300) visit(body, '')
  // as pages carry it: inside of <script type="application/ld+json">
  if (/<\/?script|<!--/i.test(JSON.stringify(body.json_ld ?? ''))) t.fail(`${what}: in JSON-LD`)
}

const kinds = {
  events: (text: string) => ({
    ...EVENT,
    title: `x ${text}`,
    description: wrap(text),
    excerpt: wrap(text),
    cost: text,
    categories: [text.slice(0, 200)],
    tags: [`x ${text}`.slice(0, 200)],
    venue: { venue: `x ${text}`, description: text, city: text },
    organizer: { organizer: `x ${text}`, description: text, email: text },
  }),
  venues: (text: string) => ({
    venue: `x ${text}`,
    description: wrap(text),
    ...Object.fromEntries(
      ['address', 'city', 'country', 'province', 'state', 'zip', 'phone', 'stateprovince'].map((name) => [
        name,
        text,
      ]),
    ),
  }),
  organizers: (text: string) => ({
    organizer: `x ${text}`,
    description: wrap(text),
    phone: text,
    email: text,
  }),
  categories: (text: string) => ({ name: `x ${text}`.slice(0, 200), description: wrap(text) }),
  tags: (text: string) => ({ name: `x ${text}`.slice(0, 200), description: wrap(text) }),
}

t.test('the judge of these tests knows danger from harmless markup', async (t) => {
  const known = SCRIPTS.filter((vector) => findDanger(vector))
  t.ok(known.length > SCRIPTS.length * 0.8, 'as they are, nearly all vectors are dangerous')
  for (const url of [
    'javascript:x',
    ' jAva\tscript:x',
    '&#106;avascript:x',
    '\u0001javascript:x',
    'data:,x',
    'vbscript:x',
  ])
    t.ok(findDanger(`<a href="${url}">x</a>`), url)
  for (const html of [
    '<p class="a">x</p>',
    '<a href="https://x.test/a:b">x</a>',
    '<img src="/x.png" alt="on">',
  ])
    t.equal(findDanger(html), undefined, html)
})

for (const [kind, bodyOf] of Object.entries(kinds))
  t.test(`${COUNT} attempts to smuggle scripts into ${kind} come out harmless`, async (t) => {
    const { editor, anonymous } = await build(t)
    for (const [at, text] of ATTACKS.entries()) {
      const what = `${kind}: ${JSON.stringify(text)}`
      const made = await editor.post(`/${kind}`, { ...bodyOf(text), slug: `s${at}` })
      check(t, made, what)
      if (made.status !== 201) continue
      check(t, await anonymous.get(`/${kind}/${made.body.id}`), what)
      if (at % 5 === 0) check(t, await editor.patch(`/${kind}/${made.body.id}`, bodyOf(`${text}\n`)), what)
    }
    check(t, await anonymous.get(`/${kind}?per_page=50&start_date=2020-01-01&hide_empty=false`), kind)
    check(t, await anonymous.get(`/${kind}?per_page=50&page=2&hide_empty=false`), kind)
  })

t.test('only harmless URLs are taken for websites and pictures', async (t) => {
  const { editor } = await build(t)
  for (const url of URLS)
    for (const [path, body, param] of [
      ['/events', { ...EVENT, website: url }, 'website'],
      ['/venues', { venue: 'V', website: url }, 'website'],
      ['/organizers', { organizer: 'O', website: url }, 'website'],
      ['/events', { ...EVENT, image: url }, 'image'],
    ] as const) {
      const { status, body: answer } = await editor.post(path, body)
      t.same([status, Object.keys(answer.data.params)], [400, [param]], `${path}: ${url}`)
    }
})

t.test('names of files come out harmless', async (t) => {
  const { editor, anonymous } = await build(t)
  const bytes = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const quote = (text: string) => text.replace(/[\p{Cc}"\\]|[^\x20-\x7e]/gu, '_')
  for (const vector of SCRIPTS) {
    const headers = {
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${quote(vector)}.png"`,
    }
    const made = await editor.post('/media', bytes, { headers })
    check(t, made, vector)
    t.match(made.body.source_url, /^http:\/\/calendar\.test\/media\/[\w/-]+\.png$/)
  }
  check(t, await anonymous.get('/media?per_page=50'), 'media')
})

t.test('what stands in an address is never markup in the answer', async (t) => {
  const { anonymous } = await build(t, { env: { PAGES: 'off' } })
  const asPage = { headers: { accept: 'text/html' } }
  const plain = (await anonymous.get('/doc', undefined, asPage)).text
  for (const vector of [...SCRIPTS, ...URLS]) {
    const part = encodeURIComponent(vector)
    t.equal((await anonymous.get(`/doc?x=${part}`, undefined, asPage)).text, plain)
    for (const path of [
      `/${ROOT}/${part}`,
      `//${part}`,
      `//event/${part}/`,
      `//events/category/${part}/`,
      `/${ROOT}/events/by-slug/${part}`,
      `/${ROOT}/events?status=${part}`,
      `/${ROOT}/?namespace=${part}`,
      `/${ROOT}/doc/${part}`,
      `/${ROOT}/doc/static/${part}`,
    ]) {
      const { status, headers } = await anonymous.get(path, undefined, asPage)
      if (status < 400 || !isData(headers)) t.fail(`${path} is ${status}`, headers)
    }
  }
})
