/** A star. */
function drawing() {
  const [svg, path] = ['svg', 'path'].map((name) =>
    document.createElementNS('http://www.w3.org/2000/svg', name),
  )
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.ariaHidden = 'true'
  path.setAttribute('d', 'm12 3 2.8 5.8 6.2.9-4.5 4.4 1.1 6.3-5.6-3-5.6 3 1.1-6.3L3 9.7l6.2-.9z')
  svg.append(path)
  return svg
}

/** What an event is called: a date of a series also by the name of that. */
function titleOf(event) {
  const title = event.querySelector('h1, h3 a')
  const [series, day] = [document.querySelector('h1'), event.querySelector('.unseen')]
  return title ? title.textContent : `${series.textContent}, ${day.textContent}`
}

/**
 * Keeps the list of a visitor in this browser: stars beside events, their number in `link`. `onPage` gets
 * what the page of the list needs, and gives what follows changes there.
 */
export function keepList(link, onPage) {
  const { list, add, full, most } = link.dataset
  const name = `list ${list}`
  const [text] = link.children
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
  link.prepend(drawing())
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
      star.append(drawing())
      star.ariaLabel = add.replace('{title}', () => titleOf(event))
      const doing = event.localName === 'article' && event.querySelector('.doing')
      if (doing) star.append(text.textContent)
      ;(doing || event.querySelector('.cover:not([aria-hidden])') || event).append(star)
      star.addEventListener('click', () => {
        const id = Number(star.value)
        const ids = read()
        keep(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id])
      })
    }
    show()
  }
  addStars(document)

  let follow
  onPage({ link, read, keep, addStars }).then((followed) => {
    follow = followed
    follow?.()
  })
  // another tab, and a page that the browser shows again as it was left
  const again = () => {
    show()
    follow?.()
  }
  addEventListener('storage', ({ key }) => (key === null || key === name) && again())
  addEventListener('pageshow', ({ persisted }) => persisted && again())
}
