import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Frame, Page } from 'playwright-core'
import type { Test } from 'tap'
import { listenOn } from '../test/support/ports.ts'

const AXE = readFileSync(new URL('./node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/**
 * The script that runs axe in a page, by WCAG 2.2 AA and its best practices, and gives what is wrong with all of its places. What is right
 * is neither described nor sent, which would take three quarters of the time.
 */
export const axeScript = (options: object = {}) =>
  `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })}).then(({ violations }) => violations)`

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

type Finding = { id: string; nodes: { html: string; failureSummary: string }[] }

/** What axe finds in a page or frame, also in its shadow trees, by WCAG 2.2 AA and its best practices. */
export async function findings(frame: Page | Frame): Promise<string[]> {
  await frame.evaluate(AXE)
  const found: Finding[] = await frame.evaluate(axeScript({ iframes: false }))
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`)
}
