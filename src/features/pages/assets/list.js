/** What an event is called: a date of a series also by the name of that. */
function titleOf(event) {
  const name = event.querySelector('h1, h3 a, a').textContent
  return event.closest('.dates') ? `${document.querySelector('h1').textContent}, ${name}` : name
}

/**
 * Keeps the list of a visitor in this browser: stars beside events, their number in `link`, and the page that it leads to. `share` makes
 * its box for sharing work.
 */
export function keepList(link, share) {
  const { list, add, full, most } = link.dataset
  const name = `list ${list}`
  const [picture, text] = link.children
  let store
  try {
    store = localStorage
  } catch {
    return // the visitor lets sites keep nothing
  }
  const count = document.createElement('span')
  const status = document.createElement('p')
  count.className = 'count'
  status.className = 'told'
  status.role = 'status'
  link.append(count)
  document.body.append(status)

  const read = () => {
    try {
      return JSON.parse(store.getItem(name)).filter((id) => id > 0 && Number.isSafeInteger(id))
    } catch {
      return []
    }
  }
  const show = () => {
    const ids = read()
    count.textContent = ids.length || ''
    for (const star of document.querySelectorAll('.star')) star.ariaPressed = ids.includes(Number(star.value))
  }
  /** Keeps what there is room for. */
  const keep = (ids) => {
    const kept = [...new Set(ids)].slice(0, most)
    store.setItem(name, JSON.stringify(kept))
    status.textContent = ids.length > kept.length ? full : ''
    show()
  }

  /** Adds stars to the events below a part of the page. */
  const addStars = (part) => {
    for (const event of part.querySelectorAll('[data-event]')) {
      const star = document.createElement('button')
      star.type = 'button'
      star.className = 'star'
      star.value = event.dataset.event
      star.append(picture.cloneNode(true))
      star.ariaLabel = add.replace('{title}', () => titleOf(event))
      const doing = event.localName === 'article' && event.querySelector('.doing')
      if (doing) star.append(text.textContent)
      ;(doing || event.querySelector('.cover') || event).append(star)
      star.addEventListener('click', () => {
        const id = Number(star.value)
        const ids = read()
        keep(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id])
      })
    }
    show()
  }
  addStars(document)

  /** The page of the list: the events of the address, or else those of this browser. */
  const place = document.getElementById('starred')
  const box = document.querySelector('.keep')
  const idsOf = (part) => [...part.querySelectorAll('[data-event]')].map((one) => Number(one.dataset.event))
  const offer = () => {
    const ids = read()
    const isKept = idsOf(place).every((id) => ids.includes(id))
    box.classList.toggle('kept', isKept)
    box.children[1].textContent = isKept ? box.children[1].dataset.kept : ''
    box.hidden = idsOf(place).length === 0
  }
  box?.firstElementChild.addEventListener('click', () => {
    keep([...read(), ...idsOf(place)])
    offer()
  })
  let shown = ''
  /** Shows the events of this browser, which are sent here and nowhere else. */
  const showOwn = async () => {
    const asked = read()
    const ids = asked.join()
    if (ids === shown) return
    shown = ids
    if (!ids) return location.reload()
    place.ariaBusy = 'true'
    try {
      const answer = await fetch(`${link.pathname}?events=${ids}`)
      if (!answer.ok) throw new Error(answer.status)
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const part = document.adoptNode(page.getElementById('starred'))
      place.replaceChildren(...part.childNodes)
      place.className = 'own-list'
      // what is no longer in the calendar is forgotten
      const there = idsOf(place)
      keep(read().filter((id) => there.includes(id) || !asked.includes(id)))
      addStars(place)
      shown = asked.filter((id) => there.includes(id)).join()
      showOwn()
      const sharing = place.querySelector('.share')
      if (sharing) share(sharing)
    } catch {
      location.assign(`${link.pathname}?events=${ids}`) // which says what is wrong
    }
    place.ariaBusy = 'false'
  }
  const follow = () => {
    show()
    if (box) offer()
    else if (place) showOwn()
  }
  follow()
  // another tab, and a page that the browser shows again as it was left
  addEventListener('storage', ({ key }) => (key === null || key === name) && follow())
  addEventListener('pageshow', ({ persisted }) => persisted && follow())
}
