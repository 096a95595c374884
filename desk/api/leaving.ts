import { useLayoutEffect, useRef } from 'preact/hooks'
import { signal } from './signal.ts'

/** The forms in which something is not saved, each with how to forget that. Without it, what is typed is lost when the form is left. */
const forms = new Map<symbol, (() => void) | undefined>()
let isFree = false

/** The place that the desk shows, as the hash of the address. */
export const here = signal(location.hash)
/** Where somebody wants to go from a form in which something is not saved; undefined if they do not. */
export const leaving = signal<{ go: () => void; isKept: boolean } | undefined>(undefined)

/** Tells whether something in a form is not saved, and how to forget it where it is kept as a draft. */
export function useUnsaved(isUnsaved: boolean, forget?: () => void) {
  const own = useRef(Symbol('form'))
  useLayoutEffect(() => {
    if (isUnsaved) forms.set(own.current, forget)
    else forms.delete(own.current)
    return () => void forms.delete(own.current)
  })
}

const pathOf = (hash: string) => hash.split('?')[0]
/** Whether going to a place leaves a form in which something is not saved. What a list is asked for may change beside it. */
const isLosing = (hash: string) => forms.size > 0 && !isFree && pathOf(hash) !== pathOf(here.get())

function ask(go: () => void) {
  const isKept = [...forms.values()].every((forget) => forget !== undefined)
  leaving.set({ go, isKept })
}

/** Goes where somebody wanted to, after they were asked. What they typed is forgotten, or stays a draft. */
export function leave(isForgotten: boolean) {
  const { go } = leaving.get()!
  if (isForgotten) for (const forget of forms.values()) forget?.()
  leaving.set(undefined)
  isFree = true
  go()
}
/** Stays at the form. */
export const stay = () => leaving.set(undefined)

/** Asks before a form is left by a link, by the buttons of the browser, and by closing the window. */
export function watchLeaving() {
  addEventListener('beforeunload', (event) => forms.size > 0 && event.preventDefault())
  // before the link leads anywhere
  addEventListener(
    'click',
    (event) => {
      const link = (event.target as Element).closest?.<HTMLAnchorElement>('a[href^="#"]')
      if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
      const { hash } = link
      if (!isLosing(hash)) return
      event.preventDefault()
      ask(() => location.assign(hash))
    },
    true,
  )
  addEventListener('hashchange', () => {
    const { hash } = location
    if (isLosing(hash)) {
      // the address goes back to what is shown
      history.pushState(null, '', here.get() || '#')
      ask(() => history.back())
      return
    }
    isFree = false
    here.set(hash)
  })
}
