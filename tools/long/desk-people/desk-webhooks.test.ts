import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { EVENT } from '../../../test/support/given.ts'
import { answer, openReceiver, verify } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

t.test('an administrator adds a webhook, looks what became of its messages, and ends it', async (t) => {
  const receiver = await openReceiver(t, answer(410, {}, 'nobody <b>lives</b> here'))
  const { api, origin } = await serveEmpty(t, { DOWNLOAD_ALLOW: '127.0.0.1' })
  const who = await addUser(api, 'boss', 'administrator')
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.goto(`${origin}/desk/#/webhooks`)
  await page.getByText('Nothing is told yet.').waitFor()
  await page.getByRole('button', { name: 'New webhook' }).click()
  const adding = page.getByRole('dialog', { name: 'New webhook' })
  await adding.getByLabel('Address of the program').fill('mirror')
  await adding.getByLabel('What is it for?').fill('Town website')
  await adding.getByLabel('Venue').check()
  await adding.getByLabel('Only if…').fill('search')
  await adding.getByRole('button', { name: 'Create' }).click()
  await adding.getByText('This line is not a condition such as featured=true: search').waitFor()
  await adding.getByLabel('Only if…').fill('search=jazz')
  await adding.getByRole('button', { name: 'Create' }).click()
  await adding.locator('[aria-invalid=true]').waitFor()
  t.same(await findingsOf(page), [])
  await adding.getByLabel('Address of the program').fill(receiver.url)
  await adding.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'The secret of the webhook' })
  const secret = await shown.locator('code').innerText()
  t.match(secret, /^whsec_/)
  t.same(await findingsOf(page), [])
  await shown.getByRole('button', { name: 'I have written it down' }).click()
  await shown.waitFor({ state: 'detached' })
  t.notOk((await page.content()).includes(secret), 'it is shown once')

  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('No message has been sent yet.').waitFor()
  await page.getByRole('button', { name: 'Send a test message' }).click()
  await told(page, 'A test message is on its way.')
  const messages = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  const arrives = (text: string) =>
    until(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      return messages.filter({ hasText: text }).count()
    })
  await arrives('Answer 410')
  await messages.getByText('The receiver wants no more messages.').waitFor()
  await page.getByText('Text of the answer').click()
  await messages.getByText('nobody <b>lives</b> here').waitFor()
  t.ok(verify(receiver.got[0]!, secret, api.clock.now))
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)

  receiver.behaviour = answer(200)
  await page
    .getByRole('button', { name: /^Send again: message/ })
    .first()
    .click()
  await told(page, 'The message is sent again.')
  await arrives('delivered')

  await page.getByLabel('What is it for?').fill('Another website')
  await page.getByRole('button', { name: 'Save' }).click()
  await told(page, /^Saved\./)
  t.match(await must(api.administrator.get('/webhooks/1')), {
    ...{ description: 'Another website', kinds: ['event', 'venue'], filters: { search: 'jazz' } },
  })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()

  await must(api.editor.post('/events', { ...EVENT, title: 'Jazz night' }))
  await page.getByLabel('Send changes again since').fill('2020-01-01T00:00')
  await page.getByRole('button', { name: 'Send them again' }).click()
  await told(page, 'The changes are sent again.')
  await page.getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  const other = page.getByRole('dialog', { name: 'The secret of the webhook' })
  t.not(await other.locator('code').innerText(), secret)
  await other.getByRole('button', { name: 'I have written it down' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Nothing is told yet.').waitFor()
  t.equal((await must(api.administrator.get('/webhooks'))).total, 0)
  t.same(unexpected(faults, 400), [])
})

t.test('a token is made with what it may do and until when, and shown once', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await page.goto(`${origin}/desk/#/account`)
  const tokens = page.getByRole('region', { name: 'Tokens' })
  await tokens.getByRole('button', { name: 'New token' }).click()
  await tokens.getByLabel('What program is it for?').fill('Town website')
  await tokens.getByLabel('Read, also drafts').uncheck()
  await tokens.getByRole('button', { name: 'Create' }).click()
  await tokens.getByText('Choose at least one.').waitFor()
  await tokens.getByLabel('Read, also drafts').check()
  await tokens.getByLabel('Create, change and delete').check()
  await tokens.getByLabel('Until when does it work?').fill('2027-05-01')
  await tokens.getByRole('button', { name: 'Create' }).click()
  const shown = page.getByRole('dialog', { name: 'A new token' })
  const token = await shown.locator('code').innerText()
  // the line makes a draft
  await promisify(execFile)('sh', ['-c', await shown.locator('pre').innerText()])
  const { events } = await must(api.administrator.get('/events?status=draft&when=all'))
  t.match(events, [{ title: 'Concert in the square', status: 'draft' }])
  t.same(await findingsOf(page), [])
  await shown.getByRole('button', { name: 'I have written it down' }).click()
  await tokens
    .getByRole('listitem')
    .filter({ hasText: 'read, write' })
    .filter({ hasText: 'expires' })
    .waitFor()
  const session = await must(
    api.anonymous.get('/session', undefined, { headers: { authorization: `Bearer ${token}` } }),
  )
  t.same(session.scopes, ['read', 'write'])
  await tokens.getByRole('button', { name: 'Revoke Town website' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await told(page, 'Revoked.')
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await api.anonymous.get('/session', undefined, { headers })).status, 401)
  t.same(unexpected(faults), [])
})
