import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The windows of tests and pictures: that of a desk, and that of a phone. */
export const DESK = { width: 1280, height: 900 }
export const PHONE = { width: 390, height: 844 }

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
/** How many times slower pages are than they could be: 6 is a telephone, and finds races. */
const SLOWED = Number(process.env.BROWSER_SLOWED ?? 1)
/** Milliseconds that a step of a page may take on a slow machine. */
const PATIENCE = 180_000 * SLOWED

/** Starts the browser of the tests. Throws if it is not installed. */
export async function launch(): Promise<Browser> {
  const program = process.env.CHROMIUM ?? PROGRAMS.find(existsSync)
  if (!program || !existsSync(program))
    throw new Error(
      `There is no browser${program ? ` at ${program}` : ''}: \`apt-get install chromium-headless-shell\`, or name one in CHROMIUM.`,
    )
  const browser = await chromium.launch({ executablePath: program, args: FLAGS, timeout: PATIENCE })
  browser.on('context', (context) => {
    context.setDefaultTimeout(PATIENCE)
    if (SLOWED > 1) context.on('page', slow)
  })
  return browser
}

/** Makes the processor of a page so many times slower. A page that is closed meanwhile needs it no more. */
async function slow(page: Page) {
  const tool = await page
    .context()
    .newCDPSession(page)
    .catch(() => undefined)
  await tool?.send('Emulation.setCPUThrottlingRate', { rate: SLOWED }).catch(() => {})
}

/** What a browser has in which somebody has signed in: the session as the desk keeps it, and its cookie, which the desk can not read. */
export async function signedIn(origin: string, path: string, authorization: string) {
  const answer = await fetch(`${origin}${path}/session/cookie`, {
    method: 'POST',
    headers: { authorization },
  })
  const [name = '', value = ''] = answer.headers.getSetCookie()[0]!.split(';')[0]!.split('=')
  const { hostname: domain } = new URL(origin)
  const safe = { httpOnly: true, secure: false, sameSite: 'Strict' as const }
  return {
    cookies: [{ name, value, domain, path, expires: -1, ...safe }],
    origins: [{ origin, localStorage: [{ name: 'desk.session', value: await answer.text() }] }],
  }
}
