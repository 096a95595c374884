import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { build, EVENT } from '../../../test/support/app.ts'
import { ATTACKS, wrap } from '../../../test/support/hostile.ts'
import { findingsOf, listen, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const NAME = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

for (const bypassCSP of [false, true])
  t.test(
    `scripts of editors do not run in a browser ${bypassCSP ? 'that has no' : 'with the'} content policy`,
    async (t) => {
      const api = await build(t, { env: { SITE_NAME: NAME } })
      const paths: string[] = []
      for (const [at, text] of ATTACKS.entries()) {
        const { body } = await api.editor.post('/events', {
          ...EVENT,
          title: `x ${text}`,
          slug: `s${at}`,
          description: wrap(text),
          excerpt: wrap(text),
          tags: [`x ${text}`.slice(0, 200)],
          venue: { venue: `x ${text}`, description: wrap(text), address: text, city: text, phone: text },
        })
        if (body.id) paths.push(`/event/s${at}/`, `/venue/${body.venue.slug}/`)
      }
      t.ok(paths.length > ATTACKS.length)
      const origin = await listen(api)
      const { page, faults } = await open(t, browser, origin, { bypassCSP })
      const found = (path: string) => {
        // a source of the corpus that leads to nothing on this host
        const told = faults.splice(0).filter((fault) => !/status of 40[034]/.test(fault))
        if (told.length > 0) t.fail(path, { told })
      }
      // with the policy fewer: it only hides what the other browser would show
      const some = <T>(all: T[], every: number) =>
        all.filter((_, at) => at % (bypassCSP ? every : 4 * every) === 0)
      for (const path of some(paths, 1)) {
        await page.goto(origin + path)
        found(path)
      }
      for (const path of ['', '?page=2']) {
        await page.goto(`${origin}/events/day/2026-12-01/${path}`)
        found(path)
      }
      // a month has room for some of the events of a day: those of each search are others
      for (const text of some(ATTACKS, 12)) {
        const word = /[a-z]{4,}/i.exec(text)?.[0] ?? 'x'
        for (const path of [
          `/events/month/2026-12/?search=${word}`,
          `/embed/?view=month&month=2026-12&search=${word}`,
          `/embed/?search=${word}`,
        ]) {
          await page.goto(origin + path)
          found(path)
        }
      }
      for (const text of some(ATTACKS.slice(0, 20), 2)) {
        const part = encodeURIComponent(text)
        for (const path of [
          ...[`/events/?search=${part}`, `/events/?category=${part}`, `/event/${part}/`],
          ...[
            `/events/month/${part}/`,
            `/events/day/2026-12-01/?venue=${part}`,
            `/embed/?categories=${part}`,
          ],
        ]) {
          await page.goto(origin + path)
          found(path)
        }
      }
      t.ok(await page.title(), 'the last one is there')
    },
  )

const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
const TITLE = `${'A very long title that goes on and on '.repeat(7)}${LONG}`.slice(0, 300)

t.test('long titles, long words, many tags and many events of a day fit every window', async (t) => {
  const api = await build(t)
  const tags = Array.from({ length: 60 }, (_, at) => (at % 7 === 0 ? `${LONG} ${at}` : `tag ${at}`))
  const venue = {
    venue: LONG.repeat(2),
    address: LONG,
    city: LONG,
    country: 'Spain',
    website: `https://${'a'.repeat(60)}.example/${LONG}`,
  }
  const first = await must(
    api.editor.post('/events', {
      ...EVENT,
      slug: 'long',
      title: TITLE,
      description: `<p>${LONG.repeat(4)}</p><pre>${LONG.repeat(4)}</pre><table><tr>${`<td>${LONG}</td>`.repeat(6)}</tr></table><p>https://example.test/${'x'.repeat(300)}</p>`,
      cost: '1234567890.55',
      ...{
        tags,
        venue,
        organizer: { organizer: LONG, email: `${'e'.repeat(60)}@example.test` },
        categories: [LONG],
      },
    }),
  )
  for (let at = 0; at < 60; at++)
    await must(
      api.editor.post('/events', { ...EVENT, title: at % 2 ? TITLE : LONG + at, venue: [first.venue.id] }),
    )
  const origin = await listen(api)
  for (const [width, height] of [
    [320, 640],
    [PHONE.width, PHONE.height],
    [768, 1024],
    [1280, 900],
  ] as const) {
    const { page, faults } = await open(t, browser, origin, { viewport: { width, height } })
    for (const path of [
      '/',
      '/events/',
      '/event/long/',
      `/venue/${first.venue.slug}/`,
      `/organizer/${first.organizer[0].slug}/`,
      `/events/tag/${first.tags[0].slug}/`,
    ]) {
      await page.goto(origin + path)
      t.equal(await overflowOf(page), 0, `${path} at ${width} pixels`)
      t.same(await findingsOf(page), [], path)
    }
    t.same(faults, [])
  }
})

t.test('a calendar without events is a page as well', async (t) => {
  const api = await build(t)
  const origin = await listen(api)
  const { page, faults } = await open(t, browser, origin, { viewport: PHONE })
  for (const path of ['/', '/ca/', '/es/events/?when=past']) {
    await page.goto(origin + path)
    t.equal(await overflowOf(page), 0)
    t.same(await findingsOf(page), [], path)
    t.ok(await page.locator('.empty h2, .welcome h2').isVisible(), path)
  }
  t.same(faults, [])
})

t.test('a language that is written from right to left has pages in that direction', async (t) => {
  const api = await build(t, { env: { LANGUAGES: 'en,ar' } })
  const event = {
    ...EVENT,
    slug: 'ar',
    title: 'حفلة موسيقية في الحديقة',
    venue: { venue: 'قاعة' },
  }
  await must(
    api.editor.post('//ar/calendar/events/v1/events', {
      ...event,
      description: '<p>موسيقى في الهواء الطلق</p>',
    }),
  )
  await must(api.editor.post('/events', { ...EVENT, slug: 'en' }))
  const origin = await listen(api)
  for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
    const { page, faults } = await open(t, browser, origin, { viewport })
    for (const path of ['/ar/', '/ar/events/', '/event/ar/', '/ar/event/en/', '/ar/nowhere']) {
      await page.goto(origin + path)
      t.equal(await page.evaluate('getComputedStyle(document.body).direction'), 'rtl', path)
      t.equal(await overflowOf(page), 0, path)
      t.equal(await page.evaluate('document.documentElement.scrollLeft'), 0)
      t.same(await findingsOf(page), [], path)
    }
    t.same(
      faults.filter((fault) => !/status of 404/.test(fault)),
      [],
    )
  }
})
