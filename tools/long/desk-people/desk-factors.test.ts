import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { hashPassword } from '../../../src/kernel/access/secrets.ts'
import { type Api, build } from '../../../test/support/app.ts'
import { codeOf } from '../../../test/support/people.ts'
import { freePort } from '../../../test/support/ports.ts'
import { addUser, typeLogin, unexpected } from '../../desk.ts'
import { findingsOf, open } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const OWN_PASSWORD = 'a kettle of quiet owls'

/** A service at `localhost`, where passkeys work without HTTPS. They are for the origin in `BASE_URL`. */
async function serveAtLocalhost(t: Test) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const api = await build(t, { env: { BASE_URL: origin }, now: Date.now() })
  await api.app.listen({ port, host: 'localhost' })
  return { api, origin }
}

/** A person with a password of their own. */
async function addPerson(api: Api, login: string) {
  const { users, signIns, db } = api.app.store
  await addUser(api, login, 'editor')
  const user = (await users.byLogin(login))!
  const secret = await hashPassword(OWN_PASSWORD)
  await db.write((tx) => signIns.add(tx, { user_id: user.id, kind: 'password', secret }))
  return { login, password: OWN_PASSWORD }
}

/** Gives a page a device that has passkeys, whose user agrees to everything. */
async function addDevice(page: Page) {
  const tool = await page.context().newCDPSession(page)
  await tool.send('WebAuthn.enable')
  await tool.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
    },
  })
}

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Login').waitFor()
}

t.test('a passkey that was added signs in, and a second factor asks for a code', async (t) => {
  const { api, origin } = await serveAtLocalhost(t)
  const who = await addPerson(api, 'marta')
  const { page, faults } = await open(t, browser, origin, { locale: 'en-GB' })
  await addDevice(page)
  await page.goto(`${origin}/desk/#/account`)
  await typeLogin(page, who)
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByLabel('Name of a new passkey').fill('Phone')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await told(page, 'The passkey is added.')
  await passkeys.getByRole('listitem').filter({ hasText: 'Phone' }).waitFor()
  await passkeys.getByLabel('Name of a new passkey').fill('Phone again')
  await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
  await passkeys.getByText('This device already has a passkey for you.').waitFor()

  await signOut(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await passkeys.getByText(/last used/i).waitFor()
  await page.getByRole('region', { name: 'Sessions' }).getByText('Phone').waitFor()

  const factor = page.getByRole('region', { name: 'Second factor' })
  await factor.getByRole('button', { name: 'Set up' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('img', { name: 'QR code with the secret' }).waitFor()
  t.same(await findingsOf(page), [])
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
  await dialog.getByRole('textbox', { name: 'Code' }).fill('12345')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await dialog.getByText('The code is wrong, or no longer of now.').waitFor()
  await dialog.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, api.clock.now))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
  const codes = await dialog.getByRole('listitem').allInnerTexts()
  t.equal(codes.length, 10)
  const saving = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  t.equal((await saving).suggestedFilename(), 'recovery-codes.txt')
  t.same(await findingsOf(page), [])
  await dialog.getByRole('button', { name: 'I have written it down' }).click()
  await factor.getByText('Recovery codes left: 10.').waitFor()

  await signOut(page)
  api.clock.now += 30_000
  await typeLogin(page, who)
  await page.getByLabel('Code or recovery code').fill(codeOf(secret, api.clock.now - 30_000))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('alert').filter({ hasText: 'The code is wrong, was used before' }).waitFor()
  t.same(await findingsOf(page), [])
  await page.getByLabel('Code or recovery code').fill(codeOf(secret, api.clock.now))
  await page.getByRole('button', { name: 'Continue' }).click()
  await factor.getByText('Last used').waitFor()

  await signOut(page)
  await typeLogin(page, who)
  await page.getByLabel('Code or recovery code').fill(codes[0]!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await factor.getByText('Recovery codes left: 9.').waitFor()

  // a session that is too old to make credentials is confirmed with the passkey
  api.clock.now += 660_000
  await factor.getByRole('button', { name: 'New recovery codes' }).click()
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
  await dialog.getByRole('button', { name: 'I have written it down' }).click()
  await factor.getByRole('button', { name: 'Remove second factor' }).click()
  await dialog.getByRole('button', { name: 'Remove second factor' }).click()
  await told(page, 'The second factor is removed.')
  await passkeys.getByRole('button', { name: 'Remove the passkey “Phone”' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  // its session ended with it
  await page.getByRole('dialog').getByLabel('Password').waitFor()
  t.same(unexpected(faults, 400, 401), [])
})
