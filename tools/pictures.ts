import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import sharp from 'sharp'
import { DESK, PHONE } from './browser.ts'
import { openDemoSite, PUBLIC } from './demo-site.ts'

// npm run pictures: draws the pictures of the pages, the desk and the documentation in docs/images, of the demo on a fixed day

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url))
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

const site = await openDemoSite()
try {
  const draw = async (name: string, [path, window]: (typeof PICTURES)[string], isSignedIn: boolean) => {
    const { size } = await sharp(await site.draw(path, window, { isSignedIn }))
      .webp({ quality: 82, effort: 6 })
      .toFile(join(IMAGES, `${name}.webp`))
    process.stdout.write(`${name}.webp: ${size} bytes\n`)
  }
  for (const [name, picture] of Object.entries(PICTURES)) await draw(name, picture, false)
  for (const [name, picture] of Object.entries(SIGNED_IN)) await draw(name, picture, true)
} finally {
  await site.close()
}
