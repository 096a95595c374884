import { useState } from 'preact/hooks'
import { list, listAll, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Pager, Search } from '../../parts/listing.tsx'
import { Failed, tell, tellFailure } from '../../parts/notice.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { dayText } from '../../words/dates.ts'
import { fill, languageName, number, w } from '../../words/words.ts'

/** An address that events are sent to, as a response has it. */
type Digest = {
  id: number
  email: string
  every: 'week' | 'publication'
  language: string
  categories?: number[]
  town?: string
  q?: string
  created_utc: string
  confirmed_utc?: string
}
type Named = { id: number; name: string }

const KINDS = [
  [undefined, 'status_any'],
  ['week', 'digest_week'],
  ['publication', 'digest_publication'],
] as const

/** The kinds of subscriptions, each as a link, with how many there are. */
const Kinds = ({ place: { path, query }, counts }: { place: Place; counts: number[] | undefined }) => (
  <nav class="tabs" aria-label={w.digest_kinds}>
    <ul>
      {KINDS.map(([every, word], at) => (
        <li key={word}>
          <a
            href={hashOf(path, { ...query, page: undefined, every })}
            aria-current={query.every === every ? 'page' : undefined}
          >
            {w[word]} {counts && <span class="count">{number(counts[at]!)}</span>}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** What is sent to an address, in words. */
const factsOf = ({ every, language, categories = [], town, q }: Digest, known: Named[]) => [
  w[`digest_${every}`],
  languageName(language),
  ...categories.map((id) => known.find((one) => one.id === id)?.name ?? fill(w.digest_gone, { id })),
  ...(town === undefined ? [] : [town]),
  ...(q === undefined ? [] : [fill(w.digest_quoted, { text: q })]),
]

/** The addresses that events are sent to, for administrators. */
export function DigestPage({ place }: { place: Place }) {
  const { every, search, page = 1 } = place.query
  const [turn, setTurn] = useState(0)
  const [asked, setAsked] = useState<Digest>()
  const { value, failure, again, loading } = useLoaded(JSON.stringify([every, search, page, turn]), () =>
    list<Digest>('/digests', 'digests', { every, search, page, per_page: 50 }),
  )
  const { value: counts } = useLoaded(`digest counts ${turn}`, () =>
    Promise.all(
      KINDS.map(async ([every]) => (await list('/digests', 'digests', { every, per_page: 1 })).total),
    ),
  )
  const { value: categories = [] } = useLoaded('digest categories', () =>
    listAll<Named>('/categories', 'categories'),
  )
  const remove = ({ id }: Digest) =>
    send('DELETE', `/digests/${id}`).then(() => {
      tell({ text: w.digest_deleted })
      setTurn(turn + 1)
    }, tellFailure)
  return (
    <>
      <div class="head">
        <h1>{w.digest}</h1>
      </div>
      <p class="hint">{w.digest_hint}</p>
      <Kinds place={place} counts={counts} />
      <Search place={place} />
      <div class={loading ? 'results loading' : 'results'} aria-busy={loading}>
        {failure && <Failed failure={failure} again={again} />}
        {value?.rows.length === 0 && (
          <div class="empty">
            <p>{search || every ? w.no_addresses_found : w.no_addresses}</p>
            {(search || every) && <a href={hashOf(place.path)}>{w.clear_filters}</a>}
          </div>
        )}
        {value && value.rows.length > 0 && (
          <ul class="credentials" aria-label={w.digest}>
            {value.rows.map((row) => (
              <li key={row.id}>
                <div>
                  <strong class="address">{row.email}</strong>{' '}
                  {row.confirmed_utc === undefined && <span class="badge">{w.digest_unconfirmed}</span>}
                  <p class="hint">
                    {[
                      ...factsOf(row, categories),
                      fill(w.digest_since, {
                        day: dayText((row.confirmed_utc ?? row.created_utc).slice(0, 10)),
                      }),
                    ].join(' · ')}
                  </p>
                </div>
                <button
                  type="button"
                  class="danger"
                  aria-label={fill(w.digest_delete, { email: row.email })}
                  onClick={() => setAsked(row)}
                >
                  {w.delete}
                </button>
              </li>
            ))}
          </ul>
        )}
        {value && <Pager place={place} pages={value.pages} total={value.total} />}
      </div>
      {asked && (
        <Confirm
          title={fill(w.digest_delete, { email: asked.email })}
          text={w.digest_delete_hint}
          yes={w.delete}
          onYes={() => {
            setAsked(undefined)
            remove(asked)
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
