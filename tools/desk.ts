import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Role } from '../src/kernel/access/rights.ts'
import { type Api, basicAuth, build, NOW, ROOT } from '../test/support/app.ts'
import { signedIn } from './browser.ts'
import { listen, open, type Served } from './pages.ts'

/** A login with its application password. */
export type Login = { login: string; password: string }

/** A service without records that listens. */
export async function serveEmpty(t: Test, env: Record<string, string> = {}): Promise<Served> {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', ...env } })
  return { api, origin: await listen(api) }
}

/** Adds a user who can sign in. */
export async function addUser({ app }: Api, login: string, role: Role): Promise<Login> {
  const user = await app.store.users.add(login, role)
  return { login, password: user!.password }
}

/** Types a login and its password, and presses the button. */
export async function typeLogin(page: Page, { login, password }: Login) {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/**
 * Opens the desk in a window of its own, in which somebody has signed in: how one does that is a test by itself, and takes a third of
 * a second. Its clock is that of the service.
 */
export async function openDesk(
  t: Test,
  browser: Browser,
  origin: string,
  who: Login,
  looks: BrowserContextOptions = {},
) {
  const authorization = basicAuth(who.login, who.password)
  const storageState = await signedIn(origin, ROOT, authorization)
  const opened = await open(t, browser, origin, { locale: 'en-GB', storageState, ...looks })
  await opened.page.clock.setFixedTime(NOW)
  await opened.page.goto(`${origin}/desk/`)
  await opened.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  return opened
}

/** Leaves out what a browser tells of answers that are meant to be refused. */
export const unexpected = (faults: string[], ...statuses: number[]) =>
  faults.splice(0).filter((fault) => !statuses.some((status) => fault.includes(`status of ${status}`)))
