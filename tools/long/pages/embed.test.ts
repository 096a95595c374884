import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { build, EVENT } from '../../../test/support/app.ts'
import { faultsOf, findingsOf, openSite, policyFor } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { focused, holdBack, inPage } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A calendar with some events around its present, 21 November 2026, that listens. */
async function open(t: Test) {
  const api = await build(t)
  for (const [title, from, to, more] of [
    ['Concert', '2026-11-22 20:00:00', '2026-11-22 22:00:00', { categories: ['Music'] }],
    ['Festival', '2026-11-27 10:00:00', '2026-12-02 22:00:00', { categories: ['Music'] }],
    ['Recital', '2026-12-05 20:00:00', '2026-12-05 22:00:00', { categories: ['Music'] }],
    ['Lecture', '2026-11-23 18:00:00', '2026-11-23 19:00:00', { categories: ['Books'] }],
    ['Concert en català', '2026-11-24 18:00:00', '2026-11-24 19:00:00', { i18n_language: 'ca' }],
  ] as const) {
    const dates = { start_date: from, end_date: to }
    t.equal((await api.editor.post('/events', { ...EVENT, title, ...dates, ...more })).status, 201)
  }
  return { api, calendar: await api.app.listen({ port: 0, host: '127.0.0.1' }) }
}

async function visit(t: Test, url: string, options: Parameters<Browser['newPage']>[0] = {}) {
  const page = await browser.newPage(options)
  t.teardown(() => page.close())
  const faults = faultsOf(page)
  await page.goto(url)
  return { page, faults }
}

const groundOf = (page: Page) =>
  page.evaluate("getComputedStyle(document.querySelector('almanac-calendar')).backgroundColor")

t.test('the element shows a month in a page with a strict policy, and follows its own links', async (t) => {
  const { calendar } = await open(t)
  const body = `<script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar view="month" categories="music"></almanac-calendar>
<almanac-calendar view="list" lang="ca" count="5"></almanac-calendar>`
  for (const colorScheme of ['light', 'dark'] as const) {
    const site = await openSite(t, body, policyFor(calendar))
    const { page, faults } = await visit(t, site, { colorScheme, viewport: { width: 1280, height: 900 } })
    const month = page.locator('almanac-calendar').first()
    const list = page.locator('almanac-calendar').nth(1)
    await month.getByRole('heading', { name: 'November 2026' }).waitFor()
    await list.getByRole('link', { name: 'Concert en català' }).waitFor()
    t.equal(await month.getByRole('link', { name: 'Concert' }).count(), 1)
    t.equal(await month.getByText('Lecture').count(), 0, 'only music')
    t.equal(await groundOf(page), 'rgba(0, 0, 0, 0)', 'the page around it shows')
    t.same(await findingsOf(page), [])

    await month.getByRole('link', { name: 'December 2026' }).click()
    await month.getByRole('heading', { name: 'December 2026' }).waitFor()
    await month.getByRole('link', { name: 'Recital' }).waitFor()
    t.equal(page.url(), site, 'the page stays')
    t.equal(await month.getByRole('status').innerText(), 'December 2026')
    await page.keyboard.press('Enter')
    await month.getByRole('heading', { name: 'January 2027' }).waitFor()
    t.equal(await list.getByText('2027').count(), 0, 'the other element stays')

    await month.evaluate((element) => element.setAttribute('month', '2026-11'))
    await month.getByRole('link', { name: 'Concert' }).click()
    await page.waitForURL(`${calendar}/event/concert/`)
    t.same(faults, [])
    await page.close()
  }
})

t.test('an element takes the filters of lists, a town and what is free as well', async (t) => {
  const { calendar } = await open(t)
  const body = `<script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar></almanac-calendar>`
  const { page } = await visit(t, await openSite(t, body, policyFor(calendar)))
  const element = page.locator('almanac-calendar')
  await element.getByRole('link', { name: 'Concert' }).first().waitFor()
  const asked = page.waitForRequest((request) => request.url().includes('town='))
  await element.evaluate((element) => {
    for (const [name, value] of [
      ['town', 'Nowhere'],
      ['free', 'yes'],
      ['online', 'yes'],
    ] as const)
      element.setAttribute(name, value)
  })
  t.match((await asked).url(), /[?&]town=Nowhere&free=yes&online=yes/)
  await element.getByRole('link', { name: 'Concert' }).first().waitFor({ state: 'detached' })
})

