import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
/** Milliseconds that a step of a page may take on a slow machine. */
export const PATIENCE = 60_000

/** Starts the browser of the tests. Throws if it is not installed. */
export async function launch(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(
      `There is no browser at ${CHROMIUM}: \`apt-get install chromium\`, or name one in CHROMIUM.`,
    )
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS, timeout: PATIENCE })
}
