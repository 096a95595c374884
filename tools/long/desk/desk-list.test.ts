import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import type { Api } from '../../../test/support/app.ts'
import { draw } from '../../../test/support/pictures.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** An event of the tests, some days from now. */
const event = (title: string, more: object = {}) => ({
  ...{ title, start_date: '2026-12-04 20:00:00', end_date: '2026-12-04 22:00:00' },
  ...more,
})
/** What a browser does when a file is dropped. */
const DROP = `
  const dataTransfer = new DataTransfer()
  dataTransfer.items.add(new File([new Uint8Array(bytes)], 'póster.png', { type: 'image/png' }))
  for (const name of ['dragover', 'drop'])
    place.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }))
`
const statusOf = async (api: Api, id: number) =>
  (await api.editor.get(`/events?include=${id}&status=publish,draft,trash`)).body.events[0].status

t.test('the same event again next week, with its picture', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await api.editor.post('/events', event('Jam session', { cost: '5 €', tags: ['late'], excerpt: 'Loud.' }))
  await page.reload()
  await page.getByRole('link', { name: 'Jam session' }).click()
  const bytes = [...(await draw(800, 600, 'png'))]
  const picture = page.getByRole('region', { name: 'Picture' })
  await picture.waitFor()
  await page.evaluate(
    `{ const bytes = [${bytes}]; const place = document.querySelector('.picture'); ${DROP} }`,
  )
  await picture.getByRole('button', { name: 'Remove' }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await told(page, /^Saved[.,]/)
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { level: 1, name: 'Copy of “Jam session”' }).waitFor()
  t.equal(await page.getByLabel('Begins on').inputValue(), '2026-12-11')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.waitForURL(/events\/\d+$/)
  await told(page, 'visible to everyone')
  const { body } = await api.anonymous.get('/events')
  t.match(body.events, [
    { start_date: '2026-12-04 20:00:00', image: { width: 800 } },
    {
      ...{ title: 'Jam session', start_date: '2026-12-11 20:00:00', end_date: '2026-12-11 22:00:00' },
      ...{
        image: { id: body.events[0].image.id },
        tags: [{ name: 'late' }],
        cost: '5€',
        slug: 'jam-session-2',
      },
    },
  ])
  t.same(unexpected(faults), [])
})

t.test('several events are published, trashed, restored and deleted at once', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const ids: number[] = []
  for (const title of ['One', 'Two', 'Three'])
    ids.push((await api.editor.post('/events', event(title, { status: 'draft' }))).body.id)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByLabel('Choose all').check()
  await page.getByText('3 chosen').waitFor()
  t.same(await findingsOf(page), [])
  // one of them is written by somebody else after the list was read
  api.clock.now += 5_000
  await api.editor.patch(`/events/${ids[2]}`, { title: 'Drei' })
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'Published: 2')
  await page.getByRole('alert').filter({ hasText: 'Three: changed by somebody else' }).waitFor()
  t.same(await Promise.all(ids.map((id) => statusOf(api, id))), ['publish', 'publish', 'draft'])

  await page.getByLabel('Choose One').check()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await told(page, 'Moved to trash: 1')
  t.equal(await statusOf(api, ids[0]!), 'trash')
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Brought back: 1')
  await page.getByRole('link', { name: 'One' }).waitFor()
  t.equal(await statusOf(api, ids[0]!), 'publish')

  await page.getByLabel('Choose One').check()
  await page.getByLabel('Choose Two').check()
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await told(page, 'Moved to trash: 2')
  await page.getByRole('link', { name: 'Trash', exact: true }).click()
  await page.getByLabel('Choose One').check()
  await page.getByRole('button', { name: 'Restore' }).click()
  await told(page, 'Restored: 1')
  t.equal(await statusOf(api, ids[0]!), 'publish', 'as it was before')
  await page.getByRole('link', { name: 'Two' }).click()
  await page.getByText('This event is in the trash.').waitFor()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  t.same(await findingsOf(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await told(page, 'Deleted permanently')
  t.equal((await api.editor.get(`/events/${ids[1]}`)).status, 404)
  t.same(unexpected(faults, 403), [])
})

t.test('a list is searched and filtered, and pages are turned', async (t) => {
  const { api, origin } = await serveEmpty(t, { LANGUAGES: 'en' }) // with several, a page has more rows
  for (let at = 1; at <= 45; at++)
    await api.editor.post(
      '/events',
      event(
        `Walk ${at}`,
        at % 2 ? { categories: ['Odd'] } : { categories: ['Even'], venue: { venue: 'Bandstand' } },
      ),
    )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const shown = page.locator('table.events tbody tr')
  await page.getByText('Page 1 of 3').waitFor()
  await page.getByRole('link', { name: 'Next' }).click()
  await page.getByText('Page 2 of 3').waitFor()
  await counted(shown, 20)
  await page.getByRole('link', { name: 'Draft', exact: true }).click()
  await page.getByText('No event matches these filters.').waitFor()
  await page.getByRole('link', { name: 'Published', exact: true }).click()
  await page.getByText('Page 1 of 3').waitFor()
  await page.getByLabel('Search').fill('walk 45')
  await page.getByRole('link', { name: 'Walk 45' }).waitFor()
  await counted(shown, 1)
  await page.getByLabel('Search').fill('wlaking')
  await page.getByText('No event matches these filters.').waitFor()
  await page.getByLabel('Search').fill('bandstnad')
  await page.getByText('Nothing has “bandstnad”; showing “bandstand”.').waitFor()
  await page.getByText('Page 1 of 2').waitFor()
  await page.getByLabel('Search').fill('bandstand wal')
  await page.locator('#offered option[value="bandstand walk"]').waitFor({ state: 'attached' })
  t.same(await findingsOf(page), [])
  await page.getByLabel('Search').fill('')
  await page.getByLabel('Category').selectOption({ label: 'Even' })
  await page.getByText('Page 1 of 2').waitFor()
  await page.reload()
  await page.getByText('Page 1 of 2').waitFor()
  await page.getByLabel('When').selectOption({ label: 'Between two days' })
  await page.getByLabel('From').fill('2027-01-01')
  await page.getByText('No event matches these filters.').waitFor()
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})

