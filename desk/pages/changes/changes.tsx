import { useState } from 'preact/hooks'
import { useLoaded } from '../../api/use.ts'
import { SelectField } from '../../parts/field.tsx'
import { Failed } from '../../parts/notice.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { agoText, dayText, instantText } from '../../words/dates.ts'
import { fill, number, type Words, w } from '../../words/words.ts'
import { type Change, changesOf, KINDS, type Kind, useChanges } from './data.ts'

const DAYS = [1, 7, 30]

function Row({
  change: { kind, id, name, status, modified, day, dates, isNew, isGone },
}: {
  change: Change
}) {
  return (
    <li class={isNew ? 'new' : ''}>
      <span class="kind">{w[kind === 'organizer' ? 'organizer_one' : kind]}</span>
      <span class="what">
        {isGone ? <s>{name || `${id}`}</s> : <a href={hashOf([KINDS[kind], id])}>{name}</a>}{' '}
        {!isGone && day && dates === undefined && <span class="soft">{dayText(day)}</span>}{' '}
        {dates !== undefined && <span class="badge">{fill(w.stands_for, { count: number(dates) })}</span>}
        {isGone && <span class="badge trash">{w.gone}</span>}
        {!isGone && status !== undefined && status !== 'publish' && (
          <span class={`badge ${status}`}>{w[`status_${status}` as keyof Words]}</span>
        )}
        {isNew && <span class="badge unsaved">{w.just_now}</span>}
      </span>
      {modified && (
        <time class="hint" dateTime={`${modified.replace(' ', 'T')}Z`} title={instantText(modified)}>
          {agoText(modified)}
        </time>
      )}
    </li>
  )
}

const keyOf = ({ kind, id }: Change) => `${kind} ${id}`

/** What changed lately, and what changes while one looks. */
export function ChangesPage({ place }: { place: Place }) {
  const asked = Number(place.query.days)
  const days = DAYS.includes(asked) ? asked : 7
  const kind = place.query.kind as Kind | undefined
  const { value, failure, again, loading } = useLoaded(`changes ${days}`, () => changesOf(days))
  const [told, setTold] = useState<Change[]>([])
  useChanges((changes) => {
    setTold((before) => {
      const known = new Map([...(value ?? []), ...before].map((change) => [keyOf(change), change.name]))
      const next = changes.map((one) => ({ ...one, name: one.name || (known.get(keyOf(one)) ?? '') }))
      const keys = new Set(next.map(keyOf))
      return [...next.toReversed(), ...before.filter((one) => !keys.has(keyOf(one)))]
    })
  })
  const keys = new Set(told.map(keyOf))
  const rows = [...told, ...(value ?? []).filter((one) => !keys.has(keyOf(one)))].filter(
    (one) => !kind || one.kind === kind,
  )
  const go = (change: Record<string, string>) => {
    location.hash = hashOf(['changes'], { ...place.query, ...change })
  }
  return (
    <>
      <div class="head">
        <h1>{w.changes}</h1>
      </div>
      <form class="filters open" role="search" onSubmit={(event) => event.preventDefault()}>
        <SelectField
          label={w.since}
          value={String(days)}
          options={DAYS.map((count) => [
            String(count),
            count === 1 ? w.last_day : fill(w.so_many_days, { count: number(count) }),
          ])}
          onValue={(days) => go({ days })}
        />
        <SelectField
          label={w.kind}
          value={kind ?? ''}
          options={[
            ['', w.every],
            ...(Object.keys(KINDS) as Kind[]).map((one) => [one, w[KINDS[one]]] as const),
          ]}
          onValue={(kind) => go({ kind })}
        />
      </form>
      {failure && <Failed failure={failure} again={again} />}
      {value && rows.length === 0 && (
        <div class="empty">
          <p>{w.no_changes}</p>
        </div>
      )}
      <ul class={loading ? 'changed loading' : 'changed'} aria-busy={loading} aria-label={w.changes}>
        {rows.map((change) => (
          <Row key={keyOf(change)} change={change} />
        ))}
      </ul>
      <p class="hint">{w.changes_follow}</p>
    </>
  )
}
