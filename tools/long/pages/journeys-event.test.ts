import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/app.ts'
import { counting } from '../../journeys.ts'
import { DESK, findingsOf, open, overflowOf, PHONE, type Served, serveDemo } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

/** A logo that is made for light pages. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="#1b2a4a"/></svg>'
const STATES = ['cancelled', 'postponed', 'rescheduled', 'moved_online']
const EVENING = { ...EVENT, start_date: '2026-11-28 19:00:00', end_date: '2026-11-28 21:00:00' }

let browser: Browser
let demo: Served

t.before(async () => {
  browser = await sharedBrowser()
  const logo = join(mkdtempSync(join(tmpdir(), 'almanac-logo-')), 'logo.svg')
  writeFileSync(logo, LOGO)
  demo = await serveDemo(t, { SITE_COLOR: '#2e7d32', SITE_LOGO: logo })
  for (const event_status of STATES)
    await must(
      demo.api.editor.post('/events', {
        ...{ ...EVENING, title: `Evening ${event_status}`, slug: event_status, event_status },
        ...{ event_status_reason: 'The singer is ill.', categories: ['Music'], cost: '0' },
      }),
    )
  const recurrence = { rrule: 'FREQ=WEEKLY;COUNT=8' }
  const { series } = await must(demo.api.editor.post('/events', { ...EVENING, title: 'Weekly', recurrence }))
  const { events } = (await demo.api.anonymous.get(`/events?series=${series}`)).body
  await must(demo.api.editor.patch(`/events/${events[1].id}`, { event_status: 'cancelled' }))
})

for (const [viewport, colorScheme] of [
  [DESK, 'light'],
  [PHONE, 'dark'],
] as const)
  t.test(`what becomes of an event is seen with a green accent, in ${colorScheme} colours`, async (t) => {
    const { page, faults } = await open(t, browser, demo.origin, { viewport, colorScheme })
    const colourOf = (selector: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
    const colours = new Set<string>()
    for (const status of STATES) {
      await page.goto(`${demo.origin}/event/${status}/`)
      colours.add(await colourOf('.state'))
      colours.add(await colourOf('p.other a'))
      t.same(await findingsOf(page), [], status)
      t.equal(await overflowOf(page), 0, status)
    }
    t.equal(colours.size, STATES.length + 1, 'a colour for each, and none is the accent')
    const plate = await page.evaluate("getComputedStyle(document.querySelector('.top img')).backgroundColor")
    t.equal(plate, colorScheme === 'dark' ? 'rgb(251, 248, 242)' : 'rgba(0, 0, 0, 0)', 'the logo is seen')
    for (const path of ['/series/weekly/', '/', '/events/day/2026-11-28/', '/events/month/2026-11/']) {
      await page.goto(demo.origin + path)
      t.ok((await page.locator('s:visible').count()) > 0, path)
      t.same(await findingsOf(page), [], path)
      t.equal(await overflowOf(page), 0, path)
    }
    t.same(faults, [])
  })

t.test('an event and a series come into a calendar with two clicks, in sight on a phone', async (t) => {
  const { page } = await open(t, browser, demo.origin, { viewport: PHONE })
  for (const [path, file] of [
    ['/event/rescheduled/', /events\/\d+\.ics$/],
    ['/event/the-buoy-quartet/', /events\/\d+\.ics$/],
    ['/series/weekly/', /series\/\d+\.ics$/],
  ] as const) {
    await page.goto(demo.origin + path)
    const add = page.locator('details.add summary')
    const { y, height } = (await add.boundingBox())!
    t.ok(y + height < PHONE.height, `${path}: nobody has to look for it`)
    const journey = counting()
    await journey.click(add)
    const link = page.getByRole('link', { name: 'Calendar file (.ics)' })
    t.match(await link.getAttribute('href'), file)
    const downloading = page.waitForEvent('download')
    await journey.click(link)
    await (await downloading).cancel()
    t.equal(journey.clicks, 2, path)
    t.equal(await overflowOf(page), 0, path)
  }
})
