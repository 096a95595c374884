import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, told } from '../../waits.ts'

const SHOW = { title: 'Boats', start_date: '2026-11-24 10:00:00', end_date: '2026-12-06 18:00:00', cost: '5' }

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** An exhibition in three languages, and a talk in one. */
async function serveThree(t: Parameters<typeof serveEmpty>[0]) {
  const { api, origin } = await serveEmpty(t, { LANGUAGES: 'en,ca,es' })
  const { id } = await must(api.editor.post('/events', { ...SHOW, status: 'publish' }))
  const other = (title: string, i18n_language: string) =>
    must(api.editor.post('/events', { title, i18n_language, translation_of: id }))
  const [ca, es] = [await other('Vaixells', 'ca'), await other('Barcos', 'es')]
  const talk = { title: 'Xerrada', i18n_language: 'ca', status: 'publish' }
  await must(
    api.editor.post('/events', { ...talk, start_date: '2026-11-25 19:00', end_date: '2026-11-25 20:00' }),
  )
  const read = async (of: { id: number }) => must(api.anonymous.get(`/events/${of.id}`))
  return { api, origin, en: { id }, ca, es, read }
}

t.test('what is the same in every language is saved for all, unless one says otherwise', async (t) => {
  const { api, origin, en, ca, es, read } = await serveThree(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const also = page.getByRole('checkbox', { name: 'Also in Català and Español' })
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved', { exact: true }).waitFor({ state: 'detached' })
  }
  await page.goto(`${origin}/desk/#/events/${en.id}`)
  t.ok(await also.isChecked())
  await page.getByLabel('Title', { exact: true }).fill('Boats of the bay')
  await page.getByLabel('Price').fill('8')
  t.same(await findingsOf(page), [])
  await save()
  t.match(await read(ca), { title: 'Vaixells', cost: /8/ })
  t.match(await read(es), { title: 'Barcos', cost: /8/ })

  await also.uncheck()
  await page.getByLabel('Price').fill('9')
  await save()
  t.match([await read(en), await read(ca)], [{ cost: /9/ }, { cost: /8/ }])
  const uneven = page.getByRole('note').filter({ hasText: 'Not the same in all languages:' })
  await uneven.getByText('Català: price').waitFor()
  await page.reload()
  await uneven.getByText('Català: price').waitFor()
  t.same(await findingsOf(page), [])
  await uneven.getByRole('button', { name: 'Use what stands here in all languages' }).click()
  await told(page, 'It is the same in all languages now.')
  await uneven.waitFor({ state: 'detached' })
  t.match([await read(ca), await read(es)], [{ cost: /9/ }, { cost: /9/ }])

  const statuses = async () => {
    const rows = await Promise.all([en, ca, es].map(({ id }) => api.editor.get(`/events/${id}`)))
    return rows.map(({ status }) => status)
  }
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await told(page, 'Moved to the trash.')
  t.same(await statuses(), [403, 403, 403])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByLabel('Title', { exact: true }).waitFor()
  t.same(await statuses(), [200, 200, 200])
  t.same(unexpected(faults, 403), [])
})

t.test('a venue tells in what its languages differ, and is evened', async (t) => {
  const { api, origin } = await serveEmpty(t, { LANGUAGES: 'en,ca' })
  const { id } = await must(
    api.editor.post('/venues', { venue: 'Main Square', geo_lat: 41.98, geo_lng: 2.82 }),
  )
  const ca = await must(
    api.editor.post('/venues', { venue: 'Plaça', i18n_language: 'ca', translation_of: id }),
  )
  await must(api.editor.patch(`/venues/${ca.id}`, { phone: '7', geo_lat: 41 }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/venues/${ca.id}`)
  await page
    .getByText('English: coordinates, phone')
    .or(page.getByText('English: phone, coordinates'))
    .waitFor()
  await page.getByRole('checkbox', { name: 'Also in English' }).waitFor()
  await page.getByRole('button', { name: 'Use what stands here in all languages' }).click()
  await told(page, 'It is the same in all languages now.')
  t.match(await must(api.anonymous.get(`/venues/${id}`)), { venue: 'Main Square', phone: '7', geo_lat: 41 })

  await page.getByRole('link', { name: 'Venues' }).click()
  const row = page.getByRole('row', { name: /Main Square/ })
  await row.getByRole('link', { name: 'Català' }).waitFor()
  await counted(page.getByRole('row'), 2) // one for both, below the heading
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})

t.test('lists and the month show the languages of an event once, and move them together', async (t) => {
  const { api, origin, en, ca, es, read } = await serveThree(t)
  await must(api.editor.patch(`/events/${es.id}`, { status: 'draft' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const row = page.getByRole('row', { name: /Boats/ })
  await row.getByRole('link', { name: 'Español: Draft' }).waitFor()
  await counted(page.getByRole('row'), 3)
  t.same(await findingsOf(page), [])
  await page.getByLabel('Choose Boats').check()
  await page.getByText('1 chosen, 3 with their translations').waitFor()
  await row.getByRole('link', { name: 'Català' }).click()
  await page.getByRole('heading', { level: 1, name: 'Vaixells' }).waitFor()

  await page.getByRole('link', { name: 'Month' }).click()
  const bands = page.locator('.bar-event').filter({ hasText: 'Boats' })
  await counted(page.locator('.bar-event'), 3) // one band in each of two weeks, and the talk
  t.same(await bands.evaluateAll((all) => all.map(({ className }) => /\bd\d/.exec(className)![0])), [
    'd6',
    'd7',
  ])
  t.same(await findingsOf(page), [])
  await bands.first().focus()
  await page.keyboard.press('Alt+ArrowRight')
  await told(page, 'Boats')
  t.match(
    [await read(en), await read(ca)],
    [{ start_date: '2026-11-25 10:00:00' }, { start_date: '2026-11-25 10:00:00', title: 'Vaixells' }],
  )
  await page.setViewportSize(PHONE)
  await page.getByRole('link', { name: 'Xerrada' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Vaixells' }).count(), 0)
  t.equal(await overflowOf(page), 0)
  t.same(unexpected(faults), [])
})
