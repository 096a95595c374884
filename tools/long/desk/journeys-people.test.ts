import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { keepServing } from '../../../src/run/serve.ts'
import { must } from '../../../test/support/answers.ts'
import { freePort } from '../../../test/support/ports.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, open } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('the first day of a calendar in Madrid, in an English browser: two clicks', async (t) => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const config = readConfig({
    ...{ DATABASE: join(t.testdir(), 'a.db'), PORT: String(port), LOG_LEVEL: 'silent', MAX_DELAY: '0' },
  })
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  const { stop } = await keepServing(config, { print, terminal: true }, () => {})
  t.teardown(stop)
  const { page, faults } = await open(t, browser, origin, { locale: 'en-GB', timezoneId: 'Europe/Madrid' })
  const journey = counting()
  await page.goto(`${origin}/desk/`)
  // the first field has the focus, and the form says which password is meant
  await page.locator('[name=username]:focus').waitFor()
  await page.getByText('printed').waitFor()
  t.same(await findingsOf(page), [])
  await page.keyboard.type('admin')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(/password: +(.+)/.exec(printed)![1]!)
  await page.keyboard.press('Enter')
  const asked = page.getByRole('dialog', { name: 'Set up your calendar' })
  await asked.getByLabel('Name of the calendar').fill('Terra i Mar')
  const chosen = (label: string) => asked.getByLabel(label, { exact: true }).inputValue()
  t.same(await Promise.all(['Where is it?', 'Time zone', 'Currency'].map(chosen)), [
    'ES',
    'Europe/Madrid',
    'EUR',
  ])
  t.equal(await asked.getByText('Terra i Mar').count(), 2, 'as it looks on light and dark screens')
  t.same(await findingsOf(page), [])
  await journey.click(asked.getByRole('button', { name: 'Save' }))
  await page.locator('html[data-zone="Europe/Madrid"][data-currency="EUR"]').waitFor()
  await journey.click(page.getByRole('link', { name: 'Write the first one' }))
  await page.getByLabel('Title').waitFor()
  t.equal(await page.locator('.bar').getByText('Terra i Mar').count(), 1)
  t.equal(journey.clicks, 2)
  t.same(
    faults.filter((fault) => !/ERR_|Failed to load/.test(fault)),
    [],
  )
})

t.test('somebody is invited and limited to a category: six clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  await must(api.administrator.post('/categories', { name: 'Library' }))
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  const journey = counting()
  await journey.click(page.getByRole('link', { name: 'Users', exact: true }))
  await journey.click(page.getByRole('button', { name: 'Invite somebody' }))
  const dialog = page.getByRole('dialog', { name: 'Invite somebody' })
  await dialog.getByLabel('Email address').fill('berta.roca@town.example')
  t.equal(await dialog.getByLabel('Login').inputValue(), 'berta.roca')
  await dialog.getByLabel('Name', { exact: true }).fill('Berta Roca')
  await journey.choose(dialog.getByLabel('Role'), 'editor')
  await journey.click(dialog.getByRole('combobox', { name: 'Categories' }))
  await page.keyboard.type('Libr')
  await journey.click(dialog.getByRole('option', { name: 'Library' }))
  t.same(await findingsOf(page), [])
  await journey.click(dialog.getByRole('button', { name: 'Make the invitation' }))
  await page.getByRole('dialog', { name: 'Invitation' }).locator('code').waitFor()
  t.equal(journey.clicks, 6)
  const { users } = await must(api.administrator.get('/users'))
  t.match(
    users.find(({ login }: { login: string }) => login === 'berta.roca'),
    { name: 'Berta Roca', role: 'editor', limits: { categories: [1], venues: [] } },
  )
  await page.keyboard.press('Escape')
  await page.getByText('only Library').waitFor()
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})

t.test('a submission is read and accepted: two clicks', async (t) => {
  const { api, origin } = await serveEmpty(t, { SUBMISSIONS: 'on' })
  await must(
    api.editor.post('/submissions', {
      ...{ title: 'Lantern walk', start_date: '2026-12-12 18:00:00', end_date: '2026-12-12 20:00:00' },
      ...{ description: 'Bring warm shoes.', cost: ['5'], name: 'Anna Puig', email: 'anna@people.example' },
      note: 'We need the square from five.',
    }),
  )
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const journey = counting()
  await journey.click(page.getByRole('link', { name: 'Submissions 1 waiting' }))
  for (const text of ['Bring warm shoes.', '€5', 'We need the square from five.'])
    await page.getByText(text).waitFor()
  await journey.click(page.getByRole('button', { name: 'Accept “Lantern walk”', exact: true }))
  await told(page, '“Lantern walk”: Accepted')
  t.equal(journey.clicks, 2)
  t.match((await must(api.anonymous.get('/events'))).events, [{ title: 'Lantern walk', status: 'publish' }])
  await page.getByText('Nothing is waiting for you.').waitFor()
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})

t.test('a file is imported and taken back: four clicks', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  const journey = counting()
  await journey.click(page.getByRole('link', { name: 'Import', exact: true }).first())
  const rows = ['title,start_date', 'Concert,2026-12-05 20:00', 'Fair,2026-12-06']
  await journey.give(page.getByLabel('File', { exact: true }), {
    ...{ name: 'programme.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) },
  })
  await journey.click(page.getByRole('button', { name: 'Import', exact: true }))
  await page.getByRole('region', { name: 'What came from programme.csv' }).waitFor()
  t.equal((await must(api.anonymous.get('/events?when=all'))).total, 2)
  await journey.click(page.getByRole('button', { name: 'Take back', exact: true }))
  await page.getByText('Taken back: 2. Stays: 0.').waitFor()
  t.equal(journey.clicks, 4)
  t.equal((await must(api.anonymous.get('/events?when=all'))).total, 0)
  t.same(unexpected(faults), [])
})
