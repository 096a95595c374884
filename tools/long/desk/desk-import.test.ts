import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { DESK, findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const HEAD = 'external_id,title,start_date,venue,categories,rrule'
const ROWS = [
  '1,Concert,2026-12-05 20:00,Hall,Music,',
  '2,Fair,2026-12-06,Square,Food,',
  '3,Choir practice,2026-12-08 19:30,Hall,Music,FREQ=WEEKLY;COUNT=3',
  '4,Talk,soon,Hall,,',
]
const fileOf = (name: string, ...rows: string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from([HEAD, ...rows].join('\n')),
})
const choose = (page: Page, file: ReturnType<typeof fileOf>) =>
  page.getByLabel('File', { exact: true }).setInputFiles(file)
const plan = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

t.test('an editor looks at what a file brings, imports it, and takes it back', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'marta', 'editor')
  const { page, faults } = await openDesk(t, browser, origin, who)
  await page.getByRole('link', { name: 'Import', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor()
  await page.getByText('Nothing was imported yet.').waitFor()

  await choose(page, fileOf('programme.csv', ...ROWS))
  const coming = plan(page, 'What will come from programme.csv')
  await coming.waitFor()
  const counts = await coming.getByRole('row').allInnerTexts()
  t.same(
    counts.map((row) => row.replaceAll(/\s+/g, ' ').trim()),
    ['What New Rejected', 'Events 2 1', 'Series 1 0'],
  )
  const first = await coming.getByRole('list').last().getByRole('listitem').allInnerTexts()
  t.same(first.slice(0, 3), [
    'Concert Sat, 5 Dec 2026, 20:00 New',
    'Fair Sun, 6 Dec 2026 New',
    'Choir practice Tue, 8 Dec 2026, 19:30 New',
  ])
  t.match(await coming.getByText(/^Line 5: Talk/).innerText(), /^Line 5: Talk: start_date/)
  t.same(await findingsOf(page), [])
  t.equal((await must(api.editor.get('/events?when=all'))).total, 0, 'nothing is written yet')

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await plan(page, 'What came from programme.csv').waitFor()
  t.equal((await must(api.editor.get('/events?when=all'))).total, 5)
  await page.getByRole('button', { name: 'Choose another file' }).click()
  await choose(page, fileOf('programme.csv', ...ROWS.slice(0, 2)))
  await page.getByText('Everything in this file is here already.').waitFor()
  await choose(page, fileOf('bad.csv', ROWS[3]!))
  await page.getByText('Nothing in this file can be imported.').waitFor()
  await choose(page, { ...fileOf('notes.txt'), mimeType: 'text/plain' })
  await page.getByText(/media type|can not be read|text\/calendar/i).waitFor()

  const { events } = await must(api.editor.get('/events?when=all'))
  const fair = events.find(({ title }: { title: string }) => title === 'Fair')
  api.clock.now += 60_000
  await must(api.editor.patch(`/events/${fair.id}`, { title: 'Fair of the town' }))
  await page.setViewportSize(PHONE)
  t.equal(await overflowOf(page), 0)
  await page.getByRole('button', { name: 'Take back the import of programme.csv' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Take back the import of programme.csv' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
  await told(page, 'Taken back: 4. Stays: 3.')
  await page.getByText('Fair of the town: it was edited here since').waitFor()
  await page.getByText('new: 3, changed: 0, rejected: 1, taken back: 4').waitFor()
  t.equal(await page.getByRole('button', { name: 'Take back the import of programme.csv' }).count(), 0)
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await page.getByRole('link', { name: 'Fair of the town' }).click()
  await page.getByRole('heading', { level: 1 }).filter({ hasText: 'Fair of the town' }).waitFor()
  await page.setViewportSize(DESK)
  await page.goto(`${origin}/desk/#/import`)
  await page.getByLabel('Language of the desk').selectOption('ca')
  await page.getByLabel('Fitxer', { exact: true }).setInputFiles(fileOf('bad.csv', ROWS[3]!))
  const why = await page.getByText(/^Línia 2: Talk/).innerText()
  t.match(why, /^Línia 2: Talk: start_date "\w+": /)
  t.notMatch(why, /must be/)
  t.equal((await must(api.editor.get('/events?when=all'))).total, 1)
  t.equal(faults.splice(0).filter((fault) => !fault.includes('status of 415')).length, 0)
})

t.test('a long import shows how far it is, can be stopped, and goes on', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'editor'))
  await page.goto(`${origin}/desk/#/import`)
  const rows = Array.from({ length: 3_000 }, (_, at) => `${at},Event ${at},2026-12-05 20:00,,,`)
  const bar = (name: string) => page.getByRole('progressbar', { name })
  const stop = () => page.getByRole('button', { name: 'Stop', exact: true }).click()
  await choose(page, fileOf('year.csv', ...rows))
  await bar('The file is being read…').waitFor()
  t.equal(await bar('The file is being read…').getAttribute('max'), '3000')
  await stop()
  await bar('The file is being read…').waitFor({ state: 'detached' })
  t.same(await page.getByLabel('File', { exact: true }).inputValue(), '')
  await page.getByText('Nothing was imported yet.').waitFor()

  await choose(page, fileOf('year.csv', ...rows))
  await plan(page, 'What will come from year.csv').waitFor()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await bar('The file is being imported…').waitFor()
  t.same(await findingsOf(page), [])
  await page.setViewportSize(PHONE)
  t.equal(await overflowOf(page), 0)
  await stop()
  await page.getByText(/^Stopped at [\d,]+ of 3,000\. What came in stays/).waitFor()
  await page.getByText(/^new: [\d,]+, changed: 0, rejected: 0 \(not finished\)$/).waitFor()
  const before = (await must(api.editor.get('/events?when=all'))).total
  t.ok(before < 3_000)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await plan(page, 'What came from year.csv').waitFor()
  t.equal((await must(api.editor.get('/events?when=all'))).total, 3_000)
  await page.getByRole('button', { name: 'Take back the import of year.csv' }).nth(1).waitFor()
  t.same(unexpected(faults), [])
})

t.test('an author is offered no import', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page } = await openDesk(t, browser, origin, await addUser(api, 'anna', 'author'))
  t.equal(await page.getByRole('link', { name: 'Import', exact: true }).count(), 0)
  await page.goto(`${origin}/desk/#/import`)
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor()
})

t.test('a mirror says what it follows, and offers nothing that it would refuse', async (t) => {
  const source = 'http://127.0.0.1:9'
  const { api, origin } = await serveEmpty(t, { MIRROR: source })
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'marta', 'administrator'))
  await page.getByText(`This calendar follows ${source}`).waitFor()
  await page.getByText('There are no events yet.').waitFor()
  t.same(await findingsOf(page), [])
  for (const name of ['New event', 'Import']) t.equal(await page.getByRole('link', { name }).count(), 0, name)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.getByText('New webhook').waitFor()
  t.same(unexpected(faults), [])
})
