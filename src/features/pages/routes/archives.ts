import type {
  OrganizerRecord,
  SeriesRecord,
  TermRecord,
  VenueRecord,
} from '../../../calendar/formats/records.ts'
import { pageOf, pageOfTerm } from '../../../calendar/formats/urls.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { Taxonomy } from '../../../calendar/store.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { linkedPage, seriesPage, termPage } from '../html/archives.ts'
import { linkTo, pathOf, pathsOf } from '../html/view.ts'
import { addPage, findShown, moved, slugOf, translationOf } from './page.ts'
import { LISTED, openSelections } from './selection.ts'

/** `/series/{slug}/`, with the dates of the series. */
export const seriesPages = family('pages of series', async (app, service) => {
  const { store } = service
  const { front, viewIn } = app.pages!
  const selections = openSelections(service)
  const read = (ids: number[]) => store.records.posts(ids, { caller: undefined }) as Promise<SeriesRecord[]>

  addPage(app, service, '/series/:slug', 'list', ['page', 'when'], async (view, request, isOwn) => {
    const post = await findShown(service, 'series', slugOf(request))
    const elsewhere = moved(request, post.slug, pathOf(view, pageOf(post)))
    if (elsewhere) return elsewhere
    const { id, language } = post
    if (isOwn && language !== view.language) {
      const other = await translationOf(service, post, view.language)
      if (other) return { location: front.path + pageOf(other) }
    }
    const shown = isOwn ? view : viewIn(language)
    const [series] = (await read([id])) as [SeriesRecord]
    const listed = await selections.list({ ...shown, language }, request, { series: id })
    const translations = (await read(Object.values(series.translations))).filter(
      ({ status }) => status === 'publish',
    )
    return seriesPage(shown, series, { listed, translations })
  })
})

/** Categories below one that its page shows. */
const MOST_CHILDREN = 50

const byAge = <T extends { id: number }>(records: T[]) => records.sort((a, b) => a.id - b.id)

/** `/venue/{slug}/` and `/organizer/{slug}/`, with their events. */
export const linkedPages = family('pages of venues and organizers', async (app, service) => {
  const selections = openSelections(service)
  const { store } = service
  const { front } = app.pages!
  for (const kind of ['venue', 'organizer'] as const)
    addPage(app, service, `/${kind}/:slug`, 'list', LISTED, async (view, request) => {
      const post = await findShown(service, kind, slugOf(request))
      const elsewhere = moved(request, post.slug, pathOf(view, pageOf(post)))
      if (elsewhere) return elsewhere
      const other = await translationOf(service, post, view.language)
      if (other && post.language !== view.language) return { location: linkTo(view, other) }
      const [record] = await store.records.posts([post.id], { caller: undefined })
      const listed = await selections.list(view, request, { [kind]: [post.id] })
      const own = record as VenueRecord | OrganizerRecord
      const others = await store.records.posts(Object.values(own.translations), { caller: undefined })
      const translations = pathsOf(
        front,
        byAge([own, ...others.filter(({ status }) => status === 'publish')]),
      )
      return linkedPage(view, own, { listed, translations })
    })
})

/** `/events/category/{slug}/` and `/events/tag/{slug}/`, with their events. */
export const termPages = family('pages of categories and tags', async (app, service) => {
  const { store } = service
  const { front, viewIn } = app.pages!
  const selections = openSelections(service)

  const translationsOf = async (term: TermRecord) =>
    pathsOf(front, byAge([term, ...(await store.records.terms(Object.values(term.translations)))]))
  const childrenOf = async ({ id, taxonomy }: TermRecord) => {
    if (taxonomy === 'tag') return []
    const filter = {
      page: 1,
      per_page: MOST_CHILDREN,
      order: 'asc',
      orderby: 'name',
      hide_empty: true,
    } as const
    return store.records.terms((await store.categories.list({ ...filter, parent: id }, undefined)).ids)
  }

  for (const taxonomy of ['category', 'tag'] as Taxonomy[])
    addPage(app, service, `/events/${taxonomy}/:slug`, 'list', LISTED, async (view, request, isOwn) => {
      const slug = slugOf(request)
      const [row] = await store.terms.seek(taxonomy, [slug], undefined)
      if (!row)
        throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} "${slug}".`, { name: slug })
      const [term] = (await store.records.terms([row.id])) as [TermRecord]
      const elsewhere = moved(request, term.slug, pathOf(view, pageOfTerm(term)))
      if (elsewhere) return elsewhere
      const translations = await translationsOf(term)
      if (isOwn && term.language !== view.language && term.translations[view.language] !== undefined)
        return { location: translations[view.language]! }
      const shown = isOwn ? view : viewIn(term.language)
      const listed = await selections.list(shown, request, {}, { [taxonomy]: term.slug })
      return termPage(shown, term, { listed, translations, children: await childrenOf(term) })
    })
})
