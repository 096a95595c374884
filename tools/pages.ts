import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { type Api, build } from '../test/support/app.ts'
import { fillWithDemo } from '../test/support/demo.ts'
import { axeScript, noteThrown } from './site.ts'

export const DESK = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

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

/** Opens a page in a window of its own, and notes what the browser complains of, asks others for, or is made to run. */
export async function open(t: Test, browser: Browser, origin: string, looks: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: DESK, ...looks })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const faults: string[] = []
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

/** What axe finds on a page, as lines. Its program runs beside the page, whose content policy stays, and is given to each page once. */
export async function findingsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE)
  const violations: AxeResults['violations'] = await page.evaluate(axeScript())
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** How many pixels a page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
