import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/app.ts'
import { until } from '../../../test/support/until.ts'
import { addUser, openDesk, serveEmpty } from '../../desk.ts'
import { counting } from '../../journeys.ts'
import { findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { decoded, openMailServer, type Received } from '../../test/support/mail-server.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A mail as a program shows it. Its links lead to where the service is reached. */
const htmlOf = ({ text }: Received, origin: string) =>
  decoded(/Content-Type: text\/html[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(text)![1]!).replaceAll(
    'http://calendar.test',
    origin,
  )

/** What is wrong with how a page looks, on a phone and in both schemes. */
async function problemsOf(page: Page) {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await findingsOf(page)))
  }
  const wider = await overflowOf(page)
  return wider > 0 ? [...found, `${wider} pixels too wide`] : found
}

t.test(
  'a visitor subscribes by mail with 5 clicks, and ends it with 2; an administrator deletes an address with 3',
  async (t) => {
    const server = await openMailServer(t)
    const { api, origin } = await serveEmpty(t, {
      ...{ DIGEST: 'on', SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'c@town.example' },
    })
    for (const [title, category, city] of [
      ['Evensong', 'Music', 'Vic'],
      ['Hamlet', 'Theatre', 'Olot'],
    ])
      await must(
        api.editor.post('/events', {
          ...EVENT,
          ...{ title, start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00' },
          ...{ categories: [category], venue: { venue: `Hall of ${city}`, city } },
        }),
      )
    const { page, faults } = await open(t, browser, origin, { viewport: PHONE, locale: 'en-GB' })
    const mailed = async (count: number) => {
      await until(() => server.received.length >= count)
      return server.received[count - 1]!
    }
    const read = async (mail: Received) => {
      await page.goto('about:blank')
      await page.setContent(htmlOf(mail, origin))
      t.same(await problemsOf(page), [], 'the mail')
    }

    const subscribing = counting()
    await page.goto(`${origin}/events/subscribe/`)
    t.same(await problemsOf(page), [])
    await subscribing.click(page.getByRole('link', { name: 'Choose events' }))
    await page.getByRole('heading', { level: 1, name: 'Events by email' }).waitFor()
    t.same(await problemsOf(page), [])
    await page.getByLabel('Your email address').fill('anna@people.example')
    await subscribing.click(page.getByLabel('Music'))
    await subscribing.click(page.getByRole('main').getByRole('button', { name: 'Subscribe' }))
    await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor()
    t.same(await problemsOf(page), [])
    await read(await mailed(1))
    await subscribing.click(page.getByRole('link', { name: 'Confirm the subscription' }))
    await page.getByText('Once a week · Music').waitFor()
    t.same(await problemsOf(page), [])
    await subscribing.click(page.getByRole('button', { name: 'Yes, send me events' }))
    await page.getByText('You are subscribed.').waitFor()
    t.same(await problemsOf(page), [])
    t.equal(subscribing.clicks, 5)

    api.clock.now = Date.parse('2026-11-26T07:10:00Z')
    const ending = counting()
    const weekly = await mailed(2)
    t.match(weekly.text, /^List-Unsubscribe:\s+<http:\/\/calendar\.test\/events\/digest\/1\.[\w-]{22}\/>\r$/m)
    t.match(weekly.text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    t.match(weekly.text, /^Auto-Submitted: auto-generated\r$/m)
    await read(weekly)
    t.equal(await page.getByRole('link', { name: 'Evensong' }).count(), 1)
    t.equal(await page.getByRole('link', { name: 'Hamlet' }).count(), 0)
    await ending.click(page.getByRole('link', { name: 'Change or unsubscribe' }))
    await ending.click(page.getByRole('button', { name: 'Unsubscribe' }))
    await page.getByRole('heading', { level: 1, name: 'You are unsubscribed' }).waitFor()
    t.same(await problemsOf(page), [])
    t.equal(ending.clicks, 2)
    t.same(faults, [])

    await page.goto(`${origin}/events/digest/`)
    await page.getByLabel('Your email address').fill('pau@people.example')
    await page.getByRole('main').getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor()
    const desk = await openDesk(t, browser, origin, await addUser(api, 'head', 'administrator'))
    const deleting = counting()
    await deleting.click(desk.page.getByRole('link', { name: 'Events by email' }))
    await desk.page.getByText('Not confirmed yet').waitFor()
    t.same(await problemsOf(desk.page), [])
    await deleting.click(desk.page.getByRole('button', { name: 'Delete pau@people.example' }))
    await deleting.click(desk.page.getByRole('dialog').getByRole('button', { name: 'Delete' }))
    await desk.page.getByText('Nobody has subscribed yet.').waitFor()
    t.equal(deleting.clicks, 3)
    t.same(desk.faults, [])
    await api.app.close()
  },
)

t.test('the form, the confirmation and the end work without script', async (t) => {
  const server = await openMailServer(t)
  const { api, origin } = await serveEmpty(t, {
    ...{ DIGEST: 'on', SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'c@town.example' },
  })
  const { page, faults } = await open(t, browser, origin, { javaScriptEnabled: false, locale: 'en-GB' })
  await page.goto(`${origin}/events/digest/`)
  await page.getByLabel('Your email address').fill('anna@people.example')
  await page.getByText('When something new is published').click()
  await page.getByRole('main').getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'Check your email' }).waitFor()
  await until(() => server.received.length > 0)
  await page.goto('about:blank')
  await page.setContent(htmlOf(server.received[0]!, origin))
  await page.getByRole('link', { name: 'Confirm the subscription' }).click()
  await page.getByText('When something new is published').waitFor()
  await page.getByRole('button', { name: 'Yes, send me events' }).click()
  await page.getByLabel('With these words').fill('jazz')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Your choice is saved.').waitFor()
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'You are unsubscribed' }).waitFor()
  t.same(faults, [])
  await api.app.close()
})
