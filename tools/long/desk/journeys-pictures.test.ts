import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import type { Api } from '../../../test/support/app.ts'
import { EVENT } from '../../../test/support/given.ts'
import { draw, raw } from '../../../test/support/pictures.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const upload = async ({ editor }: Api, name = 'stage.png', alt_texts = {}): Promise<number> => {
  const { id } = await must(editor.post('/media', await draw(400, 300), raw(name)))
  await must(editor.patch(`/media/${id}`, { alt_texts }))
  return id
}

t.test('the picture of an event is cropped in its form, and the whole one comes back', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const whole = await upload(api, 'stage.png', { en: 'A band' })
  const { id } = await must(api.editor.post('/events', { ...EVENT, image: whole }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  const person = counting()
  const picture = page.getByRole('region', { name: 'Picture', exact: true })
  const dialog = page.getByRole('dialog', { name: 'Crop the picture' })
  await person.click(picture.getByRole('button', { name: 'Crop…' }))
  t.ok(await dialog.getByRole('button', { name: 'Crop', exact: true }).isDisabled(), 'it is whole')
  await person.click(dialog.getByRole('button', { name: '16:9' }))
  await dialog.getByText('400 × 225 pixels.').waitFor()
  t.same(await findingsOf(page), [])
  await person.click(dialog.getByRole('button', { name: 'Crop', exact: true }))
  await told(page, 'The picture is cropped.')
  t.equal(person.clicks, 3)
  await page.keyboard.press('Control+s')
  await told(page, /^Saved[.,]/)
  const { image } = (await api.anonymous.get(`/events/${id}`)).body
  t.match(image, { width: 400, height: 225 })
  t.not(image.id, whole)
  t.match((await api.editor.get(`/media/${image.id}`)).body, { alt_texts: { en: 'A band' } })
  t.match((await api.editor.get(`/media/${whole}`)).body, { width: 400, height: 300 })

  // by the pointer and by keys, turned, and taken back
  await picture.getByRole('button', { name: 'Crop…' }).click()
  await dialog.getByRole('button', { name: 'Turn' }).click()
  await dialog.getByText('225 × 400 pixels.').waitFor()
  const corner = dialog.getByRole('slider', { name: 'Lower right corner' })
  const { height } = (await dialog.locator('.stage').boundingBox())!
  const from = (await corner.boundingBox())!
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2 - height / 2, { steps: 4 })
  await page.mouse.up()
  await dialog.getByText('225 × 200 pixels.').waitFor()
  await dialog.getByRole('slider', { name: 'Frame' }).press('ArrowDown')
  t.equal(await dialog.getByRole('slider', { name: 'Frame' }).getAttribute('aria-valuetext'), '0 %, 5 %')
  await corner.press('Shift+ArrowLeft')
  await corner.press('ArrowUp')
  await dialog.getByText('224 × 180 pixels.').waitFor()
  await dialog.getByRole('button', { name: 'Crop', exact: true }).click()
  await told(page, 'The picture is cropped.')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Not saved').waitFor({ state: 'detached' })
  t.same(unexpected(faults), [])
})

t.test('pictures are searched, and those without a text are filled one after the other', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const [first, second] = [await upload(api, 'choir.png'), await upload(api, 'stage.png')]
  await upload(api, 'map.png', { en: 'A map', ca: 'Un mapa', es: 'Un mapa' })
  await must(api.editor.post('/events', { ...EVENT, title: 'Evensong', image: first }))
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.goto(`${origin}/desk/#/pictures`)
  const shown = page.locator('.gallery li')
  await counted(shown, 3)
  await page.getByLabel('Search').fill('evensong')
  await counted(shown, 1)
  await page.getByLabel('Search').fill('mapa')
  await page.getByRole('button', { name: ': A map' }).waitFor()
  await counted(shown, 1)
  await page.getByLabel('Search').fill('')
  const person = counting()
  await person.click(page.getByRole('link', { name: 'Without alternative text 2' }))
  await counted(shown, 2)
  t.equal(await overflowOf(page), 0)
  t.same(await findingsOf(page), [])
  await person.click(page.getByRole('button', { name: `Picture ${second}` }))
  for (const [id, text] of [
    [second, 'A stage'],
    [first, 'A choir'],
  ] as const) {
    const dialog = page.getByRole('dialog', { name: `Picture ${id}` })
    await dialog.locator('textarea:focus').waitFor() // one writes at once
    for (const language of ['English', 'Català', 'Español']) await dialog.getByLabel(language).fill(text)
    await person.click(dialog.getByRole('button', { name: 'Save and next' }))
  }
  await page.getByText('Every picture has an alternative text in every language.').waitFor()
  t.equal(person.clicks, 4)
  t.match((await api.editor.get(`/media/${first}`)).body, { alt_texts: { en: 'A choir', es: 'A choir' } })
  t.equal((await api.editor.get('/media?without_alt_text=en,ca,es')).body.total, 0)
  t.same(unexpected(faults), [])
})

t.test('a part of a picture of the library is a picture of its own', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const whole = await upload(api)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/pictures`)
  await page.getByRole('button', { name: `Picture ${whole}` }).click()
  await page.getByRole('button', { name: 'Crop…' }).click()
  await page.getByRole('button', { name: '1:1' }).click()
  await page.getByRole('button', { name: 'Crop', exact: true }).click()
  await page
    .getByRole('dialog', { name: `Picture ${whole + 1}` })
    .getByText('300 × 300')
    .waitFor()
  t.same(await findingsOf(page), [])
  await page.keyboard.press('Escape')
  await counted(page.locator('.gallery li'), 2)
  t.same(unexpected(faults), [])
})
