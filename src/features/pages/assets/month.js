/** The days that arrow keys go on by, as if lines were written from left to right. */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

const textOf = (date) => date.toISOString().slice(0, 10)

/** The day some days later. */
function laterDay(day, by) {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + by)
  return textOf(date)
}

/** The same day some months later, or the last of a shorter month. */
function laterMonth(day, by) {
  const [year, month, number] = day.split('-').map(Number)
  const date = new Date(0)
  date.setUTCFullYear(year, month + by, 0)
  date.setUTCDate(Math.min(number, date.getUTCDate()))
  return textOf(date)
}

const isPlain = ({ altKey, ctrlKey, metaKey, shiftKey }) => !(altKey || ctrlKey || metaKey || shiftKey)

/**
 * Lets arrow keys walk the days of the month below `root`, one of which is reached with Tab. Where the month is a small grid, a day
 * chooses what is listed below it, and chosen again shows all. `go` follows a link to another month, for a day in it.
 */
export function walk(root, go) {
  const table = root.querySelector('table.grid')
  if (!table) return
  const dates = [...table.querySelectorAll('.date')]
  const own = dates.filter((date) => date.closest('.own'))
  const rove = (to) => {
    for (const date of dates) date.tabIndex = date === to ? 0 : -1
  }
  rove(own.find((date) => date.ariaCurrent) ?? own[0])

  const turn = (by, day) => {
    const link = root.querySelector(`.turn .${by < 0 ? 'prev' : 'next'}`)
    if (link) go(link, day)
  }
  const visit = (by, day) => {
    const date = dates.find(({ id }) => id === day)
    if (date) date.focus()
    else turn(by, day)
  }
  const press = (date, key) => {
    const week = [...date.closest('tr').querySelectorAll('.date')]
    const isMirrored = getComputedStyle(table).direction === 'rtl' && !/Up|Down/.test(key)
    if (key in STEPS) {
      const by = isMirrored ? -STEPS[key] : STEPS[key]
      visit(by, laterDay(date.id, by))
    } else if (key === 'Home') week[0].focus()
    else if (key === 'End') week.at(-1).focus()
    else if (key === 'PageUp') turn(-1, laterMonth(date.id, -1))
    else if (key === 'PageDown') turn(1, laterMonth(date.id, 1))
    else return false
    return true
  }

  table.addEventListener('keydown', (event) => {
    const date = event.target.closest('.date')
    if (date && isPlain(event) && press(date, event.key)) event.preventDefault()
  })
  table.addEventListener('focusin', ({ target }) => {
    if (dates.includes(target)) rove(target)
  })
  table.addEventListener('click', (event) => {
    const chosen = event.target.closest('a.date')
    if (!chosen || !isPlain(event) || getComputedStyle(table).display !== 'grid') return
    event.preventDefault()
    const isNew = !chosen.classList.contains('chosen')
    for (const date of dates) date.classList.toggle('chosen', isNew && date === chosen)
    table.classList.toggle('choosing', isNew)
  })
}
