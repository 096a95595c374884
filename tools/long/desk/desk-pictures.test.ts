import { eq } from 'drizzle-orm'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { media } from '../../../drizzle/tables.ts'
import { must } from '../../../test/support/answers.ts'
import { type Api, basicAuth } from '../../../test/support/app.ts'
import { EVENT } from '../../../test/support/given.ts'
import { draw, raw } from '../../../test/support/pictures.ts'
import { addUser, type Login, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { holdBack, told, valued } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const HOSTILE = '1 < 2 "onload="alert(1)" \' &amp;'

/** Uploads a picture as a user of the desk. */
const upload = async ({ anonymous }: Api, { login, password }: Login): Promise<number> => {
  const { headers } = raw('stage.png')
  const authorization = basicAuth(login, password)
  const file = await draw(400, 300)
  return (await must(anonymous.post('/media', file, { headers: { ...headers, authorization } }))).id
}
const textsOf = async ({ editor }: Api, id: number) =>
  (await editor.get(`/media/${id}`)).body.alt_texts as Record<string, string>

t.test('a picture is described in every language of the site', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const aina = await addUser(api, 'aina', 'author')
  const id = await upload(api, aina)
  const { page, faults } = await openDesk(t, browser, origin, aina)
  const show = async () => {
    await page.goto(`${origin}/desk/#/pictures`)
    await page.getByRole('button', { name: `Picture ${id}` }).click()
    const dialog = page.getByRole('dialog', { name: `Picture ${id}` })
    await dialog.getByLabel('English').waitFor()
    return dialog
  }
  const dialog = await show()
  const save = dialog.getByRole('button', { name: 'Save' })
  t.ok(await save.isDisabled(), 'there is nothing to save')
  await dialog.getByLabel('English').fill(HOSTILE)
  await dialog.getByLabel('Català').fill('x'.repeat(1001))
  t.same(await findingsOf(page), [])
  await save.click()
  await dialog.getByText('At most 1000 characters.').waitFor()
  t.equal(await dialog.getByLabel('Català').getAttribute('aria-invalid'), 'true')
  t.equal(
    await dialog.getByLabel('English').getAttribute('aria-invalid'),
    null,
    'only what is wrong is marked',
  )
  t.same(await textsOf(api, id), {}, 'nothing is stored')
  await page.reload()
  await show()
  await page.getByText('Your unsaved changes are here again.').waitFor()
  t.equal(await dialog.getByLabel('English').inputValue(), HOSTILE, 'a reload loses nothing')
  await dialog.getByLabel('Català').fill('Un grup')
  await save.click()
  await told(page, /^Saved[.,]/)
  const stored = HOSTILE.replace('&amp;', '&')
  t.same(await textsOf(api, id), { en: stored, ca: 'Un grup' })
  await valued(dialog.getByLabel('English'), stored)
  t.same(unexpected(faults, 400), [])

  await must(api.editor.patch(`/media/${id}`, { alt_texts: { ca: 'Una colla', es: 'Un grupo' } }))
  await dialog.getByLabel('Català').fill('Uns músics')
  await save.click()
  const clash = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await clash.getByText('Alternative text in Català').waitFor()
  await clash.getByText('Una colla').waitFor()
  await clash.getByText('Alternative text in Español').waitFor()
  t.same(await findingsOf(page), [])
  await clash.getByRole('button', { name: 'Save this version' }).click()
  await dialog.getByText('Not saved').waitFor({ state: 'detached' })
  t.same(await textsOf(api, id), { en: stored, ca: 'Uns músics', es: 'Un grupo' })
  t.same(unexpected(faults, 412), [])
})

