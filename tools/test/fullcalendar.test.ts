import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { build, ROOT } from '../../test/support/app.ts'
import { launch, PATIENCE } from '../browser.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const GUIDE = read('../../docs/guides/fullcalendar.md')
const LIBRARY = read('../node_modules/fullcalendar/index.global.min.js')

let browser: Browser
t.before(async () => {
  browser = await launch()
})
t.teardown(() => browser?.close())

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

  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE)
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(String(error)))
  await page.clock.setFixedTime('2027-05-10T12:00:00Z')
  const html = GUIDE.split('```html calendar.html\n')[1]!.split('\n```')[0]!
  await page.route('https://cdn.jsdelivr.net/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: LIBRARY }),
  )
  // a page of another origin; one that no server sent may not ask a service on this machine
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(html.replace('http://127.0.0.1:3000/calendar/events/v1', origin + ROOT))
  }).listen(0, '127.0.0.1')
  t.teardown(() => site.close())
  await once(site, 'listening')
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.locator('.fc-event', { hasText: 'Concert' }).waitFor()
  const titlesOn = (day: string) => page.locator(`[data-date="${day}"] .fc-event-title`).allInnerTexts()
  t.same(await titlesOn('2027-05-14'), ['Concert'])
  t.same(await titlesOn('2027-05-31'), ['Tokyo'], 'at the local time of the event')
  t.equal(await page.locator('.fc-event', { hasText: 'August' }).count(), 0)
  t.ok((await page.locator('.fc-event', { hasText: 'Exhibition' }).count()) >= 5, 'in each week')
  t.same(faults, [])
})
