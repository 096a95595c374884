import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { build, EVENT } from '../../../test/support/app.ts'
import { DESK, findingsOf, listen, open, overflowOf, PHONE, type Served, serveDemo } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { inPage } from '../../waits.ts'

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
      t.ok((await tickets.boundingBox())!.y < viewport.height * 0.6, 'it stands first')
      t.ok(await page.getByRole('img', { name: 'Map: Casal' }).isVisible())
      const title = (await page.locator('h1').boundingBox())!
      const day = (await page.locator('.leaf').boundingBox())!
      t.equal(
        title.x > day.x + day.width,
        viewport === DESK,
        'without a picture its day stands beside the title',
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
      await inPage(page, "window.sent?.title === 'A night without a picture'")
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
    await page.getByRole('main').getByRole('link', { name: subscribe, exact: true }).click()
    await page.waitForURL('**/events/subscribe/?free=true')
    t.match(await page.locator('code').innerText(), /events\.ics\?free=true&ends_after=-1month$/)
    t.match(await page.locator('.ways a.button').first().getAttribute('href'), /^webcal:/)
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    t.same(faults, [])
  }
})

t.test('without script visitors go to days by links, choose others, and see all categories', async (t) => {
  const topics = Array.from({ length: 8 }, (_, at) => `Topic ${at + 1}`)
  const talk = { title: 'Talk from afar', attendance_mode: 'online', cost: 'Free', categories: topics }
  const dates = { start_date: '2026-11-22 18:00:00', end_date: '2026-11-22 19:00:00' }
  await must(demo.api.editor.post('/events', { ...talk, ...dates }))
  const { page, faults } = await open(t, browser, demo.origin, {
    viewport: PHONE,
    javaScriptEnabled: false,
    locale: 'en-GB',
  })
  await page.goto(`${demo.origin}/events/`)
  const found = page.getByRole('link', { name: 'Talk from afar' })
  for (const [name, path, isThere] of [
    ['Today', 'today', false],
    ['Tomorrow', 'tomorrow', true],
    ['This weekend', 'weekend', true],
    ['Next 7 days', 'next-7-days', true],
    ['Online', 'next-7-days/?online=yes', true],
    ['Free', 'next-7-days/?online=yes&free=yes', true],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.waitForURL(new RegExp(`/events/${path.replace('?', '\\?')}/?$`))
    t.equal(await found.count(), isThere ? 1 : 0, name)
    t.equal(await overflowOf(page), 0, name)
    t.ok(await page.locator(`link[type="text/calendar"]`).getAttribute('href'), `${name} has a feed`)
  }
  await page.getByRole('link', { name: 'Remove: Next 7 days' }).click()
  await page.locator('details.filters summary').click()
  await page.getByLabel('From', { exact: true }).fill('2026-11-22')
  await page.getByLabel('To', { exact: true }).fill('2026-11-22')
  await page.getByLabel('Free only').uncheck()
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('heading', { level: 1, name: 'Sun, Nov 22' }).waitFor()
  await found.waitFor()
  t.notOk(await page.getByRole('link', { name: 'Topic 8' }).isVisible(), 'a dozen is enough at first')
  await page.getByRole('link', { name: 'All categories' }).click()
  await page.getByRole('link', { name: 'Workshops', exact: true }).click()
  await page.getByRole('link', { name: 'Remove: Workshops' }).waitFor()
  t.same(faults, [])
})

t.test(
  'what is cancelled or moved is told in every language, with the reason and the new date',
  async (t) => {
    const { editor } = demo.api
    const add = (more: object) => must(editor.post('/events', { ...EVENT, ...more }))
    const choir = await add({ title: 'Choir in the park', venue: { venue: 'Old park', city: 'Vic' } })
    const cor = await add({ title: 'Cor al parc', i18n_language: 'ca', translation_of: choir.id })
    const fair = await add({
      title: 'Fair of books',
      start_date: '2026-12-03 10:00:00',
      end_date: '2026-12-03 12:00:00',
    })
    await must(
      editor.patch(`/events/${choir.id}?translations=all`, {
        event_status: 'cancelled',
        event_status_reason: 'Storm on the coast',
      }),
    )
    await must(editor.patch(`/events/${cor.id}`, { event_status_reason: 'Temporal a la costa' }))
    await must(
      editor.patch(`/events/${fair.id}`, {
        ...{ start_date: '2026-12-04 10:00:00', end_date: '2026-12-04 12:00:00' },
        event_status: 'rescheduled',
      }),
    )
    const { page, faults } = await open(t, browser, demo.origin, { viewport: PHONE, colorScheme: 'dark' })
    for (const [path, title, note, state] of [
      ['/events/?from=2026-12-01', 'Choir in the park', 'Cancelled', 'This event is cancelled.'],
      ['/ca/events/?from=2026-12-01', 'Cor al parc', 'Cancel·lat', 'Aquest esdeveniment s’ha cancel·lat.'],
      ['/events/?from=2026-12-04', 'Fair of books', 'New date', 'The date of this event has changed.'],
    ] as const) {
      await page.goto(demo.origin + path)
      const link = page.getByRole('link', { name: title })
      t.equal(await page.locator('.entry', { has: link }).locator('.note').innerText(), note)
      await link.click()
      await page.locator('.state').getByText(state).waitFor()
      t.same(await findingsOf(page), [])
      if (note === 'New date') {
        t.match(
          await page.locator('dl.facts').innerText(),
          /Friday, December 4.*was to be on Thursday, December 3/s,
        )
      } else {
        t.match(await page.locator('.state span').innerText(), /Storm on the coast|Temporal a la costa/)
        t.equal(await page.locator('.facts s').count(), 2, 'its date is struck out')
        t.equal(await page.locator('details.add').count(), 0)
      }
    }
    t.same(faults, [])
  },
)

t.test('from a date of a series to its others and into a calendar, and to more at the place', async (t) => {
  const at = { venue: { venue: 'Rowing club', address: 'Quay 4', city: 'Vic' } }
  const recurrence = { rrule: 'FREQ=WEEKLY;COUNT=5' }
  await must(demo.api.editor.post('/events', { ...EVENT, ...at, title: 'Rowing for all', recurrence }))
  const later = { start_date: '2026-12-20 20:00:00', end_date: '2026-12-20 22:00:00' }
  await must(demo.api.editor.post('/events', { ...EVENT, ...later, title: 'Regatta', venue: at.venue }))
  const { page } = await open(t, browser, demo.origin, { viewport: PHONE })
  await page.goto(`${demo.origin}/events/?from=2026-12-01&to=2026-12-01`)
  await page.getByRole('link', { name: 'Rowing for all' }).click()
  t.match(await page.getByRole('link', { name: 'Directions' }).getAttribute('href'), /\/directions\?to=Quay/)
  await page.locator('dl.facts').getByRole('link', { name: 'Tue, Dec 8' }).click()
  await page.getByText('Tuesday, December 8, 2026').waitFor()
  await page.getByRole('link', { name: 'All dates' }).click()
  await page.getByRole('heading', { name: 'Coming dates' }).waitFor()
  await page.getByRole('button', { name: 'Share' }).waitFor()
  t.equal(await overflowOf(page), 0)
  await page.getByText('Add to my calendar').click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Calendar file (.ics)' }).click(),
  ])
  t.match(file.suggestedFilename(), /\.ics$/)
  await page.getByRole('link', { name: 'Tuesday, December 1, 2026' }).click()
  await page.getByRole('heading', { name: 'More at Rowing club' }).waitFor()
  await page.getByRole('link', { name: 'Regatta' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Regatta' }).waitFor()
})

t.test('a site has its own header, links, menu and words, and further languages', async (t) => {
  const folder = t.testdir({
    'header.html': '<p>Town of <a href="/about/" onclick="alert(1)">Vic</a></p><script>alert(1)</script>',
    'words.de.json': '{ "upcoming": "Was ist los" }',
  })
  const api = await build(t, {
    env: {
      ...{ LANGUAGES: 'en,de,fr,it,pt', CURRENCY: 'EUR', SITE_HEADER: join(folder, 'header.html') },
      ...{ SITE_WORDS: join(folder, 'words.{language}.json'), SITE_MENU: 'Library /library/' },
      SITE_LINKS: 'Legal notice /legal/',
    },
  })
  const origin = await listen(api)
  await must(api.editor.post('/events', { ...EVENT, cost: '12' }))
  const { page, faults } = await open(t, browser, origin, { viewport: PHONE })
  await page.goto(`${origin}/events/`)
  t.equal(await page.getByRole('link', { name: 'Vic' }).getAttribute('onclick'), null)
  for (const [name, title, clear] of [
    ['Deutsch', 'Was ist los', 'Alle Sprachen'],
    ['Français', 'Agenda', 'Toutes les langues'],
    ['Italiano', 'Agenda', 'Tutte le lingue'],
    ['Português', 'Agenda', 'Todos os idiomas'],
  ] as const) {
    // the page before has such a heading and such a price as well
    await Promise.all([page.waitForNavigation(), page.getByRole('link', { name }).click()])
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.locator('details.filters summary').click()
    await page.locator('#filter-language').selectOption({ label: clear })
    await Promise.all([page.waitForNavigation(), page.locator('details.filters button').click()])
    await page.getByText(/^12\s€$/).waitFor()
    t.same(await findingsOf(page), [], name)
    t.equal(await overflowOf(page), 0, name)
  }
  t.same(faults, [])
  for (const [name, path] of [
    ['Library', '/library/'],
    ['Legal notice', '/legal/'],
  ] as const) {
    await page.goto(`${origin}/events/`)
    await page.getByRole('link', { name }).click()
    await page.waitForURL(origin + path)
  }
})
