import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { must } from '../../../test/support/answers.ts'
import { type Api, basicAuth } from '../../../test/support/app.ts'
import { ROOT } from '../../../test/support/given.ts'
import { addUser, type Login, openDesk, serveEmpty, typeLogin, unexpected } from '../../desk.ts'
import { answered, findingsOf, overflowOf, PHONE } from '../../pages.ts'
import { sharedBrowser } from '../../shared-browser.ts'
import { counted, focused, holdBack, told } from '../../waits.ts'

const MINUTE = 60_000

let browser: Browser
t.before(async () => {
  browser = await sharedBrowser()
})

const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the desk' }).getByRole('link', { name, exact: true }).click()
const sessions = (page: Page) => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
const tokenIn = async (page: Page) => (await page.context().cookies())[0]!.value

/** Signs in somewhere else. Gives the token. */
async function enter({ anonymous }: Api, { login, password }: Login): Promise<string> {
  const authorization = basicAuth(login, password)
  return (await must(anonymous.post('/session', undefined, { headers: { authorization } }))).token
}
/** Whether a token is accepted. */
const works = async ({ anonymous }: Api, token: string) =>
  (await anonymous.get('/session', undefined, { headers: { authorization: `Bearer ${token}` } })).status

/** Answers the question before something ends. */
const confirm = (page: Page, name: string, button: string) =>
  page.getByRole('dialog', { name }).getByRole('button', { name: button, exact: true }).click()
/** Proves who one is. */
async function prove(page: Page, password: string) {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
}

t.test('one sees where one is signed in, and ends a session there, by its password, and here', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'marta', 'editor')
  const { users } = api.app.store
  const { id } = (await users.byLogin('marta'))!
  const phone = { login: 'marta', password: (await users.addPassword(id, 'phone')).password }
  const lost = await enter(api, phone)
  api.clock.now += 20 * MINUTE
  const { page, faults } = await openDesk(t, browser, origin, who, { viewport: PHONE })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'marta, editor' }).click()
  await sessions(page).nth(1).filter({ hasText: 'first' }).filter({ hasText: 'this one' }).waitFor()
  t.match(await sessions(page).first().innerText(), /phone\n*opened .*10:00/)
  t.equal(await page.getByText('this one').count(), 1)
  t.same(await findingsOf(page), [])
  t.equal(await overflowOf(page), 0)

  await sessions(page)
    .getByRole('button', { name: /^End the session “phone”, opened .*10:00( \S+)?$/ })
    .click()
  t.same(await findingsOf(page), [])
  await confirm(page, 'End the session “phone”?', 'Cancel')
  t.equal(await works(api, lost), 200, 'only when one is sure')
  await sessions(page).getByRole('button', { name: '“phone”' }).click()
  await confirm(page, 'End the session “phone”?', 'End')
  await told(page, 'The session has ended.')
  await page.getByRole('button', { name: '“phone”' }).waitFor({ state: 'detached' })
  t.equal(await works(api, lost), 401)

  const found = await enter(api, phone)
  await page.reload()
  await sessions(page).nth(1).waitFor()
  await page.getByRole('button', { name: 'Revoke phone' }).click()
  await page.getByRole('dialog').getByText('the sessions that it opened end').waitFor()
  await confirm(page, 'Revoke “phone”?', 'Revoke')
  await page.getByRole('button', { name: '“phone”' }).waitFor({ state: 'detached' })
  t.equal(await works(api, found), 401)

  const own = await tokenIn(page)
  await sessions(page).getByRole('button', { name: 'End the session “first”' }).click()
  await page.getByRole('dialog').getByText('you will be signed out').waitFor()
  await confirm(page, 'End the session “first”?', 'End')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await works(api, own), 401)
  t.same(unexpected(faults), [])
})

t.test('an administrator sees the sessions of a user and the tokens of programs apart', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'marta', 'author')
  await enter(api, who)
  const { id } = (await api.app.store.users.byLogin('marta'))!
  await api.app.store.tokens.add(id, 'import', ['read'], null)
  const { page, faults } = await openDesk(t, browser, origin, await addUser(api, 'boss', 'administrator'))
  await part(page, 'Users')
  await page.getByRole('link', { name: 'marta', exact: true }).click()
  await sessions(page).getByText('first').waitFor()
  t.equal(await page.getByText('this one').count(), 0)
  const tokens = page.getByRole('list', { name: 'Tokens' }).getByRole('listitem')
  await tokens.getByText('import').waitFor()
  t.equal(await tokens.count(), 1)
  t.same(await findingsOf(page), [])
  t.same(unexpected(faults), [])
})

