import { hashOf, type Place } from '../rules/places.ts'
import { fill, number, w } from '../words/words.ts'

/** The way to the next and the previous page of a list. */
export function Pager({ place, pages, total }: { place: Place; pages: number; total: number }) {
  const page = Number(place.query.page ?? 1)
  const to = (other: number) => hashOf(place.path, { ...place.query, page: other === 1 ? undefined : other })
  if (pages <= 1) return null
  return (
    <nav class="pager" aria-label={w.pages}>
      {page > 1 && (
        <a class="button plain" rel="prev" href={to(page - 1)}>
          {w.previous}
        </a>
      )}
      <span>{fill(w.page_of, { page: number(page), pages: number(pages), total: number(total) })}</span>
      {page < pages && (
        <a class="button plain" rel="next" href={to(page + 1)}>
          {w.next}
        </a>
      )}
    </nav>
  )
}
