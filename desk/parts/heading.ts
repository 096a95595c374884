import { useEffect, useLayoutEffect } from 'preact/hooks'
import { siteName } from '../api/site.ts'
import { clearPassing } from './notice.tsx'

/** The text of a heading without what stands beside it, such as how many there are. */
const textOf = (heading: Element | null) =>
  [...(heading?.childNodes ?? [])]
    .filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.textContent)
    .join('')
    .trim()

/** Gives the window the title of the page, or `title` while it has none. */
function entitle(title: string) {
  document.title = `${textOf(document.querySelector('main h1')) || title} – ${siteName.get()}`
}

/** Gives a page that the desk goes to the focus at its title, once it is there, and the window the title of the page. Before that it is `title`. */
export function useHeading(key: string, title: string) {
  const name = siteName.use()
  // as the page is drawn: later, it would take the focus from a field in which somebody writes by then
  useLayoutEffect(() => {
    const main = document.querySelector('main')!
    scrollTo(0, 0)
    main.focus({ preventScroll: true })
    clearPassing()
    let isReached = false
    const follow = () => {
      const heading = main.querySelector('h1')
      entitle(title)
      if (!heading || isReached) return
      isReached = true
      heading.tabIndex = -1
      // whoever is somewhere else by now stays there
      if (document.activeElement === main) heading.focus({ preventScroll: true })
    }
    follow()
    const observer = new MutationObserver(follow)
    observer.observe(main, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [key, title])
  useEffect(() => entitle(title), [name, title])
}
