import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { DESK, PHONE } from './browser.ts'
import { openDemoSite } from './demo-site.ts'

// npm run gallery -- --to <folder> [--only event,home] [--languages en,ca] [--color '#2e7d32'] [--logo logo.svg]: every view in two windows and two schemes, to be looked at; `--windows print` shows pages as they are printed

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    only: { type: 'string' },
    languages: { type: 'string', default: 'en' },
    color: { type: 'string' },
    logo: { type: 'string' },
    schemes: { type: 'string', default: 'light,dark' },
    windows: { type: 'string', default: 'desk,phone' },
  },
})
if (!values.to) throw new Error('`--to <folder>` is missing: the folder of the pictures.')

/** Pages for visitors. */
const PAGES: Record<string, string> = {
  home: '/',
  list: '/events/',
  weekend: '/events/weekend/',
  filtered: '/events/?category=music&free=yes',
  combined: '/events/weekend/?free=yes&town=Girona',
  categories: '/events/categories/',
  nothing: '/events/?q=xylophonist',
  month: '/events/month/2026-11/',
  day: '/events/day/2026-11-22/',
  event: '/event/the-buoy-quartet/',
  'event-without-picture': '/event/plain-evening/',
  'event-cancelled': '/event/cancelled-evening/',
  'event-moved': '/event/moved-evening/',
  'event-online': '/event/online-evening/',
  'event-over': '/event/over-evening/',
  'event-reason': '/event/vespre-anullat/',
  series: '/series/choir-rehearsal/',
  venue: '/venue/{venue}/',
  category: '/events/category/music/',
  organizer: '/organizer/{organizer}/',
  subscribe: '/events/subscribe/',
  'my-list-empty': '/events/my-list/',
  'my-list-shared': '/events/my-list/?events={five}',
  'my-list-own': '/events/my-list/',
  submit: '/events/submit/',
  digest: '/events/digest/',
  'digest-sent': '/events/digest/sent/',
  missing: '/event/no-such-event/',
  doc: '/calendar/events/v1/doc',
}
/** Pages of another site that show the calendar: their ground and ink, and how their frame looks. */
const HOSTS: Record<string, { css: string; frame: string }> = {
  light: {
    css: 'background: #fff; color: #222; font: 16px/1.5 sans-serif',
    frame: 'theme=light&paper=ffffff',
  },
  dark: {
    css: 'background: #10151c; color: #e8edf2; font: 16px/1.5 sans-serif',
    frame: 'theme=dark&paper=10151c',
  },
  coloured: {
    css: 'background: #0b5d57; color: #fff; font: 16px/1.5 Georgia, serif',
    frame:
      'theme=dark&paper=0b5d57&ink=ffffff&soft=e4f2f0&accent=ffe08a&line=4f8b86&raised=14655f&font=Georgia',
  },
}
const hostOf = (
  origin: string,
  { css, frame }: (typeof HOSTS)[string],
) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A site</title>
<style>body { margin: 0 auto; max-width: 1000px; padding: 16px; ${css} } html { ${css.split(';')[0]} } iframe { border: 0; width: 100%; height: 640px }</style>
<script type="module" src="${origin}/embed.js"></script>
<h1>A site</h1><p>What is on at our hall:</p><almanac-calendar view="month"></almanac-calendar>
<p>And soon:</p><almanac-calendar count="4"></almanac-calendar>
<p>The same in a frame:</p><iframe title="Calendar" src="${origin}/embed/?count=3&amp;${frame.replaceAll('&', '&amp;')}"></iframe><p>Below.</p></html>`

/** Pages of the desk. */
const DESK_PAGES: Record<string, string> = {
  list: '/events',
  form: '/events/{event}',
  new: '/events/new',
  repeating: '/events/{date}',
  history: '/events/{event}/history',
  translate: '/translate/events/{event}/ca',
  copy: '/events/new?from={event}',
  month: '/month/2026-11',
  week: '/week/2026-11-16',
  venues: '/venues',
  venue: '/venues/{venue}',
  categories: '/categories',
  tags: '/tags',
  pictures: '/pictures',
  submissions: '/submissions',
  changes: '/changes',
  users: '/users',
  user: '/users/{user}',
  account: '/account',
  webhooks: '/webhooks',
  import: '/import',
  settings: '/settings',
  audit: '/audit',
  digest: '/digest',
}
type Act = (page: Page) => Promise<void>
/** Parts of the desk that open when one does something, as a window has them. */
const DESK_STEPS: Record<string, [path: string, act: Act]> = {
  preview: [
    '/events/{event}',
    async (page) => {
      await page.locator('.acts button[type=button]').first().click()
      await page.frameLocator('iframe').locator('h1').waitFor()
    },
  ],
  reasons: [
    '/events/{event}',
    async (page) => {
      await page.locator('fieldset.dates select').selectOption('cancelled')
      await page.locator('fieldset.dates textarea').fill('The singer is ill. Tickets stay valid.')
      await page.locator('.acts button[type=submit]').click()
      await page.locator('dialog textarea').first().waitFor()
    },
  ],
  'form-scrolled': [
    '/events/{event}',
    async (page) => {
      await page.locator('.main > .picture').scrollIntoViewIfNeeded()
      await page.mouse.wheel(0, 600)
    },
  ],
}
const WINDOWS: Record<string, BrowserContextOptions> = {
  desk: { viewport: DESK },
  phone: { viewport: PHONE, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
  print: { viewport: { width: 718, height: 1047 } }, // A4 without margins of 1 cm, at 96 dots per inch
}
const EVENING = {
  start_date: '2026-11-27 19:00:00',
  end_date: '2026-11-27 21:00:00',
  description: 'An evening at the library.',
  categories: ['music'],
  cost: '6 – 21.50',
}
const MADE = [
  { ...EVENING, title: 'Plain evening', slug: 'plain-evening' },
  {
    ...EVENING,
    title: 'Cancelled evening',
    slug: 'cancelled-evening',
    event_status: 'cancelled',
    event_status_reason: 'The singer is ill.',
  },
  {
    ...EVENING,
    title: 'Online evening',
    slug: 'online-evening',
    event_status: 'moved_online',
    virtual_url: 'https://meet.example/evening',
  },
  {
    ...EVENING,
    title: 'Over evening',
    slug: 'over-evening',
    start_date: '2026-11-10 19:00:00',
    end_date: '2026-11-10 21:00:00',
  },
]

/** What is changed on the second, third and fourth date of the series. */
const CHANGES = [
  { event_status: 'cancelled', event_status_reason: 'The conductor is away.' },
  { start_date: '2027-01-26 18:00:00', end_date: '2027-01-26 19:00:00', cost: '7' },
  { title: 'Open rehearsal', venue: { venue: 'Old church', city: 'Vic' } },
]
/** Pages of a calendar without events. */
const EMPTY_PAGES: Record<string, string> = { 'home-empty': '/', 'list-empty': '/events/' }

mkdirSync(values.to, { recursive: true })
const wanted = values.only?.split(',')
const isWanted = (name: string) =>
  !wanted ||
  wanted.some((only) => name === only || (only.endsWith('*') && name.startsWith(only.slice(0, -1))))
const settings: Record<string, string> = {
  ...(values.color && { SITE_COLOR: values.color }),
  ...(values.logo && { SITE_LOGO: values.logo }),
}
const site = await openDemoSite(settings)
const empty = Object.keys(EMPTY_PAGES).some(isWanted) ? await openDemoSite(settings, true) : undefined
/** Another origin, which a browser lets ask this one. */
const hosts = createServer((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(hostOf(site.origin, HOSTS[request.url!.slice(1)] ?? HOSTS.light!))
})
await new Promise<void>((ready) => hosts.listen(0, '127.0.0.1', ready))
try {
  const made = new Map<string, number>()
  for (const event of MADE) made.set(event.slug, (await site.send('POST', '/events', event)).id)
  await site.send('POST', '/events', {
    ...EVENING,
    title: 'Vespre anul·lat',
    slug: 'vespre-anullat',
    event_status: 'cancelled',
    i18n_language: 'ca',
    translation_of: made.get('cancelled-evening'),
  })
  const { id } = await site.send('POST', '/events', {
    ...EVENING,
    title: 'Moved evening',
    slug: 'moved-evening',
  })
  await site.send('PUT', `/events/${id}`, {
    event_status: 'rescheduled',
    event_status_reason: 'The hall is being painted.',
    start_date: '2026-12-04 19:00:00',
    end_date: '2026-12-04 21:00:00',
  })
  // what is different on some dates of a series
  const first = Number(site.pathOf('{date}'))
  for (const [at, change] of CHANGES.entries()) await site.send('PATCH', `/events/${first + at + 1}`, change)
  const buoy = site.pathOf('/events/{event}')
  const REVISED = [
    { cost: '14€', start_date: '2026-11-27 21:00:00', tags: ['live'] },
    { cost: '12€', start_date: '2026-11-27 20:30:00', excerpt: 'Jazz that smells of salt and sea.' },
    { tags: ['live', 'at night'], excerpt: 'Jazz that smells of the sea.' },
  ]
  for (const change of REVISED) await site.send('PUT', `${buoy}?translations=all`, change)
  const venue = (await (
    await fetch(`${site.origin}${site.pathOf('/calendar/events/v1/venues/{venue}')}`)
  ).json()) as { slug: string }
  const organizers = (await (
    await fetch(`${site.origin}/calendar/events/v1/organizers?per_page=1`)
  ).json()) as { organizers: { slug: string }[] }
  const found = await fetch(`${site.origin}/calendar/events/v1/events?per_page=4&start_date=2026-11-26`)
  const { events } = (await found.json()) as { events: { id: number }[] }
  const five = [...events.map((one) => one.id), made.get('over-evening')!]
  /** What the browser of a visitor keeps who has starred these. */
  const kept = { name: 'list /', value: JSON.stringify(five) }
  const starred = { cookies: [], origins: [{ origin: site.origin, localStorage: [kept] }] }
  for (const [window, size] of Object.entries(WINDOWS).filter(([name]) => values.windows.includes(name)))
    for (const scheme of values.schemes.split(',') as ('light' | 'dark')[])
      for (const language of values.languages.split(',')) {
        const looks = { ...size, colorScheme: scheme, locale: language }
        const root = language === 'en' ? '' : `/${language}`
        const save = async (
          name: string,
          path: string,
          isSignedIn: boolean,
          { from = site, act }: { from?: typeof site; act?: Act } = {},
        ) => {
          if (!isWanted(name)) return
          const file = [name, window, scheme, ...(language === 'en' ? [] : [language])].join('-')
          const own = name === 'my-list-own' ? { ...looks, storageState: starred } : looks
          const how = { isSignedIn, isWhole: !act, isPrinted: window === 'print', act }
          writeFileSync(join(values.to!, `${file}.png`), await from.draw(path, own, how))
          process.stdout.write(`${file}.png\n`)
        }
        for (const [name, path] of Object.entries(PAGES)) {
          const place = path
            .replace('{venue}', venue.slug)
            .replace('{five}', five.join())
            .replace('{organizer}', organizers.organizers[0]!.slug)
          await save(name, name === 'doc' ? place : `${root}${place}`, false)
        }
        if (empty)
          for (const [name, path] of Object.entries(EMPTY_PAGES))
            await save(name, `${root}${path}`, false, { from: empty })
        for (const name of Object.keys(HOSTS)) {
          if (!isWanted(`embed-${name}`) || language !== 'en') continue
          const page = await site.browser.newPage(looks)
          await page.goto(`http://127.0.0.1:${(hosts.address() as AddressInfo).port}/${name}`)
          await page.waitForLoadState('networkidle')
          await page.locator('iframe').scrollIntoViewIfNeeded()
          const file = `embed-${name}-${window}-${scheme}.png`
          await page.screenshot({ path: join(values.to!, file), fullPage: true })
          await page.close()
          process.stdout.write(`${file}\n`)
        }
        const { confirm, own, mails } = site.subscriptions[root]!
        await save('digest-confirm', confirm, false)
        await save('digest-own', own, false)
        for (const [at, name] of ['mail-confirm', 'mail-week'].entries())
          await save(name, `data:text/html;charset=utf-8,${encodeURIComponent(mails[at]!)}`, false)
        await save('desk-signin', '/desk/', false)
        for (const [name, path] of Object.entries(DESK_PAGES))
          await save(`desk-${name}`, `/desk/#${path}`, true)
        for (const [name, [path, act]] of Object.entries(DESK_STEPS))
          await save(`desk-${name}`, `/desk/#${path}`, true, { act })
      }
} finally {
  hosts.close()
  await empty?.close()
  await site.close()
}
