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
  until(
    async () => (await place.count()) === count,
    () => `${place} should be ${count}`,
  )

/** Waits until rows, options or the like have these texts, and no others are there. */
export const rows = (place: Locator, texts: string[]) =>
  until(
    async () => isDeepStrictEqual(await place.allTextContents(), texts),
    () => `${place} should be ${texts}`,
  )

/** Waits until a field has a value. */
export const valued = (field: Locator, value: string) =>
  until(
    async () => (await field.inputValue()) === value,
    () => `${field} should have “${value}”`,
  )

/** Waits until something has the focus. */
export const focused = (place: Locator) => place.and(place.page().locator(':focus')).waitFor()

/** Waits until the desk has read what it is about to show. */
export const settled = (page: Page) =>
  page.locator('[aria-busy=true], p.loading').first().waitFor({ state: 'detached' })

/** Waits until a script finds something in a page, whose policy lets no script wait there. */
export const inPage = (page: Page, script: string) =>
  until(
    () => page.evaluate<unknown>(script),
    () => script,
  )

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
  const isHeld = () =>
    until(
      () => held[0],
      () => `An answer of ${url} should be held back`,
    )
  return { held, isHeld, letGo }
}
