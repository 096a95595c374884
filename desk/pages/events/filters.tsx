import { useState } from 'preact/hooks'
import { read } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { SelectField, TextField } from '../../parts/field.tsx'
import { useSearch } from '../../parts/listing.tsx'
import { TermPicker, useNamed } from '../../parts/terms.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { fill, languageName, number, type Words, w } from '../../words/words.ts'
import { chosenIn } from './chosen.tsx'
import { SPANS, SPEAKS_SEVERAL, spanOf, TABS } from './query.ts'

/** The statuses, each as a link. */
export const Tabs = ({ place: { query } }: { place: Place }) => (
  <nav class="tabs" aria-label={w.status}>
    <ul>
      {TABS.map((status) => (
        <li key={status}>
          <a
            href={hashOf(['events'], {
              ...query,
              page: undefined,
              status: status === 'any' ? undefined : status,
            })}
            aria-current={(query.status ?? 'any') === status ? 'page' : undefined}
          >
            {w[`status_${status}`]}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)

/** The last word of what is typed. */
const LAST = /[\p{L}\p{N}\p{M}]+$/u

/** What is typed with its last word as it may be meant; nothing if that can not be known. */
const offer = async (text: string): Promise<string[]> => {
  if (!LAST.test(text)) return []
  const { words } = await read<{ words: string[] }>('/suggest', {
    q: text.slice(0, 200),
    _fields: 'words',
  }).catch(() => ({ words: [] }))
  return words.map((word) => text.replace(LAST, word))
}

/** The search and the filters, which stand in the address. */
export function Filters({ place: { query } }: { place: Place }) {
  const categories = useNamed(
    'category',
    (query.category ?? '')
      .split(',')
      .map(Number)
      .filter((id) => id > 0),
  )
  const count = chosenIn(query).filter(([name]) => name !== 'search' && name !== 'status').length
  const [open, setOpen] = useState(false)
  const [offered, setOffered] = useState<string[]>([])
  const { text, type, go } = useSearch(['events'], (typed) => void offer(typed).then(setOffered))
  const spans = SPANS.map((span) => [span, w[`when_${span}` as keyof Words]] as const)
  const span = spanOf(query)
  return (
    <form
      class={open ? 'filters open' : 'filters'}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextField
        class="wide"
        label={w.search}
        type="search"
        value={text}
        onValue={type}
        list="offered"
        autocomplete="off"
      />
      <datalist id="offered">
        {offered.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <button type="button" class="plain toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {count > 0 ? fill(w.filters_chosen, { count: number(count) }) : w.filters}
      </button>
      <SelectField
        label={w.when}
        value={span}
        options={spans}
        onValue={(when) => go({ when, from: undefined, to: undefined })}
      />
      {span === 'dates' && (
        <>
          <TextField label={w.from} type="date" value={query.from ?? ''} onValue={(from) => go({ from })} />
          <TextField label={w.to} type="date" value={query.to ?? ''} onValue={(to) => go({ to })} />
        </>
      )}
      <TermPicker
        kind="category"
        label={w.categories}
        placeholder={w.every}
        value={categories}
        {...(query.language && { languages: [query.language] })}
        onValue={(value) => go({ category: value.map(({ id }) => id).join() })}
      />
      <SelectField
        label={w.of_series}
        value={query.dates === 'every' ? 'every' : ''}
        options={[
          ['', w.one_of_each],
          ['every', w.every_date],
        ]}
        onValue={(dates) => go({ dates })}
      />
      {SPEAKS_SEVERAL && (
        <SelectField
          label={w.language}
          value={query.language ?? ''}
          options={[['', w.every], ...SITE.languages.map((code) => [code, languageName(code)] as const)]}
          onValue={(language) => go({ language })}
        />
      )}
    </form>
  )
}
