import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { must } from '../../../test/support/answers.ts'
import { build, EVENT } from '../../../test/support/app.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, listen, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, inPage, rows } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A calendar below a path with three events, one of which is cancelled, and a series of two dates. The present is 21 November 2026. */
async function openTown(t: Test) {
  const api = await build(t, { env: { BASE_URL: 'http://calendar.test/town' } })
  const ids: Record<string, number> = {}
  for (const [title, day, more] of [
    ['Concert', '2026-11-22', {}],
    ['Lecture', '2026-11-24', { event_status: 'cancelled' }],
    ['Recital', '2026-12-05', {}],
    ['Choir', '2026-12-08', { recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }],
  ] as const)
    ids[title] = (
      await must(
        api.editor.post('/events', {
          ...{ ...EVENT, title, ...more },
          ...{ start_date: `${day} 20:00:00`, end_date: `${day} 22:00:00` },
        }),
      )
    ).id
  return { api, ids, origin: await listen(api) }
}

const star = (page: Page, title: string) =>
  page.getByRole('button', { name: `Add ${title} to my list`, exact: true })
const pressed = (page: Page, title: string, state: boolean) =>
  star(page, title)
    .and(page.locator(`[aria-pressed=${state}]`))
    .waitFor()
const myList = (page: Page) => page.locator('a.saved')
const titles = (page: Page) => page.locator('#starred h3 a')

for (const viewport of [undefined, PHONE])
  t.test(
    `a visitor stars events and finds them in their list${viewport ? ', on a phone' : ''}`,
    async (t) => {
      const { origin, ids } = await openTown(t)
      const { page, faults } = await open(t, browser, origin, viewport && { viewport, colorScheme: 'dark' })
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      const journey = counting()
      const { click } = journey
      await page.goto(`${origin}/town/events/`)
      await click(star(page, 'Recital'))
      await click(star(page, 'Concert'))
      await pressed(page, 'Concert', true)
      t.same(await findingsOf(page), [])
      t.notOk(
        asked.some((url) => url.includes('my-list')),
        'nothing of it is sent',
      )
      await myList(page).getByText('2', { exact: true }).waitFor()
      await click(myList(page))
      await rows(titles(page), ['Concert', 'Recital'])
      t.equal(journey.clicks, 3, 'two stars and the way to them')
      t.equal(page.url(), `${origin}/town/events/my-list/`)
      t.same(await findingsOf(page), [])
      t.equal(await overflowOf(page), 0)

      await star(page, 'Concert').click()
      await pressed(page, 'Concert', false)
      await myList(page).getByText('1', { exact: true }).waitFor()
      t.same(await findingsOf(page), [])
      await star(page, 'Concert').click() // it stays, and is taken back
      await page.reload()
      await rows(titles(page), ['Concert', 'Recital'])

      const link = page.getByRole('link', { name: 'Link to this list' })
      t.equal(
        await link.getAttribute('href'),
        `/town/events/my-list/?events=${[ids.Concert, ids.Recital].join()}`,
      )
      await page.getByRole('link', { name: 'Subscribe' }).first().click()
      await page.waitForURL('**/town/events/subscribe/?include=*')
      t.match(await page.locator('code').innerText(), `/town/calendar/events/v1/events.ics?include=`)
      t.same(faults, [])
    },
  )

t.test('whoever gets a list sees it without script, and keeps it with one click', async (t) => {
  const { origin, ids } = await openTown(t)
  const address = `${origin}/town/events/my-list/?events=${ids.Lecture},${ids.Recital}`
  const plain = await open(t, browser, origin, { javaScriptEnabled: false })
  await plain.page.goto(address)
  t.same(await titles(plain.page).allTextContents(), ['Lecture', 'Recital'])
  t.equal(await plain.page.getByRole('button', { name: 'Keep these in my list' }).isVisible(), false)
  t.equal(await plain.page.locator('.star').count(), 0)
  await plain.page.goto(`${origin}/town/events/my-list/`)
  t.ok(await plain.page.getByText('Press the star beside an event').isVisible())

  const { page, faults } = await open(t, browser, origin)
  await page.goto(address)
  const journey = counting()
  await journey.click(page.getByRole('button', { name: 'Keep these in my list' }))
  await page.getByText('These events are in your list.').waitFor()
  t.equal(journey.clicks, 1)
  await pressed(page, 'Lecture', true)
  t.same(await findingsOf(page), [])
  await star(page, 'Lecture').click()
  await page.getByRole('link', { name: 'Open my list' }).click()
  await rows(titles(page), ['Recital'])
  t.same(faults, [])
})

t.test(
  'the list is one in all tabs and languages, on events and dates, and not that of another calendar',
  async (t) => {
    const { api, origin, ids } = await openTown(t)
    const { page, faults, context } = await open(t, browser, origin)
    await page.goto(`${origin}/town/series/choir/`)
    await counted(page.locator('.leaves .star'), 2)
    const date = page.locator('.leaves .star').first()
    t.match(await date.getAttribute('aria-label'), /^Add Choir, .*December 8.* to my list$/)
    await date.click()
    const other = await context.newPage()
    await other.goto(`${origin}/town/ca/events/my-list/`)
    await rows(titles(other), ['Choir'])
    await page.goto(`${origin}/town/event/concert/`)
    await star(page, 'Concert').click()
    await rows(titles(other), ['Concert', 'Choir'])
    await other.locator('.star').first().click()
    await pressed(page, 'Concert', false)

    // what is removed from the calendar is forgotten
    await must(api.editor.delete(`/events/${ids.Concert}`))
    await star(page, 'Concert').click()
    await pressed(page, 'Concert', true)
    await other.reload()
    await other.getByText('1 esdeveniment ja no és a l’agenda.').waitFor()
    await myList(page).getByText('1', { exact: true }).waitFor()

    await other.close()
    await page.evaluate(`localStorage.setItem('list /other/', '[${ids.Recital}]')`)
    await page.goto(`${origin}/town/events/`)
    await myList(page).getByText('1', { exact: true }).waitFor()
    const most = Array.from({ length: 50 }, (_, at) => at + 1000)
    await page.evaluate(`localStorage.setItem('list /town/', '${JSON.stringify(most)}')`)
    await page.goto(`${origin}/town/event/recital/`)
    await star(page, 'Recital').click()
    await page.getByText('Your list is full: it has 50 events.').waitFor()
    await pressed(page, 'Recital', false)
    await page.evaluate("localStorage.setItem('list /town/', 'no list')")
    await page.reload()
    await pressed(page, 'Recital', false)
    await inPage(page, "document.querySelector('.count').textContent === ''")
    t.same(faults, [])
  },
)
