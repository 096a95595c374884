import type { Browser, Locator, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { focused, holdBack, inPage, rows, told } from '../../waits.ts'

const CONCERT = { title: 'Concert', start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' }

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('the desk says where one is: by the title of the window, and by the focus', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', CONCERT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const named = (name: string) => inPage(page, `document.title.startsWith('${name} – ')`)
  await named('Events')
  await page.getByRole('link', { name: 'Concert' }).click()
  await named('Concert')
  await focused(page.getByRole('heading', { level: 1 }))
  await page.getByRole('link', { name: 'Month' }).click()
  await named('November 2026')
  await page.getByRole('link', { name: 'Concert' }).click()
  await page.getByLabel('Title', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const bad = page.locator('.notice.bad')
  await bad.waitFor()
  await page.getByLabel('Title', { exact: true }).fill('Konzert')
  await bad.waitFor({ state: 'detached' })
  t.equal(await page.getByRole('heading', { level: 1 }).getAttribute('dir'), 'auto')

  await page.getByLabel('Begins on').fill('2025-11-28')
  await page.getByText('This date is over. Is the year right?').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByLabel('Begins on').fill('2026-11-29')
  await page.getByText('This date is over.').waitFor({ state: 'detached' })
  await page.getByLabel('Begins on').fill('2027-03-28')
  await page.getByLabel('Begins at').fill('2:30')
  await page.getByText(/the clocks skip 0?2:30.*It becomes 0?3:30/).waitFor()
  t.same(await findingsOf(page), [])
  await page.getByLabel('Begins at').fill('3:30')
  await page.getByText('the clocks skip').waitFor({ state: 'detached' })
  t.match((await must(api.anonymous.get(`/events/${id}`))).start_date, '2026-11-28')
  t.same(unexpected(faults, 400), [])
})

t.test(
  'times have the clock of the language, in texts and in fields, and are typed as people write them',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    await must(api.editor.post('/events', CONCERT))
    const who = await addUser(api, 'marta', 'editor')
    for (const [locale, inEnglish, inCatalan] of [
      ['en-US', /8:00.*PM/, /20:00/],
      ['en-GB', /20:00/, /20:00/],
    ] as const) {
      const { page } = await openDesk(t, browser, origin, who, { locale })
      await page.getByRole('cell', { name: inEnglish }).waitFor()
      await page.getByRole('link', { name: 'Concert' }).click()
      const begins = page.getByLabel('Begins at')
      t.match(await begins.inputValue(), inEnglish)
      await begins.fill('half past')
      await page.getByLabel('Ends at').click()
      await page.getByText(/^Write a time such as/).waitFor()
      await begins.fill('9.30 pm')
      await page.getByLabel('Price').click()
      t.match(await page.getByLabel('Ends at').inputValue(), locale === 'en-US' ? /11:30\sPM/ : /23:30/)
      await page.getByRole('link', { name: 'Events', exact: true }).click()
      await page.getByRole('button', { name: 'Discard and leave' }).click()
      await page.getByLabel('Language of the desk').selectOption('ca')
      await page.getByRole('heading', { level: 1, name: 'Esdeveniments' }).waitFor()
      await page.getByRole('cell', { name: inCatalan }).waitFor()
    }
  },
)

/** Goes on with the key for it until something has the focus. */
async function tabTo(page: Page, place: Locator) {
  await place.waitFor()
  for (let at = 0; at < 120; at++) {
    if (await place.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The key Tab does not lead to ${place}`)
}

t.test('an event is written, published, thrown away and brought back without a mouse', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const press = async (place: Locator, key = 'Enter') => {
    await tabTo(page, place)
    await page.keyboard.press(key)
  }
  await press(page.getByRole('link', { name: 'New event' }))
  await tabTo(page, page.getByLabel('Title', { exact: true }))
  await page.keyboard.type('Open day')
  await press(page.getByLabel('All day'), 'Space')
  const venue = page.getByRole('combobox', { name: 'Venue' })
  await tabTo(page, venue)
  await page.keyboard.type('Old hall')
  await page.getByRole('option', { name: 'Create “Old hall”' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await press(page.getByRole('dialog', { name: 'New venue' }).getByRole('button', { name: 'Create' }))
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await tabTo(page, page.getByRole('textbox', { name: 'Description', exact: true }))
  await page.keyboard.type('Come and ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('see')
  await press(page.getByRole('button', { name: 'Publish' }))
  await told(page, 'visible to everyone')
  const first = async () => (await must(api.anonymous.get('/events'))).events[0]
  t.match(await first(), {
    ...{ title: 'Open day', start_date: '2026-11-21 00:00:00', all_day: true, venue: { venue: 'Old hall' } },
    description: '<p>Come and <strong>see</strong></p>',
  })

  await press(page.getByRole('link', { name: 'Events', exact: true }))
  await press(page.getByLabel('Choose Open day'), 'Space')
  await press(page.getByRole('button', { name: 'Move to trash' }))
  await told(page, 'Moved to trash: 1')
  t.equal(await first(), undefined)
  await press(page.getByRole('button', { name: 'Undo' }))
  await told(page, 'Brought back: 1')
  await page.getByRole('link', { name: 'Open day' }).waitFor()
  t.match(await first(), { title: 'Open day', status: 'publish' })
  t.same(unexpected(faults, 403), [])
})

t.test('who types fast and presses Enter takes what was typed last', async (t) => {
  const { api, origin } = await serveEmpty(t)
  for (const name of ['early', 'late']) await must(api.editor.post('/tags', { name }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const { isHeld, letGo } = await holdBack(page, /\/tags\?/)
  await page.getByRole('link', { name: 'New event' }).click()
  const tags = page.getByRole('combobox', { name: 'Tags' })
  await tags.fill('ea')
  await page.getByRole('option', { name: 'Create “ea”' }).waitFor()
  await tags.fill('lat')
  await tags.press('Enter')
  await isHeld()
  letGo()
  const chosen = page.getByRole('list', { name: 'Tags' })
  await rows(chosen.locator('li > span'), ['late'])
  await tags.fill('nothing like it')
  await tags.press('Enter')
  await chosen.getByText('nothing like it').waitFor()
  t.same(unexpected(faults), [])
})

t.test('a category that is chosen while another one is made stays', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/categories', { name: 'Music' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const { isHeld, letGo } = await holdBack(page, /\/categories$/, 'POST')
  await page.getByRole('link', { name: 'New event' }).click()
  const categories = page.getByRole('combobox', { name: 'Categories' })
  await categories.fill('Talks')
  await page.getByRole('option', { name: 'Create “Talks”' }).click()
  const dialog = page.getByRole('dialog', { name: 'New category' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await isHeld()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await categories.fill('Music')
  await categories.press('Enter')
  const chosen = page.getByRole('list', { name: 'Categories' }).locator('li > span')
  await rows(chosen, ['Music'])
  letGo()
  await rows(chosen, ['Music', 'Talks'])
  t.same(unexpected(faults), [])
})