t.test('arrow keys walk the days of an element, over the turn of its month', async (t) => {
  const { calendar } = await open(t)
  const body = `<script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar view="month"></almanac-calendar>`
  const { page, faults } = await visit(t, await openSite(t, body, policyFor(calendar)))
  const day = (id: string) => page.locator(`[id="${id}"]`)
  await page.locator('almanac-calendar [aria-current="date"]').focus()
  await focused(day('2026-11-21'))
  await page.keyboard.press('ArrowDown')
  await focused(day('2026-11-28'))
  await page.keyboard.press('PageDown')
  await page.getByRole('heading', { name: 'December 2026' }).waitFor()
  await focused(day('2026-12-28'))
  t.same(faults, [])
})

t.test('an element says so if its calendar can not be shown, and recovers', async (t) => {
  const { calendar } = await open(t)
  const body = `<script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar view="month" categories="none"></almanac-calendar>`
  const { page } = await visit(t, await openSite(t, body, policyFor(calendar)))
  let isDown = false
  await page.route('**/es/embed/**', (route) => (isDown ? route.abort() : route.continue()))
  await page.reload() // a page that is there already may still send without the route
  const element = page.locator('almanac-calendar')
  await element.getByText('There is nothing named “none” in this calendar.').waitFor()
  await element.evaluate((element) => element.setAttribute('lang', 'es'))
  await element.getByText('Este filtro no existe').waitFor()
  isDown = true
  await element.evaluate((element) => element.setAttribute('categories', 'music'))
  await element.getByText('Ahora mismo no se puede mostrar la agenda.').waitFor()
  t.equal(await element.getByRole('link').getAttribute('href'), `${calendar}/`)
  isDown = false
  await element.evaluate((element) => element.setAttribute('theme', 'dark'))
  await element.getByRole('heading', { name: 'Noviembre de 2026' }).waitFor()
  t.equal(await groundOf(page), 'rgb(23, 21, 18)', 'dark in a light page')
})

t.test('a frame shows the calendar without any script, and its events leave it', async (t) => {
  const { calendar } = await open(t)
  const body = `<iframe title="Calendar" src="${calendar}/embed/?view=month&amp;categories=music" width="800" height="900"></iframe>`
  const policy = `default-src 'none'; frame-src ${calendar}`
  const site = await openSite(t, body, policy)
  const { page, faults } = await visit(t, site, { javaScriptEnabled: false })
  const frame = page.frameLocator('iframe')
  await frame.getByRole('link', { name: 'December 2026' }).click()
  await frame.getByRole('link', { name: 'Recital' }).waitFor()
  t.equal(page.url(), site)
  await frame.getByRole('link', { name: 'Recital' }).click()
  await page.waitForURL(`${calendar}/event/recital/`)
  t.same(faults, [])

  const scripted = await visit(t, site)
  await scripted.page.frameLocator('iframe').getByRole('heading', { name: 'November 2026' }).waitFor()
  t.same(await findingsOf(scripted.page.frames()[1]!), [])
  t.same(scripted.faults, [])
})

t.test('only the embed may be in a frame', async (t) => {
  const { calendar } = await open(t)
  const body = `<iframe title="Calendar" src="${calendar}/events/month/2026-11/"></iframe>`
  const page = await browser.newPage()
  t.teardown(() => page.close())
  // the browser may tell of it after the page has loaded
  const told = page.waitForEvent('console', { predicate: (one) => one.type() === 'error' })
  await page.goto(await openSite(t, body, `default-src 'none'; frame-src ${calendar}`))
  t.match((await told).text(), /frame-ancestors/)
})

