import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the desk' }).getByRole('link', { name, exact: true }).click()

t.test('categories are made, renamed, moved below another and deleted', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'aina', 'author'))
  await part(page, 'Categories')
  const make = async (name: string) => {
    await page.getByLabel('Name').fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'English' }).getByRole('link', { name, exact: true }).waitFor()
    await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  }
  await page.getByRole('link', { name: 'New category' }).click()
  await make('Arts')
  await page.getByRole('link', { name: 'New subcategory of Arts' }).click()
  const above = page.getByRole('list', { name: 'Parent category' })
  await above.getByText('Arts').waitFor()
  await make('Music')
  await page.getByRole('link', { name: 'New category', exact: true }).click()
  // the form of the one before has the same label
  await page.getByRole('heading', { level: 2, name: 'Music', exact: true }).waitFor({ state: 'detached' })
  await make('Jaz')
  await page.getByLabel('Name').fill('Jazz')
  const parent = page.getByRole('combobox', { name: 'Parent category' })
  await parent.fill('mus')
  await page.getByRole('option', { name: 'Music' }).click()
  await above.getByText('Music').waitFor()
  t.same(await findingsOf(page), [], 'axe finds nothing')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.depth-2').getByRole('link', { name: 'Jazz', exact: true }).waitFor()
  const { categories } = (await api.anonymous.get('/categories?hide_empty=false')).body
  const [arts, jazz, music] = categories
  t.match(categories, [
    { name: 'Arts', parent: 0 },
    { name: 'Jazz', parent: music.id },
    { name: 'Music', parent: arts.id },
  ])
  await page.getByRole('link', { name: 'Arts', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'Arts' }).waitFor()
  await parent.fill('mus')
  await page.getByRole('option', { name: 'Nothing found' }).waitFor() // not below one that is below itself

  await must(api.editor.post('/events', { ...EVENT, categories: [music.id] }))
  await page.getByRole('link', { name: 'Music', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'Music' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete permanently?' })
  await dialog.getByText('All events lose “Music”, published or not. Published: 1.').waitFor()
  await dialog.getByText('Subcategories that move up one level: 1.').waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.locator('.depth-1').getByRole('link', { name: 'Jazz', exact: true }).waitFor()
  t.match((await api.anonymous.get(`/categories/${jazz.id}`)).body, { parent: arts.id })
  t.same(unexpected(faults), [])
})

t.test('a tag is merged into another, and its events with it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const late = await must(api.editor.post('/tags', { name: 'late' }))
  const night = await must(api.editor.post('/tags', { name: 'night' }))
  const { id } = await must(api.editor.post('/events', { ...EVENT, tags: ['late'] }))
  const draft = await must(api.editor.post('/events', { ...EVENT, tags: ['late', 'night'], status: 'draft' }))
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.getByRole('button', { name: 'Menu' }).click()
  await part(page, 'Tags')
  // only a name that was there can tell that the search is over
  await page.getByRole('link', { name: 'night', exact: true }).waitFor()
  await page.getByLabel('Search').fill('lat')
  await page.getByRole('link', { name: 'night', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'late', exact: true }).click()
  t.ok(await page.getByRole('button', { name: 'Merge' }).isDisabled())
  await page.getByRole('combobox', { name: 'Merge into' }).pressSequentially('nig')
  await page.getByRole('option', { name: 'night' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Merge', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge?' })
  await dialog
    .getByText('All events with “late” get “night” instead, published or not. Published: 1.')
    .waitFor()
  t.same(await findingsOf(page), [])
  // somebody else uses it meanwhile, and so it is not what was looked at
  await must(api.editor.patch(`/tags/${late.id}`, { description: 'After ten.' }))
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await told(page, 'Somebody else has changed this')
  t.equal((await api.anonymous.get(`/tags/${late.id}`)).status, 200)
  await page.reload()
  await page.getByRole('combobox', { name: 'Merge into' }).pressSequentially('nig')
  await page.getByRole('option', { name: 'night' }).click()
  t.equal(await overflowOf(page), 0)
  await page.getByRole('button', { name: 'Merge', exact: true }).click()
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await told(page, '“late” is now “night”.')
  t.equal((await api.anonymous.get(`/tags/${late.id}`)).status, 404)
  for (const event of [id, draft.id])
    t.match((await api.editor.get(`/events/${event}`)).body.tags, [{ id: night.id }])
  t.same(unexpected(faults, 412), [])
})

t.test('who may not change tags is not offered it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/tags', { name: 'late' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'aina', 'author'))
  await part(page, 'Tags')
  await page.getByRole('list', { name: 'English' }).getByText('late').waitFor()
  t.equal(await page.locator('main .terms').getByRole('link').count(), 0)
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})
