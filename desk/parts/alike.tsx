import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Differences } from '../api/client.ts'
import { SITE } from '../api/site.ts'
import { hashOf } from '../rules/places.ts'
import { languagesOf, type Member } from '../rules/sets.ts'
import { fill, languageName, listText, type Words, w } from '../words/words.ts'
import { membersText } from './differs.tsx'
import { tell } from './notice.tsx'

type Saved = Member & { status: string }

/** For which languages a record is saved or removed: as parameters of the request, and the box that says so. */
export type Alike = { query: Record<string, string>; box: ComponentChildren }

/** Whether what is done holds for the translations of a record as well: at first it does. */
export function useAlike(record: Saved | undefined, isMine: boolean, hint: string): Alike {
  const [isOn, setOn] = useState(true)
  const others = record && isMine && record.status !== 'trash' ? Object.keys(record.translations) : []
  if (others.length === 0) return { query: {}, box: null }
  return {
    query: isOn ? { translations: 'all' } : {},
    box: (
      <div class="also">
        <label>
          <input type="checkbox" checked={isOn} aria-describedby="also-hint" onChange={() => setOn(!isOn)} />
          {fill(w.also_in, { languages: listText(others.map(languageName)) })}
        </label>
        <p class="hint" id="also-hint">
          {hint}
        </p>
      </div>
    ),
  }
}

/** In what the translations of a record differ from it, and the button that ends that. */
export function Uneven({
  differs,
  even,
  busy,
}: {
  differs: Differences
  even: () => Promise<boolean>
  busy: boolean
}) {
  // nothing at the desk shows or changes the parent of an event
  const shown = Object.entries(differs)
    .map(([code, members]) => [code, members.filter((name) => name !== 'post_parent')] as const)
    .filter(([, members]) => members.length > 0)
  if (shown.length === 0) return null
  return (
    <div class="notice uneven" role="note">
      <div>
        <p>{w.uneven}</p>
        <ul>
          {shown.map(([code, members]) => (
            <li key={code}>
              {fill(w.uneven_in, { language: languageName(code), members: membersText(members) })}
            </li>
          ))}
        </ul>
      </div>
      <button
        type="button"
        class="plain"
        disabled={busy}
        onClick={async () => (await even()) && tell({ text: w.evened })}
      >
        {w.even}
      </button>
    </div>
  )
}

type Shown = Member & { status: string; all: { id: number; status: string }[] }

/** The languages of a row as their codes, each as the way to the record in it. One that is not as visible as the row says so. */
export function Chips({ row, plural, title }: { row: Shown; plural: string; title: string }) {
  const labelOf = (code: string, id: number) => {
    const { status = row.status } = row.all.find((one) => one.id === id) ?? {}
    const rest = status === row.status ? '' : `: ${w[`status_${status}` as keyof Words]}`
    return (
      <>
        <span aria-hidden="true">{code.toUpperCase() + rest}</span>
        <span class="unseen">{languageName(code) + rest}</span>
      </>
    )
  }
  return (
    <ul class="spoken" aria-label={fill(w.languages_of, { title })}>
      {languagesOf(row, SITE.languages).map(([code, id]) => (
        <li key={code}>
          <a href={hashOf([plural, id])} title={languageName(code)}>
            {labelOf(code, id)}
          </a>
        </li>
      ))}
    </ul>
  )
}
