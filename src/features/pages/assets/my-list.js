/**
 * The page of a list: the events of its address, or else those of this browser. Gives what follows changes of the list. `share` makes the
 * box for sharing work.
 */
export function showList(place, { link, read, keep, addStars }, share) {
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
  return box ? offer : showOwn
}
