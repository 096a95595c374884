import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT, ROOT } from '../../../test/support/given.ts'
import { draw } from '../../../test/support/pictures.ts'
import { addUser, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { holdBack, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the desk' }).getByRole('link', { name, exact: true }).click()

t.test('an administrator adds a user, who signs in, and ends the access again', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await part(page, 'Users')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const adding = page.getByRole('dialog', { name: 'Invite somebody' })
  await adding.getByLabel('Login').fill('boss')
  await adding.getByRole('button', { name: 'Make the invitation' }).click()
  await adding.getByText('There is a user of this name already.').waitFor()
  await adding.getByLabel('Login').fill('berta')
  await adding.getByLabel('Role').selectOption('contributor')
  await adding.getByLabel('How will they sign in?').selectOption('secret')
  t.same(await findingsOf(page), [])
  await adding.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'A new password' })
  const password = await shown.locator('code').innerText()
  t.same(await findingsOf(page), [])
  await shown.getByRole('button', { name: 'I have written it down' }).click()
  await shown.waitFor({ state: 'detached' })
  t.notOk((await page.content()).includes(password), 'it is shown once')

  const hers = await openDesk(t, browser, origin, { login: 'berta', password }, { viewport: PHONE })
  await hers.page.getByRole('button', { name: 'Menu' }).click()
  await hers.page.getByRole('link', { name: 'berta, contributor' }).click()
  await hers.page.getByLabel('What is it for?').fill('phone')
  await hers.page.getByRole('button', { name: 'Create a password' }).click()
  const own = hers.page.getByRole('dialog', { name: 'A new password' })
  await own.getByText('shown only this once').waitFor()
  await own.getByRole('button', { name: 'I have written it down' }).click()
  await hers.page.getByRole('button', { name: 'Revoke phone' }).click()
  await hers.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await told(hers.page, 'Revoked')
  t.same(await findingsOf(hers.page), [])
  t.equal(await overflowOf(hers.page), 0)

  await page.getByRole('link', { name: 'berta', exact: true }).click()
  await page.getByRole('combobox', { name: 'Role' }).selectOption('author')
  await told(page, /^Saved[.,]/)
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'End the session “first”' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  await told(page, 'The session has ended.')
  await hers.page.reload()
  await hers.page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await typeLogin(hers.page, { login: 'berta', password })
  await hers.page.getByText('You are signed in as berta, author.').waitFor()

  await page.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await page.locator('.badge').filter({ hasText: 'disabled' }).waitFor()
  await page.getByRole('region', { name: 'Sessions' }).getByText('There are none.').waitFor()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByRole('button', { name: 'Disable' }).waitFor()
  await page.getByRole('button', { name: 'Delete user' }).click()
  const asked = page.getByRole('dialog', { name: 'Delete berta?' })
  await asked.getByLabel('New owner').selectOption({ label: 'boss' })
  t.same(await findingsOf(page), [])
  await asked.getByRole('button', { name: 'Delete' }).click()
  await told(page, 'berta was deleted.')
  await page.getByRole('link', { name: 'boss', exact: true }).waitFor()
  await page.getByRole('link', { name: 'berta', exact: true }).waitFor({ state: 'detached' })
  t.same(unexpected(faults, 400), [])
  t.same(unexpected(hers.faults, 401), [])
})

t.test('the last administrator stays one', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'boss', 'administrator')
  const { page, faults } = await openDesk(t, browser, origin, who)
  await api.app.store.users.update(api.credentials.administrator.id, { disabled: true })
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await page.getByRole('link', { name: 'boss', exact: true }).click()
  await page.getByText('This is you.').waitFor()
  await page.getByRole('combobox', { name: 'Role' }).selectOption('editor')
  await page.getByRole('alert').filter({ hasText: 'The last administrator has to stay one.' }).waitFor()
  t.same(unexpected(faults, 400), [])
})

