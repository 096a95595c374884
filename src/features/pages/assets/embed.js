import { walk } from './month.js'

/** What is said if the calendar does not answer, by language. */
const FAILED = {}
const HOME = new URL('.', import.meta.url)
/** What an address of the embed may say; the attributes have the same names. */
const PARAMETERS = [
  'view',
  'theme',
  'categories',
  'tags',
  'venue',
  'q',
  'search',
  'language',
  'month',
  'count',
]
/** Milliseconds until a calendar that does not answer counts as failed. */
const PATIENCE = 20_000

const sheets = new Map()
/** A style sheet of the calendar, which all its elements share. */
function sheetAt(href) {
  const known = sheets.get(href)
  if (known) return known
  const made = fetch(href).then(async (response) => {
    if (!response.ok) throw new Error(`${href}: ${response.status}`)
    return new CSSStyleSheet().replace(await response.text())
  })
  sheets.set(href, made)
  made.catch(() => sheets.delete(href))
  return made
}

/** A page as a document, which no content policy of the page around it holds for markup. */
function read(url, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('GET', url)
    request.responseType = 'document'
    request.timeout = PATIENCE
    request.onload = () => resolve(request.response)
    request.onerror = request.ontimeout = () => reject(new Error(`${url} can not be read`))
    signal.onabort = () => request.abort()
    request.send()
  })
}

/** Gives links and pictures their whole addresses, which the page around them does not know. */
function complete(part) {
  for (const link of part.querySelectorAll('a')) link.setAttribute('href', link.href)
  for (const image of part.querySelectorAll('img')) {
    image.setAttribute('src', image.src)
    image.srcset = image.srcset.replace(/(^|, )\//g, `$1${HOME.origin}/`)
  }
  return part
}

/** `<almanac-calendar>`: the calendar in any page. What is inside it is shown if the calendar can not be. */
class AlmanacCalendar extends HTMLElement {
  static observedAttributes = ['lang', 'height', ...PARAMETERS]
  #root = this.attachShadow({ mode: 'open' })
  #status = document.createElement('p')
  #reading = new AbortController()
  #isPlanned = false
  #size = new CSSStyleSheet()

  constructor() {
    super()
    this.#status.className = 'unseen'
    this.#status.role = 'status'
    this.#root.append(document.createElement('slot'))
    this.#root.adoptedStyleSheets = [this.#size]
    this.#root.addEventListener('click', (event) => {
      const link = event.target.closest('a[target="_self"]')
      if (!link || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      this.#load(link.href)
    })
  }

  connectedCallback() {
    this.#plan()
  }

  disconnectedCallback() {
    this.#reading.abort()
  }

  attributeChangedCallback(name) {
    if (name === 'height') this.#reserve()
    else this.#plan()
  }

  /** Takes the room that it is given at once, so that nothing below it moves. Rules of the page around it stand over these. */
  #reserve() {
    const height = Number.parseInt(this.getAttribute('height'), 10)
    const rule = `:host(:not([hidden])){display:block;block-size:${height}px;overflow:auto}`
    this.#size.replaceSync(height > 0 ? rule : '')
  }

  /** Several attributes that change together are one change. */
  #plan() {
    if (this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      if (this.isConnected) this.#load(this.#address())
    })
  }

  #address() {
    const url = new URL(this.lang ? `${encodeURIComponent(this.lang)}/embed/` : 'embed/', HOME)
    for (const name of PARAMETERS) {
      const value = this.getAttribute(name)
      if (value) url.searchParams.set(name, value)
    }
    return url.href
  }

  async #load(url, day) {
    this.#reading.abort()
    this.#reading = new AbortController()
    const { signal } = this.#reading
    this.ariaBusy = 'true'
    try {
      const page = await read(url, signal)
      const styles = [...page.querySelectorAll('link[rel="stylesheet"]')]
      const found = await Promise.all(styles.map(({ href }) => sheetAt(href)))
      if (signal.aborted) return
      this.#root.adoptedStyleSheets = [this.#size, ...found]
      this.#show(complete(page.querySelector('.embed')), day)
      this.dispatchEvent(new Event('load'))
    } catch {
      if (signal.aborted) return
      this.#fail()
    }
    this.ariaBusy = 'false'
  }

  #show(part, day) {
    const focused = this.#root.activeElement
    const side = ['prev', 'next'].find((name) => focused?.classList.contains(name))
    const wasShown = this.#root.contains(this.#status)
    this.#root.replaceChildren(this.#status, document.adoptNode(part))
    walk(this.#root, (link, other) => this.#load(link.href, other))
    const title = part.querySelector('h2')
    const to = day ? this.#root.getElementById(day) : side && (part.querySelector(`.${side}`) ?? title)
    if (title && to === title) title.tabIndex = -1
    to?.focus({ preventScroll: true })
    this.#status.textContent = (wasShown && title?.textContent) || ''
  }

  #fail() {
    const text = document.createElement('p')
    const link = document.createElement('a')
    const slot = document.createElement('slot')
    text.role = 'alert'
    const language = (this.lang || Object.keys(FAILED)[0]).split('-')[0]
    text.textContent = FAILED[language] ?? Object.values(FAILED)[0]
    link.href = HOME.href
    link.textContent = HOME.host
    slot.append(link)
    this.#root.replaceChildren(text, slot)
    this.dispatchEvent(new Event('error'))
  }
}

if (!customElements.get('almanac-calendar')) customElements.define('almanac-calendar', AlmanacCalendar)
