import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { ROOT } from '../../../test/support/given.ts'
import {
  ALL_AS_HTML,
  complaints,
  noElements,
  ODD_PLACES,
  openLines,
  poisonAnswers,
  saveWithout,
  typeIntoAll,
  watchElements,
} from '../../attacks.ts'
import { addUser, openDesk, serveEmpty, typeLogin } from '../../desk.ts'
import { open } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { goTo, settled, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** Goes to a place of the desk, and waits until it is shown. */
async function visit(page: Page, place: string) {
  await goTo(page, `#/${place}`)
  await page.locator('main h1').first().waitFor()
  await settled(page)
  await noElements(page)
}
/** The form, when it is there with its text editor or without. */
const form = (page: Page) => page.locator('main form.edit')

/** Writes HTML into the text of a form: as source, and pasted. */
async function writeText(page: Page) {
  const editor = page.locator('.ProseMirror')
  await editor.click()
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', ${JSON.stringify(ALL_AS_HTML)})
    clipboardData.setData('text/plain', 'x')
    document.querySelector('.ProseMirror').dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  await noElements(page)
  await page.getByRole('button', { name: 'HTML' }).click()
  await page.locator('.prose textarea').fill(ALL_AS_HTML)
  // what it can not hold stays as HTML
  await page.getByRole('button', { name: 'HTML' }).click()
  await noElements(page)
  if (await page.locator('.ProseMirror').isVisible()) await page.getByRole('button', { name: 'HTML' }).click()
}

t.test('what attackers type into every field does nothing at the desk and on the pages', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const lines = openLines()
  const who = await addUser(api, 'marta', 'administrator')
  const { page, faults, context } = await open(t, browser, origin, { locale: 'en-GB' })
  await watchElements(context)
  await page.goto(`${origin}/desk/`)
  await typeIntoAll(page.locator('form'), lines)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await noElements(page)
  await typeLogin(page, who)
  await page.getByText('There are no events yet.').waitFor()
  const quiet = (where: string) =>
    t.same(
      complaints(faults).filter((fault) => !/status of 401/.test(fault)),
      [],
      where,
    )
  quiet('signing in')

  await visit(page, 'events/new')
  await page.getByText('More settings').click()
  await page.getByText('New category').click()
  await page.getByLabel('Attendance').selectOption('mixed')
  const typed = await typeIntoAll(form(page), lines, ['Password for visitors'])
  for (const label of [
    'Title',
    'Price',
    'Website',
    'Time zone',
    'Link to join online',
    'Short description',
    'Name',
  ])
    t.ok(typed.includes(label), label)
  await page.locator('.make-category').getByRole('button', { name: 'Create' }).click()
  await page.locator('.tree :checked').waitFor()
  for (const [label, title] of [
    ['Venue', 'New venue'],
    ['Organizers', 'New organizer'],
    ['Tags', ''],
  ] as const) {
    await page.getByRole('combobox', { name: label }).fill(lines.next(190))
    await page.locator('[role=option] .make:visible').click()
    const dialog = page.getByRole('dialog', { name: title })
    if (!title) continue
    await typeIntoAll(dialog, lines)
    await saveWithout(page, dialog, '.buttons button')
    await dialog.waitFor({ state: 'detached' })
  }
  await writeText(page)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview').waitFor()
  await noElements(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  const refused = await saveWithout(page, form(page), 'button.primary')
  t.ok(refused.includes('Time zone'), 'the API says what it does not take')
  await page.waitForURL(/#\/events\/\d+$/)
  const edited = page.url().split('#/')[1]!

  for (const kind of ['venue', 'organizer'] as const) {
    await visit(page, `${kind}s/new`)
    await typeIntoAll(form(page), lines)
    await writeText(page)
    await saveWithout(page, form(page), 'button.primary')
    await page.waitForURL(/#\/\w+\/\d+$/)
  }
  for (const plural of ['categories', 'tags']) {
    await visit(page, `${plural}/new`)
    await form(page).waitFor()
    await typeIntoAll(form(page), lines)
    await saveWithout(page, form(page), 'button.primary')
    await page.waitForURL(/#\/\w+\/\d+$/)
  }
  await visit(page, 'users')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await typeIntoAll(page.getByRole('dialog'), lines)
  await page.getByRole('dialog').getByRole('button', { name: 'Make the invitation' }).click()
  await page.locator('[aria-invalid=true]').first().waitFor()
  await noElements(page)
  await page.keyboard.press('Escape')
  await visit(page, 'account')
  const person = page.getByRole('region', { name: 'Name and address' })
  await person.getByLabel('Name', { exact: true }).fill(lines.next(90))
  await person.getByRole('button', { name: 'Save' }).click()
  await told(page, 'Saved.')
  await page.getByLabel('What is it for?').fill(lines.next(90))
  await page.getByRole('button', { name: 'Create a password' }).click()
  await page.getByRole('button', { name: 'I have written it down' }).click()
  await page.getByRole('button', { name: /^Revoke x/ }).click()
  await page.getByRole('dialog', { name: /^Revoke/ }).waitFor()
  await noElements(page)
  await page.keyboard.press('Escape')
  quiet('writing')
  t.ok(lines.count() > lines.total, 'every vector was typed')

  // opened again, in the lists and the forms, and by visitors
  await page.goto(`${origin}/desk/#/${edited}`)
  await page.reload()
  await form(page).waitFor()
  t.match(await page.getByRole('textbox', { name: 'Title' }).inputValue(), /^x\d+/)
  await page.getByRole('button', { name: 'HTML' }).click()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview').waitFor()
  await noElements(page)
  await page.keyboard.press('Escape')
  for (const place of ['events', 'venues', 'tags']) {
    await visit(page, place)
    await page.getByLabel('Search').fill(lines.next(190))
    await page.waitForURL(/search=/)
    await visit(page, `${place}?when=all`)
  }
  const places = ['organizers', 'categories', 'pictures', 'changes', 'users', 'audit', 'month/2026-11']
  for (const place of [...places, `translate/events/${edited.split('/')[1]}/ca`]) await visit(page, place)
  quiet('reading')
  const { events, total } = (await api.anonymous.get('/events?when=all')).body
  t.equal(total, 1)
  const { venues } = (await api.anonymous.get('/venues')).body
  const { organizers } = (await api.anonymous.get('/organizers')).body
  t.same([venues.length, organizers.length], [2, 2])
  for (const { url } of [events[0], venues[0], organizers[0]]) await page.goto(origin + new URL(url).pathname)
  t.equal(await page.locator('h1').count(), 1)
  quiet('on the pages')
  t.same(await context.cookies(origin), [], 'pages have none')
})

for (const bypassCSP of [false, true])
  t.test(
    `a service that had cleaned nothing ${bypassCSP ? 'and sent no content policy ' : ''}would do no harm at the desk`,
    async (t) => {
      const { api, origin } = await serveEmpty(t)
      const event = { title: 'x', start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' }
      const linked = { venue: { venue: 'Hall' }, organizer: { organizer: 'Cor' }, tags: ['late'] }
      const { id, venue, categories, tags } = await must(
        api.editor.post('/events', { ...event, ...linked, categories: ['Music'] }),
      )
      const who = await addUser(api, 'marta', 'administrator')
      const { page, faults, context } = await openDesk(t, browser, origin, who, { bypassCSP })
      await poisonAnswers(context, ROOT, openLines())
      await watchElements(context)
      await page.reload()
      const places = ['events?when=all', `events/${id}`, 'month/2026-11', 'venues', `venues/${venue.id}`]
      const terms = ['categories', `categories/${categories[0].id}`, 'tags', `tags/${tags[0].id}`]
      const others = ['organizers', 'pictures', 'changes', 'users', `users/${1}`, 'audit', 'account']
      for (const place of [
        ...places,
        ...terms,
        ...others,
        `translate/events/${id}/ca`,
        `translate/venues/${venue.id}/ca`,
        `translate/tags/${tags[0].id}/ca`,
        `events/new?from=${id}`,
      ]) {
        await visit(page, place)
        t.same(complaints(faults), [], place)
      }
      t.match(
        await page.getByRole('textbox', { name: 'Title' }).inputValue(),
        /<img src=x onerror=alert\(1\)>/,
        'they are there',
      )
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.locator('.preview h1').filter({ hasText: '<img src=x onerror=alert(1)>' }).waitFor()
      await noElements(page)
      await page.keyboard.press('Escape')
      // it gives back the focus as it goes, which would close the list
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByRole('combobox', { name: 'Venue' }).fill('x')
      await page.locator('.combo [role=option]').first().waitFor()
      await noElements(page)
      t.same(complaints(faults), [])
    },
  )

t.test('odd addresses lead to a page that says so, and the way back stays', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'administrator'))
  for (const place of ODD_PLACES) {
    await goTo(page, place)
    await page.locator('main :is(h1, .notice)').first().waitFor()
    await settled(page)
    await noElements(page)
    t.same(complaints(faults), [], place)
  }
  await page.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByText('There are no events yet.').waitFor()
})
