import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { draw } from '../../../test/support/pictures.ts'
import { submissionsOf } from '../../../test/support/submissions.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { DESK, findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

async function fillIn(page: Page, title: string) {
  await page.getByLabel('Title *').fill(title)
  await page.getByLabel('First day *').fill('2026-12-05')
  await page.getByLabel('Begins at').fill('18:00')
  await page.getByLabel('Ends at').fill('20:00')
  await page.getByLabel('Venue').fill('Old mill')
  await page.getByLabel('Town').fill('Vic')
  await page.getByRole('textbox', { name: 'Description' }).fill('Bring a lantern.')
  await page.getByLabel('Your name *').fill('Anna Puig')
  await page.getByLabel('Your email address *').fill('anna@people.example')
}

t.test('visitors propose events without script and with it, and an editor decides', async (t) => {
  const { api, origin } = await serveEmpty(t, { SUBMISSIONS: 'on' })
  await must(api.editor.post('/categories', { name: 'Outdoors' }))
  const form = `${origin}/events/submit/`
  const plain = await open(t, browser, origin, { javaScriptEnabled: false, viewport: PHONE, locale: 'en-GB' })
  for (const title of ['Lantern walk', 'Chess by the river']) {
    await plain.page.goto(`${origin}/events/`)
    await plain.page.getByRole('link', { name: 'Propose an event' }).click()
    await fillIn(plain.page, title)
    api.clock.now += 5_000
    await plain.page.getByRole('button', { name: 'Send' }).click()
    await plain.page.getByText('Thank you! Your event has arrived.').waitFor()
  }
  t.equal((await submissionsOf(api)).length, 2)

  // no more are taken from this address without a proof of work
  const { page, faults } = await open(t, browser, origin, { viewport: DESK, locale: 'en-GB' })
  await page.goto(form)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.same(await findingsOf(page), [], colorScheme)
  }
  await page.setViewportSize(PHONE)
  t.equal(await overflowOf(page), 0)
  await fillIn(page, 'Walk with lanterns')
  await page.getByLabel('Category').selectOption('Outdoors')
  const picture = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await draw(60, 40, 'jpeg') }
  await page.getByLabel('Picture').setInputFiles(picture)
  api.clock.now += 5_000
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Thank you! Your event has arrived.').waitFor()
  t.same(await findingsOf(page), [])
  const address = page.url()

  const who = await addUser(api, 'marta', 'editor')
  const desk = await openDesk(t, browser, origin, who)
  await desk.page.getByRole('link', { name: 'Submissions 3 waiting' }).click()
  await desk.page.getByRole('heading', { level: 1, name: 'Submissions' }).waitFor()
  const one = desk.page
    .getByRole('listitem')
    .filter({ has: desk.page.getByRole('heading', { name: 'Walk with lanterns' }) })
  await one.getByText('Old mill, Vic').waitFor()
  await one.getByText('Perhaps the same:').waitFor()
  await one.getByRole('link', { name: 'Lantern walk' }).waitFor()
  t.same(await findingsOf(desk.page), [])
  await one.getByRole('button', { name: 'Preview of “Walk with lanterns”' }).click()
  await desk.page
    .frameLocator('iframe')
    .getByRole('heading', { level: 1, name: 'Walk with lanterns' })
    .waitFor()
  await desk.page.frameLocator('iframe').getByRole('link', { name: 'Old mill' }).waitFor()
  await desk.page.keyboard.press('Escape')
  await one.getByRole('button', { name: 'Ask a question about “Walk with lanterns”' }).click()
  const dialog = desk.page.getByRole('dialog')
  t.ok(await dialog.getByRole('button', { name: 'Ask a question' }).isDisabled())
  await dialog.getByLabel('Message').fill('Where do we meet?')
  await dialog.getByRole('button', { name: 'Ask a question' }).click()
  await told(desk.page, '“Walk with lanterns”: Waiting for an answer')
  await desk.page.getByRole('link', { name: 'Submissions 2 waiting' }).waitFor()

  await page.goto(address)
  await page.getByText('Where do we meet?').waitFor()
  await page.getByRole('textbox', { name: 'Description' }).fill('We meet at the bridge.')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Your event is waiting for the editors.').waitFor()

  await desk.page.setViewportSize(PHONE)
  await desk.page.reload()
  await one.getByRole('img', { name: 'Picture of the event' }).waitFor()
  await one.getByText('We meet at the bridge.').waitFor()
  await one.getByText('You asked: Where do we meet?').waitFor()
  await one.getByText(/^Corrected .*: Description\./).waitFor()
  t.equal(await overflowOf(desk.page), 0)
  await desk.page.getByRole('button', { name: 'Accept with a message: “Walk with lanterns”' }).click()
  await dialog.getByLabel('Message').fill('Thank you.')
  await dialog.getByRole('button', { name: 'Accept' }).click()
  await told(desk.page, '“Walk with lanterns”: Accepted')
  await desk.page.getByRole('button', { name: 'Refuse “Lantern walk”' }).click()
  await dialog.getByRole('button', { name: 'Refuse' }).click()
  await told(desk.page, '“Lantern walk”: Refused')
  await desk.page.getByLabel('Show', { exact: true }).selectOption('refused')
  await desk.page.getByRole('heading', { name: 'Lantern walk' }).waitFor()
  await desk.page.getByRole('heading', { name: 'Chess by the river' }).waitFor({ state: 'detached' })
  t.same(await findingsOf(desk.page), [])

  await page.reload()
  await page.getByRole('link', { name: 'To the event' }).click()
  await page.getByRole('heading', { level: 1, name: 'Walk with lanterns' }).waitFor()
  await page.getByText('We meet at the bridge.').waitFor()
  await desk.page.getByLabel('Show', { exact: true }).selectOption('waiting')
  const accept = desk.page.getByRole('button', { name: 'Accept “Chess by the river”', exact: true })
  await accept.waitFor()
  const [chess] = await submissionsOf(api, '&state=waiting')
  api.clock.now += 5_000
  await must(api.editor.patch(`/events/${chess.event}`, { title: 'Buy this by the river' }))
  await accept.click()
  await told(desk.page, 'The event was changed since you looked at it')
  await desk.page.getByRole('button', { name: 'Ask a question about “Buy this by the river”' }).waitFor()

  await api.app.store.submissions.forget(0)
  await desk.page.reload()
  await desk.page.getByText('no longer known').waitFor()
  t.equal(await desk.page.getByRole('button', { name: /^Ask a question/ }).count(), 0)
  t.same(await findingsOf(desk.page), [])
  await desk.page.getByRole('button', { name: 'Accept “Buy this by the river”', exact: true }).click()
  await told(desk.page, '“Buy this by the river”: Accepted')
  t.same([...faults, ...unexpected(desk.faults, 409)], [])
})
