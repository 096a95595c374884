import { read } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf } from '../../rules/places.ts'
import { fill, number, type Words, w } from '../../words/words.ts'

/** A record that shows a picture. */
type Use = { id: number; kind: string; title: string; status: string; language: string; as: 'image' | 'text' }
export type Uses = { uses: Use[]; total: number }

/** Uses that are named. */
const MOST = 8

const placeOf = ({ kind, id }: Use) =>
  kind === 'series' ? hashOf(['events'], { series: String(id), when: 'all' }) : hashOf([`${kind}s`, id])

/** Reads where a picture is used. */
export const useUses = (id: number) =>
  useLoaded(`uses ${id}`, async () =>
    may('create records') ? read<Uses>(`/media/${id}/uses`) : { uses: [], total: 0 },
  )

/** The records that show a picture: what is lost when it is deleted. */
export function UsedIn({ value, failure, again }: ReturnType<typeof useUses>) {
  const rest = value ? value.total - Math.min(MOST, value.uses.length) : 0
  return (
    <section aria-label={w.used_in} class="uses">
      <h3>{w.used_in}</h3>
      {failure && <Failed failure={failure} again={again} />}
      {value?.total === 0 && <p class="hint">{w.used_nowhere}</p>}
      {value && value.total > 0 && (
        <ul class="links">
          {value.uses.slice(0, MOST).map((use) => (
            <li key={`${use.id}`}>
              <a href={placeOf(use)} lang={use.language}>
                {use.title}
              </a>{' '}
              <span class="hint">
                {w[`used_${use.kind}` as keyof Words]}
                {use.as === 'text' && `, ${w.used_text}`}
                {use.status !== 'publish' &&
                  `, ${w[`status_${use.status}` as keyof Words].toLocaleLowerCase()}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && <p class="hint">{fill(w.used_more, { count: number(rest) })}</p>}
    </section>
  )
}