t.test('who may not change a picture reads its texts', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const id = await upload(api, await addUser(api, 'aina', 'author'))
  const bare = await upload(api, await addUser(api, 'marta', 'editor'))
  for (const image of [id, bare]) await must(api.editor.post('/events', { ...EVENT, image })) // so everybody sees them
  // what the API would not take, as if it had
  const en = '<img src=x onerror="document.title=1"></dd></textarea>'
  await api.app.store.db.write(async (tx) =>
    tx
      .update(media)
      .set({ alt_texts: { en, ca: 'Un grup' } })
      .where(eq(media.id, id)),
  )
  const other = await addUser(api, 'pau', 'author')
  const { page, faults } = await openDesk(t, browser, origin, other, { viewport: PHONE })
  await page.goto(`${origin}/desk/#/pictures`)
  await page.getByRole('button', { name: `Picture ${id}` }).click()
  const dialog = page.getByRole('dialog', { name: `Picture ${id}` })
  await dialog.getByText(en).waitFor()
  t.equal(await dialog.getByText('Un grup').getAttribute('lang'), 'ca')
  t.equal(await dialog.getByRole('textbox').count(), 0)
  t.equal(await dialog.getByRole('button', { name: /Save|Delete/ }).count(), 0)
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Picture ${bare}` }).click()
  await page.getByText('This picture has no alternative text.').waitFor()
  t.same(unexpected(faults), [])
})

t.test('the text of a picture is written in the form of an event, and saved with it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const marta = await addUser(api, 'marta', 'editor')
  const id = await upload(api, marta)
  const { page, faults } = await openDesk(t, browser, origin, marta)
  await page.goto(`${origin}/desk/#/events/new?day=2026-12-05`)
  await page.getByLabel('Title').fill('Evensong')
  await page.getByRole('button', { name: 'Choose from the library' }).click()
  await page.getByRole('button', { name: `Picture ${id}` }).click()
  const text = page.getByLabel('Alternative text')
  await text.fill('x'.repeat(1001))
  t.same(await findingsOf(page), [])
  const publish = page.getByRole('button', { name: 'Publish', exact: true })
  await publish.click()
  await page.getByText('At most 1000 characters.').waitFor()
  t.equal((await api.editor.get('/events?status=any&when=all')).body.total, 0, 'the event waits for its text')
  await text.fill('A choir')
  await publish.click()
  await page.getByRole('heading', { level: 1, name: 'Evensong' }).waitFor()
  t.same(await textsOf(api, id), { en: 'A choir' })
  const [event] = (await api.anonymous.get('/events?when=all')).body.events
  t.match((await page.request.get(`${origin}${new URL(event.url).pathname}`)).status(), 200)
  t.match(await (await page.request.get(`${origin}${new URL(event.url).pathname}`)).text(), 'alt="A choir"')
  t.same(unexpected(faults, 400), [])

  await text.fill('A choir that sings')
  await must(api.editor.patch(`/media/${id}`, { alt_texts: { en: 'Singers' } }))
  await page.getByLabel('Title').fill('Evensong & talk')
  await page.keyboard.press('Control+s')
  const clash = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await clash.getByText('Singers').waitFor()
  t.equal((await api.anonymous.get(`/events/${event.id}`)).body.title, 'Evensong')
  await clash.getByRole('button', { name: 'Save this version' }).click()
  await told(page, 'The alternative text has been saved.')
  await page.keyboard.press('Control+s')
  await told(page, 'visible to everyone')
  t.same(await textsOf(api, id), { en: 'A choir that sings' })
  t.equal((await api.anonymous.get(`/events/${event.id}`)).body.title, 'Evensong & talk')
  t.same(unexpected(faults, 412), [])
})

t.test('a venue has the text of its picture in its own language', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const marta = await addUser(api, 'marta', 'editor')
  const id = await upload(api, marta)
  await must(api.editor.patch(`/media/${id}`, { alt_texts: { en: 'A theatre', ca: 'Un teatre' } }))
  const image = String(id)
  const venue = await must(api.editor.post('/venues', { venue: 'Teatre', image, i18n_language: 'ca' }))
  await must(api.editor.post('/events', { ...EVENT, image }))
  const { page, faults } = await openDesk(t, browser, origin, marta)
  await page.goto(`${origin}/desk/#/venues/${venue.id}`)
  const text = page.getByLabel('Alternative text')
  await valued(text, 'Un teatre')
  await text.fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await told(page, 'visible to everyone')
  t.same(await textsOf(api, id), { en: 'A theatre' }, 'an empty text removes it')
  t.same(unexpected(faults), [])

  const pau = await openDesk(t, browser, origin, await addUser(api, 'pau', 'contributor'))
  await pau.page.goto(`${origin}/desk/#/venues/${venue.id}`)
  await pau.page.getByText('This picture has no alternative text.').waitFor()
  t.equal(await pau.page.getByLabel('Alternative text').count(), 0)
})

