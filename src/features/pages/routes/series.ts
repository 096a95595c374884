import type { FastifyRequest } from 'fastify'
import { pageOf } from '../../../calendar/formats/paths.ts'
import type { SeriesRecord } from '../../../calendar/formats/records.ts'
import { family } from '../../../calendar/resource/service.ts'
import { seriesPage } from '../html/series.ts'
import { pathOf } from '../html/view.ts'
import { findShown, moved, translationOf } from './found.ts'
import { addPage } from './page.ts'
import { openSelections } from './selection.ts'

const slugOf = (request: FastifyRequest) => (request.params as { slug: string }).slug

/** `/series/{slug}/`, with the dates of the series. */
export const seriesPages = family('pages of series', async (app, service) => {
  const { store } = service
  const { front, viewIn } = service.pages!
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
