import t, { type Test } from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { ATTACKS, type Element, elementsOf, isSafe, SCRIPTS, URLS, wrap } from '../../support/hostile.ts'
import { visit } from '../../support/pages.ts'

/** The content policy of pages: what it does not name can not be loaded or run. */
const POLICY: Record<string, string> = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}
/** Elements that a page has at most once or twice, with their attributes. */
const FRAME: Record<string, string[]> = {
  meta: ['charset', 'content', 'name', 'property'],
  link: ['href', 'hreflang', 'rel', 'title', 'type'],
  form: ['action', 'class', 'method', 'role'],
}
const NEVER =
  /^(style|iframe|frame|object|embed|applet|base|svg|math|template|noscript|audio|video|marquee|portal|xmp|plaintext|textarea)$/
const LOADING = /^(src|href|cite|action|formaction|data|poster|background|xlink:href)$/

/** What a browser would run or load of a page that the page does not have by itself. */
function faultsOf(html: string): string[] {
  const faults: string[] = []
  const told = ({ name, attribs }: Element) => `<${name} ${JSON.stringify(attribs)}>`
  for (const element of elementsOf(html)) {
    const { name, attribs } = element
    const keys = Object.keys(attribs)
    const isData = name === 'script' && keys.join() === 'type' && attribs.type === 'application/ld+json'
    const isOwn = name === 'script' && /^\/assets\/calendar-\w+\.js$/.test(attribs.src ?? '')
    if (name === 'script' && !isData && !isOwn) faults.push(told(element))
    if (NEVER.test(name) || !/^[a-z][a-z0-9]*$/.test(name)) faults.push(told(element))
    if (FRAME[name] && keys.some((key) => !FRAME[name]!.includes(key))) faults.push(told(element))
    for (const [key, value] of Object.entries(attribs)) {
      if (!/^[a-z][a-z-]*$/.test(key) || /^(on.*|style|srcdoc|is|slot|ping|http-equiv)$/.test(key))
        faults.push(told(element))
      if (LOADING.test(key) && !isSafe(value)) faults.push(told(element))
      const isLoaded = name === 'img' || name === 'script' || (name === 'link' && attribs.rel !== 'canonical')
      if (isLoaded && /^(src|href)$/.test(key) && new URL(value, SITE).origin !== SITE)
        faults.push(`${told(element)} of another host`)
    }
  }
  // a browser ends the element at the first of these, whatever the data says
  for (const [, data] of html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script/gis)) {
    if (/<!--|<script/i.test(data!)) faults.push(`in data: ${data}`)
    JSON.parse(data!)
  }
  return faults
}
const SITE = 'http://calendar.test'

function check(t: Test, { status, text, headers }: Awaited<ReturnType<typeof visit>>, what: string) {
  const isHtml = headers['content-type'] === 'text/html; charset=utf-8'
  if (!isHtml || status >= 500) return t.fail(`${what} is ${status} ${headers['content-type']}`)
  const policy = headers['content-security-policy']!.split(';').map((one) => one.split(/ (.*)/).slice(0, 2))
  t.same(Object.fromEntries(policy), POLICY, what)
  t.equal(headers['x-content-type-options'], 'nosniff')
  const faults = faultsOf(text)
  if (faults.length > 0) t.fail(`${what}: ${faults.join(' ')}`)
  return undefined
}

const bodyOf = (text: string, more: object) => ({
  ...EVENT,
  title: `x ${text}`,
  description: wrap(text),
  excerpt: wrap(text),
  cost: text,
  categories: [`x ${text}`.slice(0, 200)],
  tags: [`x ${text}`.slice(0, 200)],
  ...more,
})
const linked = (text: string) => ({
  venue: { venue: `x ${text}`, description: wrap(text), address: text, city: text, phone: text, zip: text },
  organizer: { organizer: `x ${text}`, description: wrap(text), phone: text, email: text },
})

t.test('the judge of these tests knows what acts', async (t) => {
  const known = SCRIPTS.filter((vector) => faultsOf(vector).length > 0)
  t.ok(known.length > SCRIPTS.length * 0.7)
  for (const html of [
    '<meta http-equiv=refresh content=0>',
    '<link rel=stylesheet href=https://evil.test/a.css>',
    '<img src="//evil.test/x.png" alt="">',
    '<script type="application/ld+json">{"a":"<!--"}</script>',
    '<a href="&#106;avascript:x">x</a>',
    '<form action=/x onsubmit=x>',
  ])
    t.ok(faultsOf(html).length > 0, html)
  t.throws(() => faultsOf('<script type="application/ld+json">{"a":"</script><img src=x>"}</script>'))
})

t.test('nothing that editors write acts in any page', async (t) => {
  const api = await build(t)
  for (const [at, text] of ATTACKS.entries()) {
    const made = await api.editor.post('/events', bodyOf(text, { slug: `s${at}`, ...linked(text) }))
    // some are refused, such as an address of mail that is none
    const { body } =
      made.status === 201
        ? made
        : await api.editor.post('/events', bodyOf(text, { slug: `s${at}`, cost: '' }))
    if (body.id === undefined) continue
    const { venue, organizer, categories, tags } = body
    for (const path of [
      `/event/s${at}/`,
      venue?.slug && `/venue/${venue.slug}/`,
      organizer?.[0]?.slug && `/organizer/${organizer[0].slug}/`,
      `/events/category/${categories[0].slug}/`,
      `/events/tag/${tags[0].slug}/?when=past`,
    ])
      if (path) check(t, await visit(api, path), `${path} of ${text}`)
  }
  const pages = [...Array(8).keys()].map((page) => `/events/?page=${page + 1}`)
  const day = EVENT.start_date.slice(0, 10)
  const days = [`/events/month/${day.slice(0, 7)}/`, `/events/day/${day}/`, `/events/day/${day}/?page=2`]
  for (const path of ['/', '/ca/', ...pages, ...days, '/events/?search=alert&language=all'])
    check(t, await visit(api, path), path)
})

t.test('nothing in an address acts in any page', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', { ...EVENT, slug: 'one' }))
  for (const vector of [...SCRIPTS, ...URLS, '"><img src=x onerror=alert(1)>', "' autofocus onfocus=x '"]) {
    const part = encodeURIComponent(vector)
    for (const path of [
      `/events/?search=${part}`,
      `/events/?category=${part}`,
      `/events/?venue=${part}&tag=${part}`,
      `/events/?language=${part}`,
      `/events/?page=${part}`,
      `/?when=past&x=${part}`,
      `/event/one/?${part}=${part}`,
      `/event/${part}/`,
      `/venue/${part}/`,
      `/events/tag/${part}/`,
      `/ca/${part}`,
      `/${part}`,
    ])
      check(t, await visit(api, path), path)
  }
})

/** The name of a site, and what of it shall be no more than text. */
const NAME = `</title><script>alert(1)</script><img src=x onerror=alert(1)> "' onclick=alert(1) {{x}} \${x}`

t.test('the name of the site is text', async (t) => {
  const api: Api = await build(t, { env: { SITE_NAME: NAME } })
  await must(api.editor.post('/events', { ...EVENT, slug: 'one', venue: { venue: 'Hall' } }))
  for (const path of ['/', '/event/one/', '/venue/hall/', '/nowhere', '/events/?page=x']) {
    const answer = await visit(api, path)
    check(t, answer, path)
    t.match(answer.text, '&lt;/title&gt;&lt;script&gt;', 'it is there')
  }
})
