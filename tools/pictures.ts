import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import sharp from 'sharp'
import { loadDemo } from '../demo/load.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { basicAuth } from '../test/support/given.ts'
import { launch, signedIn } from './browser.ts'
import { DESK, PHONE } from './pages.ts'

// npm run pictures: draws the pictures of the pages, the desk and the documentation in docs/images, of the demo on a fixed day

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
const NOW = Date.parse('2026-11-21T09:00:00Z')
const SITE = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', SITE_NAME: 'Terra i Mar', SUBMISSIONS: 'on' }
const LOOKS = { locale: 'en-US', timezoneId: 'Europe/Madrid' }
/** The address at which the documentation is shown, since it prints its own. */
const PUBLIC = 'http://calendar.example'
const ON_PHONE = { viewport: PHONE, deviceScaleFactor: 2 }

/** Each picture: its page, and the window in which it is shown. */
const PICTURES: Record<string, [path: string, window: BrowserContextOptions]> = {
  calendar: ['/', { viewport: { ...DESK, height: 1100 }, colorScheme: 'light' }],
  month: ['/events/month/2026-11/', { viewport: DESK, colorScheme: 'dark' }],
  event: ['/event/the-buoy-quartet/', { ...ON_PHONE, colorScheme: 'light' }],
  list: ['/events/', { ...ON_PHONE, colorScheme: 'dark' }],
  doc: [`${PUBLIC}/calendar/events/v1/doc`, { viewport: { ...DESK, height: 1200 }, colorScheme: 'light' }],
  series: ['/series/choir-rehearsal/', { ...ON_PHONE, colorScheme: 'light' }],
  submit: ['/events/submit/', { ...ON_PHONE, colorScheme: 'light' }],
  'desk-signin': ['/desk/', { ...ON_PHONE, colorScheme: 'light' }],
}

/** Pictures of the desk, where somebody has signed in. */
const SIGNED_IN: typeof PICTURES = {
  'desk-events': ['/desk/#/events', { viewport: DESK, colorScheme: 'light' }],
  'desk-event': ['/desk/#/events/{event}', { viewport: { ...DESK, height: 1300 }, colorScheme: 'light' }],
  'desk-repeats': ['/desk/#/events/{date}', { viewport: { ...DESK, height: 1300 }, colorScheme: 'light' }],
  'desk-account': ['/desk/#/account', { viewport: { ...DESK, height: 1100 }, colorScheme: 'light' }],
  'desk-limits': ['/desk/#/users/{user}', { viewport: { ...DESK, height: 1000 }, colorScheme: 'light' }],
  'desk-submissions': ['/desk/#/submissions', { viewport: DESK, colorScheme: 'light' }],
  'desk-month': ['/desk/#/month/2026-11', { viewport: DESK, colorScheme: 'dark' }],
}

/** An event of the pictures that repeats. */
const REPEATING = {
  title: 'Choir rehearsal',
  start_date: '2027-01-12 19:30:00',
  end_date: '2027-01-12 21:00:00',
  description: 'Everybody who likes to sing is welcome.',
  cost: '5',
  recurrence: { rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH;UNTIL=20270630', exdate: ['2027-03-25 19:30:00'] },
}

/** What visitors have proposed in the pictures; two of them may be the same. */
const PROPOSED = {
  start_date: '2026-12-12 18:00:00',
  end_date: '2026-12-12 20:00:00',
  description: 'Bring a lantern and warm shoes.',
  venue: 'Old mill',
  city: 'Vic',
  organizer: 'Friends of the mill',
  email: 'anna@people.example',
}
const PROPOSALS = [
  {
    ...PROPOSED,
    title: 'Lantern walk to the old mill',
    name: 'Anna Puig',
    note: 'We need the square from five.',
  },
  { ...PROPOSED, title: 'Lantern walk to the mill', name: 'Pau Serra' },
]

const folder = mkdtempSync(join(tmpdir(), 'almanac-pictures-'))
const config = readConfig({ ...SITE, DATABASE: ':memory:', MEDIA_DIR: join(folder, 'media') })
const app = await buildApp({ config, clock: () => NOW })
const browser = await launch()
try {
  const { login, password } = (await app.store.users.add('demo', 'administrator'))!
  const authorization = basicAuth(login, password)
  await loadDemo(app, { root: `/${config.namespace}`, authorization, now: NOW, zone: config.timezone })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const storageState = await signedIn(origin, `/${config.namespace}`, authorization)
  const found = await fetch(`${origin}/${config.namespace}/events/by-slug/the-buoy-quartet`)
  const { id } = (await found.json()) as { id: string }
  const headers = { authorization, 'content-type': 'application/json' }
  /** The record that a request makes. */
  const make = async (path: string, body: object) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${origin}/${config.namespace}${path}`, sent)
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as { id: number }
  }
  const { id: date } = await make('/events', REPEATING)
  for (const proposal of PROPOSALS) await make('/submissions', proposal)
  const limited = { login: 'library', name: 'Town library', email: 'library@town.example', role: 'editor' }
  const { id: user } = await make('/users', { ...limited, invite: true, limits: { categories: [1] } })
  const draw = async (name: string, [path, window]: (typeof PICTURES)[string], more = {}) => {
    const page = await browser.newPage({ ...LOOKS, ...window, ...more })
    await page.clock.setFixedTime(NOW)
    await page.route(`${PUBLIC}/**`, async (route) => {
      const url = route.request().url().replace(PUBLIC, origin)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    await page.goto(
      new URL(
        path.replace('{event}', id).replace('{date}', String(date)).replace('{user}', String(user)),
        origin,
      ).href,
      {
        waitUntil: 'networkidle',
      },
    )
    const { size } = await sharp(await page.screenshot())
      .webp({ quality: 82, effort: 6 })
      .toFile(join(IMAGES, `${name}.webp`))
    process.stdout.write(`${name}.webp: ${size} bytes\n`)
    await page.close()
  }
  for (const [name, picture] of Object.entries(PICTURES)) await draw(name, picture)
  for (const [name, picture] of Object.entries(SIGNED_IN)) await draw(name, picture, { storageState })
} finally {
  await browser.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
}
