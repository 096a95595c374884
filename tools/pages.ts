import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Frame, Page, Request } from 'playwright-core'
import type { Test } from 'tap'
import { type Api, build } from '../test/support/app.ts'
import { fillWithDemo } from '../test/support/demo.ts'
import { listenOn } from '../test/support/ports.ts'
import { until } from '../test/support/until.ts'
import { DESK } from './browser.ts'

export { DESK, PHONE } from './browser.ts'

const AXE = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** A service with the demo, at the time of the tests, that listens. Gives its origin as well. */
export async function serveDemo(t: Test, env: Record<string, string> = {}): Promise<Served> {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', ...env } })
  await fillWithDemo(api)
  return { api, origin: await listen(api) }
}
export type Served = { api: Api; origin: string }

/** Lets a service of the tests listen, and gives its origin. */
export const listen = ({ app }: Api): Promise<string> => app.listen({ port: 0, host: '127.0.0.1' })

/** What pages have asked for and have no answer to yet. */
const unanswered = new WeakMap<Page, Set<Request>>()

/**
 * Waits until a page that was opened here has the answers to all that it asked for, and asks for nothing more because of them. Then a test may
 * end its session, for example: what was on its way would find it ended too.
 */
export const answered = (page: Page) =>
  until(async () => {
    for (let again = 0; again < 3; again++) {
      if (unanswered.get(page)!.size > 0) return false
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
    }
    return unanswered.get(page)!.size === 0
  })

/** Opens a page in a window of its own, and notes what the browser complains of, asks others for, or is made to run. */
export async function open(t: Test, browser: Browser, origin: string, looks: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESK, ...looks })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
  const asked = new Set<Request>()
  unanswered.set(page, asked)
  page.on('request', (request) => asked.add(request))
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => asked.delete(request))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  noteThrown(page, faults)
  page.on('dialog', async (dialog) => {
    if (dialog.type() === 'beforeunload') return dialog.accept() // it is what the desk should ask
    faults.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`asks ${request.url()}`)
  })
  return { page, faults, context }
}

/**
 * What axe finds in a page or frame by WCAG 2.2 AA and its best practices, also in shadow trees, as lines. Its program runs beside the page, whose
 * content policy stays, and is given to each once. What is right is neither described nor sent, which would take three quarters of the time.
 */
export async function findingsOf(page: Page | Frame): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  // what comes into sight is judged as it stands then
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  const options = { resultTypes: ['violations'], iframes: false }
  const script = `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations: AxeResults['violations'] = await page.evaluate(script)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** How many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** What a strict page of another site has to allow for the element and the frame of a calendar, and nothing else. */
export const policyFor = (calendar: string) =>
  [
    "default-src 'none'",
    "style-src 'none'",
    `script-src ${calendar}`,
    `connect-src ${calendar}`,
    `img-src ${calendar}`,
    `frame-src ${calendar}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** A site of another origin with one page. Returns its address. */
export async function openSite(t: Test, body: string, policy: string): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', policy)
    response.end(`<!doctype html><html lang="en"><title>A site</title><main><h1>A site</h1>${body}</main>`)
  })
  return `http://127.0.0.1:${await listenOn(t, site)}/`
}

/** Notes what a page throws. The fading of one page into another, which the browser gives up if the next page is there first, is no fault. */
export function noteThrown(page: Page, faults: string[]) {
  page.on('pageerror', (error) => {
    if (!/Transition was (aborted|skipped)/.test(error.message)) faults.push(String(error))
  })
}

/** The errors of a page from now on: those it throws, and those in its console. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = []
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  noteThrown(page, faults)
  return faults
}
