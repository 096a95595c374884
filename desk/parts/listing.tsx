import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { here } from '../api/leaving.ts'
import { hashOf, type Place, readPlace } from '../rules/places.ts'
import { fill, number, type Words, w } from '../words/words.ts'
import { TextField } from './field.tsx'

/** The statuses of records that a list is filtered by, each as a link. */
export const StatusTabs = ({
  place: { path, query },
  statuses,
}: {
  place: Place
  statuses: readonly string[]
}) => (
  <nav class="tabs" aria-label={w.status}>
    <ul>
      {statuses.map((status) => (
        <li key={status}>
          <a
            href={hashOf(path, { ...query, page: undefined, status: status === 'any' ? undefined : status })}
            aria-current={(query.status ?? 'any') === status ? 'page' : undefined}
          >
            {w[`status_${status}` as keyof Words]}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** Milliseconds after the last letter. */
const PAUSE = 300

/**
 * A search whose words stand in the address of a list. `type` takes what is typed, which is looked for a moment after the last letter,
 * unless one has gone elsewhere by then; `go` looks at once, with other changes. `looked` is told what was looked for by itself.
 */
export function useSearch(path: string[], looked?: (text: string) => void) {
  const hash = here.use()
  const { search = '' } = readPlace(hash).query
  const [text, setText] = useState(search)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const own = useRef(hash)
  useEffect(() => {
    // where the search itself leads, somebody may have typed on meanwhile
    if (hash === own.current) return
    own.current = hash
    clearTimeout(timer.current)
    setText(search)
  }, [hash])
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = (change: Record<string, string | undefined> = {}) => {
    clearTimeout(timer.current)
    const { query } = readPlace(location.hash)
    location.hash = hashOf(path, { ...query, search: text.trim(), page: undefined, ...change })
    own.current = location.hash
  }
  const type = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    const from = location.hash
    timer.current = setTimeout(() => {
      if (location.hash !== from) return
      go({ search: typed.trim() })
      looked?.(typed)
    }, PAUSE)
  }
  return { text, type, go }
}

/** A search without other filters. */
export function Search({ place: { path } }: { place: Place }) {
  const { text, type, go } = useSearch(path)
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextField class="wide" label={w.search} type="search" value={text} onValue={type} />
    </form>
  )
}

type Heading = { of: string; names: (string | false)[]; children?: ComponentChildren }

/** What a table is of, for who does not see it, and the names of its columns. `children` are columns before these. */
export const TableHead = ({ of, names, children }: Heading) => (
  <>
    <caption class="unseen">{of}</caption>
    <thead>
      <tr>
        {children}
        {names.map(
          (name) =>
            name && (
              <th key={name} scope="col">
                {name}
              </th>
            ),
        )}
      </tr>
    </thead>
  </>
)

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
