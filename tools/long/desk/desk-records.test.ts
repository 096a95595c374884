import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { focused, rows, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the desk' }).getByRole('link', { name, exact: true }).click()

t.test(
  'a venue gets its coordinates from the link of a map, and is kept, trashed and restored',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
    await part(page, 'Venues')
    await page.getByText('There is nothing here yet.').waitFor()
    await page.getByRole('link', { name: 'New venue' }).click()
    await page.getByLabel('Name').fill('Teatre de la Lluna')
    await page.getByLabel('City').fill('Vic')
    const place = page.getByLabel('Map link')
    await place.fill('https://www.openstreetmap.org/?mlat=41.9301&mlon=2.2549#map=15/41.9/2.2')
    t.equal(await place.inputValue(), '41.9301, 2.2549', 'a link becomes the coordinates in it')
    await page.getByRole('link', { name: 'Is this the place?' }).waitFor()
    await page.getByLabel('Website').fill('lluna')
    t.same(await findingsOf(page), [], 'axe finds nothing in the form')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'look at the fields' }).waitFor()
    t.equal(await page.getByLabel('Website').getAttribute('aria-invalid'), 'true')
    await focused(page.getByLabel('Website'))
    await page.getByLabel('Website').fill('https://lluna.example')
    await page.keyboard.press('Control+s')
    await told(page, 'visible to everyone')
    const { id } = (await api.anonymous.get('/venues')).body.venues[0]
    t.match((await api.anonymous.get(`/venues/${id}`)).body, {
      ...{ venue: 'Teatre de la Lluna', city: 'Vic', website: 'https://lluna.example' },
      ...{ geo_lat: 41.9301, geo_lng: 2.2549 },
    })

    await place.fill('somewhere')
    await page.getByText('There are no coordinates in this text.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    t.match((await api.anonymous.get(`/venues/${id}`)).body, { geo_lat: 41.9301 }, 'nothing is sent')
    await place.fill('')
    await page.reload()
    await page.getByText('Your unsaved changes are here again.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await told(page, 'visible to everyone')
    t.equal((await api.anonymous.get(`/venues/${id}`)).body.geo_lat, undefined, 'and without them')

    await page.getByRole('button', { name: 'Move to trash' }).click()
    await told(page, 'Moved to the trash')
    await page.getByRole('link', { name: 'Trash', exact: true }).click()
    await page.getByRole('link', { name: 'Teatre de la Lluna' }).click()
    await page.getByText('This is in the trash.').waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await told(page, 'visible to everyone')
    t.equal((await api.anonymous.get(`/venues/${id}`)).body.status, 'publish')
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { level: 1, name: 'Teatre de la Lluna' }).waitFor()
    t.same(unexpected(faults, 400), [])
  },
)

t.test('two editors of one organizer lose nothing', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/organizers', { organizer: 'Cor', phone: '1' }))
  for (let at = 1; at <= 54; at++) await api.editor.post('/organizers', { organizer: `Band ${at}` })
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await part(page, 'Organizers')
  await page.getByText('Page 1 of 2').waitFor()
  t.same(await findingsOf(page), [], 'axe finds nothing in the list')
  await page.getByLabel('Search').fill('cor')
  await page.getByText('Band 1', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Cor', exact: true }).click()
  await page.getByLabel('Name').fill('Cor de Cambra')
  await api.editor.patch(`/organizers/${id}`, { organizer: 'Cor Jove', email: 'cor@example.org' })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await dialog.getByText('cor@example.org').waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByRole('button', { name: 'Save this version' }).click()
  await told(page, 'visible to everyone')
  t.match((await api.anonymous.get(`/organizers/${id}`)).body, {
    ...{ organizer: 'Cor de Cambra', email: 'cor@example.org', phone: '1' },
  })
  t.same(unexpected(faults, 412), [])
})

t.test('a contributor writes own venues on a phone, and reads those of others', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await api.editor.post('/venues', { venue: 'Plaça Major', geo_lat: 41.93, geo_lng: 2.25 })
  const who = await addUser(api, 'pau', 'contributor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.getByRole('button', { name: 'Menu' }).click()
  t.equal(await page.getByRole('link', { name: 'Users' }).count(), 0, 'users are not offered')
  await part(page, 'Venues')
  await page.getByRole('link', { name: 'Plaça Major' }).click()
  await page.getByText('This belongs to somebody else.').waitFor()
  t.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
  await page.goto(`${origin}/desk/#/venues/new`)
  await page.getByLabel('Name').fill('Casa de la Música')
  await rows(page.getByRole('combobox', { name: 'Status' }).locator('option'), ['Draft', 'Pending review'])
  t.equal(await page.getByRole('button', { name: 'Choose a file' }).count(), 0, 'nor pictures')
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await page.getByRole('button', { name: 'Save' }).click()
  await told(page, /^Saved[.,]/)
  t.match((await api.editor.get('/venues?status=draft')).body.venues, [{ venue: 'Casa de la Música' }])
  t.same(unexpected(faults), [])
})
