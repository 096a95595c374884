import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { addUser, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { answered, findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { holdBack, rows, told, valued } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

t.test('the password of an event is changed and removed, and its copy says that it has none', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', { ...EVENT, title: 'Members only', password: 'one' }))
  const opens = async (password: string) =>
    (await api.anonymous.get(`/events/${id}?password=${password}`)).status === 200
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.locator('table .badge').filter({ hasText: 'Protected by a password' }).waitFor()
  await page.getByRole('link', { name: 'Members only' }).click()
  await page.locator('.head').getByText('Protected by a password').waitFor()
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Set another password' }).click()
  await page.getByLabel('New password for visitors').fill('two')
  t.same(await findingsOf(page), [])
  await save(page)
  await told(page, 'visible to everyone')
  t.same([await opens('one'), await opens('two')], [false, true])

  await page.getByRole('button', { name: 'Remove the password' }).click()
  await page.getByText('everyone can read the event').waitFor()
  await page.getByRole('button', { name: 'Keep the password' }).click()
  await page.getByRole('link', { name: 'Duplicate' }).click()
  await page.getByText('The original needs a password.').waitFor()
  await page.getByText('More settings', { exact: true }).click()
  await page.getByLabel('Password for visitors').fill('three')
  await page.getByText('The original needs a password.').waitFor({ state: 'detached' })
  await page.goto(`${origin}/desk/#/translate/events/${id}/ca`)
  await page.getByRole('button', { name: 'Discard and leave' }).click()
  await page.getByText('The original needs a password.').waitFor()

  await page.goto(`${origin}/desk/#/events/${id}`)
  await page.getByRole('button', { name: 'Remove the password' }).click()
  await save(page)
  await page.locator('.head').getByText('Protected by a password').waitFor({ state: 'detached' })
  t.equal((await api.anonymous.get(`/events/${id}`)).status, 200)
  t.same(unexpected(faults), [])
})

t.test('an event gets another author, from those who may give it', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id, author: owner } = await must(api.editor.post('/events', { ...EVENT, title: 'Talk' }))
  const authorOf = async () => Number((await api.anonymous.get(`/events/${id}`)).body.author)
  const { app } = api
  const aina = await addUser(api, 'aina', 'author')
  const ainas = (await app.store.users.list({ page: 1, per_page: 50 })).find(({ login }) => login === 'aina')!
  const boss = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await boss.page.getByRole('link', { name: 'Talk' }).click()
  await boss.page.getByRole('combobox', { name: 'Author' }).selectOption({ label: 'aina' })
  t.same(await findingsOf(boss.page), [])
  await save(boss.page)
  await told(boss.page, 'visible to everyone')
  t.equal(await authorOf(), ainas.id)
  t.same(unexpected(boss.faults), [])

  const hers = await openDesk(t, browser, origin, aina)
  await hers.page.goto(`${origin}/desk/#/events/${id}`)
  await hers.page.getByLabel('Title').waitFor()
  t.notOk(await hers.page.getByLabel('Title').isDisabled(), 'it is hers now')
  t.equal(
    await hers.page.getByRole('combobox', { name: 'Author' }).count(),
    0,
    'and she can not give it away',
  )

  const marta = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await marta.page.goto(`${origin}/desk/#/events/${id}`)
  const options = marta.page.getByRole('combobox', { name: 'Author' }).locator('option')
  await rows(options, [`User ${ainas.id}`, 'marta (you)'])
  await marta.page.getByRole('combobox', { name: 'Author' }).selectOption({ label: 'marta (you)' })
  await save(marta.page)
  await told(marta.page, 'visible to everyone')
  t.notOk([Number(owner), ainas.id].includes(await authorOf()))
  t.same(unexpected(marta.faults), [])
})

