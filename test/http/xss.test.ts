import sharp from 'sharp'
import t, { type Test } from 'tap'
import { type Answer, build, EVENT, ROOT } from '../support/app.ts'
import { elementsOf, findDanger } from '../support/html.ts'
import { VECTORS } from '../support/xss.ts'

const URLS = VECTORS['URLs that run']!
const MARKUP = Object.values(VECTORS)
  .flat()
  .filter((vector) => !URLS.includes(vector))
const COUNT = MARKUP.length + URLS.length

/** A URL in the places where HTML has URLs. */
const embed = (url: string) => [
  url,
  `<a href="${url}">x</a>`,
  `<a href='${url}'>x</a>`,
  `<img src="${url}">`,
  `<blockquote cite="${url}">x</blockquote>`,
  `<img srcset="${url} 1x" src=/x.png>`,
  `<svg><a xlink:href="${url}">x</a></svg>`,
]
/** Every vector by itself, and inside of other text. */
const TEXTS = [...MARKUP, ...URLS.map((url) => embed(url).join('\n'))]
const wrap = (text: string) => `before\n${text}\n\n<p>after ${text}`

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
      const danger = HTML.includes(name) ? findDanger(value) : elementsOf(value)[0]?.name
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
  const known = MARKUP.filter((vector) => findDanger(vector))
  t.ok(known.length > MARKUP.length * 0.8, 'as they are, nearly all vectors are dangerous')
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
    for (const [at, text] of TEXTS.entries()) {
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
  for (const vector of MARKUP) {
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
  const { anonymous } = await build(t)
  const asPage = { headers: { accept: 'text/html' } }
  const plain = (await anonymous.get('/doc', undefined, asPage)).text
  for (const vector of [...MARKUP, ...URLS]) {
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
