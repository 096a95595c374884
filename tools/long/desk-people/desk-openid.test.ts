import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { build, ROOT } from '../../../test/support/app.ts'
import { freePort } from '../../../test/support/ports.ts'
import { unexpected } from '../../desk.ts'
import { findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { openProvider } from '../../test/support/provider.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

/** A calendar and a provider at another site, as browsers see it. */
async function serve(t: Test, env: Record<string, string>) {
  const port = await freePort() // the provider has to know where the calendar will be
  const origin = `http://127.0.0.1:${port}`
  const accounts = {
    maria: { name: 'Maria', email: 'maria@town.test', email_verified: true, groups: ['editors'] },
  }
  const provider = await openProvider(t, accounts, [`${origin}${ROOT}/session/openid/callback`], 'localhost')
  const api = await build(t, {
    now: Date.now(),
    env: { ...provider.env, TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', BASE_URL: origin, ...env },
  })
  await api.app.listen({ port, host: '127.0.0.1' })
  return { api, origin, provider }
}

/** What the pages of the provider ask for. */
const OF_PROVIDER = /^asks https?:\/\/(localhost|fonts)|^Failed to load resource: net::/

/** Signs in at the page of the provider. */
async function signInThere(page: Page, login: string) {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
}

t.test(
  'one goes to the provider and comes back to where one was, and confirms there what needs it',
  async (t) => {
    const { api, origin } = await serve(t, {
      ...{ OPENID_NEW_USERS: 'editor', OPENID_ROLES: 'groups:editors=administrator' },
    })
    const { page, faults, context } = await open(t, browser, origin, { locale: 'en-GB' })
    await page.goto(`${origin}/desk/#/users`)
    const link = page.getByRole('link', { name: 'Sign in with Town' })
    await link.waitFor()
    await page.getByLabel('Login').waitFor()
    t.same(await findingsOf(page), [])
    await link.click()
    await signInThere(page, 'maria')
    await page.locator('button[type=submit]').click() // what the provider may tell
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    t.equal(page.url(), `${origin}/desk/#/users`)
    const cookies = await context.cookies(origin + ROOT)
    t.match(cookies, [{ name: 'almanac-session', httpOnly: true, sameSite: 'Strict', path: ROOT }])
    t.equal(cookies.length, 1)
    await page.reload()
    await page.getByRole('link', { name: 'Maria, administrator' }).waitFor()

    // the provider has said nothing of a proof
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    const adding = page.getByRole('dialog', { name: 'Invite somebody' })
    await adding.getByLabel('Login').fill('berta')
    await adding.getByLabel('How will they sign in?').selectOption('secret')
    await adding.getByRole('button', { name: 'Create' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await dialog.waitFor()
    t.same(await findingsOf(page), [])
    api.clock.now += 60_000
    const beside = context.waitForEvent('page')
    await dialog.getByRole('button', { name: 'Confirm with Town' }).click()
    const other = await beside
    await signInThere(other, 'maria')
    await page.getByRole('dialog', { name: 'A new password' }).getByText('berta', { exact: true }).waitFor()
    const { id } = (await api.app.store.users.byLogin('berta'))!
    await page.getByRole('dialog', { name: 'A new password' }).getByRole('button').last().click()

    // who is linked with whom is seen, and ended
    const links = page.getByRole('region', { name: 'Signing in with Town' })
    await page.goto(`${origin}/desk/#/account`)
    await links.getByRole('button', { name: 'Remove the link with Town' }).waitFor()
    await links.getByRole('link', { name: 'Link with Town' }).waitFor()
    t.same(await findingsOf(page), [])
    const { db, signIns } = api.app.store
    await db.write((tx) =>
      signIns.add(tx, { user_id: id, kind: 'openid', name: 'Town', external: 'https://id.example thief' }),
    )
    await page.goto(`${origin}/desk/#/users/${id}`)
    await links.getByRole('button', { name: 'Remove the link with Town' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await told(page, 'The link is removed.')
    await links.waitFor({ state: 'detached' })
    t.same(await signIns.list(id, 'openid'), [])
    t.same(
      unexpected(faults, 401, 404).filter((fault) => !OF_PROVIDER.test(fault)),
      [],
    )
  },
)

t.test('who may not come in is told so in the language of the desk, on a phone', async (t) => {
  const { origin } = await serve(t, { OPENID_ROLES: 'groups:editors=editor', LOCAL_SIGN_IN: 'off' })
  const { page, faults } = await open(t, browser, origin, {
    locale: 'ca-ES',
    viewport: PHONE,
    colorScheme: 'dark',
  })
  await page.goto(`${origin}/desk/`)
  await page.getByRole('link', { name: 'Entra amb Town' }).click()
  await signInThere(page, 'stranger')
  await page.locator('button[type=submit]').click()
  await page.getByRole('alert').filter({ hasText: 'Town no et dona cap rol' }).waitFor()
  t.equal(await page.locator('form').count(), 0, 'there is no other way in')
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await page.goto(`${origin}/desk/#/openid/constructor/%3Cb%3E`)
  await page.reload()
  await page.getByRole('alert').filter({ hasText: 'Ara mateix no s’hi pot entrar' }).waitFor()
  t.same(
    unexpected(faults, 404).filter((fault) => !OF_PROVIDER.test(fault)),
    [],
  )
})
