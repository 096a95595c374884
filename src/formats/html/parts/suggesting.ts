import { html, type Markup } from '../markup.ts'
import { pathOf, type View } from '../view.ts'

/**
 * What the script needs to suggest while one types in a field: where to ask, and where what it finds has its pages. The first field of a
 * page says it for all that have `data-suggest`.
 */
export const suggesting = (view: View): Markup => {
  const { front, language, words } = view
  const ask = `${front.path}/${language}${front.api}/suggest`
  return html` data-suggest="${ask}" data-pages="${pathOf(view, '/')}" data-site="${front.path}/" data-name="${words.suggestions}"`
}
