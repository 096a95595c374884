import { NAMED_DAYS } from '../../calendar/days.ts'
import type { TermRecord } from '../../calendar/formats/records.ts'
import { family } from '../../calendar/resource/service.ts'
import { html, type Markup } from '../../kernel/text/markup.ts'
import { type ChosenLink, chosenChips, listLink, pathsWith } from './chips.ts'
import { type Address, DATED, openEventQueries, textIn } from './event-queries.ts'
import { asTree, openChoices } from './filters.ts'
import { headline, layout } from './layout.ts'
import { addPage, pathOf, pathsIn, type View } from './page.ts'

/** The page of all categories, each as a link to its events among those that are chosen. */
function categoriesPage(
  view: View,
  categories: TermRecord[],
  address: Address & Pick<Parameters<ChosenLink>[0], 'named'>,
): Markup {
  const { words } = view
  const { named, filters, found, inLanguage } = address
  const page = '/events/categories/'
  const link = listLink(view)
  const chosen = { named, filters: { ...filters, category: undefined } }
  return layout(
    view,
    {
      title: words.all_categories,
      sheet: 'more',
      canonical: pathOf(view, page),
      translations: pathsWith(pathsIn(view.front, page), inLanguage),
      hidden: named !== undefined || Object.values(filters).some((value) => value !== undefined),
      search: { action: pathOf(view, '/events/'), filters },
    },
    html`<div class="frame">
<div class="head">${headline(view, words.all_categories)}</div>
${chosenChips(view, chosen, { ...found, category: [] }, link)}
<ul class="index">${asTree(categories).map(
      ({ category: { name, slug, count }, depth }) =>
        html`<li class="depth-${Math.min(depth, 3)}"><a href="${link({ named, filters: { ...filters, category: slug } })}">${name}</a> <span>${count}</span></li>`,
    )}</ul>
</div>`,
  )
}

/** `/events/categories/`, for calendars with more of them than lists offer. `days` are those of a list by their name. */
export const categoryPages = family('the page of categories', async (app, service) => {
  const queries = openEventQueries(service)
  const choicesIn = openChoices(service)
  addPage(app, service, '/events/categories', 'list', [...DATED, 'days'], async (view, request) => {
    const address = await queries.address(view, request)
    const { categories } = await choicesIn(view.language)
    const days = textIn(request, 'days')
    return categoriesPage(view, categories, { ...address, named: NAMED_DAYS.find((name) => name === days) })
  })
})