t.test('who opens a record before a search has begun stays at it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.editor.post('/events', event('Walk', { venue: { venue: 'Walking hall' }, tags: ['walks'] })))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const link = (name: string) => page.getByRole('link', { name, exact: true }).click()
  for (const [part, name] of [
    ['Events', 'Walk'],
    ['Venues', 'Walking hall'],
    ['Tags', 'walks'],
  ] as const) {
    await link(part)
    await page.getByRole('heading', { level: 1, name: part }).waitFor()
    await page.getByLabel('Search').fill('wal')
    await link(name)
    await page.getByRole('heading', { name, exact: true }).waitFor()
    await page.clock.fastForward(1_000) // the search would begin
    t.match(await page.evaluate('location.hash'), /\/\d+(\?|$)/, part) // with the search where it began before
  }
  // what is typed on while a search is shown stays, and so does the space before the next word
  await page.getByLabel('Search').fill('walks ')
  await page.waitForURL(/search=walks/)
  await page.getByRole('heading', { name: 'walks', exact: true }).waitFor({ state: 'detached' })
  await page.getByLabel('Search').pressSequentially('far')
  await page.waitForURL(/search=walks\+far/)
  t.same(unexpected(faults), [])
})

t.test('an event is translated side by side, with the translations of its terms', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const music = (await api.editor.post('/categories', { name: 'Music' })).body.id
  const musica = { name: 'Música', i18n_language: 'ca', translation_of: music }
  await api.editor.post('/categories', musica)
  const more = { categories: [music], description: '<p>Bring a blanket.</p>', venue: { venue: 'Park' } }
  const { id } = (await api.editor.post('/events', event('Concert', more))).body
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.getByRole('link', { name: 'Concert' }).click()
  await page.getByRole('link', { name: 'Translate into Català' }).click()
  await page.getByRole('region', { name: 'English' }).getByText('Bring a blanket.').waitFor()
  await page.getByLabel('Title').fill('Concert al parc')
  await page.getByRole('textbox', { name: 'Description', exact: true }).click()
  await page.keyboard.type('Porteu una manta.')
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'visible to everyone')
  const { translations } = (await api.anonymous.get(`/events/${id}`)).body
  t.match((await api.anonymous.get(`/events/${translations.ca}`)).body, {
    ...{ title: 'Concert al parc', language: 'ca', description: '<p>Porteu una manta.</p>' },
    ...{ start_date: '2026-12-04 20:00:00', venue: { venue: 'Park' }, categories: [{ name: 'Música' }] },
    translations: { en: id },
  })
  await api.editor.patch(`/events/${id}`, {
    start_date: '2026-12-05 20:00:00',
    end_date: '2026-12-05 22:00:00',
  })
  await page.goto(`${origin}/desk/#/translate/events/${id}/ca`)
  await page.getByRole('button', { name: 'Copy dates' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await told(page, /^Saved[.,]/)
  t.match((await api.anonymous.get(`/events/${translations.ca}`)).body, { start_date: '2026-12-05 20:00:00' })
  t.same(unexpected(faults), [])
})

t.test('each role is offered what it may do', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = (await api.editor.post('/events', event('Of an editor'))).body
  for (const [role, goal, status, parts] of [
    ['contributor', 'Submit for review', 'pending', 9],
    ['author', 'Publish', 'publish', 9],
    ['editor', 'Publish', 'publish', 9],
    ['administrator', 'Publish', 'publish', 13],
  ] as const) {
    const { page, faults, context } = await openDesk(
      t,
      browser,
      origin,
      await addUser(api, `a-${role}`, role),
    )
    const nav = page.getByRole('navigation', { name: 'Parts of the desk' })
    await counted(nav.getByRole('link'), parts)
    await page.getByRole('link', { name: 'Of an editor' }).click()
    const isOwner = role === 'editor' || role === 'administrator'
    await page.getByLabel('Title').waitFor()
    t.equal(await page.getByLabel('Title').isDisabled(), !isOwner, `${role}: may change what is of others`)
    t.equal(await page.getByText('belongs to somebody else').count(), isOwner ? 0 : 1)
    await page.goto(`${origin}/desk/#/events/new`)
    await page.getByRole('heading', { level: 1, name: 'New event' }).waitFor()
    await page.getByLabel('Title').fill(`By a ${role}`)
    t.equal(await page.getByRole('button', { name: 'Choose a file' }).count(), role === 'contributor' ? 0 : 1)
    // those who are offered the least and the most
    if (role === 'contributor' || role === 'administrator') t.same(await findingsOf(page), [], role)
    await page.getByRole('button', { name: goal }).click()
    await told(page, /^Saved[.,]/)
    const { body } = await api.editor.get(`/events?search=${encodeURIComponent(`By a ${role}`)}`)
    t.match(body.events, [{ status }], role)
    t.same(unexpected(faults), [], role)
    await context.close()
  }
  const { page } = await openDesk(t, browser, origin, await addUser(api, 'a-subscriber', 'subscriber'))
  t.equal(await page.getByRole('link', { name: 'New event' }).count(), 0)
  t.equal(await statusOf(api, id), 'publish')
})
