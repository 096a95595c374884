import { list } from '../../api/client.ts'
import { useLoaded } from '../../api/use.ts'
import { may } from '../../parts/shell.tsx'
import { hashOf } from '../../rules/places.ts'
import { dayText } from '../../words/dates.ts'
import { fill, w } from '../../words/words.ts'

type Props = { after: string; text: string; part: 'month' | 'week' }

/** Says that some days have no events, and leads to the next one that has, or to a first one. */
export function Nothing({ after, text, part }: Props) {
  const { value } = useLoaded(`next after ${after}`, () =>
    list<{ start_date: string; title: string; language: string }>('/events', 'events', {
      ...{ status: 'any', when: 'all', orderby: 'start', per_page: 1 },
      ...{ starts_after: `${after} 23:59:59`, strict_dates: true },
      _fields: 'total,total_pages,events.start_date,events.title,events.language',
    }),
  )
  const [next] = value?.rows ?? []
  const day = next?.start_date.slice(0, 10)
  return (
    <p class="notice" role="status">
      {text}{' '}
      {day !== undefined ? (
        <a href={hashOf([part, part === 'month' ? day.slice(0, 7) : day])}>
          {fill(w.next_event_on, { day: dayText(day) })}
        </a>
      ) : (
        may('create records') && <a href="#/events/new">{w.new_event}</a>
      )}
    </p>
  )
}
