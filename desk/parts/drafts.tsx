import { useState } from 'preact/hooks'
import { draftsOf, dropDraft, type Listed } from '../api/drafts.ts'
import { here } from '../api/leaving.ts'
import { session } from '../api/session.ts'
import { readPlace } from '../rules/places.ts'
import { agoText } from '../words/dates.ts'
import { fill, type Words, w } from '../words/words.ts'
import { Confirm } from './dialog.tsx'

/** What the forms at a place are about. */
const KINDS: Record<string, keyof Words> = {
  events: 'event',
  venues: 'venue',
  organizers: 'organizer_one',
  categories: 'category',
  tags: 'tag',
  pictures: 'picture',
  translate: 'translation',
}
const whatOf = ({ place }: Listed) => w[KINDS[readPlace(place).path[0] ?? ''] ?? 'desk']

/** What whoever has signed in has typed and not saved, in this browser: the way back to each, and a button that forgets it. */
export function Drafts() {
  here.use() // leaving a form adds to them
  const [, setForgotten] = useState(0)
  const [asked, setAsked] = useState<Listed>()
  const found = draftsOf(session.get()!.user)
  if (found.length === 0) return null
  const titleOf = ({ title }: Listed) => title || w.draft_untitled
  return (
    <section class="drafts" aria-labelledby="drafts">
      <h2 id="drafts">{w.drafts}</h2>
      <ul>
        {found.map((draft) => (
          <li key={draft.name}>
            <a href={draft.place} dir="auto">
              {titleOf(draft)}
            </a>
            <span class="hint">
              {fill(w.draft_from, { what: whatOf(draft), when: agoText(draft.since) })}
            </span>
            <button
              type="button"
              class="plain"
              aria-label={fill(w.draft_forget, { title: titleOf(draft) })}
              onClick={() => setAsked(draft)}
            >
              {w.draft_forget_short}
            </button>
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          title={w.draft_forget_title}
          text={fill(w.draft_forget_text, { title: titleOf(asked), when: agoText(asked.since) })}
          yes={w.draft_forget_short}
          onYes={() => {
            dropDraft(asked.name)
            setAsked(undefined)
            setForgotten((count) => count + 1)
          }}
          onNo={() => setAsked(undefined)}
        />
      )}
    </section>
  )
}