t.test('what others change appears while one looks, and leads there', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', { ...EVENT, title: 'Jam session' }))
  await must(api.editor.post('/tags', { name: 'late' }))
  api.clock.now += 3 * 60_000
  await must(api.editor.post('/venues', { venue: 'Plaça Major' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.clock.setFixedTime(api.clock.now)
  const listening = page.waitForRequest((request) => request.url().endsWith(`${ROOT}/changes`))
  await part(page, 'Changes')
  const rows = page.getByRole('list', { name: 'Changes' }).getByRole('listitem')
  await rows.first().filter({ hasText: 'Plaça Major' }).waitFor()
  await rows.nth(1).filter({ hasText: 'Jam session' }).filter({ hasText: '3 minutes ago' }).waitFor()
  await rows.nth(2).filter({ hasText: 'late' }).waitFor()
  t.same(await findingsOf(page), [])
  await (await listening).response()
  await must(api.editor.patch(`/events/${id}`, { title: 'Late jam session' }))
  const first = rows.first().filter({ hasText: 'just now' })
  await first.getByRole('link', { name: 'Late jam session' }).waitFor()
  t.same(await findingsOf(page), [])
  await must(api.editor.delete(`/events/${id}?force=true`))
  await rows.first().filter({ hasText: 'Late jam session' }).filter({ hasText: 'gone' }).waitFor()
  await page.getByLabel('Kind').selectOption('venue')
  await page.getByText('Late jam session').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Plaça Major' }).click()
  await page.getByRole('heading', { level: 1, name: 'Plaça Major' }).waitFor()
  t.same(unexpected(faults), [])
})

t.test('pictures are dropped, looked at and deleted', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const aina = await addUser(api, 'aina', 'author')
  const { page, context, faults } = await openDesk(t, browser, origin, aina)
  await part(page, 'Pictures')
  await page.getByText('There are no pictures yet.').waitFor()
  const bytes = [...(await draw(800, 600, 'png'))]
  await page.evaluate(`{
    const dataTransfer = new DataTransfer()
    for (const name of ['one.png', 'two.png'])
      dataTransfer.items.add(new File([new Uint8Array([${bytes}])], name, { type: 'image/png' }))
    dataTransfer.items.add(new File(['no picture'], 'three.png', { type: 'image/png' }))
    for (const name of ['dragover', 'drop'])
      document.querySelector('.drop').dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }))
  }`)
  await told(page, 'Uploaded: 2')
  await page.getByRole('alert').filter({ hasText: 'three.png' }).waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Picture 2' }).click()
  const dialog = page.getByRole('dialog', { name: 'Picture 2' })
  await dialog.getByText('800 × 600 pixels').waitFor()
  t.same(await findingsOf(page), [])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog', { name: 'Delete permanently?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await page.getByRole('button', { name: 'Picture 2' }).waitFor({ state: 'detached' })
  const { media } = await must(api.editor.get('/media'))
  t.equal(media.length, 1)
  t.same(unexpected(faults, 400), [])

  // a picture that was copied elsewhere is pasted into the form of an event
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.write([
    new ClipboardItem({ 'image/png': new Blob([new Uint8Array([${bytes}])], { type: 'image/png' }) }),
  ])`)
  await page.goto(`${origin}/desk/#/events/new`)
  await page.getByLabel('Title').click()
  const uploaded = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/media'),
  )
  await page.keyboard.press('Control+v')
  t.equal((await uploaded).status(), 201)
  await page.getByRole('region', { name: 'Picture' }).getByRole('img').waitFor()
  t.equal((await must(api.editor.get('/media'))).total, 2)
  t.same(unexpected(faults), [])

  // contributors see the pictures of others on published events only
  await must(api.editor.post('/events', { ...EVENT, image: media[0].id }))
  const reader = await openDesk(t, browser, origin, await addUser(api, 'pau', 'contributor'))
  await part(reader.page, 'Pictures')
  await reader.page.getByRole('button', { name: 'Picture 1' }).click()
  t.equal(await reader.page.getByRole('button', { name: 'Delete' }).count(), 0)
  t.equal(await reader.page.getByRole('button', { name: 'Upload' }).count(), 0)
})

t.test('an administrator limits an editor to a category, who then finds the form so', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const boss = await addUser(api, 'boss', 'administrator')
  const hers = await addUser(api, 'berta', 'editor')
  const [library, town] = [
    await must(api.administrator.post('/categories', { name: 'Library' })),
    await must(api.administrator.post('/categories', { name: 'Town' })),
  ]
  const draft = { ...EVENT, status: 'draft' }
  const make = (title: string, { id }: { id: number }) =>
    must(api.administrator.post('/events', { ...draft, title, categories: [id] }))
  await make('Reading', library)
  await make('Council', town)
  const { page, faults } = await openDesk(t, browser, origin, boss)
  await part(page, 'Users')
  await page.getByRole('link', { name: 'berta', exact: true }).click()
  const limits = page.getByRole('region', { name: 'Which events' })
  // somebody may type before the categories have come
  const { letGo } = await holdBack(page, `**${ROOT}/categories?*`)
  await limits.getByRole('combobox', { name: 'Categories' }).fill('Libr')
  await limits.getByRole('option', { name: 'Nothing found' }).waitFor()
  letGo()
  await limits.getByRole('option', { name: 'Library' }).click()
  t.same(await findingsOf(page), [])
  await limits.getByRole('button', { name: 'Save' }).click()
  await told(page, /^Saved[.,]/)
  await limits.getByRole('button', { name: 'Remove Library' }).waitFor()

  const { page: own, faults: others } = await openDesk(t, browser, origin, hers, { viewport: PHONE })
  await own.getByText('Reading').first().waitFor()
  t.equal(await own.getByText('Council').count(), 0)
  await own.goto(`${origin}/desk/#/events/new`)
  await own.getByText('You can work with events in Library.').waitFor()
  t.ok(await own.getByRole('checkbox', { name: 'Library' }).isChecked())
  t.equal(await overflowOf(own), 0)
  t.same(await findingsOf(own), [])
  t.same(unexpected(faults, 400), [])
  t.same(unexpected(others, 401), [])
})