t.test('a picture of the library stands in a description, with what it shows', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const marta = await addUser(api, 'marta', 'editor')
  const id = await upload(api, marta)
  await must(api.editor.patch(`/media/${id}`, { alt_texts: { en: 'A stage' } }))
  const { url } = await must(api.editor.get(`/media/${id}`))
  const event = await must(api.editor.post('/events', { ...EVENT, description: 'Before it.' }))
  const { page, faults } = await openDesk(t, browser, origin, marta)
  await page.goto(`${origin}/desk/#/events/${event.id}`)
  const text = page.getByRole('textbox', { name: 'Description', exact: true })
  const tool = page.getByRole('toolbar').getByRole('button', { name: 'Picture' })
  const shown = text.getByRole('img')
  const stored = async () => (await must(api.editor.get(`/events/${event.id}`))).description
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await told(page, /^Saved[.,]/)
  }
  await text.click()
  await page.keyboard.press('Control+End')
  await tool.click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Picture ${id}` })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Picture in the text' })
  await valued(dialog.getByLabel('Alternative text'), 'A stage')
  t.same(await findingsOf(page), [])
  await dialog.getByRole('button', { name: 'Insert the picture' }).click()
  await shown.waitFor()
  await save()
  const element = (alt: string) => `<img src="${url}" alt="${alt}" width="400" height="300" />`
  t.equal(await stored(), `<p>Before it.${element('A stage')}</p>`)
  await shown.click()
  await tool.click()
  await dialog.getByLabel('Alternative text').fill('An "empty" stage')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await save()
  t.equal(await stored(), `<p>Before it.${element('An &quot;empty&quot; stage')}</p>`)
  await page.goto(`${origin}/desk/#/pictures`)
  await page.getByRole('button', { name: `Picture ${id}` }).click()
  const uses = page.getByRole('region', { name: 'Used in' })
  await uses.getByText('Event, in its text').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Records that show it: 1.').waitFor()
  const { text: html } = await api.anonymous.send({ method: 'GET', url: `/event/${event.slug}/` })
  t.match(
    html,
    `<img loading="lazy" src="${url}" alt="An &quot;empty&quot; stage" width="400" height="300" />`,
  )
  t.same(unexpected(faults), [])
})

t.test(
  'the focal point of a picture is set by a click in the library, and with the keyboard in a form',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const marta = await addUser(api, 'marta', 'editor')
    const id = await upload(api, marta)
    const stored = async () => (await must(api.editor.get(`/media/${id}`))).focal_point
    const { page, faults } = await openDesk(t, browser, origin, marta, { viewport: PHONE })
    const { letGo } = await holdBack(page, `${origin}/media/**`)
    await page.goto(`${origin}/desk/#/pictures`)
    await page.getByRole('button', { name: `Picture ${id}` }).click()
    const dialog = page.getByRole('dialog', { name: `Picture ${id}` })
    const mark = dialog.getByRole('slider', { name: 'Focal point' })
    await mark.waitFor()
    t.equal(await mark.getAttribute('aria-valuetext'), '50 %, 50 %')
    const picture = dialog.getByRole('img', { name: `Picture ${id}` })
    const { x, y, width, height } = (await picture.boundingBox())!
    await picture.click({ position: { x: width / 4, y: height * 0.8 } })
    t.equal(await mark.getAttribute('aria-valuetext'), '25 %, 80 %', 'also before the picture has come')
    letGo()
    await picture.evaluate('(image) => image.decode()')
    t.same(await picture.boundingBox(), { x, y, width, height }, 'nothing moves when it comes')
    t.same(await findingsOf(page), [])
    t.equal(await overflowOf(page), 0)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await told(page, /^Saved[.,]/)
    t.same(await stored(), { x: 0.25, y: 0.8 })
    t.same(await textsOf(api, id), {})

    const event = await must(api.editor.post('/events', { ...EVENT, image: String(id) }))
    await page.goto(`${origin}/desk/#/events/${event.id}`)
    const field = page.getByRole('region', { name: 'Picture' }).getByRole('slider', { name: 'Focal point' })
    await field.focus()
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'ArrowRight'])
      await page.keyboard.press(key)
    t.equal(await field.getAttribute('aria-valuetext'), '20 %, 85 %')
    t.same(await findingsOf(page), [])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await told(page, /^Saved[.,]/)
    t.same(await stored(), { x: 0.2, y: 0.85 })
    const { text } = await api.anonymous.send({ method: 'GET', url: `/event/${event.slug}/` })
    t.match(text, '<img class="at x20 y90"')
    const cover = await browser.newPage()
    t.teardown(() => cover.close())
    await cover.goto(`${origin}/event/${event.slug}/`)
    const shown = cover.locator('main img.at')
    await shown.waitFor()
    const position = await cover.evaluate(
      "getComputedStyle(document.querySelector('main img.at')).objectPosition",
    )
    t.equal(position, '20% 90%')
    t.same(unexpected(faults), [])
  },
)
