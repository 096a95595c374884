import type { Browser } from 'playwright-core'
import t from 'tap'
import { DESK, findingsOf, open, overflowOf, PHONE, type Served, serveDemo } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

/** Bytes of a page with all that it loads besides pictures, before compression. */
const HEAVIEST = 60_000

let browser: Browser
let demo: Served
/** All pages of the demo, and one of every kind with the status that it has. */
let all: string[]
let kinds: Record<string, number>

const locationsOf = (xml: string) => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => new URL(url!))

t.before(async () => {
  browser = await sharedBrowser()
  demo = await serveDemo(t)
  const { editor, anonymous } = demo.api
  const read = async (path: string) => locationsOf((await anonymous.get(`/${path}`)).text)
  const parts = await read('/sitemap.xml')
  all = (await Promise.all(parts.map(({ pathname }) => read(pathname))))
    .flat()
    .map(({ pathname }) => pathname)
  const first = (pattern: RegExp) => all.find((path) => pattern.test(path))!
  const { body } = await editor.post('/events', {
    title: 'Members only',
    start_date: '2026-12-01 20:00:00',
    end_date: '2026-12-01 22:00:00',
    password: 'sesame',
  })
  kinds = {
    ...{ '/': 200, '/ca/': 200, '/es/events/': 200, '/events/?when=past': 200, '/events/?when=now': 200 },
    ...{ '/events/?language=all&page=2': 200, '/events/?search=night': 200, '/events/?search=zzzz': 200 },
    ...{ '/events/?category=music': 200, [new URL(body.url).pathname]: 200 },
    ...{ '/events/month/2026-12/': 200, '/events/day/2026-12-01/': 200, '/events/month/2026-13/': 404 },
    ...Object.fromEntries(
      [
        /^\/event\//,
        /^\/venue\//,
        /^\/ca\/venue\//,
        /^\/organizer\//,
        /^\/events\/category\//,
        /^\/events\/tag\//,
      ].map((pattern) => [first(pattern), 200]),
    ),
    ...{ '/nowhere': 404, '/event/nothing/': 404, '/events/?page=999': 404, '/ca/events/?page=x': 400 },
  }
})

/** What a browser tells besides the status of a page that is meant to be missing. */
const unexpected = (faults: string[]) => faults.splice(0).filter((fault) => !/status of 40[04]/.test(fault))

for (const [device, viewport, colorScheme] of [
  ['desk', DESK, 'light'],
  ['phone', PHONE, 'dark'],
] as const)
  t.test(`pages of every kind are right on a ${device} in ${colorScheme} colours`, async (t) => {
    const { page, faults } = await open(t, browser, demo.origin, { viewport, colorScheme })
    for (const [path, status] of Object.entries(kinds)) {
      const answer = await page.goto(demo.origin + path)
      t.equal(answer!.status(), status, path)
      t.same(await findingsOf(page), [], `${path}: axe finds nothing`)
      t.equal(await overflowOf(page), 0, `${path}: nothing is wider than the window`)
      t.same(unexpected(faults), [], path)
    }
  })

t.test('every page of the demo is quiet, fits a small phone, and is light', async (t) => {
  const { page, faults } = await open(t, browser, demo.origin, { viewport: { width: 320, height: 640 } })
  t.ok(all.length > 100)
  let heaviest = 0
  const loaded = new Set<string>()
  page.on('response', (answer) => {
    const { pathname, search } = new URL(answer.url())
    if (answer.request().resourceType() !== 'image') loaded.add(pathname + search)
  })
  const sizes = new Map<string, number>()
  const sizeOf = async (url: string) => {
    const known = sizes.get(url) ?? (await demo.api.app.inject({ url })).rawPayload.length
    sizes.set(url, known)
    return known
  }
  for (const path of all) {
    loaded.clear()
    const answer = await page.goto(demo.origin + path)
    t.equal(answer!.status(), 200, path)
    await page.locator('.saved .count').waitFor({ state: 'attached' }) // what scripts import is loaded
    t.equal(await overflowOf(page), 0, `${path}: nothing is wider than the window`)
    t.same(unexpected(faults), [], path)
    const bytes = (await Promise.all([...loaded].map(sizeOf))).reduce((sum, one) => sum + one, 0)
    heaviest = Math.max(heaviest, bytes)
    t.ok(bytes < HEAVIEST, `${path} has ${bytes} bytes`)
  }
  t.comment(`the heaviest of ${all.length} pages has ${heaviest} bytes`)
})

t.test('a page is read at 200 %, as zoom and as size of text', async (t) => {
  const half = { width: DESK.width / 2, height: DESK.height / 2 }
  const { page } = await open(t, browser, demo.origin, { viewport: half, deviceScaleFactor: 2 })
  for (const path of Object.keys(kinds)) {
    await page.goto(demo.origin + path)
    t.equal(await overflowOf(page), 0, `${path} zoomed`)
    await page.setViewportSize(DESK)
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    t.equal(await overflowOf(page), 0, `${path} with large text`)
    await page.setViewportSize(half)
  }
})

