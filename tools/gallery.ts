import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { DESK, PHONE } from './browser.ts'
import { openDemoSite } from './demo-site.ts'

// npm run gallery -- --to <folder> [--only event,home] [--languages en,ca] [--color '#2e7d32']: every view in two windows and two schemes, to be looked at

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    only: { type: 'string' },
    languages: { type: 'string', default: 'en' },
    color: { type: 'string' },
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
  nothing: '/events/?q=xylophonist',
  month: '/events/month/2026-11/',
  day: '/events/day/2026-11-22/',
  event: '/event/the-buoy-quartet/',
  'event-without-picture': '/event/plain-evening/',
  'event-cancelled': '/event/cancelled-evening/',
  'event-moved': '/event/moved-evening/',
  'event-online': '/event/online-evening/',
  'event-over': '/event/over-evening/',
  series: '/series/choir-rehearsal/',
  venue: '/venue/{venue}/',
  category: '/events/category/music/',
  organizer: '/organizer/{organizer}/',
  subscribe: '/events/subscribe/',
  submit: '/events/submit/',
  missing: '/event/no-such-event/',
  doc: '/calendar/events/v1/doc',
}
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

mkdirSync(values.to, { recursive: true })
const wanted = values.only?.split(',')
const isWanted = (name: string) =>
  !wanted ||
  wanted.some((only) => name === only || (only.endsWith('*') && name.startsWith(only.slice(0, -1))))
const site = await openDemoSite(values.color ? { SITE_COLOR: values.color } : {})
try {
  for (const event of MADE) await site.send('POST', '/events', event)
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
  for (const [window, size] of Object.entries(WINDOWS).filter(([name]) => values.windows.includes(name)))
    for (const scheme of values.schemes.split(',') as ('light' | 'dark')[])
      for (const language of values.languages.split(',')) {
        const looks = { ...size, colorScheme: scheme, locale: language }
        const root = language === 'en' ? '' : `/${language}`
        const save = async (name: string, path: string, isSignedIn: boolean, act?: Act) => {
          if (!isWanted(name)) return
          const file = [name, window, scheme, ...(language === 'en' ? [] : [language])].join('-')
          const bytes = await site.draw(path, looks, isSignedIn, !act, act)
          writeFileSync(join(values.to!, `${file}.png`), bytes)
          process.stdout.write(`${file}.png\n`)
        }
        for (const [name, path] of Object.entries(PAGES)) {
          const place = path
            .replace('{venue}', venue.slug)
            .replace('{organizer}', organizers.organizers[0]!.slug)
          await save(name, name === 'doc' ? place : `${root}${place}`, false)
        }
        await save('desk-signin', '/desk/', false)
        for (const [name, path] of Object.entries(DESK_PAGES))
          await save(`desk-${name}`, `/desk/#${path}`, true)
        for (const [name, [path, act]] of Object.entries(DESK_STEPS))
          await save(`desk-${name}`, `/desk/#${path}`, true, act)
      }
} finally {
  await site.close()
}
