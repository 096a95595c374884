import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { RIGHTS as CALENDAR_RIGHTS, canEdit } from '../../src/calendar/rights.ts'
import { AUDIT_RIGHTS } from '../../src/features/audit/rights.ts'
import { DIGEST_RIGHTS } from '../../src/features/digest/rights.ts'
import { IMPORTS_RIGHTS } from '../../src/features/imports/rights.ts'
import { SUBMISSIONS_RIGHTS } from '../../src/features/submissions/rights.ts'
import { WEBHOOKS_RIGHTS } from '../../src/features/webhooks/rights.ts'
import { ACCOUNT_RIGHTS, has, isAdministration } from '../../src/kernel/access/rights.ts'
import { session, signOut } from '../api/session.ts'
import { SITE, siteName } from '../api/site.ts'
import { usePlace } from '../api/use.ts'
import { callerFor, type Located } from '../rules/limits.ts'
import { fill, LANGUAGES, language, languageName, speak, type Words, w } from '../words/words.ts'
import { Drafts } from './drafts.tsx'
import { AskLeaving, AskSigningOut, hasDrafts } from './leaving.tsx'
import { Waiting } from './waiting.tsx'

/** The rights that the desk asks for. */
const RIGHTS = {
  ...ACCOUNT_RIGHTS,
  ...CALENDAR_RIGHTS,
  ...AUDIT_RIGHTS,
  ...DIGEST_RIGHTS,
  ...IMPORTS_RIGHTS,
  ...SUBMISSIONS_RIGHTS,
  ...WEBHOOKS_RIGHTS,
}
type Right = keyof typeof RIGHTS

/** What a mirror does not pass on to its source. */
const KEPT: readonly Right[] = [
  'give records to another author',
  'import events',
  'upload images, and change and delete own ones',
  'change and delete images of others',
]
/** Whether a right is one to write what the calendar as a mirror leaves to its source. */
const isLeft = (right: Right) =>
  SITE.mirror !== undefined &&
  !isAdministration(RIGHTS[right]) &&
  !/^(sign in|read)/.test(right) &&
  (!SITE.forwards || KEPT.includes(right))

/** Whether whoever has signed in has a right, and the calendar is not a mirror that leaves this to its source. */
export const may = (right: Right): boolean => {
  return has(callerFor(session.get()!), RIGHTS[right]) && !isLeft(right)
}

/** Whether whoever has signed in may change an event, a venue or an organizer. */
export const mayEdit = (
  record: Located & { author: string; status: string },
  kind: 'event' | 'venue' | 'organizer' = 'event',
): boolean => {
  if (isLeft('create records')) return false
  const { id, author, status } = record
  return canEdit(callerFor(session.get()!, record), { id, kind, author_id: Number(author), status })
}

/** The parts of the desk: where they are, what they are called, and the right that they need. */
const PARTS: [path: string, word: keyof Words, right?: Right][] = [
  ['events', 'events'],
  ['month', 'month'],
  ['week', 'week'],
  ['venues', 'venues'],
  ['organizers', 'organizers'],
  ['categories', 'categories'],
  ['tags', 'tags'],
  ['pictures', 'pictures'],
  ['submissions', 'submissions', 'decide on submissions'],
  ['changes', 'changes'],
  ['users', 'users', 'manage users and tokens'],
  ['digest', 'digest', 'manage subscriptions by mail'],
  ['webhooks', 'webhooks', 'manage webhooks'],
  ['settings', 'settings', 'change the settings of the site'],
  ['audit', 'audit', 'read the audit log'],
]

/** The choice of the language of the desk. */
export const Speak = () => (
  <label class="speak">
    <span class="unseen">{w.language_of_desk}</span>
    <select value={language.get()} onChange={({ currentTarget }) => speak(currentTarget.value)}>
      {LANGUAGES.map((code) => (
        <option key={code} value={code} lang={code} selected={code === language.get()}>
          {languageName(code)}
        </option>
      ))}
    </select>
  </label>
)

/** What surrounds every page: the way to the other parts, and who has signed in. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = usePlace()
  const [open, setOpen] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const here = path[0] ?? 'events'
  const { login, name = login, role } = session.get()!
  useEffect(() => setOpen(false), [location.hash])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main')!.focus()}>
        {w.skip}
      </button>
      <header class="bar">
        <p class="site">
          <a href="#/events">{siteName.use()}</a> <span>{w.desk}</span>
        </p>
        <button
          type="button"
          class="plain menu"
          aria-expanded={open}
          aria-controls="parts"
          onClick={() => setOpen(!open)}
        >
          {w.menu}
        </button>
        <div class={open ? 'parts open' : 'parts'} id="parts">
          <nav aria-label={w.parts}>
            <ul>
              {PARTS.filter(
                ([to, , right]) =>
                  (!right || may(right)) &&
                  (to !== 'submissions' || SITE.submits) &&
                  (to !== 'digest' || SITE.digests),
              ).map(([to, word]) => (
                <li key={to}>
                  <a href={`#/${to}`} aria-current={to === here ? 'page' : undefined}>
                    {w[word]}
                    {to === 'submissions' && <Waiting />}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
          <div class="who">
            {SITE.home && <a href={SITE.home}>{w.to_calendar}</a>}
            <a href="#/account" aria-current={here === 'account' ? 'page' : undefined}>
              {fill(w.signed_in, { login: name, role: w[`role_${role}`] })}
            </a>
            <Speak />
            <button type="button" class="plain" onClick={() => (hasDrafts() ? setLeaving(true) : signOut())}>
              {w.sign_out}
            </button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {SITE.mirror !== undefined && (
          <p class="notice" role="note">
            {fill(SITE.forwards ? w.mirror_forwards : w.mirror_refuses, { source: SITE.mirror })}
          </p>
        )}
        {path.length < 2 && <Drafts />}
        {children}
      </main>
      {isLeaving && <AskSigningOut close={() => setLeaving(false)} />}
      <AskLeaving />
    </div>
  )
}