/** What has the focus: its text, whether it can be seen, and whether it is marked. */
const FOCUS = `(() => {
  const element = document.activeElement
  if (element === document.body) return undefined
  const { width, height, top, left } = element.getBoundingClientRect()
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
  return {
    text: (element.innerText || element.name || element.getAttribute('aria-label') || element.alt || '').trim(),
    seen: width > 1 && height > 1 && left >= 0 && top >= 0 && top < innerHeight,
    marked: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none',
    at: [...document.querySelectorAll('*')].indexOf(element),
  }
})()`
type Focus = { text: string; seen: boolean; marked: boolean; at: number } | undefined

t.test('a page is walked by keyboard, in the order in which it stands there', async (t) => {
  const { page } = await open(t, browser, demo.origin)
  for (const path of Object.keys(kinds)) {
    await page.goto(demo.origin + path)
    await page.keyboard.press('Tab')
    const skip: Focus = await page.evaluate(FOCUS)
    t.match(skip, { seen: true, marked: true }, `${path}: the first is the way to the content`)
    t.equal(await page.evaluate('document.activeElement.hash'), '#content')
    const stops = await page.locator('a[href], button, input:not([type=hidden]), select, summary').count()
    let before = skip
    for (let stop = 0; stop < Math.min(stops, 25); stop++) {
      await page.keyboard.press('Tab')
      const focus: Focus = await page.evaluate(FOCUS)
      if (!focus || focus.at === skip!.at) break // the end of the page, or its beginning again
      t.ok(focus.at > before!.at, `${path}: ${focus.text} comes after ${before!.text}`)
      t.match(focus, { seen: true, marked: true }, `${path}: ${focus.text}`)
      before = focus
    }
    await page.goto(demo.origin + path)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'content', `${path}: it leads there`)
  }
})

t.test('without script a visitor searches, filters, turns pages and opens events', async (t) => {
  const { page, faults } = await open(t, browser, demo.origin, { javaScriptEnabled: false })
  await page.goto(`${demo.origin}/`)
  await page.getByRole('searchbox').first().fill('night')
  await page.getByRole('searchbox').first().press('Enter')
  await page.waitForURL(/\/events\/\?q=night/)
  t.ok((await page.locator('h3 a').count()) > 0)
  await page.goto(`${demo.origin}/events/?language=all`)
  await page.locator('.paging .next').click()
  await page.waitForURL(/page=2/)
  t.ok((await page.locator('h3 a').count()) > 0)
  await page.goto(`${demo.origin}/events/`)
  await page.locator('details.filters summary').click()
  await page.locator('#filter-category').selectOption({ index: 1 })
  await page.locator('details.filters button').click()
  await page.waitForURL(/category=/)
  const link = page.locator('h3 a').first()
  const title = await link.innerText()
  await link.click()
  await page.waitForURL(/\/event\//)
  t.equal(await page.locator('h1').innerText(), title)
  await page.locator('details.add summary').click()
  t.ok(await page.locator('details.add a').first().isVisible())
  t.same(faults, [])
})

t.test('a password opens an event, stands in no address, and is forgotten', async (t) => {
  const { page, faults, context } = await open(t, browser, demo.origin)
  const path = Object.keys(kinds).find((path) => /members/.test(path))!
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(demo.origin + path)
  for (const [password, status] of [
    ['open me', 403],
    ['sesame', 200],
  ] as const) {
    await page.locator('#password').fill(password)
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.locator('form.password button').click(),
    ])
    t.equal(answer!.status(), status)
    t.equal(answer!.headers()['cache-control'], 'no-store')
    t.equal(await page.getByRole('alert').count(), status === 403 ? 1 : 0)
    t.same(await findingsOf(page), [])
  }
  t.equal(await page.locator('#password').count(), 0, 'it is open')
  t.same(
    asked.filter((url) => /sesame|open/.test(url)),
    [],
  )
  t.same(await context.cookies(), [])
  await page.goto(demo.origin + path)
  t.equal(await page.locator('#password').count(), 1, 'and closed again')
  t.same(
    faults.filter((fault) => !/status of 403/.test(fault)),
    [],
  )
})

t.test('a printed event is black on white, with its facts and without what is clicked', async (t) => {
  const { page } = await open(t, browser, demo.origin, { colorScheme: 'dark' })
  for (const path of Object.keys(kinds)) {
    await page.goto(demo.origin + path)
    // a page that is slowed forgets it with the process that it leaves
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const part of ['header.top nav', 'form.quick', 'footer.bottom', '.skip', '.paging'])
      for (const one of await page.locator(part).all()) t.notOk(await one.isVisible(), `${path}: ${part}`)
    const colours = (element: string): Promise<[string, string]> =>
      page.evaluate(
        `(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('${element}')))`,
      )
    const light = (colour: string) => Math.min(...colour.match(/\d+/g)!.slice(0, 3).map(Number))
    const [text, ground] = [(await colours('h1'))[0], (await colours('body'))[1]]
    t.ok(light(text) < 80, `${path}: text is ${text}`)
    t.ok(light(ground) > 240 || /, 0\)$/.test(ground), `${path}: paper is ${ground}`)
    t.ok(await page.locator('h1').isVisible())
  }
})
