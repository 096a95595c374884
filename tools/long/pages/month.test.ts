import type { Browser, BrowserContextOptions } from 'playwright-core'
import t, { type Test } from 'tap'
import { build, EVENT } from '../../../test/support/app.ts'
import { faultsOf, findingsOf } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { focused } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A calendar around its present, 21 November 2026, with a crowded day and events of several days, that listens. */
async function open(t: Test, env: Record<string, string> = {}) {
  const api = await build(t, { env })
  const add = async (title: string, from: string, to: string, more: object = {}) => {
    const dates = { start_date: `2026-${from}:00`, end_date: `2026-${to}:00` }
    t.equal((await api.editor.post('/events', { ...EVENT, title, ...dates, ...more })).status, 201)
  }
  for (let number = 1; number <= 20; number++)
    await add(
      `A long title of an event that needs some lines, number ${number}`,
      '11-21 20:00',
      '11-21 22:00',
    )
  await add('Cancelled concert', '11-22 20:00', '11-22 22:00', { event_status: 'cancelled' })
  await add('Festival', '11-27 10:00', '12-02 22:00')
  await add('Exhibition', '11-10 10:00', '11-29 22:00')
  await add('All through', '10-10 10:00', '12-29 22:00')
  return api.app.listen({ port: 0, host: '127.0.0.1' })
}

async function visit(t: Test, url: string, options: BrowserContextOptions = {}) {
  const page = await browser.newPage(options)
  t.teardown(() => page.close())
  const faults = faultsOf(page)
  await page.goto(url)
  return { page, faults }
}

/** The month whose keys work: its script comes after the page. */
async function visitMonth(t: Test, calendar: string, options?: BrowserContextOptions) {
  const { page, faults } = await visit(t, `${calendar}/events/month/2026-11/`, options)
  await page.locator('.date[tabindex="0"]').waitFor()
  return { page, faults }
}

const PHONE = { viewport: { width: 390, height: 844 } }

t.test('month and day fit every window in light and dark, and axe finds nothing', async (t) => {
  const calendar = await open(t)
  const { page, faults } = await visit(t, calendar)
  for (const width of [320, 390, 800, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      for (const path of ['/events/month/2026-11/', '/events/day/2026-11-21/', '/events/month/2031-01/']) {
        await page.goto(calendar + path)
        const name = `${path} ${width} ${colorScheme}`
        t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name)
        t.same(await findingsOf(page), [], name)
        t.same(faults.splice(0), [], name)
      }
    }
})

t.test('arrow keys walk the days, and go on into other months', async (t) => {
  const calendar = await open(t)
  const { page, faults } = await visitMonth(t, calendar)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
    return page.evaluate('document.activeElement.id')
  }
  t.equal(await page.locator('.date[tabindex="0"]').count(), 1)
  t.equal(await page.locator('.date[tabindex="0"]').getAttribute('id'), '2026-11-21', 'today')
  await page.locator('.date[tabindex="0"]').focus()
  t.equal(await press('ArrowRight'), '2026-11-22')
  t.equal(await press('ArrowUp'), '2026-11-15')
  t.equal(await press('ArrowLeft'), '2026-11-14')
  t.equal(await press('Home'), '2026-11-08')
  t.equal(await press('End'), '2026-11-14')
  t.equal(await press('Shift+ArrowLeft', 'x'), '2026-11-14', 'other keys are the browser’s')
  t.equal(await page.locator('.date[tabindex="0"]').getAttribute('id'), '2026-11-14')
  await page.keyboard.press('PageDown')
  await page.waitForURL('**/2026-12/#2026-12-14')
  await focused(page.locator('[id="2026-12-14"]'))
  await press('ArrowUp', 'ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.waitForURL('**/2026-11/#2026-11-23')
  await focused(page.locator('[id="2026-11-23"]'))
  await press('ArrowLeft', 'ArrowLeft')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/events/day/2026-11-21/')
  t.same(faults, [])
})

t.test('arrow keys go where they point, also from right to left', async (t) => {
  const calendar = await open(t, { LANGUAGES: 'he,en' })
  const { page } = await visitMonth(t, calendar)
  await page.locator('[id="2026-11-18"]').focus()
  await page.keyboard.press('ArrowLeft')
  t.equal(await page.evaluate('document.activeElement.id'), '2026-11-19')
  const left = async (day: string) => (await page.locator(`[id="${day}"]`).boundingBox())!.x
  t.ok((await left('2026-11-19')) < (await left('2026-11-18')))
})

t.test('on a phone a day chooses what is listed, and again the whole month', async (t) => {
  const calendar = await open(t)
  const { page, faults } = await visitMonth(t, calendar, PHONE)
  const names = () => page.locator('.on .name:visible').allInnerTexts()
  const all = await names()
  t.match(all.join(), /^Saturday, November 21.*November 22.*November 27/, 'it begins with today')
  t.notMatch(all.join(), /November 23/, 'what goes on is named once')
  const today = await page.locator('.on:visible').first().locator('li:visible > a').allInnerTexts()
  t.match(today, ['Exhibition'], 'and today has what began before')
  await page.locator('[id="2026-11-10"]').click()
  t.same(await names(), ['Tuesday, November 10'], 'a day that is over can be chosen')
  await page.locator('[id="2026-11-10"]').click()
  await page.locator('[id="2026-11-28"]').click()
  t.same(await names(), ['Saturday, November 28'])
  t.same(await page.locator('.on li:visible > a').allInnerTexts(), ['Exhibition', 'Festival'])
  await page.locator('[id="2026-11-28"]').click()
  t.same(await names(), all)
  await page.getByRole('link', { name: '16 more' }).click()
  await page.waitForURL('**/events/day/2026-11-21/')
  t.same(faults, [])
})

t.test('everything works without script', async (t) => {
  const calendar = await open(t)
  const { page } = await visit(t, `${calendar}/events/month/`, { ...PHONE, javaScriptEnabled: false })
  await page.waitForURL('**/events/month/2026-11/')
  await page.locator('[id="2026-11-22"]').click()
  await page.getByRole('link', { name: 'Cancelled concert' }).waitFor()
  await page.getByRole('link', { name: 'Nov 2026' }).click()
  await page.getByLabel('Month', { exact: true }).selectOption('February')
  await page.getByLabel('Year').fill('2027')
  await page.getByRole('button', { name: 'Go' }).click()
  await page.waitForURL('**/events/month/2027-02/')
  await page.getByRole('link', { name: 'Previous: November 2026' }).click()
  await page.getByRole('heading', { name: 'November 2026', exact: true }).waitFor()
})

t.test('a month weighs little, however much is in it', async (t) => {
  const calendar = await open(t)
  const weigh = async (path: string) => Number((await fetch(calendar + path)).headers.get('content-length'))
  for (const path of ['/events/month/2026-11/', '/events/day/2026-11-21/', '/embed/?view=month'])
    t.ok((await weigh(path)) < 60_000, path)
})

t.test('programs are told a table of days', async (t) => {
  const calendar = await open(t)
  for (const viewport of [PHONE.viewport, { width: 1280, height: 900 }]) {
    const { page } = await visit(t, `${calendar}/events/month/2026-11/`, { viewport })
    const session = await page.context().newCDPSession(page)
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    const count = (role: string) => nodes.filter((node) => node.role?.value === role).length
    t.same([count('table'), count('row'), count('columnheader'), count('cell')], [1, 6, 7, 35])
  }
})