/** How far the page around an element moves when its calendar arrives. `whole` counts also what moves before the script runs. */
async function shiftOf(
  t: Test,
  calendar: string,
  more: { attributes?: string; css?: string; whole?: boolean },
) {
  const body = `<style>${more.css ?? ''}</style><script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar ${more.attributes ?? 'view="month"'}></almanac-calendar>${'<p>Below</p>'.repeat(30)}`
  const policy = policyFor(calendar).replace("style-src 'none'", "style-src 'unsafe-inline'")
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  t.teardown(() => page.close())
  const { isHeld, letGo } = await holdBack(page, '**/embed/**')
  await page.goto(await openSite(t, body, policy))
  await isHeld()
  const painted = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
  await page.evaluate(painted)
  await page.evaluate(`window.shift = 0
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value })
      .observe({ type: 'layout-shift', buffered: ${more.whole === true} })`)
  letGo()
  await page.locator('almanac-calendar').getByRole('link', { name: 'Concert' }).first().waitFor()
  await page.evaluate(painted)
  await page.evaluate(painted)
  return (await page.evaluate('window.shift')) as number
}

t.test('the page around an element does not move when the calendar arrives', async (t) => {
  const { calendar } = await open(t)
  t.ok((await shiftOf(t, calendar, {})) <= 0.05, 'in the room that is likely')
  t.ok((await shiftOf(t, calendar, { attributes: 'view="list"' })) <= 0.05, 'of a list as well')
  t.ok((await shiftOf(t, calendar, { attributes: 'view="month" height="500"' })) <= 0.05, 'by its attribute')
  const css = 'almanac-calendar { display: block; block-size: 500px; overflow: auto }'
  t.ok((await shiftOf(t, calendar, { css, whole: true })) <= 0.05, 'by a rule, from the first painting on')
})

t.test('an element keeps the room that it took the last time', async (t) => {
  const { calendar } = await open(t)
  const body = `<script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar count="1"></almanac-calendar><p id="below">Below</p>`
  const { page } = await visit(t, await openSite(t, body, policyFor(calendar)))
  const next = page.locator('almanac-calendar').getByRole('link', { name: 'Next page' })
  await next.waitFor()
  const whole = 'document.querySelector("almanac-calendar").shadowRoot.querySelector(".embed").offsetHeight'
  const height = (await page.evaluate(whole)) as number
  const { isHeld, letGo } = await holdBack(page, '**/embed/**')
  await isHeld()
  const box = (await page.locator('almanac-calendar').boundingBox())!
  t.equal(Math.round(box.height), height, 'before anything arrives')
  letGo()
  await next.click()
  await page.locator('almanac-calendar').getByRole('link', { name: 'Previous page' }).waitFor()
})

for (const [name, css] of [
  ['light', 'background: #fff; color: #222'],
  ['dark', 'background: #10151c; color: #e8edf2'],
  ['coloured', 'background: #0b5d57; color: #fff; font-family: Georgia'],
  ['middling', 'background: #777; color: #000'],
] as const)
  t.test(`an element on a ${name} page can be read, whatever the visitor prefers`, async (t) => {
    const { calendar } = await open(t)
    const body = `<style>html { ${css} }</style><script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar view="month"></almanac-calendar><almanac-calendar></almanac-calendar>`
    const policy = policyFor(calendar).replace("style-src 'none'", "style-src 'unsafe-inline'")
    const site = await openSite(t, body, policy)
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await visit(t, site, { colorScheme })
      await page.locator('almanac-calendar').first().getByRole('link', { name: 'Concert' }).waitFor()
      await page.locator('almanac-calendar').last().getByRole('link', { name: 'Concert' }).waitFor()
      t.same(await findingsOf(page), [], colorScheme)
      const styleOf = (what: string) =>
        page.evaluate(
          `getComputedStyle(document.querySelector('almanac-calendar').shadowRoot.querySelector('h2')).${what}`,
        )
      const own = (what: string) => page.evaluate(`getComputedStyle(document.documentElement).${what}`)
      for (const what of ['color', 'fontFamily']) t.equal(await styleOf(what), await own(what), what)
      t.same(faults, [])
      await page.close()
    }
  })

