import { html, type Markup } from '../../../kernel/text/markup.ts'
import { layout } from './layout.ts'
import { pathOf, type View } from './view.ts'

/** A page that says what is wrong, with ways back. */
export function errorPage(view: View, path: string, title: string, text: string, note = ''): Markup {
  const { words } = view
  return layout(
    view,
    { title, canonical: path, hidden: true },
    html`<div class="frame error"><h1>${title}</h1><p>${text}</p>${note && html`<p class="kind">${note}</p>`}
<p><a class="button" href="${pathOf(view, '/events/')}">${words.back}</a></p></div>`,
  )
}
