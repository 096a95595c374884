// What may be meant by what is typed in a field, as a list below it: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

/** Milliseconds after the last key until it is asked. */
const PAUSE = 120
const WORD = /[\p{L}\p{N}]/u
/** The last word of a text, and what is after it. */
const LAST = /[\p{L}\p{N}\p{M}]+[^\p{L}\p{N}\p{M}]*$/u

/** The first field says for all where to ask, and where pages are. */
const { suggest, pages, site, name } = document.querySelector('[data-suggest]').dataset

let count = 0

const make = (name, members, ...children) => {
  const element = Object.assign(document.createElement(name), members)
  element.append(...children)
  return element
}

/** The start of an event as a date in words. */
const dateOf = (start) =>
  new Intl.DateTimeFormat(document.documentElement.lang, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' },
  }).format(new Date(`${start.slice(0, 10)}T00:00:00Z`))

/** What was found, as options: what they say, what they add, and the search or the page that they lead to. */
function optionsOf(field, { words, events, venues, organizers, categories }) {
  const page = (kind, { slug }) => `${pages}${kind}/${slug}/`
  // an event and a category have their page in their own language
  const own = (path, { slug, language }) =>
    `${language === document.documentElement.lang ? site : pages}${path}/${slug}/`
  return [
    ...words.map((word) => ({ text: field.value.replace(LAST, word) })),
    ...events.map((one) => ({ text: one.title, more: dateOf(one.start_date), href: own('event', one) })),
    ...venues.map((one) => ({ text: one.venue, more: one.city, href: page('venue', one) })),
    ...organizers.map((one) => ({ text: one.organizer, href: page('organizer', one) })),
    ...categories.map((one) => ({ text: one.name, href: own('events/category', one) })),
  ]
}

/** Suggests in a field from now on. */
export function suggestIn(field) {
  const id = `suggestions-${++count}`
  const list = make('ul', { id, className: 'suggestions', hidden: true })
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', name)
  field.after(list)
  field.type = 'text'
  field.autocomplete = 'off'
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-autocomplete', 'list'],
    ['aria-expanded', 'false'],
    ['aria-controls', id],
  ])
    field.setAttribute(name, value)

  let options = []
  let active = -1
  let timer
  let asked = ''

  function close() {
    clearTimeout(timer)
    asked = ''
    list.hidden = true
    field.setAttribute('aria-expanded', 'false')
    activate(-1)
  }
  function activate(to) {
    list.children[active]?.setAttribute('aria-selected', 'false')
    active = to
    const option = list.children[active]
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
  }
  function choose({ text, href }) {
    if (href) return location.assign(href)
    field.value = text
    close()
    field.form.requestSubmit()
  }
  function show(found) {
    options = optionsOf(field, found)
    list.replaceChildren(
      ...options.map((option, at) => {
        const more = option.more ? [' ', make('span', { textContent: option.more })] : []
        const item = make('li', { id: `${id}-${at}` }, make('b', { textContent: option.text }), ...more)
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', 'false')
        item.addEventListener('click', () => choose(option))
        return item
      }),
    )
    activate(-1)
    list.hidden = options.length === 0
    field.setAttribute('aria-expanded', String(options.length > 0))
  }
  async function ask() {
    const text = field.value.trim()
    if (!WORD.test(text)) return close()
    asked = text
    try {
      const answer = await fetch(`${suggest}?${new URLSearchParams({ q: text })}`)
      const found = answer.ok ? await answer.json() : undefined
      // another text may be there by now
      if (found && asked === text) show(found)
    } catch {
      close()
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(ask, PAUSE)
  })
  field.addEventListener('blur', close)
  // the field keeps the focus
  list.addEventListener('mousedown', (event) => event.preventDefault())
  field.addEventListener('keydown', (event) => {
    const isOpen = !list.hidden
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && isOpen) {
      const places = options.length + 1
      activate(((active + 1 + step + places) % places) - 1)
    } else if (event.key === 'ArrowDown') ask()
    else if (event.key === 'Enter' && active >= 0) choose(options[active])
    else if (event.key === 'Escape' && isOpen) close()
    else return
    event.preventDefault()
  })
  // what was typed before this was here
  if (field.value !== field.defaultValue) ask()
}
