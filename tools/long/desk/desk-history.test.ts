import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** The changes on the page, each as the text that it shows. */
const changesOf = async (page: Page) =>
  (await page.locator('ol.history > li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
const changes = (page: Page, count: number) => counted(page.locator('ol.history > li'), count)

t.test('an editor reads who changed what, and brings back what was before', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { editor, author } = api
  const hall = await must(editor.post('/venues', { venue: 'Hall' }))
  const event = await must(
    author.post('/events', { ...EVENT, title: 'Choir', description: '<p>One two three</p>' }),
  )
  await must(editor.patch(`/events/${event.id}`, { title: 'Choir evening', venue: [hall.id] }))
  await must(editor.patch(`/events/${event.id}`, { description: '<p>One other three</p>', password: 'x' }))
  const who = await addUser(api, 'anna', 'editor')
  await must(
    api.administrator.patch(`/users/${(await api.app.store.users.byLogin('anna'))!.id}`, {
      name: 'Anna Serra',
    }),
  )
  const { page, faults } = await openDesk(t, browser, origin, who)
  await page.goto(`${origin}/desk/#/events/${event.id}`)
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'History of Choir evening' }).waitFor()
  await changes(page, 2)
  const [last, first] = await changesOf(page)
  t.match(last, /^editor .* Description One Before: two Now: other three Password for visitors/)
  t.match(first, /Title Choir Now: evening Venue Now: Hall Bring back what was before$/)
  t.same(await findingsOf(page), [])
  await page
    .getByRole('button', { name: /^Bring back what was before this change/ })
    .last()
    .click()
  await told(page, 'The event is as it was before this change, but for: Password for visitors.')
  await page.getByRole('heading', { level: 1, name: 'History of Choir', exact: true }).waitFor()
  await changes(page, 3)
  t.match((await changesOf(page))[0], /^Anna Serra \(anna\) /)
  t.match(await must(editor.get(`/events/${event.id}`)), {
    ...{ title: 'Choir', description: '<p>One two three</p>', venue: [], protected: true },
  })
  await must(editor.patch(`/events/${event.id}`, { title: 'Meanwhile' }))
  await page
    .getByRole('button', { name: /^Bring back what was before this change/ })
    .first()
    .click()
  await told(page, /changed/)
  t.equal(
    (await must(editor.get(`/events/${event.id}`))).title,
    'Meanwhile',
    'nobody overwrites what they have not seen',
  )
  t.same(unexpected(faults, 412), [])
})

t.test(
  'at a date of a series are its own changes and those of all dates, in Catalan on a phone',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { editor } = api
    const rule = { rrule: 'FREQ=WEEKLY;COUNT=3' }
    const { id, series } = await must(editor.post('/events', { ...EVENT, title: 'Cor', recurrence: rule }))
    await must(editor.patch(`/events/${id}?apply_to=all`, { featured: true }))
    const who = await addUser(api, 'anna', 'editor')
    const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE, locale: 'en-GB' })
    await page.evaluate(() => localStorage.setItem('desk.language', 'ca'))
    await page.goto(`${origin}/desk/#/events/${id}/history`)
    await page.reload()
    await page.getByText('Encara no s’ha canviat res.').waitFor()
    const ofSeries = page.getByRole('region', { name: 'Canvis de totes les dates de la sèrie' })
    await changes(page, 1)
    t.match((await changesOf(page))[0], /Destacat.* Abans: no Ara: sí/)
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await ofSeries.getByRole('button').click()
    await told(page, 'L’esdeveniment torna a ser com abans d’aquest canvi.')
    await changes(page, 2)
    t.match(await must(editor.get(`/series/${series}`)), { featured: false })
    t.same(faults, [])
  },
)
