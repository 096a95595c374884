import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('a venue is translated beside its original, and the languages that it has are shown', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(
    api.editor.post('/venues', {
      ...{
        venue: 'Main Square',
        city: 'Gerona',
        country: 'Spain',
        phone: '1',
        geo_lat: 41.98,
        geo_lng: 2.82,
      },
      description: '<p>Below the arcades.</p>',
    }),
  )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/venues/${id}`)
  await page.getByRole('link', { name: 'Translate into Català' }).click()
  await page.getByRole('region', { name: 'English' }).getByText('Below the arcades.').waitFor()
  t.equal(
    await page.getByLabel('City').inputValue(),
    'Gerona',
    'what has a name in each language can be changed',
  )
  await page.getByLabel('Name').fill('Plaça Major')
  await page.getByLabel('City').fill('Girona')
  await page.getByRole('textbox', { name: 'Description', exact: true }).click()
  await page.keyboard.type('Sota els porxos.')
  t.same(await findingsOf(page), [])
  await page.reload()
  await page.getByText('Your unsaved changes are here again.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await told(page, 'visible to everyone')
  await page.getByRole('heading', { level: 1, name: 'Plaça Major' }).waitFor()
  const { translations } = (await api.anonymous.get(`/venues/${id}`)).body
  t.match((await api.anonymous.get(`/venues/${translations.ca}`)).body, {
    ...{ venue: 'Plaça Major', city: 'Girona', country: 'Spain', language: 'ca', phone: '1' },
    ...{ description: '<p>Sota els porxos.</p>', geo_lat: 41.98, translations: { en: id } },
  })
  // strict: more than one of a name is refused
  await page.getByRole('link', { name: 'English: edit' }).waitFor()
  await page.getByRole('link', { name: 'Translate into Español' }).waitFor()

  // the number of the original changes, and the translation takes it over when it is asked to
  await must(api.editor.patch(`/venues/${id}`, { phone: '2', city: 'Girona' }))
  await page.goto(`${origin}/desk/#/venues/${id}`)
  await page.getByRole('link', { name: 'Català: edit' }).click()
  await page.getByRole('button', { name: 'Copy everything else' }).click()
  const unsaved = page.getByText('Not saved')
  await unsaved.waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await unsaved.waitFor({ state: 'detached' })
  t.match((await api.anonymous.get(`/venues/${translations.ca}`)).body, { venue: 'Plaça Major', phone: '2' })
  await page.getByRole('link', { name: 'Back to the original' }).click()
  await page.getByRole('heading', { level: 1, name: 'Main Square' }).waitFor()
  t.same(unexpected(faults), [])
})

t.test('two who translate one organizer lose nothing, and a contributor reads it only', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/organizers', { organizer: 'Choir', email: 'a@example.org' }))
  const ca = { organizer: 'Cor', i18n_language: 'ca', translation_of: id }
  const cor = await must(api.editor.post('/organizers', ca))
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.goto(`${origin}/desk/#/translate/organizers/${id}/ca`)
  await page.getByLabel('Name').fill('Cor de Cambra')
  await must(api.editor.patch(`/organizers/${cor.id}`, { organizer: 'Cor Jove', phone: '5' }))
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await dialog.getByText('Cor Jove').waitFor()
  await dialog.getByRole('button', { name: 'Save this version' }).click()
  await told(page, 'visible to everyone')
  t.match((await api.anonymous.get(`/organizers/${cor.id}`)).body, { organizer: 'Cor de Cambra', phone: '5' })
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  t.same(unexpected(faults, 412), [])

  const pau = await openDesk(t, browser, origin, await addUser(api, 'pau', 'contributor'))
  await pau.page.goto(`${origin}/desk/#/organizers/${id}`)
  await pau.page.getByRole('link', { name: 'Català: edit' }).click()
  await pau.page.getByText('This belongs to somebody else.').waitFor()
  t.ok(await pau.page.getByLabel('Name').isDisabled())
  await pau.page.goto(`${origin}/desk/#/organizers/${id}`)
  await pau.page.getByRole('heading', { level: 1, name: 'Choir' }).waitFor()
  t.equal(await pau.page.getByRole('link', { name: 'Translate into' }).count(), 0)
  t.same(unexpected(pau.faults), [])
})

t.test('a category is translated below the translation of its parent, and a tag as well', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const arts = await must(api.editor.post('/categories', { name: 'Arts' }))
  const arti = { name: 'Arts vives', i18n_language: 'ca', translation_of: arts.id }
  const { id: above } = await must(api.editor.post('/categories', arti))
  const music = await must(
    api.editor.post('/categories', { name: 'Music', description: 'Played live.', parent: arts.id }),
  )
  const late = await must(api.editor.post('/tags', { name: 'late' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/categories/${music.id}`)
  await page.getByRole('link', { name: 'Translate into Català', exact: true }).click()
  await page.getByText('Played live.').waitFor()
  await page.getByLabel('Name').fill('Música')
  t.same(await findingsOf(page), [])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 2, name: 'Música' }).waitFor()
  const ids = (await api.anonymous.get(`/categories/${music.id}`)).body.translations
  t.match((await api.anonymous.get(`/categories/${ids.ca}`)).body, { name: 'Música', parent: above })
  await page.goto(`${origin}/desk/#/tags/${late.id}`)
  const translate = page.getByRole('link', { name: 'Translate into Español', exact: true })
  await translate.click()
  await translate.waitFor({ state: 'detached' }) // the form of the tag has the same label
  await page.getByLabel('Name').fill('tarde')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'English: edit', exact: true }).waitFor()
  t.match((await api.anonymous.get(`/tags/${late.id}`)).body.translations, { es: Number })
  await page.goto(`${origin}/desk/#/translate/tags/${late.id}/xx`)
  await page.getByText('There is nothing here').waitFor()
  t.same(unexpected(faults), [])
})
