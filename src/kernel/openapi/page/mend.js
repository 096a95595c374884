// What Swagger UI lacks for readers of screens and keyboards. A plain script of the page /doc, before the plugin.

/** What scrolls, and so has to be reached by keys. */
const SCROLLING = '.microlight, .body-param__example, .chapters pre'

/** What stands above the operations, which are the main part of the page. */
const LANDMARKS = [
  ['.information-container', 'region', 'Introduction'],
  ['.scheme-container', 'region', 'Server and credentials'],
  ['.filter', 'search', 'Operations'],
]

/** Names what Swagger UI leaves without a name, and lets keys reach what scrolls. */
function mend(page) {
  for (const select of page.querySelectorAll('select:not([aria-label])')) {
    const row = select.closest('[data-param-name]')
    select.setAttribute(
      'aria-label',
      row?.dataset.paramName ?? (select.id === 'servers' ? 'Server' : 'Choice'),
    )
  }
  for (const part of page.querySelectorAll(SCROLLING)) part.tabIndex = 0
  for (const region of page.querySelectorAll('.responses-wrapper [role="region"]'))
    region.removeAttribute('role')
  for (const [selector, role, label] of LANDMARKS) {
    const part = page.querySelector(selector)
    part?.setAttribute('role', role)
    part?.setAttribute('aria-label', label)
  }
  page.querySelector('.models > h4')?.setAttribute('aria-level', '2')
}

/** Mends the page whenever it changes. */
// biome-ignore lint/correctness/noUnusedVariables: plugin.js uses it
function mendChanges() {
  const page = document.querySelector('#swagger-ui')
  const observer = new MutationObserver(() => mend(page))
  observer.observe(page, { childList: true, subtree: true })
}
