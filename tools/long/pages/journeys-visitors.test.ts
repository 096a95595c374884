import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { submissionsOf } from '../../../test/support/submissions.ts'
import { serveEmpty } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { DESK, findingsOf, open, overflowOf, PHONE, type Served, serveDemo } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

let browser: Browser
let demo: Served
t.before(async () => {
  browser = await sharedBrowser()
  demo = await serveDemo(t, { SUBMISSIONS: 'on' })
})

const link = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
/** Whether something stands in the window without scrolling. */
async function isInSight(page: Page, name: string): Promise<boolean> {
  const box = (await link(page, name).boundingBox())!
  return box.y >= 0 && box.y + box.height <= page.viewportSize()!.height
}

for (const viewport of [DESK, PHONE])
  t.test(`three clicks to what is free this weekend in a town, ${viewport.width} px wide`, async (t) => {
    const { page, faults } = await open(t, browser, demo.origin, { viewport })
    await page.goto(demo.origin)
    const person = counting()
    for (const [name, path] of [
      ['This weekend', 'weekend/'],
      ['Free', 'weekend/?free=yes'],
      ['Girona', 'weekend/?town=Girona&free=yes'],
    ] as const) {
      t.ok(await isInSight(page, name), `${name} is in sight`)
      await person.click(link(page, name))
      await page.waitForURL(`${demo.origin}/events/${path}`)
    }
    t.equal(person.clicks, 3)
    t.ok((await page.getByRole('heading', { level: 3 }).count()) > 0)
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    // a search from the top keeps it, and another language as well
    await page.getByLabel('Search events').fill('café')
    await page.getByLabel('Search events').press('Enter')
    await page.waitForURL('**/events/weekend/?q=caf%C3%A9&town=Girona&free=yes')
    await page.getByRole('heading', { level: 3, name: 'Repair café' }).waitFor()
    await link(page, 'Remove: “café”').click()
    await page.getByRole('link', { name: 'Català', exact: true }).click()
    await page.waitForURL('**/ca/events/weekend/?town=Girona&free=yes')
    for (const [name, path] of [
      ['Treu: Girona', 'weekend/?free=yes'],
      ['Treu: Aquest cap de setmana', 'free/'],
      ['Treu: Gratuït', ''],
    ] as const) {
      await link(page, name).click()
      await page.waitForURL(`${demo.origin}/ca/events/${path}`)
    }
    t.equal(await page.locator('.chosen').count(), 0)
    t.same(faults, [])
  })

for (const viewport of [DESK, PHONE])
  t.test(`three clicks to a subscription of a category, ${viewport.width} px wide`, async (t) => {
    const { page, faults, context } = await open(t, browser, demo.origin, { viewport })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(demo.origin)
    const person = counting()
    await person.click(link(page, 'Talks'))
    await page.getByRole('heading', { level: 1, name: 'Talks' }).waitFor()
    t.ok(await isInSight(page, 'Subscribe'))
    await person.click(link(page, 'Subscribe'))
    await page.waitForURL('**/events/subscribe/?categories=talks')
    t.match(await link(page, 'Open the calendar program').getAttribute('href'), /^webcal:.*categories=talks/)
    await person.click(page.getByRole('button', { name: 'Copy the address' }))
    t.equal(person.clicks, 3)
    await page.getByText('The link is copied.').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    t.equal(copied, await page.locator('code').innerText())
    t.match(copied, 'events.ics?categories=talks')
    // another category, and a town
    await link(page, 'Arts').click()
    await link(page, 'Girona').click()
    await page.waitForURL('**/events/subscribe/?categories=talks%2Carts&town=Girona')
    t.match(await page.locator('code').innerText(), 'categories=talks%2Carts&town=Girona')
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    t.same(faults, [])
  })

t.test('two clicks to an event that is proposed', async (t) => {
  const { api, origin } = await serveEmpty(t, { SUBMISSIONS: 'on' })
  const { page, faults } = await open(t, browser, origin, { locale: 'en-GB' })
  await page.goto(origin)
  const person = counting()
  await person.click(link(page, 'Propose an event'))
  await page.getByLabel('Title *').fill('Lantern walk')
  await page.getByLabel('First day *').fill('2026-12-05')
  await page.getByLabel('Begins at').fill('18:00')
  await page.getByLabel('Your name *').fill('Anna Puig')
  await page.getByLabel('Your email address *').fill('anna@people.example')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.same(await findingsOf(page), [], colorScheme)
  }
  api.clock.now += 5_000
  await person.click(page.getByRole('button', { name: 'Send' }))
  await page.getByText('Thank you! Your event has arrived.').waitFor()
  t.equal(person.clicks, 2)
  t.equal((await submissionsOf(api)).length, 1)
  t.same(faults, [])
})

t.test('this weekend is in sight on the first page of a phone, before the highlights', async (t) => {
  const { page } = await open(t, browser, demo.origin, { viewport: PHONE })
  await page.goto(demo.origin)
  const top = async (id: string) => (await page.locator(`#${id}`).boundingBox())!.y
  const [weekend, highlights] = [await top('weekend'), await top('highlights')]
  t.ok(weekend < 600, `it begins at ${weekend} px`)
  t.ok(weekend < highlights)
})

t.test('who prefers another language is offered it, until they close that', async (t) => {
  const { page, faults } = await open(t, browser, demo.origin, { locale: 'ca-ES' })
  const { length } = await (await page.goto(`${demo.origin}/events/?free=yes`))!.body()
  const offer = page.getByRole('link', { name: 'Aquesta pàgina també és en català' })
  t.same(await findingsOf(page), [])
  t.ok(await offer.isVisible())
  await offer.click()
  await page.waitForURL('**/ca/events/?free=yes')
  t.equal(await page.locator('.offer:visible').count(), 0, 'not in their own language')
  await page.goBack()
  await page.getByRole('button', { name: 'Tanca' }).click()
  await page.goto(`${demo.origin}/events/`)
  t.equal(await page.locator('.offer:visible').count(), 0)
  t.same(faults, [])
  const other = await open(t, browser, demo.origin, { locale: 'ja-JP' })
  const { length: same } = await (await other.page.goto(`${demo.origin}/events/?free=yes`))!.body()
  t.equal(same, length, 'the page is the same for all')
  t.equal(await other.page.locator('.offer:visible').count(), 0)
  const plain = await open(t, browser, demo.origin, { locale: 'ca-ES', javaScriptEnabled: false })
  await plain.page.goto(demo.origin)
  t.equal(await plain.page.locator('.offer:visible').count(), 0)
})

t.test('an empty calendar and the page of all categories are accessible', async (t) => {
  const { origin } = await serveEmpty(t, { SUBMISSIONS: 'on' })
  for (const [from, path] of [
    [origin, '/'],
    [demo.origin, '/'],
    [demo.origin, '/events/categories/?free=yes'],
  ] as const) {
    const { page, faults } = await open(t, browser, from, { viewport: PHONE })
    await page.goto(from + path)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      t.same(await findingsOf(page), [], `${path} ${colorScheme}`)
    }
    t.equal(await overflowOf(page), 0)
    t.same(faults, [])
  }
})
