import type { BrowserContext, Locator, Page } from 'playwright-core'
import { SCRIPTS, URLS, VECTORS } from '../test/support/hostile.ts'

/** What runs wherever a text is taken for HTML. */
const CANARY = '<img src=x onerror=alert(1)>'
/** Every vector as one line. */
const LINES = Object.values(VECTORS)
  .flat()
  .map((line) => line.replace(/\s+/g, ' '))
/** All of them as one HTML: addresses in links and pictures. */
export const ALL_AS_HTML = [
  ...SCRIPTS,
  ...URLS.flatMap((url) => [`<a href="${url}">x</a>`, `<img src="${url}">`]),
]
  .map((text) => `<p>${text}</p>`)
  .join('\n')

/** Gives lines of text to type, one after another, that begin with what runs and go through the whole corpus. */
export function openLines() {
  let at = 0
  let number = 0
  return {
    /** The next vectors that fit into a line. */
    next(length: number): string {
      let text = `x${++number} ${CANARY}`
      const fits = () => text.length + LINES[at % LINES.length]!.length < length
      // one that is too long for this line is for the next
      do {
        if (fits()) text += ` ${LINES[at % LINES.length]}`
        at++
      } while (fits())
      return text.slice(0, length)
    },
    /** How many vectors were given. */
    count: () => at,
    total: LINES.length,
  }
}
export type Lines = ReturnType<typeof openLines>

/** A field, as far as a page tells of it. */
type Input = { tagName: string; type: string; labels: { textContent: string }[] }
const aboutOf = (field: Locator) =>
  field.evaluate((one) => {
    const { tagName: tag, type, labels } = one as unknown as Input
    return { tag, type, label: labels[0]!.textContent.trim() }
  })

const TYPED =
  'input:not([type=checkbox],[type=radio],[type=date],[type=time],[type=datetime-local],[type=file],[role=combobox]),textarea'
/** How many letters a name may have, and any other line. */
const NAME = 190
const LINE = 900
const isName = (label: string) => ['Name', 'Title', 'Login'].includes(label)

/** Types attacks into every field of a form or a page that takes text. Gives their labels. */
export async function typeIntoAll(scope: Locator, lines: Lines, except: string[] = []): Promise<string[]> {
  const typed: string[] = []
  await scope.locator(TYPED).first().waitFor({ state: 'attached' })
  for (const field of await scope.locator(TYPED).all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue
    const { tag, type, label } = await aboutOf(field)
    if (except.includes(label)) continue
    // an address without spaces may pass for one
    if (type === 'url') await field.fill('https://evil.test/"><svg/onload=alert(1)>')
    else
      await field.fill(
        tag === 'TEXTAREA' ? ALL_AS_HTML.slice(0, 9_000) : lines.next(isName(label) ? NAME : LINE),
      )
    typed.push(label)
  }
  return typed
}

/** What a field must have, where it can not be empty. */
const NEEDED: Record<string, string> = { 'Time zone': 'UTC', 'Begins at': '20:00', 'Ends at': '22:00' }

/** Empties what is said to be wrong, and gives the labels. A zone gets one. */
async function emptyWrong(scope: Locator): Promise<string[]> {
  const labels: string[] = []
  const wrong = scope.locator('[aria-invalid=true]')
  // one that was changed is no longer said to be wrong
  while ((await wrong.count()) > 0) {
    const { label } = await aboutOf(wrong.first())
    if (labels.includes(label)) throw new Error(`${label} stays wrong`)
    labels.push(label)
    await wrong.first().fill(NEEDED[label] ?? '')
  }
  return labels
}

/** Saves a form by its first button of a kind, without what the API refuses. Gives the labels of what was refused. */
export async function saveWithout(page: Page, scope: Locator, button: string): Promise<string[]> {
  const refused = await emptyWrong(scope)
  for (;;) {
    const written = page.waitForResponse((answer) => answer.request().method() !== 'GET')
    await scope.locator(button).first().click()
    if ((await written).ok()) return refused
    await scope.locator('[aria-invalid=true]').first().waitFor()
    await noElements(page)
    refused.push(...(await emptyWrong(scope)))
  }
}

