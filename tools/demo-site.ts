import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { loadDemo } from '../demo/load.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { basicAuth } from '../test/support/given.ts'
import { launch, signedIn } from './browser.ts'

/** The time of the pictures. */
const NOW = Date.parse('2026-11-21T09:00:00Z')
const SITE = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', SITE_NAME: 'Terra i Mar', SUBMISSIONS: 'on' }
const LOOKS = { locale: 'en-US', timezoneId: 'Europe/Madrid' }
/** The address at which the documentation is shown, since it prints its own. */
export const PUBLIC = 'http://calendar.example'

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

/** The demo on a fixed day, served for pictures, with a browser. */
export type DemoSite = {
  origin: string
  /** The record that a request of the administrator makes or changes. */
  send: (method: string, path: string, body: object) => Promise<{ id: number; slug: string }>
  /** A path, in which `{event}`, `{date}`, `{user}` and `{venue}` stand for records of the demo. */
  pathOf: (path: string) => string
  /** The bytes of a picture of a page, as PNG. `isWhole` shows it down to its end. */
  draw: (
    path: string,
    window: BrowserContextOptions,
    isSignedIn?: boolean,
    isWhole?: boolean,
  ) => Promise<Buffer>
  browser: Browser
  close: () => Promise<void>
}
/** Serves the demo with some records more, and starts a browser. */
export async function openDemoSite(settings: Record<string, string> = {}): Promise<DemoSite> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-pictures-'))
  const config = readConfig({ ...SITE, DATABASE: ':memory:', MEDIA_DIR: join(folder, 'media'), ...settings })
  const app = await buildApp({ config, clock: () => NOW })
  const browser = await launch()
  const { login, password } = (await app.store.users.add('demo', 'administrator'))!
  const authorization = basicAuth(login, password)
  await loadDemo(app, { root: `/${config.namespace}`, authorization, now: NOW, zone: config.timezone })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const storageState = await signedIn(origin, `/${config.namespace}`, authorization)
  const headers = { authorization, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const sent = { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${origin}/${config.namespace}${path}`, sent)
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as { id: number; slug: string }
  }
  const found = await fetch(`${origin}/${config.namespace}/events/by-slug/the-buoy-quartet`)
  const { id: event, venue } = (await found.json()) as { id: number; venue: { id: number } }
  const { id: date } = await send('POST', '/events', REPEATING)
  for (const proposal of PROPOSALS) await send('POST', '/submissions', proposal)
  const limited = { login: 'library', name: 'Town library', email: 'library@town.example', role: 'editor' }
  const { id: user } = await send('POST', '/users', { ...limited, invite: true, limits: { categories: [1] } })
  const ids: Record<string, number> = { event, date, user, venue: venue.id }
  const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
  const draw: DemoSite['draw'] = async (path, window, isSignedIn = false, isWhole = false) => {
    const page = await browser.newPage({ ...LOOKS, ...window, ...(isSignedIn ? { storageState } : {}) })
    await page.clock.setFixedTime(NOW)
    await page.route(`${PUBLIC}/**`, async (route) => {
      const url = route.request().url().replace(PUBLIC, origin)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    await page.goto(new URL(pathOf(path), origin).href)
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {}) // pages that listen are never idle
    const picture = await page.screenshot({ fullPage: isWhole })
    await page.close()
    return picture
  }
  const close = async () => {
    await browser.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { origin, send, pathOf, draw, browser, close }
}
