import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import t from 'tap'
import { build, ROOT } from '../../../test/support/app.ts'
import { listenOn } from '../../../test/support/ports.ts'
import { noteThrown } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const GUIDE = read('../../../docs/guides/fullcalendar.md')
const FEEDS = read('../../../docs/guides/calendar-feeds.md')
const LIBRARY = read('../../node_modules/fullcalendar/index.global.min.js')

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A page of another origin in the browser, with FullCalendar; one that no server sent may not ask a service on this machine. */
async function show(t: Test, html: string) {
  const page = await browser.newPage()
  t.teardown(() => page.close())
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  noteThrown(page, faults)
  await page.clock.setFixedTime('2027-05-10T12:00:00Z')
  await page.route('https://cdn.jsdelivr.net/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: LIBRARY }),
  )
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html)
  })
  await page.goto(`http://127.0.0.1:${await listenOn(t, site)}/`)
  const titlesOn = (day: string) => page.locator(`[data-date="${day}"] .fc-event-title`).allInnerTexts()
  return { page, faults, titlesOn }
}

t.test('the page of the guide shows the events of a month, also those that began before it', async (t) => {
  const { app, administrator } = await build(t)
  const events = [
    { title: 'Exhibition', start_date: '2027-04-10', end_date: '2027-06-20', all_day: true },
    { title: 'Concert', start_date: '2027-05-14 20:00:00', end_date: '2027-05-14 22:00:00' },
    {
      title: 'Tokyo',
      start_date: '2027-05-31 23:00:00',
      end_date: '2027-05-31 23:30:00',
      timezone: 'Asia/Tokyo',
    },
    { title: 'August', start_date: '2027-08-01', end_date: '2027-08-01', all_day: true },
  ]
  for (const event of events) t.equal((await administrator.post('/events', event)).status, 201)
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })

  const html = GUIDE.split('```html calendar.html\n')[1]!.split('\n```')[0]!
  const { page, faults, titlesOn } = await show(
    t,
    html.replace('http://127.0.0.1:3000/calendar/events/v1', origin + ROOT),
  )
  await page.locator('.fc-event', { hasText: 'Concert' }).waitFor()
  t.same(await titlesOn('2027-05-14'), ['Concert'])
  t.same(await titlesOn('2027-05-31'), ['Tokyo'], 'at the local time of the event')
  t.equal(await page.locator('.fc-event', { hasText: 'August' }).count(), 0)
  t.ok((await page.locator('.fc-event', { hasText: 'Exhibition' }).count()) >= 5, 'in each week')
  t.same(faults, [])
})

t.test(
  'FullCalendar reads the feed of the other guide by its address alone, at the time of its zone',
  async (t) => {
    const { app, administrator } = await build(t)
    const concerts = { categories: ['Concerts'] }
    const events = [
      { title: 'Exhibition', start_date: '2027-04-10', end_date: '2027-05-06', all_day: true, ...concerts },
      {
        ...{ title: 'Tokyo', timezone: 'Asia/Tokyo', ...concerts },
        ...{ start_date: '2027-05-18 03:00:00', end_date: '2027-05-18 04:00:00' },
      },
      {
        ...{ title: 'Talk', event_status: 'cancelled', ...concerts },
        ...{ start_date: '2027-05-14 20:00:00', end_date: '2027-05-14 22:00:00' },
      },
      { title: 'Other', start_date: '2027-05-14', end_date: '2027-05-14', all_day: true },
      { title: 'August', start_date: '2027-08-01', end_date: '2027-08-01', all_day: true, ...concerts },
    ]
    for (const event of events) t.equal((await administrator.post('/events', event)).status, 201)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const script = FEEDS.split('## FullCalendar')[1]!.split('```js\n')[1]!.split('\n```')[0]!
    const { page, faults, titlesOn } = await show(
      t,
      `<!doctype html><meta charset="utf-8"><div id="calendar"></div>
<script src="https://cdn.jsdelivr.net/npm/fullcalendar@6/index.global.min.js"></script>
<script>${script.replace('http://127.0.0.1:3000/calendar/events/v1', origin + ROOT)}</script>`,
    )
    await page.locator('.fc-event', { hasText: 'Tokyo' }).waitFor()
    t.same(await titlesOn('2027-05-17'), ['Tokyo'], 'the evening before, in Madrid')
    t.same(await titlesOn('2027-05-14'), ['Cancelled: Talk'], 'without what the filter leaves out')
    t.equal(await page.locator('.fc-event.cancelled').count(), 1)
    t.equal(await page.locator('.fc-event', { hasText: 'August' }).count(), 0)
    const days = page.locator('.fc-event', { hasText: 'Exhibition' })
    t.equal(await days.count(), 2, 'in two weeks')
    t.ok(
      await days.last().evaluate((one) => one.classList.contains('fc-event-end')),
      'its last day is the sixth',
    )
    t.same(faults, [])
  },
)
