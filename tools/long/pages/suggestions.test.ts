import type { Browser } from 'playwright-core'
import t from 'tap'
import { DESK, findingsOf, open, PHONE, type Served, serveDemo } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

let browser: Browser
let demo: Served

t.before(async () => {
  browser = await sharedBrowser()
  demo = await serveDemo(t)
})

for (const [path, viewport, typed] of [
  ['/', DESK, 'te'],
  ['/ca/events/', PHONE, 'te'],
  ['/es/', DESK, 'te'],
] as const)
  t.test(`typing suggests at ${path}, by keys and by pointer`, async (t) => {
    const { page, faults } = await open(t, browser, demo.origin, { viewport })
    await page.goto(demo.origin + path)
    const field = page.locator('#quick')
    await field.focus()
    await page.getByRole('combobox', { expanded: false }).first().waitFor()
    await field.fill(typed) // at once, so that no list of the first letter comes before
    const list = page.getByRole('listbox')
    await list.waitFor()
    const options = list.getByRole('option')
    const texts = await options.allInnerTexts()
    t.ok(texts.length > 1)
    t.same(await findingsOf(page), [], 'axe finds nothing while the list is open')
    await field.press('ArrowDown')
    t.equal(await field.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'))
    t.equal(await options.first().getAttribute('aria-selected'), 'true')
    await field.press('ArrowUp')
    t.equal(await field.getAttribute('aria-activedescendant'), null)
    await field.press('ArrowUp')
    t.equal(await field.getAttribute('aria-activedescendant'), await options.last().getAttribute('id'))
    await field.press('Escape')
    t.equal(await field.getAttribute('aria-expanded'), 'false')
    t.equal(await field.inputValue(), typed, 'what was typed stays')
    await field.press('ArrowDown')
    await list.waitFor()
    await field.press('ArrowDown')
    await field.press('Enter')
    await page.waitForURL(/[?&]q=/)
    t.equal(new URL(page.url()).searchParams.get('q'), texts[0]!.trim())
    t.ok((await page.locator('h3 a').count()) > 0, 'a word that is suggested finds events')
    await page.goto(demo.origin + path)
    await page.locator('#quick').fill(typed)
    await list.waitFor()
    const [answer] = await Promise.all([page.waitForNavigation(), options.last().click()])
    t.equal(answer!.status(), 200)
    t.match(new URL(page.url()).pathname, /\/(venue|organizer|event|category)\//)
    t.same(faults, [])
  })

t.test('a search with an error of typing shows what it was taken as', async (t) => {
  const { page, faults } = await open(t, browser, demo.origin)
  const { venues } = (await demo.api.anonymous.get('/venues?per_page=50')).body
  const { city } = venues.find(({ city = '' }: { city?: string }) => /^[A-Z][a-z]{5,}$/.test(city))
  const typed = `${city.slice(0, 2)}${city[3]}${city[2]}${city.slice(4)}`
  await page.goto(`${demo.origin}/`)
  await page.locator('#quick').fill(typed)
  await page.locator('#quick').press('Enter')
  await page.waitForURL(/q=/)
  t.match(await page.locator('.corrected').innerText(), city.toLowerCase())
  t.same(await findingsOf(page), [])
  t.same(faults, [])
})
