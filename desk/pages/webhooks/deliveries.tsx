import { list, send } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Pager } from '../../parts/listing.tsx'
import { Failed, tell, tellFailure } from '../../parts/notice.tsx'
import type { Place } from '../../rules/places.ts'
import { instantText } from '../../words/dates.ts'
import { fill, number, undeliveredText, type Words, w } from '../../words/words.ts'

/** A message, and what became of it. */
type Delivery = {
  id: number
  type: string
  record_id?: number
  status: 'waiting' | 'delivered' | 'failed' | 'superseded'
  attempts: number
  created_utc: string
  next_attempt_utc?: string
  response_code?: number
  response?: string
  error?: string
  duration_ms?: number
}

const factsOf = (one: Delivery) =>
  [
    instantText(one.created_utc),
    fill(w.delivery_tries, { count: number(one.attempts) }),
    one.response_code !== undefined &&
      fill(w.delivery_answer, { code: one.response_code, milliseconds: number(one.duration_ms ?? 0) }),
    one.next_attempt_utc && fill(w.delivery_next, { time: instantText(one.next_attempt_utc) }),
  ].filter(Boolean)

type Props = { id: number; place: Place; turn: number; look: () => void }
/** The messages to a webhook, the latest first, with the answers to them. They are read again when `turn` changes. */
export function Deliveries({ id, place, turn, look }: Props) {
  const path = `/webhooks/${id}/deliveries`
  const page = place.query.page ?? 1
  const { value, failure, again } = useLoaded(`${path} ${page} ${turn}`, () =>
    list<Delivery>(path, 'deliveries', { page, per_page: 20 }),
  )
  const replay = (one: Delivery) =>
    send('POST', `${path}/${one.id}/replay`).then(() => {
      tell({ text: w.sent_again })
      look()
    }, tellFailure)
  return (
    <section class="card" aria-label={w.deliveries}>
      <h2>{w.deliveries}</h2>
      {failure && <Failed failure={failure} again={again} />}
      {value && (
        <ul class="credentials" aria-label={w.deliveries}>
          {value.rows.map((one) => (
            <li key={one.id}>
              <div>
                <strong>{one.type}</strong> {one.record_id}{' '}
                <span class={one.status === 'failed' ? 'badge cancelled' : 'badge'}>
                  {w[`delivery_${one.status}` as keyof Words]}
                </span>
                <p class="hint">{factsOf(one).join(' · ')}</p>
                {one.error && <p class="error">{undeliveredText(one.error)}</p>}
                {one.response && (
                  <details>
                    <summary>{w.delivery_text}</summary>
                    <pre>{one.response}</pre>
                  </details>
                )}
              </div>
              <button
                type="button"
                class="plain"
                aria-label={fill(w.send_one_again, { id: one.id })}
                onClick={() => replay(one)}
              >
                {w.send_again}
              </button>
            </li>
          ))}
        </ul>
      )}
      {value?.rows.length === 0 && <p class="hint">{w.no_deliveries}</p>}
      {value && <Pager place={place} pages={value.pages} total={value.total} />}
      <div class="buttons">
        <button type="button" class="plain" onClick={look}>
          {w.reload}
        </button>
      </div>
    </section>
  )
}