t.test('who signed in long ago proves the password before a user is added, and then goes on', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'boss', 'administrator')
  const { page, faults } = await openDesk(t, browser, origin, who)
  const before = await tokenIn(page)
  api.clock.now += 11 * MINUTE
  await part(page, 'Users')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  const adding = page.getByRole('dialog', { name: 'Invite somebody' })
  await adding.getByLabel('Login').fill('berta')
  await adding.getByLabel('How will they sign in?').selectOption('secret')
  const count = await api.app.store.users.count()
  await adding.getByRole('button', { name: 'Create' }).click()
  const asked = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await asked.getByText('Type the password of boss once more.').waitFor()
  t.equal(await asked.getByLabel('Login').count(), 0, 'it is asked of nobody else')
  await focused(asked.getByLabel('Password', { exact: true })) // one can type at once
  t.same(await findingsOf(page), [])
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await adding.getByText('Nothing was done, because your password was not confirmed.').waitFor()
  await counted(page.getByRole('dialog'), 1)
  await adding.getByRole('button', { name: 'Create' }).click()
  await prove(page, 'wrong')
  await asked.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor()
  t.same([await api.app.store.users.count(), await works(api, before)], [count, 200], 'nothing has happened')
  await prove(page, who.password)
  await page.getByRole('dialog', { name: 'A new password' }).getByText('berta', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'I have written it down' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.equal(await api.app.store.users.count(), count + 1, 'it was added once')

  const after = await tokenIn(page)
  t.same([await works(api, before), await works(api, after)], [401, 200], 'one session is left')
  await page.getByRole('link', { name: 'boss, administrator' }).click()
  await sessions(page).getByText('this one').waitFor()
  await counted(sessions(page), 1)
  await page.getByLabel('What is it for?').fill('laptop')
  await page.getByRole('button', { name: 'Create a password' }).click()
  await page.getByRole('button', { name: 'I have written it down' }).click()
  t.equal(await tokenIn(page), after, 'for ten minutes nothing is asked again')
  t.same(unexpected(faults, 401), [])
})

t.test('who proves the password in one tab goes on in all of them', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'marta', 'editor')
  const { page, context, faults } = await openDesk(t, browser, origin, who)
  const other = await context.newPage()
  const before = await tokenIn(page)
  api.clock.now += 11 * MINUTE
  for (const tab of [page, other]) {
    await tab.goto(`${origin}/desk/#/account`)
    await tab.getByLabel('What is it for?').fill('laptop')
    await tab.getByRole('button', { name: 'Create a password' }).click()
    await tab.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
  }
  await prove(page, who.password)
  for (const tab of [page, other]) await tab.getByRole('button', { name: 'I have written it down' }).click()
  t.same([await works(api, before), await works(api, await tokenIn(other))], [401, 200])
  t.same(unexpected(faults, 401), [])
})

t.test('what was on its way while a session was renewed is asked again, and not the password', async (t) => {
  const { api, origin } = await serveEmpty(t)
  const who = await addUser(api, 'boss', 'administrator')
  const { page, faults } = await openDesk(t, browser, origin, who)
  await api.app.store.tokens.add((await api.app.store.users.byLogin('boss'))!.id, 'import', ['read'], null)
  const { isHeld, letGo } = await holdBack(page, `**${ROOT}/tokens?*`)
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await answered(page)
  api.clock.now += 13 * 60 * MINUTE
  await page.getByRole('link', { name: 'boss, administrator' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await typeLogin(page, who)
  await sessions(page).getByText('this one').waitFor()
  t.equal((await isHeld()).status, 401)
  letGo()
  await page.getByRole('list', { name: 'Tokens' }).getByText('import').waitFor()
  t.equal(await page.getByRole('dialog').count(), 0)
  t.same(unexpected(faults, 401), [])
})
