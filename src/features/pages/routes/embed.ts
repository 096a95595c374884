import type { FastifyRequest } from 'fastify'
import { queryOf } from '../../../calendar/formats/urls.ts'
import { family } from '../../../calendar/resource/service.ts'
import { invalid } from '../../../kernel/errors.ts'
import { sendPacked } from '../../../kernel/output/negotiation.ts'
import { SITE } from '../../../kernel/server/mounts.ts'
import { embeddedList, embeddedMonth, embedPage, type Theme } from '../html/embed.ts'
import type { Filters } from '../html/filters.ts'
import { monthTitle, type Ways } from '../html/month.ts'
import { pathOf, type View } from '../html/view.ts'
import { monthIn, openMonths } from './months.ts'
import { addPage } from './page.ts'
import { LISTED, openSelections, textIn } from './selection.ts'

/** The filters have the names of the API, as in the attributes of the element. */
const NAMES = { category: 'categories', tag: 'tags' }
const MOST = 30
const UNDERSTOOD = [
  'view',
  'theme',
  'count',
  'month',
  ...LISTED.map((name) => NAMES[name as keyof typeof NAMES] ?? name),
]

const themeOf = (request: FastifyRequest): Theme => {
  const theme = textIn(request, 'theme')
  if (theme !== undefined && theme !== 'light' && theme !== 'dark')
    throw invalid({ theme: 'must be light or dark.' })
  return theme
}

const countOf = (request: FastifyRequest): number => {
  const count = textIn(request, 'count') ?? String(MOST)
  if (!/^[1-9]\d?$/.test(count) || Number(count) > MOST) throw invalid({ count: `must be 1 to ${MOST}.` })
  return Number(count)
}

/** The query of the filters of an embed. */
const filtersOf = ({ category, tag, ...rest }: Filters) => ({ categories: category, tags: tag, ...rest })

/** `/embed/`, a month or list for a frame in any page, and `/embed.js`, which makes an element of it. */
export const embedPages = family('pages for other sites', async (app, service) => {
  const selections = openSelections(service)
  const readMonth = openMonths(service)

  async function month(view: View, request: FastifyRequest) {
    const month = monthIn(textIn(request, 'month') ?? view.now.slice(0, 7))
    const { shown, filters } = await readMonth(view, request, month, NAMES)
    const theme = themeOf(request)
    const own = { view: 'month', theme, ...filtersOf(filters) }
    const path = pathOf(view, '/embed/')
    const ways: Ways = {
      month: (month) => path + queryOf({ ...own, month }),
      day: (day) => pathOf(view, `/events/day/${day}/`) + queryOf(filters),
      present: path + queryOf(own),
      form: { action: '', filters: {} },
      stay: true,
    }
    const page = pathOf(view, `/events/month/${month}/`) + queryOf(filters)
    return embedPage(view, monthTitle(month, view.language), theme, embeddedMonth(view, shown, ways, page))
  }

  async function list(view: View, request: FastifyRequest) {
    const per_page = countOf(request)
    const theme = themeOf(request)
    const listed = await selections.list(view, request, {}, {}, { names: NAMES, per_page })
    const { events, running, page, pages, filters, repeats, corrected } = listed
    const own = { view: 'list', theme, count: textIn(request, 'count'), ...filtersOf(filters) }
    const to = (number: number) =>
      number < 1 || number > pages
        ? undefined
        : pathOf(view, '/embed/') + queryOf({ ...own, page: number === 1 ? undefined : number })
    const shown = { events, running, repeats, corrected, previous: to(page - 1), next: to(page + 1) }
    const markup = embeddedList(view, shown, pathOf(view, '/events/') + queryOf(filters))
    return embedPage(view, view.words.upcoming, theme, markup)
  }

  const views = { month, list }
  addPage(
    app,
    service,
    '/embed',
    'list',
    UNDERSTOOD,
    async (view, request) => {
      const name = textIn(request, 'view') ?? 'list'
      if (!Object.hasOwn(views, name)) throw invalid({ view: 'must be month or list.' })
      return views[name as keyof typeof views](view, request)
    },
    'embed',
  )
  app.get(`${SITE}/embed.js`, { schema: { hide: true } }, (request, reply) =>
    sendPacked(request, reply, app.pages!.embed),
  )
})
