import type { Browser } from 'playwright-core'
import t from 'tap'
import { launch } from './browser.ts'

let browser: Promise<Browser> | undefined

/** The browser of all tests in this process: it is started once, and ends with the last of them. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launch().then((started) => {
    t.teardown(() => started.close())
    return started
  })
  return browser
}
