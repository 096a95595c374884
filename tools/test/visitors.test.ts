import type { Browser } from 'playwright-core'
import t from 'tap'
import { EVENT } from '../../test/support/app.ts'
import { must } from '../../test/support/events.ts'
import { DESK, findingsOf, open, overflowOf, PHONE, type Served, serveDemo } from '../pages.ts'
import { sharedBrowser } from '../shared-browser.ts'

const TILES = 'https://tiles.test'
/** A picture of one pixel. */
const TILE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

let browser: Browser
let demo: Served

t.before(async () => {
  browser = await sharedBrowser()
  demo = await serveDemo(t, {
    MAP_TILES: `${TILES}/{z}/{x}/{y}.gif`,
    MAP_ATTRIBUTION: '© Tiles https://tiles.test/',
  })
  await must(
    demo.api.editor.post('/events', {
      ...{ ...EVENT, title: 'A night without a picture', slug: 'plain', categories: ['Jazz'], cost: '0' },
      ...{ start_date: '2026-12-02 20:00:00', end_date: '2026-12-02 22:00:00' },
      ...{ website: 'https://tickets.test/night', ticketed: true },
      venue: { venue: 'Casal', address: 'Carrer Major 3', city: 'Vic', geo_lat: 41.93, geo_lng: 2.25 },
    }),
  )
})

for (const [viewport, colorScheme] of [
  [DESK, 'light'],
  [PHONE, 'dark'],
] as const)
  t.test(
    `the page of an event says what to do, shows the place, and is shared, ${viewport.width} px wide`,
    async (t) => {
      const { page, faults, context } = await open(t, browser, demo.origin, { viewport, colorScheme })
      const asked: string[] = []
      await page.route(`${TILES}/**`, (route) => {
        asked.push(`${route.request().headers().referer} ${new URL(route.request().url()).pathname}`)
        return route.fulfill({ body: TILE, contentType: 'image/gif' })
      })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`${demo.origin}/event/plain/`)
      const tickets = page.getByRole('link', { name: 'Get tickets' })
      t.equal(await tickets.getAttribute('href'), 'https://tickets.test/night')
      t.ok((await tickets.boundingBox())!.y < viewport.height / 2, 'it stands first')
      t.ok(await page.getByRole('img', { name: 'Map: Casal' }).isVisible())
      const title = (await page.locator('h1').boundingBox())!
      const facts = (await page.locator('dl.facts').boundingBox())!
      t.equal(
        facts.x > title.x + 200,
        viewport === DESK,
        'without a picture the facts stand beside the title',
      )
      t.same(await findingsOf(page), [], 'axe finds nothing')
      t.equal(await overflowOf(page), 0)
      await page.evaluate(
        "Object.defineProperty(navigator, 'share', { value: undefined, configurable: true })",
      )
      await page.getByRole('button', { name: 'Share' }).click()
      await page.getByText('The link is copied.').waitFor()
      t.equal(await page.evaluate('navigator.clipboard.readText()'), 'http://calendar.test/event/plain/')
      await page.evaluate(
        "Object.defineProperty(navigator, 'share', { value: async (sent) => { window.sent = sent } })",
      )
      await page.getByRole('button', { name: 'Share' }).click()
      await page.waitForFunction("window.sent?.title === 'A night without a picture'")
      t.ok(asked.length >= 4, 'tiles are asked for')
      t.ok(
        asked.every((one) => one.startsWith(`${demo.origin}/ /16/`)),
        'by whom only the site is told',
      )
      t.same(
        faults.filter((fault) => !fault.startsWith(`asks ${TILES}/`)),
        [],
      )
      await page.getByRole('link', { name: 'The Buoy Quartet' }).first().click()
      await page.waitForURL('**/event/the-buoy-quartet/')
      t.ok(await page.getByRole('heading', { name: 'More like this' }).isVisible())
    },
  )

t.test('without script nothing is offered that needs it', async (t) => {
  const { page } = await open(t, browser, demo.origin, { javaScriptEnabled: false })
  await page.route(`${TILES}/**`, (route) => route.fulfill({ body: TILE, contentType: 'image/gif' }))
  await page.goto(`${demo.origin}/event/plain/`)
  t.equal(await page.getByRole('button', { name: 'Share' }).count(), 0)
  await page.locator('details.add summary').click()
  t.ok(await page.getByRole('link', { name: 'Google Calendar' }).isVisible())
})

t.test('from the first page to what is free, and to a subscription of it', async (t) => {
  for (const [path, free, subscribe] of [
    ['/', 'Free', 'Subscribe'],
    ['/ca/', 'Gratuït', 'Subscripció'],
  ] as const) {
    const { page, faults } = await open(t, browser, demo.origin, { viewport: PHONE })
    await page.goto(demo.origin + path)
    t.ok((await page.locator('#weekend, #next').count()) > 0)
    t.same(await findingsOf(page), [])
    await page.getByRole('link', { name: free, exact: true }).click()
    await page.waitForURL('**/events/free/')
    t.ok((await page.locator('h3 a').count()) > 0)
    t.same(await findingsOf(page), [])
    await page.getByRole('link', { name: subscribe, exact: true }).click()
    await page.waitForURL('**/events/subscribe/?free=true')
    t.match(await page.locator('code').innerText(), /events\.ics\?free=true$/)
    t.match(await page.locator('a.button').first().getAttribute('href'), /^webcal:/)
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    t.same(faults, [])
  }
})
