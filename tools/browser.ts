import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's browser without windows takes half of the processor time of the one with windows, and renders with the same program. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
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
  const program = process.env.CHROMIUM ?? PROGRAMS.find(existsSync)
  if (!program || !existsSync(program))
    throw new Error(
      `There is no browser${program ? ` at ${program}` : ''}: \`apt-get install chromium-headless-shell\`, or name one in CHROMIUM.`,
    )
  return chromium.launch({ executablePath: program, args: FLAGS, timeout: PATIENCE })
}
