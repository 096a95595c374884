// Everything works without this script. It adds eight things that only a browser knows or can do.

/** A frame tells how high it is to the page around it that asks, and to no other. It listens before the page may know that it is there. */
const embedded = parent !== window && document.querySelector('.embed')
if (embedded)
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || origin === 'null' || data !== 'almanac-height') return
    const tell = () => source.postMessage({ almanacHeight: embedded.offsetHeight }, origin)
    new ResizeObserver(tell).observe(embedded)
  })

/** Times of events in another zone than the visitor's are also shown in theirs. */
for (const time of document.querySelectorAll('time[data-here]')) {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(time.dateTime) ?? []
  if (!sign) continue
  const start = new Date(time.dateTime)
  const there = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  if (there === -start.getTimezoneOffset()) continue
  const words = new Intl.DateTimeFormat(document.documentElement.lang, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(start)
  const note = document.createElement('p')
  note.className = 'zone'
  note.textContent = time.dataset.here.replace('{time}', words)
  time.closest('dd').append(note)
}

/** Addresses of lists name only the filters that are used. */
const fields = document.querySelectorAll('form:not([method="post"]) :is(input, select)[name]')
for (const { form } of fields)
  form.addEventListener('submit', () => {
    for (const field of fields) if (field.form === form) field.disabled = field.value === ''
  })
// the browser shows the page again as it was left
addEventListener('pageshow', () => {
  for (const field of fields) field.disabled = false
})

/** Fields of searches suggest while one types. */
for (const field of document.querySelectorAll('input[data-suggest]'))
  field.addEventListener(
    'focus',
    async () => {
      const { suggestIn } = await import('./suggest.js')
      suggestIn(field)
    },
    { once: true },
  )

/** Arrow keys walk the days of a month. */
if (document.querySelector('table.grid')) {
  const { walk } = await import('./month.js')
  walk(document, (link, day) => location.assign(`${link.href}#${day}`))
  document.getElementById(location.hash.slice(1))?.focus()
}

/** Who prefers another language that the page is also in is offered it, until they close that. */
const speaks = navigator.languages.flatMap((language) => [language, language.split('-')[0]])
const [best] = speaks.filter((one) => document.querySelector(`:is(html, .offer)[lang="${CSS.escape(one)}"]`))
const offer = best && document.querySelector(`.offer[lang="${CSS.escape(best)}"]`)
try {
  if (offer && !localStorage.almanacOffer) {
    offer.hidden = false
    offer.lastElementChild.addEventListener('click', () => {
      offer.hidden = true
      localStorage.almanacOffer = 'closed'
    })
  }
} catch {
  // this browser keeps nothing, so it would offer it on every page
}

/** Addresses are copied. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.nextElementSibling.textContent = button.dataset.copied
  })
}

/** A page is shared, or its address copied. */
const share = async (box) => {
  const { shareFrom } = await import('./share.js')
  shareFrom(box)
}
const sharing = document.querySelector('.share')
if (sharing) share(sharing)

/** The list of a visitor. */
const list = document.querySelector('[data-list]')
if (list) {
  const { keepList } = await import('./list.js')
  keepList(list, async (tools) => {
    const place = document.getElementById('starred')
    if (!place) return undefined
    const { showList } = await import('./my-list.js')
    return showList(place, tools, share)
  })
}

/** Work that is proven when an event is proposed. */
const proposal = document.querySelector('form[data-bits]')
if (proposal) {
  const { proveFor } = await import('./submit.js')
  proveFor(proposal)
}