/** What the desk never has: elements and attributes that only a text could have become. */
const STRANGE = `[...document.querySelectorAll('*')].flatMap((element) => {
  const name = element.localName
  const never = /^(style|iframe|frame|frameset|object|embed|applet|svg|math|base|video|audio|source|marquee|portal|template|plaintext|xmp|listing|isindex|maction|x|x-y|.*:.*)$/
  // the desk shows the page of an event in a frame
  const isOwn = (name === 'iframe' && /^\\/preview\\/[\\w.-]+$/.test(element.getAttribute('src')))
    // and has icons, which are one path each
    || /^<svg class="glyph" viewBox="0 0 24 24" aria-hidden="true"><path d="[\\w .-]+"><\\/path><\\/svg>$/.test(element.outerHTML)
  const found = (never.test(name) && !isOwn) || (name === 'script' && !/^\\/desk\\/assets\\/desk-\\w+\\.js$/.test(element.getAttribute('src')))
    || (name === 'meta' && element.httpEquiv) || (name === 'form' && element.hasAttribute('action'))
    || [...element.attributes].some(({ name, value }) => /^on|^(srcdoc|background|action|formaction|srcset|ping)$/.test(name)
      || (/^(href|src|xlink:href|cite)$/.test(name) && !/^(https?|mailto|tel|blob):$/.test(new URL(value, location.href).protocol)))
  return found ? [element.outerHTML.slice(0, 200)] : []
})`

/** Throws if an element of a page was made of a text that was typed. */
export async function noElements(page: Page): Promise<void> {
  const found = (await page.evaluate(STRANGE)) as string[]
  if (found.length > 0) throw new Error(`${page.url()} has elements made of a text: ${found.join('\n')}`)
}

/** Members of responses that hold what people wrote. */
const WRITTEN =
  /^(title|description|excerpt|venue|organizer|name|address|city|country|province|state|zip|phone|email|website|virtual_url|cost|slug|login|message|alt)$/

function poison(value: unknown, key: string, lines: Lines): unknown {
  if (Array.isArray(value)) return value.map((one) => poison(one, key, lines))
  if (typeof value === 'string') {
    if (!WRITTEN.test(key)) return value
    return key === 'description' ? `${value}\n${ALL_AS_HTML}` : lines.next(NAME)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, name, lines)]))
}

/** Lets every text of a service's answers to reads be an attack, as if it had never cleaned what it was sent. */
export async function poisonAnswers(context: BrowserContext, path: string, lines: Lines) {
  await context.route(`**${path}/**`, async (route) => {
    if (route.request().method() !== 'GET' || route.request().url().endsWith('/changes'))
      return route.continue()
    try {
      const response = await route.fetch()
      await route.fulfill({ response, json: poison(await response.json(), '', lines) as object })
    } catch {
      // the window was closed while the answer was on its way; a test that waits for it notices
    }
  })
}

/**
 * What a browser may complain of: pictures in texts that are not there, or of other hosts; what the API has refused; dates in an address
 * that are none; and what it finds in HTML that is read beside the page, where nothing runs. That in the page itself is told apart.
 */
const HARMLESS = [
  ...[/status of (40[0349]|422)/, /directive: "img-src/, /^asks data:image/, /"yyyy-MM-dd/],
  /ERR_(NAME_NOT_RESOLVED|UNKNOWN_URL_SCHEME|INVALID_URL|ABORTED)/,
  /^(Executing inline event handler|Applying inline style) violates/,
]
/** Complaints of a browser that tell of a hole. */
export const complaints = (faults: string[]) =>
  faults.splice(0).filter((fault) => !HARMLESS.some((harmless) => harmless.test(fault)))

/** Has the pages of a window complain if an element in them breaks their content policy; pictures may. */
export const watchElements = (context: BrowserContext) =>
  context.addInitScript(`document.addEventListener('securitypolicyviolation', ({ target, effectiveDirective }) => {
    if (target !== document && effectiveDirective !== 'img-src') console.error('In the page: ' + effectiveDirective + ' ' + target.outerHTML)
  }, true)`)

/** Addresses that say more than a link of the desk would. */
export const ODD_PLACES = [
  ...[CANARY, 'javascript:alert(1)', '%zz', '../..', 'constructor', '__proto__', '-1'].flatMap((text) =>
    [
      '',
      'events/',
      'month/',
      'venues/',
      'tags/',
      'users/',
      'translate/',
      'translate/events/',
      'translate/events/1/',
    ].map((path) => `#/${path}${text}`),
  ),
  ...['events', 'month', 'venues', 'tags', 'changes', 'users', 'audit', 'events/new'].map((path) => {
    const names = ['search', 'status', 'when', 'from', 'to', 'category', 'language', 'page', 'days']
    const query = [...names, 'kind', 'day', 'parent', 'code', 'user'].map(
      (name) => `${name}=${encodeURIComponent(CANARY)}`,
    )
    return `#/${path}?${query.join('&')}`
  }),
  ...URLS.slice(0, 6),
]
