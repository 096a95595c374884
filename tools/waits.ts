import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { until } from '../test/support/until.ts'

// What tests wait for in a browser, where Playwright does not by itself: it waits until what is clicked, filled or read is there, and not
// until it has taken effect.

/** Waits until the desk tells something. A text is found within others: "Saved" also in "Not saved". */
export const told = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor()

/** Waits until so many of something are there. */
export const counted = (place: Locator, count: number) =>
  until(`${place} are ${count}`, async () => (await place.count()) === count)

/** Waits until rows, options or the like have these texts, and no others are there. */
export const rows = (place: Locator, texts: string[]) =>
  until(`${place} are ${texts}`, async () => isDeepStrictEqual(await place.allTextContents(), texts))

/** Waits until a field has a value. */
export const valued = (field: Locator, value: string) =>
  until(`${field} has “${value}”`, async () => (await field.inputValue()) === value)

/** Waits until something has the focus. */
export const focused = (place: Locator) => place.and(place.page().locator(':focus')).waitFor()

/** Waits until the desk has read what it is about to show. */
export const settled = (page: Page) =>
  page.locator('[aria-busy=true], p.loading').first().waitFor({ state: 'detached' })

/** Waits until a script finds something in a page, whose policy lets no script wait there. */
export const inPage = (page: Page, script: string) => until(script, () => page.evaluate<unknown>(script))

/** Goes to a place of the desk by its address, and waits until the desk has taken it: the page before has a heading as well. */
export const goTo = (page: Page, hash: string) =>
  page.evaluate(`{
    const before = location.hash
    location.hash = ${JSON.stringify(hash)}
    location.hash === before || new Promise((taken) => addEventListener('hashchange', () => setTimeout(taken), { once: true }))
  }`)

/**
 * Holds back the answers to some requests of a page until they are let go. The page is opened anew, because one that is there already may
 * still send without this.
 */
export async function holdBack(page: Page, url: string | RegExp, method = 'GET') {
  let letGo = () => {}
  const free = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const held: { status: number; sent: string | null }[] = []
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    held.push({ status: response.status(), sent: route.request().postData() })
    await free
    await route.fulfill({ response })
  })
  await page.reload()
  /** Waits for the first one. */
  const isHeld = () => until(`an answer of ${url} is held back`, () => held[0])
  return { held, isHeld, letGo }
}
