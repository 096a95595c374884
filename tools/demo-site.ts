import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { loadDemo } from '../demo/load.ts'
import { digests } from '../drizzle/tables.ts'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { basicAuth } from '../test/support/given.ts'
import { until } from '../test/support/until.ts'
import { launch, signedIn } from './browser.ts'
import { decoded, openMailServer } from './test/support/mail-server.ts'

/** The time of the pictures. */
const NOW = Date.parse('2026-11-21T09:00:00Z')
const SITE = {
  TIMEZONE: 'Europe/Madrid',
  CURRENCY: 'EUR',
  SITE_NAME: 'Terra i Mar',
  SUBMISSIONS: 'on',
  DIGEST: 'on',
  MAIL_FROM: 'agenda@terraimar.example',
}
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

/** How a page is drawn. */
export type Drawn = {
  isSignedIn?: boolean
  /** Down to its end. */
  isWhole?: boolean
  /** As it is printed. */
  isPrinted?: boolean
  /** What somebody does on it before. */
  act?: ((page: Page) => Promise<void>) | undefined
}
/** The paths of the pages of a subscription by mail, and its mails as HTML. */
export type Subscription = { confirm: string; own: string; mails: string[] }

/** Subscribes by mail to events in a language, as a visitor does; the weekly mail is due. */
async function subscribe({ inject, store }: App, root: string, email: string, choice: object) {
  const send = (url: string, fields: object) =>
    inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields as Record<string, string>).toString(),
    })
  const ask = async () => {
    await send(`${root}/events/digest/`, { email, ...choice })
    const mail = (await store.mails.due(100)).find(({ recipient }) => recipient === email)!
    await store.mails.finish(mail, true)
    return {
      html: mail.html!,
      confirm: /(\S*\/confirm\/\S+)/.exec(mail.text)![1]!.replace(/^https?:\/\/[^/]+/, ''),
    }
  }
  const { headers } = await send((await ask()).confirm, {})
  const { html, confirm } = await ask()
  await store.db.write(async (tx) => void (await tx.update(digests).set({ told_utc: '2026-11-12 09:00:00' })))
  return { confirm, own: headers.location!.replace('?new', ''), mails: [html] }
}

/** The demo on a fixed day, served for pictures, with a browser. */
export type DemoSite = {
  origin: string
  /** The record that a request of the administrator makes or changes. */
  send: (method: string, path: string, body: object) => Promise<{ id: number; slug: string }>
  /** A path, in which `{event}`, `{date}`, `{user}` and `{venue}` stand for records of the demo. */
  pathOf: (path: string) => string
  /** The bytes of a picture of a page, as PNG. */
  draw: (path: string, window: BrowserContextOptions, how?: Drawn) => Promise<Buffer>
  /** The pages and mails of a subscription in each language, by the path of the language. */
  subscriptions: Record<string, Subscription>
  browser: Browser
  close: () => Promise<void>
}
/** Serves the demo with some records more, or a calendar without events, and starts a browser. */
export async function openDemoSite(
  settings: Record<string, string> = {},
  isEmpty = false,
): Promise<DemoSite> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-pictures-'))
  const ends: (() => unknown)[] = []
  const post = await openMailServer({ teardown: (end) => void ends.push(end as () => unknown) })
  const config = readConfig({
    ...SITE,
    SMTP_URL: `smtp://127.0.0.1:${post.port}`,
    DATABASE: ':memory:',
    MEDIA_DIR: join(folder, 'media'),
    ...settings,
  })
  // all was published a while ago, so that mails tell of it
  let now = NOW - 3_600_000
  const app = await buildApp({ config, clock: () => now })
  const browser = await launch()
  const { login, password } = (await app.store.users.add('demo', 'administrator'))!
  const authorization = basicAuth(login, password)
  const subscriptions: Record<string, Subscription> = {}
  if (!isEmpty) {
    await loadDemo(app, { root: `/${config.namespace}`, authorization, now: NOW, zone: config.timezone })
    for (const [at, root] of ['', '/ca', '/es'].entries()) {
      const choice = { every: 'week', ...(at > 0 && { q: '-zumba' }) }
      subscriptions[root] = await subscribe(app, root, `anna${at}@people.example`, choice)
    }
  }
  now = NOW
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  await until(() => post.received.length === Object.keys(subscriptions).length)
  for (const { to, text } of post.received) {
    const [, html] = /Content-Type: text\/html[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(text)!
    subscriptions[['', '/ca', '/es'][Number(to[0]!.at(4))]!]!.mails.push(decoded(html!))
  }
  const storageState = await signedIn(origin, `/${config.namespace}`, authorization)
  const headers = { authorization, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const sent = { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${origin}/${config.namespace}${path}`, sent)
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json()) as { id: number; slug: string }
  }
  /** The IDs of what is shown. */
  async function prepare(): Promise<Record<string, number>> {
    const found = await fetch(`${origin}/${config.namespace}/events/by-slug/the-buoy-quartet`)
    const { id: event, venue } = (await found.json()) as { id: number; venue: { id: number } }
    const { id: date } = await send('POST', '/events', REPEATING)
    for (const proposal of PROPOSALS) await send('POST', '/submissions', proposal)
    const limited = { login: 'library', name: 'Town library', email: 'library@town.example', role: 'editor' }
    const { id: user } = await send('POST', '/users', {
      ...limited,
      invite: true,
      limits: { categories: [1] },
    })
    return { event, date, user, venue: venue.id }
  }
  const ids = isEmpty ? {} : await prepare()
  const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
  const draw: DemoSite['draw'] = async (path, window, { isSignedIn, isWhole, isPrinted, act } = {}) => {
    const page = await browser.newPage({ ...LOOKS, ...window, ...(isSignedIn ? { storageState } : {}) })
    await page.clock.setFixedTime(NOW)
    await page.route(`${PUBLIC}/**`, async (route) => {
      const url = route.request().url().replace(PUBLIC, origin)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    await page.goto(new URL(pathOf(path), origin).href)
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {}) // pages that listen are never idle
    if (isPrinted) await page.emulateMedia({ media: 'print' })
    await act?.(page)
    const picture = await page.screenshot({ fullPage: isWhole ?? false })
    await page.close()
    return picture
  }
  const close = async () => {
    await browser.close()
    await app.close()
    for (const end of ends) await end()
    rmSync(folder, { recursive: true, force: true })
  }
  return { origin, send, pathOf, draw, subscriptions, browser, storageState, close } as DemoSite
}