t.test('what is cancelled or moved says why, and when it was to be', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const dates = { start_date: '2026-12-04 20:00:00', end_date: '2026-12-04 22:00:00' }
  const { id, url } = await must(api.editor.post('/events', { ...EVENT, ...dates, title: 'Recital' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  const state = page.getByRole('combobox', { name: 'Event status' })
  const reason = page.getByRole('textbox', { name: 'Reason' })
  await state.waitFor()
  t.equal(await reason.count(), 0, 'what takes place as planned needs none')
  await state.selectOption({ label: 'Postponed to a new date' })
  await page.getByText('the page also says when the event was to be').waitFor()
  await reason.fill('The singer is ill. Tickets stay valid.')
  await page.getByLabel('Begins on').fill('2026-12-11')
  await page.getByLabel('Ends on').fill('2026-12-11')
  t.same(await findingsOf(page), [])
  await save(page)
  await told(page, 'visible to everyone')
  const visitor = await page.context().newPage()
  await visitor.goto(`${origin}${new URL(url).pathname}`)
  await visitor.locator('.state').getByText('The singer is ill. Tickets stay valid.').waitFor()
  await visitor.getByText(/^Moved: it was to be on Friday, December 4 at 8:00\sPM\.$/u).waitFor()
  t.same(await findingsOf(visitor), [])
  await visitor.close()

  // a translation takes the state, and has words of its own
  await page.goto(`${origin}/desk/#/translate/events/${id}/ca`)
  await page.getByText('The singer is ill. Tickets stay valid.').waitFor()
  t.equal(await reason.inputValue(), '')
  await page.getByLabel('Title').fill('Recital de tardor')
  await reason.fill('La cantant està malalta.')
  t.same(await findingsOf(page), [])
  const made = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Publish' }).click()
  const catalan = { event_status: 'rescheduled', event_status_reason: 'La cantant està malalta.' }
  t.match(await (await made).json(), { title: 'Recital de tardor', ...catalan })
  await page.getByRole('heading', { level: 1, name: 'Recital de tardor', exact: true }).waitFor()

  await page.goto(`${origin}/desk/#/events/${id}`)
  await state.selectOption({ label: 'As planned' })
  await reason.waitFor({ state: 'detached' })
  await save(page)
  await told(page, 'visible to everyone')
  const plain = { event_status: 'scheduled', event_status_reason: '', previous_start_date: '' }
  t.match((await api.anonymous.get(`/events/${id}`)).body, plain)
  t.same(unexpected(faults), [])
})

t.test('an event comes back from the trash only as it was looked at', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(api.editor.post('/events', { ...EVENT, title: 'Jam session' }))
  await must(api.editor.delete(`/events/${id}`))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  await page.getByText('This event is in the trash.').waitFor()
  // somebody else takes it out, writes, and throws it away again
  const again = async (title: string) => {
    api.clock.now += 5_000
    await must(api.editor.patch(`/events/${id}`, { status: 'draft', title }))
    await must(api.editor.delete(`/events/${id}`))
  }
  await again('Late jam session')
  await page.getByRole('button', { name: 'Restore' }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved' })
  await dialog.getByText('Late jam session').waitFor()
  await dialog.getByRole('button', { name: 'Save this version' }).click()
  await told(page, /^Saved[.,]/)
  t.match((await api.editor.get(`/events/${id}`)).body, { status: 'draft', title: 'Late jam session' })

  // the same where it was just thrown away here
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await told(page, 'Moved to the trash')
  await again('Latest jam session')
  await page.getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Somebody else has changed this since you opened it')
  t.equal((await api.editor.get(`/events/${id}`)).status, 403, 'it stays there')
  t.same(unexpected(faults, 403, 412), [])
})

t.test('on a phone the buttons stay in reach, and never over what has the focus', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  const bar = page.locator('.actions')
  for (const [kind, title] of [
    ['categories', 'New category'],
    ['venues', 'New venue'],
    ['events', 'New event'],
  ] as const) {
    await page.goto(`${origin}/desk/#/${kind}/new`)
    await page.getByRole('heading', { name: title }).waitFor()
    await bar.getByRole('button', { name: 'Save' }).waitFor()
    t.ok((await bar.boundingBox())!.y > PHONE.height - 100, `${kind}: at the bottom`)
    t.equal(await overflowOf(page), 0)
  }
  const { y: top } = (await bar.boundingBox())!
  await page.getByLabel('Title').focus()
  for (let at = 0; at < 40; at++) {
    await page.keyboard.press('Tab')
    const covered = await page.evaluate(`{
      const focused = document.activeElement
      const { bottom, height } = focused.getBoundingClientRect()
      focused.closest('form') && !focused.closest('.actions') && height < ${PHONE.height / 2} && bottom > ${top}
    }`)
    t.notOk(covered, `after ${at + 1} tabs`)
  }
  t.same(await findingsOf(page), [])
  await page.getByRole('textbox', { name: 'Description', exact: true }).click()
  for (let line = 0; line < 30; line++) await page.keyboard.press('Enter')
  const cursor = (await page.evaluate('getSelection().focusNode.getBoundingClientRect().bottom')) as number
  t.ok(cursor <= top, 'nor over the line that is written')
  t.same(unexpected(faults), [])
})

t.test('a copy takes the same weekday of a later week, and is thrown away whole', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const dates = { start_date: '2026-10-16 20:00:00', end_date: '2026-10-17 01:00:00' }
  const { id } = await must(api.editor.post('/events', { ...EVENT, ...dates, title: 'Jam session' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/new?from=${id}`)
  const first = page.getByLabel('Begins on')
  await first.waitFor()
  t.equal(await first.inputValue(), '2026-11-27', 'the next one that is still to come')
  await page.reload()
  await first.waitFor()
  t.equal(await page.getByText('Your unsaved changes').count(), 0, 'nobody has written anything')
  await page.getByRole('button', { name: 'Fri 11 Dec' }).click()
  t.equal(await first.inputValue(), '2026-12-11')
  t.equal(await page.getByLabel('Ends on').inputValue(), '2026-12-12')
  t.same(await findingsOf(page), [])
  await page.getByLabel('Title').fill('Another one')
  await page.reload()
  await page.getByRole('button', { name: 'Discard them' }).click()
  await valued(page.getByLabel('Title'), 'Jam session') // the copy, not an empty form
  await first.fill('2026-12-06')
  await page.getByRole('button', { name: 'Publish' }).click()
  await told(page, 'visible to everyone')
  t.match((await api.anonymous.get('/events')).body.events, [
    { title: 'Jam session', start_date: '2026-12-06 20:00:00', end_date: '2026-12-07 01:00:00' },
  ])
  t.same(unexpected(faults), [])
})

t.test('who goes on writing while it is saved loses no letter, and saves once', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { id } = await must(
    api.editor.post('/events', { ...EVENT, description: '<p>Loud</p><ul><li>one</li></ul>' }),
  )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/events/${id}`)
  const { held, letGo } = await holdBack(page, `**/events/${id}`, 'PATCH')
  await page.getByLabel('Title').fill('Jam')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Control+s')
  await page.getByLabel('Title').pressSequentially(' session')
  letGo()
  await told(page, 'visible to everyone')
  t.equal(await page.getByLabel('Title').inputValue(), 'Jam session')
  t.match(held, [{ sent: '{"title":"Jam"}' }])
  t.equal(held.length, 1)

  const text = page.getByRole('textbox', { name: 'Description', exact: true })
  await text.getByText('Loud').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' and la')
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.keyboard.press('Control+s')
  await saved
  await page.getByText('Not saved').waitFor({ state: 'detached' })
  await page.keyboard.type('te')
  await save(page)
  await page.getByText('Not saved').waitFor({ state: 'detached' })
  t.match((await api.anonymous.get(`/events/${id}`)).body, {
    ...{ title: 'Jam session', description: /^<p>Loud and late<\/p>/ },
  })
  t.same(unexpected(faults), [])
})

t.test(
  'a list comes by itself when the network is back, and nothing is done in the name of another',
  async (t) => {
    const { api, origin } = await serveEmpty(t)
    const { id } = await must(api.editor.post('/events', { ...EVENT, title: 'Talk' }))
    const pau = await addUser(api, 'pau', 'editor')
    const { page, faults, context } = await openDesk(
      t,
      browser,
      origin,
      await addUser(api, 'marta', 'editor'),
    )
    await page.getByRole('link', { name: 'Talk' }).waitFor()
    await context.setOffline(true)
    await page.getByRole('link', { name: 'Venues', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor()
    await context.setOffline(false)
    await page.getByText('There is nothing here yet.').waitFor()

    await page.goto(`${origin}/desk/#/events/${id}`)
    await page.getByLabel('Title').fill('A talk by Marta')
    await answered(page)
    api.clock.now += 13 * 3_600_000
    await save(page)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await typeLogin(page, pau)
    await page.getByRole('link', { name: 'pau, editor' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Talk' }).waitFor()
    await valued(page.getByLabel('Title'), 'Talk') // what she wrote waits for her
    t.match((await api.anonymous.get(`/events/${id}`)).body, { title: 'Talk' })
    t.same(
      unexpected(faults, 401).filter((fault) => !/INTERNET_DISCONNECTED/.test(fault)),
      [],
    )
  },
)
