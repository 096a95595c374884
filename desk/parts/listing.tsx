import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { hashOf, type Place } from '../rules/places.ts'
import { type Words, w } from '../words/words.ts'
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

/** A search whose words stand in the address. */
export function Search({ place: { path, query } }: { place: Place }) {
  const [search, setSearch] = useState(query.search ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setSearch(query.search ?? ''), [query.search])
  useEffect(() => () => clearTimeout(timer.current), [])
  const go = (text: string) => {
    clearTimeout(timer.current)
    location.hash = hashOf(path, { ...query, search: text.trim(), page: undefined })
  }
  return (
    <form
      class="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        go(search)
      }}
    >
      <TextField
        class="wide"
        label={w.search}
        type="search"
        value={search}
        onValue={(text) => {
          setSearch(text)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => go(text), PAUSE)
        }}
      />
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
