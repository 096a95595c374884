import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { GOOD, MAIL, mailsOf, OTHER } from '../../../test/support/people.ts'
import { addUser, openDesk, serveEmpty, unexpected } from '../../desk.ts'
import { findingsOf, open, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { told } from '../../waits.ts'

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const choose = async (page: Page, password: string) => {
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
}
const enter = async (page: Page, login: string, password: string) => {
  await page.getByLabel('Login or email address').fill(login)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
/** The address of the link in a mail, at the origin that listens. */
const linkIn = ({ text }: { text: string }, origin: string) =>
  text.match(/http:\S+/)![0].replace('http://calendar.test', origin)

t.test('a person is invited, chooses a password, changes it, and forgets it', async (t) => {
  const { api, origin } = await serveEmpty(t, MAIL)
  const boss = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await boss.page.goto(`${origin}/desk/#/users`)
  await boss.page.getByRole('button', { name: 'Invite somebody' }).click()
  const adding = boss.page.getByRole('dialog', { name: 'Invite somebody' })
  await adding.getByLabel('Login').fill('marta')
  await adding.getByLabel('Name', { exact: true }).fill('Marta Puig')
  await adding.getByLabel('Email address').fill('nowhere')
  await adding.getByRole('button', { name: 'Send the invitation' }).click()
  await adding.getByText('An email address, such as berta@example.org.').waitFor()
  await adding.getByLabel('Email address').fill('marta@town.example')
  t.same(await findingsOf(boss.page), [])
  await adding.getByRole('button', { name: 'Send the invitation' }).click()
  await told(boss.page, 'The invitation was mailed to marta@town.example.')
  await boss.page.getByRole('link', { name: 'Marta Puig' }).waitFor()
  const [invitation] = await mailsOf(api, 1)

  const { page, faults } = await open(t, browser, origin, { locale: 'en-GB', viewport: PHONE })
  await page.goto(linkIn(invitation!, origin))
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)
  await choose(page, 'password123')
  await page.getByRole('alert').filter({ hasText: 'many people use' }).waitFor()
  await choose(page, GOOD)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  t.notMatch(page.url(), /invitation/)
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)

  const signOut = async () => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Marta Puig, author' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
  }
  await signOut()
  await enter(page, 'Marta@town.example', OTHER)
  await page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor()
  await enter(page, 'Marta@town.example', GOOD)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await page.getByLabel('Current password').fill(GOOD)
  await choose(page, OTHER)
  await told(page, 'Your password is set.')
  t.match((await mailsOf(api, 2))[1], { subject: 'Your password for Almanac was changed' })

  await signOut()
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  // the page before has a field of the same name
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  await page.getByLabel('Login or email address').fill('marta')
  t.same(await findingsOf(page), [])
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByText('a link is on its way').waitFor()
  const [, , reset] = await mailsOf(api, 3)
  await page.goto(linkIn(reset!, origin))
  await page.getByRole('heading', { name: 'A new password' }).waitFor()
  await choose(page, 'a third one with words')
  await page.getByText('Sign in with it, marta.').waitFor()
  await page.getByRole('link', { name: 'To the sign-in' }).click()
  await enter(page, 'marta', 'a third one with words')
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.goto(linkIn(reset!, origin))
  await choose(page, GOOD)
  await page.getByRole('alert').filter({ hasText: 'The link was used' }).waitFor()
  t.same(unexpected(faults, 400, 401, 404), [])
  t.same(unexpected(boss.faults, 400), [])
})

t.test('without mail an administrator gets links to copy, and a person ends other sessions', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const boss = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  const { id } = (await api.app.store.users.add('marta', 'editor'))!
  await boss.page.goto(`${origin}/desk/#/users/${id}`)
  await boss.page.getByRole('button', { name: 'Make a link to choose a password' }).click()
  const shown = boss.page.getByRole('dialog', { name: 'Invitation' })
  const link = linkIn({ text: await shown.locator('code').innerText() }, origin)
  t.same(await findingsOf(boss.page), [])

  const { page, faults } = await open(t, browser, origin, { locale: 'en-GB' })
  await page.goto(`${origin}/desk/#/forgot`)
  await page.getByText('Ask an administrator').waitFor()
  await page.goto(link)
  await choose(page, GOOD)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  const other = await open(t, browser, origin, { locale: 'en-GB' })
  await other.page.goto(`${origin}/desk/`)
  await enter(other.page, 'marta', GOOD)
  await other.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'End all others' }).click()
  await told(page, 'The other sessions have ended.')
  await other.page.reload()
  const again = other.page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByLabel('Password', { exact: true }).fill(GOOD)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await again.waitFor({ state: 'detached' })
  t.same(unexpected([...faults, ...other.faults], 401), [])
})