t.test('a page sets colours and fonts of an element, by variables and by parts', async (t) => {
  const { calendar } = await open(t)
  const css = `almanac-calendar { --almanac-ink: #102030; --almanac-paper: #e0f0ff; --almanac-accent: #0a4a6b; --almanac-font: Verdana; --almanac-heading-font: Georgia }
almanac-calendar::part(title) { text-transform: uppercase }
html.night almanac-calendar { --almanac-ink: #ffffff; --almanac-paper: #000000; --almanac-accent: #ffdd88 }`
  const body = `<style>${css}</style><script type="module" src="${calendar}/embed.js"></script>
<almanac-calendar></almanac-calendar><almanac-calendar theme="dark"></almanac-calendar>`
  const policy = policyFor(calendar).replace("style-src 'none'", "style-src 'unsafe-inline'")
  const { page } = await visit(t, await openSite(t, body, policy))
  const element = page.locator('almanac-calendar').first()
  await element.getByRole('link', { name: 'Concert' }).waitFor()
  const styleOf = (selector: string, what: string) =>
    page.evaluate(
      `getComputedStyle(document.querySelector('almanac-calendar').shadowRoot.querySelector('${selector}')).${what}`,
    )
  t.equal(await groundOf(page), 'rgb(224, 240, 255)')
  t.equal(await styleOf('h2', 'color'), 'rgb(16, 32, 48)')
  t.equal(await styleOf('h2', 'fontFamily'), 'Georgia')
  t.equal(await styleOf('.teaser, .facts', 'fontFamily'), 'Verdana')
  t.equal(await styleOf('.source a', 'color'), 'rgb(10, 74, 107)')
  t.equal(await styleOf('h3', 'textTransform'), 'uppercase')
  await page.locator('almanac-calendar').last().getByRole('link', { name: 'Concert' }).waitFor()
  t.same(await findingsOf(page), [])
  await page.evaluate("document.documentElement.className = 'night'")
  await inPage(
    page,
    "getComputedStyle(document.querySelector('almanac-calendar')).color === 'rgb(255, 255, 255)'",
  )
  t.same(await findingsOf(page), [])
})

t.test(
  'a frame takes colours from its address, and grows with what it shows where that is asked for',
  async (t) => {
    const { calendar } = await open(t)
    const looks = 'theme=dark&amp;paper=0b5d57&amp;ink=ffffff&amp;accent=ffe08a&amp;font=Georgia'
    const body = `<script type="module" src="${calendar}/embed.js"></script>
<iframe data-fit title="Calendar" src="${calendar}/embed/?count=1&amp;${looks}" width="800" height="80"></iframe>
<iframe title="Fixed" src="${calendar}/embed/?count=1" width="800" height="80"></iframe>`
    const { page, faults } = await visit(t, await openSite(t, body, policyFor(calendar)))
    await inPage(page, "document.querySelector('[data-fit]').height > 200")
    t.equal(await page.evaluate("document.querySelector('[title=Fixed]').height"), '80')
    const frame = page.frames().find((one) => one.url().includes('paper='))!
    t.equal(
      await frame.evaluate('getComputedStyle(document.documentElement).backgroundColor'),
      'rgb(11, 93, 87)',
    )
    t.same(await findingsOf(frame), [])
    const height = (await page.evaluate("document.querySelector('[data-fit]').height")) as string
    // what does not come from a frame of the calendar is not listened to
    await page.evaluate(
      "new Promise((done) => { addEventListener('message', () => setTimeout(done)); postMessage({ almanacHeight: 5000 }, '*') })",
    )
    t.equal(await page.evaluate("document.querySelector('[data-fit]').height"), height)
    await page.frameLocator('[data-fit]').getByRole('link', { name: 'Next page' }).click()
    await page.frameLocator('[data-fit]').getByRole('link', { name: 'Previous page' }).waitFor()
    t.match(
      page
        .frames()
        .find((one) => one.url().includes('page=2'))
        ?.url(),
      'paper=0b5d57',
      'on its other pages as well',
    )
    t.same(faults, [])
  },
)
