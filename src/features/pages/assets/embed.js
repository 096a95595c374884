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
  'town',
  'free',
  'online',
  'q',
  'search',
  'language',
  'month',
  'count',
]
/** What rules of the page around may change by `::part`, by selectors. */
const PARTS = {
  heading: 'h2',
  button: '.turn a',
  grid: 'table.grid',
  day: '.day',
  date: '.date',
  event: '.entry, .card',
  title: 'h3',
  time: '.time',
  note: '.note',
  facts: '.facts',
  picture: '.thumb, .cover',
  source: '.source',
}
/** What the page around may set as `--almanac-…`, with the tokens of the calendar that these are. */
const SETTABLE = {
  ...Object.fromEntries(
    ['accent', 'ink', 'soft', 'paper', 'raised', 'line', 'edge', 'wash', 'band', 'radius'].map((name) => [
      name,
      name,
    ]),
  ),
  font: 'sans',
  'heading-font': 'serif',
}
/** Colours of states, which stand on a wash of their own. */
const STATES = ['cancelled', 'postponed', 'rescheduled', 'online', 'free', 'over']
/** The room that is kept for a calendar that was never shown here, as a length: what is below a list is then below the window. */
const ROOM = { month: 'min(44rem, 100vh)', list: '100vh' }
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

const brush = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
/** The colour of these ones over each other, as red, green and blue. */
function painted(colours) {
  for (const colour of colours) {
    brush.fillStyle = colour
    brush.fillRect(0, 0, 1, 1)
  }
  return [...brush.getImageData(0, 0, 1, 1).data.slice(0, 3)]
}
const mixed = (one, other, part) => one.map((value, at) => Math.round(value * part + other[at] * (1 - part)))
const textOf = (colour) => `rgb(${colour.join(' ')})`
const lightOf = (colour) => {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrastOf = (one, other) => {
  const [dark, light] = [lightOf(one), lightOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}
/** A colour with as much of the ink as it needs to be read on a ground. */
function legible(colour, ground, ink) {
  for (let part = 0; part < 1; part += 0.1) {
    const one = mixed(ink, colour, part)
    if (contrastOf(one, ground) >= 4.5) return one
  }
  return ink
}

/** The element around another one, also across shadow trees. */
const around = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host
/** The colours that the page paints behind an element, the lowest first. */
function groundsOf(element) {
  const grounds = []
  for (let one = element; one; one = around(one)) grounds.unshift(getComputedStyle(one).backgroundColor)
  const isDark = getComputedStyle(document.documentElement).colorScheme
  const dark =
    /dark/.test(isDark) && (!/light/.test(isDark) || matchMedia('(prefers-color-scheme: dark)').matches)
  return [dark ? '#121212' : '#fff', ...grounds]
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

/** Gives links and pictures their whole addresses, which the page around them does not know, and parts their names. */
function complete(part) {
  for (const link of part.querySelectorAll('a')) link.setAttribute('href', link.href)
  for (const image of part.querySelectorAll('img')) {
    image.setAttribute('src', image.src)
    image.srcset = image.srcset.replace(/(^|, )\//g, `$1${HOME.origin}/`)
  }
  for (const [name, selector] of Object.entries(PARTS))
    for (const one of part.querySelectorAll(selector)) one.part.add(name)
  return part
}

/** The elements in this page. */
const elements = new Set()
const blendAll = () => {
  for (const element of elements) element.blend()
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', blendAll)
for (const part of [document.documentElement, document.body])
  if (part) new MutationObserver(blendAll).observe(part, { attributes: true })

/** `<almanac-calendar>`: the calendar in any page. What is inside it is shown if the calendar can not be. */
class AlmanacCalendar extends HTMLElement {
  static observedAttributes = ['lang', 'height', ...PARAMETERS]
  #root = this.attachShadow({ mode: 'open' })
  #status = document.createElement('p')
  #reading = new AbortController()
  #isPlanned = false
  #size = new CSSStyleSheet()
  #colours = new CSSStyleSheet()
  /** Whether something was shown, and the room for it was measured. */
  #wasShown = false

  constructor() {
    super()
    this.#status.className = 'unseen'
    this.#status.role = 'status'
    this.#root.append(document.createElement('slot'))
    this.#root.adoptedStyleSheets = [this.#size, this.#colours]
    this.#root.addEventListener('click', (event) => {
      const link = event.target.closest('a[target="_self"]')
      if (!link || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      this.#load(link.href)
    })
  }

  connectedCallback() {
    elements.add(this)
    this.#reserve()
    this.#plan()
  }

  disconnectedCallback() {
    elements.delete(this)
    this.#reading.abort()
  }

  attributeChangedCallback(name) {
    if (name === 'height') this.#reserve()
    else this.#plan()
  }

  /** What this element had room for, by its address and about the width of the window. */
  get #memory() {
    return `almanac-calendar ${this.#address()} ${Math.round(innerWidth / 40)}`
  }

  /** Takes the room that it needs at once, so that nothing below it moves: what it is given, what it took the last time, or what is likely. */
  #reserve() {
    const height = Number.parseInt(this.getAttribute('height'), 10)
    let last = 0
    try {
      last = Number(localStorage.getItem(this.#memory))
    } catch {
      // this site keeps nothing
    }
    const likely = last > 0 ? `${last}px` : (ROOM[this.getAttribute('view')] ?? ROOM.list)
    const room =
      height > 0 ? `block-size:${height}px;overflow:auto` : `min-block-size:${this.#wasShown ? 0 : likely}`
    const own =
      'color:var(--almanac-ink,inherit);background:var(--almanac-paper,transparent);font-family:var(--almanac-font,inherit)'
    this.#size.replaceSync(`:host(:not([hidden])){display:block;${room}}:host(:not([theme])){${own}}`)
  }

  /** Notes how much room it takes, for the next visit. What follows what was shown first comes by a visitor's click, and takes what it needs. */
  #measure(part) {
    if (this.#wasShown) return this.#reserve()
    this.#wasShown = true
    try {
      localStorage.setItem(this.#memory, part.offsetHeight)
    } catch {
      // this site keeps nothing
    }
  }

  /**
   * Without a theme it takes the ground, the ink and the font of the page around it, and makes of its colours what can be read there. What
   * the page sets as `--almanac-…` stands over all else.
   */
  blend() {
    this.#colours.replaceSync('')
    const own = getComputedStyle(this)
    const given = (name) => own.getPropertyValue(name).trim()
    const isOwn = this.hasAttribute('theme') && !given('--almanac-ink') && !given('--almanac-paper')
    const rules = isOwn ? {} : this.#surroundings(own, given)
    // the ground is what is painted, also if that is clear
    for (const [name, token] of Object.entries(SETTABLE))
      if (!('--paper' in rules && name === 'paper') && given(`--almanac-${name}`))
        rules[`--${token}`] = `var(--almanac-${name})`
    const text = Object.entries(rules).map(([name, value]) => `${name}:${value}`)
    this.#colours.replaceSync(`:host(:not(#own)){${text.join(';')}}`)
  }

  /** The tokens that the page around gives, where it sets none. */
  #surroundings({ color, fontFamily }, given) {
    const ground = painted([...groundsOf(this), given('--almanac-paper') || 'transparent'])
    const ink = painted([textOf(ground), given('--almanac-ink') || color])
    const accent = legible(painted([given('--accent')]), ground, ink)
    const rules = {
      'color-scheme': lightOf(ground) < lightOf(ink) ? 'dark' : 'light',
      '--sans': fontFamily,
      '--serif': fontFamily,
      '--paper': textOf(ground),
      '--raised': textOf(ground),
      '--ink': textOf(ink),
      '--soft': textOf(legible(mixed(ink, ground, 0.7), ground, ink)),
      '--accent': textOf(accent),
      '--band': textOf(mixed(accent, ground, 0.16)),
    }
    for (const [name, part] of Object.entries({ wash: 0.08, line: 0.2, edge: 0.55 }))
      rules[`--${name}`] = textOf(mixed(ink, ground, part))
    for (const state of STATES.filter((name) => given(`--${name}`))) {
      const tint = painted([given(`--${state}`)])
      const wash = mixed(tint, ground, 0.14)
      rules[`--${state}`] = textOf(legible(tint, wash, ink))
      rules[`--${state}-wash`] = textOf(wash)
    }
    return rules
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
      this.#root.adoptedStyleSheets = [...found, this.#size, this.#colours]
      const part = complete(page.querySelector('.embed'))
      this.#show(part, day)
      this.blend()
      this.#measure(part)
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

/** The frames of this calendar that grow with what they show. */
const growing = () =>
  [...document.querySelectorAll('iframe[data-fit]')].filter(({ src }) => src.startsWith(HOME.href))
const ask = (frame) => frame.contentWindow.postMessage('almanac-height', HOME.origin)
const askAll = () => growing().forEach(ask)
for (const frame of growing()) frame.addEventListener('load', () => ask(frame))
// some may have been there before this script
if (document.readyState === 'complete') askAll()
else addEventListener('load', askAll)
// only a frame of the calendar may say how high it is
addEventListener('message', ({ source, origin, data }) => {
  if (origin !== HOME.origin || !(data?.almanacHeight > 0)) return
  const frame = growing().find(({ contentWindow }) => contentWindow === source)
  if (frame) frame.height = Math.ceil(data.almanacHeight)
})
