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
import { useMatches, usePlace } from '../api/use.ts'
import { callerFor, type Located } from '../rules/limits.ts'
import { hashOf } from '../rules/places.ts'
import { fill, LANGUAGES, language, languageName, speak, type Words, w } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { Drafts } from './drafts.tsx'
import { Icon, type IconName } from './icon.tsx'
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

type Part = { to: IconName; right?: Right }

/** The parts of the desk in their groups: where they are, which is also what they are called, and the right that they need. */
const GROUPS: [word: keyof Words, parts: Part[]][] = [
  [
    'events',
    [
      { to: 'events' },
      { to: 'month' },
      { to: 'week' },
      { to: 'submissions', right: 'decide on submissions' },
      { to: 'changes' },
    ],
  ],
  [
    'content',
    [{ to: 'venues' }, { to: 'organizers' }, { to: 'categories' }, { to: 'tags' }, { to: 'pictures' }],
  ],
  [
    'people',
    [
      { to: 'users', right: 'manage users and tokens' },
      { to: 'digest', right: 'manage subscriptions by mail' },
    ],
  ],
  [
    'system',
    [
      { to: 'settings', right: 'change the settings of the site' },
      { to: 'webhooks', right: 'manage webhooks' },
      { to: 'audit', right: 'read the audit log' },
    ],
  ],
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

/** The way to the parts of the desk, in groups. The name of one that begins with a part of the same name is not shown. */
const Parts = ({ here, close }: { here: string; close: () => void }) => (
  <nav class="parts" aria-label={w.parts}>
    {GROUPS.map(([word, all]) => {
      const parts = all.filter(
        ({ to, right }) =>
          (!right || may(right)) &&
          (to !== 'submissions' || SITE.submits) &&
          (to !== 'digest' || SITE.digests),
      )
      return (
        parts.length > 0 && (
          <section key={word}>
            <p id={`of-${word}`} class={word === parts[0]!.to ? 'unseen' : ''}>
              {w[word]}
            </p>
            <ul aria-labelledby={`of-${word}`}>
              {parts.map(({ to }) => (
                <li key={to}>
                  <a href={`#/${to}`} aria-current={to === here ? 'page' : undefined} onClick={close}>
                    <Icon name={to} />
                    {w[to as keyof Words]}
                    {to === 'submissions' && <Waiting />}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )
      )
    })}
  </nav>
)

/** Who has signed in, in which language, and the ways out of the desk. */
function Who({ here, close, leave }: { here: string; close: () => void; leave: () => void }) {
  const { login, name = login, role } = session.get()!
  return (
    <div class="who">
      {SITE.home && (
        <a href={SITE.home}>
          <Icon name="site" />
          {w.to_calendar}
        </a>
      )}
      <a href={hashOf(['account'])} aria-current={here === 'account' ? 'page' : undefined} onClick={close}>
        <Icon name="account" />
        {fill(w.signed_in, { login: name, role: w[`role_${role}`] })}
      </a>
      <button type="button" class="quiet" onClick={leave}>
        <Icon name="leave" />
        {w.sign_out}
      </button>
      <Speak />
    </div>
  )
}

/** A window with room for the menu beside the page, as in `shell.css`. */
const WIDE = '(min-width: 60rem)'

/** What surrounds every page: the way to the other parts, and who has signed in. In a narrow window both are in a sheet. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = usePlace()
  const isWide = useMatches(WIDE)
  const [open, setOpen] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const close = () => setOpen(false)
  useEffect(close, [location.hash])
  const leave = () => {
    close()
    if (hasDrafts()) setLeaving(true)
    else signOut()
  }
  const here = path[0] ?? 'events'
  const menu = (
    <>
      <Parts here={here} close={close} />
      <Who here={here} close={close} leave={leave} />
    </>
  )
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main')!.focus()}>
        {w.skip}
      </button>
      <header class="bar">
        <div>
          <p class="site">
            <a href="#/events">{siteName.use()}</a> <span>{w.desk}</span>
          </p>
          {isWide ? (
            menu
          ) : (
            <button
              type="button"
              class="plain menu"
              aria-haspopup="dialog"
              aria-expanded={open}
              onClick={() => setOpen(true)}
            >
              <Icon name="menu" />
              {w.menu}
            </button>
          )}
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
      {open && !isWide && (
        <Dialog title={w.menu} onClose={close} sheet>
          {menu}
        </Dialog>
      )}
      {isLeaving && <AskSigningOut close={() => setLeaving(false)} />}
      <AskLeaving />
    </div>
  )
}
