import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { makeManyCategories } from '../../many-categories.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, rows, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('an event gets its categories among 275 by typing', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await makeManyCategories((body) => must(api.editor.post('/categories', body)))
  t.equal((await api.anonymous.get('/categories?hide_empty=false')).body.total, 275)
  const { id } = await must(api.editor.post('/events', EVENT))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const reads: string[] = []
  page.on('request', (request) => {
    if (/\/categories\?/.test(request.url())) reads.push(request.url())
  })
  await page.goto(`${origin}/desk/#/events/${id}`)
  const categories = page.getByRole('combobox', { name: 'Categories' })
  const options = page.getByRole('listbox', { name: 'Categories' }).getByRole('option')
  const person = counting()
  await person.click(categories)
  await page.keyboard.type('music')
  await rows(options.locator('span').first(), ['Music'])
  t.same(await findingsOf(page), [])
  await page.keyboard.press('Enter')
  await page.keyboard.type('dist 10 nat')
  await rows(options.locator('> span').first(), ['Nature, district 10'])
  await page.keyboard.press('Enter')
  const chosen = page.getByRole('list', { name: 'Categories' }).locator('li > span')
  await rows(chosen, ['Music', 'Nature, district 10'])
  await person.click(page.getByRole('button', { name: 'Save' }))
  await told(page, /^Saved[.,]/)
  t.equal(person.clicks, 2)
  t.match((await api.anonymous.get(`/events/${id}`)).body.categories, [
    { name: 'Music' },
    { name: 'Nature, district 10' },
  ])

  // they are kept while the desk is open
  const before = reads.length
  await page
    .getByRole('navigation', { name: 'Parts of the desk' })
    .getByRole('link', { name: 'Events' })
    .click()
  await page.getByRole('link', { name: 'New event' }).click()
  await page.getByLabel('Title').waitFor()
  await categories.press('ArrowDown')
  await page.getByRole('option', { name: 'Dance, district 2', exact: true }).click()
  await page.getByRole('option', { name: 'Music', exact: true }).click()
  await rows(chosen, ['Dance, district 2', 'Music'])
  await page.getByRole('option', { name: 'Dance, district 2', exact: true, selected: true }).click()
  await rows(chosen, ['Music'])
  t.equal(reads.length, before)
  await page.keyboard.press('Escape')
  await options.first().waitFor({ state: 'hidden' })
  await page.keyboard.press('Backspace')
  await counted(chosen, 0)
  t.same(unexpected(faults), [])
})

t.test('many categories are folded, found in any of their languages, and opened', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await makeManyCategories((body) => must(api.editor.post('/categories', body)))
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.goto(`${origin}/desk/#/categories`)
  const names = page.locator('.terms .name')
  await counted(names, 12)
  await page.getByRole('button', { name: 'Subcategories of Dance: 8' }).click()
  await counted(names, 20)
  t.same((await names.allTextContents()).slice(5, 9), [
    ...['Dance, district 1', 'Dance, district 2', 'Dance, district 3', 'Dance, district 10'],
  ])
  await page.getByRole('button', { name: 'Unfold all' }).click()
  await counted(names, 92)
  t.equal(await overflowOf(page), 0)
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Fold all', exact: true }).click()
  await counted(names, 12)
  await page.getByLabel('Search').fill('musica districte 10')
  await page.getByRole('link', { name: 'Català 2' }).click()
  await rows(names, ['Música', 'Música, districte 10'])
  t.same(await findingsOf(page), [])
  await page.getByRole('link', { name: 'Música, districte 10', exact: true }).click()
  const parent = page.getByRole('list', { name: 'Parent category' })
  await rows(parent.locator('li > span'), ['Música'])
  await page.getByRole('link', { name: 'Close' }).click()
  await rows(names, ['Música', 'Música, districte 10'])
  t.same(unexpected(faults), [])
})

t.test('two tags become one', async (t) => {
  const { api, origin } = await serveEmpty(t)
  for (const name of ['late', 'at night', 'nightly']) await must(api.editor.post('/tags', { name }))
  const { id } = await must(api.editor.post('/events', { ...EVENT, tags: ['late'] }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/tags`)
  const person = counting()
  await person.click(page.getByRole('link', { name: 'late', exact: true }))
  await person.click(page.getByRole('combobox', { name: 'Merge into' }))
  await page.keyboard.type('at n')
  await page.getByRole('option', { name: 'at night' }).waitFor()
  await page.keyboard.press('Enter')
  await person.click(page.getByRole('button', { name: 'Merge', exact: true }))
  await person.click(page.getByRole('dialog', { name: 'Merge?' }).getByRole('button', { name: 'Merge' }))
  await told(page, '“late” is now “at night”.')
  t.equal(person.clicks, 4)
  await rows(page.locator('.terms .name'), ['at night', 'nightly'])
  t.match((await api.anonymous.get(`/events/${id}`)).body.tags, [{ name: 'at night' }])
  t.same(unexpected(faults), [])
})
