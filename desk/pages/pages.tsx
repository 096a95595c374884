import type { ComponentChild } from 'preact'
import { SITE } from '../api/site.ts'
import { may } from '../parts/shell.tsx'
import type { Place } from '../rules/places.ts'
import { w } from '../words/words.ts'
import { AuditPage } from './audit/audit.tsx'
import { ChangesPage } from './changes/changes.tsx'
import { DigestPage } from './digest/digest.tsx'
import { EventPage } from './event/event.tsx'
import { EventsPage } from './events/events.tsx'
import { HistoryPage } from './history/history.tsx'
import { ImportPage } from './imports/imports.tsx'
import { LinkedPage } from './linked/linked.tsx'
import { LinkedList } from './linked/list.tsx'
import { Missing } from './missing.tsx'
import { MonthPage } from './month/month.tsx'
import { PicturesPage } from './pictures/pictures.tsx'
import { SettingsPage } from './settings/settings.tsx'
import { SubmissionsPage } from './submissions/submissions.tsx'
import { TermsPage } from './terms/terms.tsx'
import { TranslatePage } from './translate/translate.tsx'
import { AccountPage } from './users/account.tsx'
import { UserPage } from './users/user.tsx'
import { UsersPage } from './users/users.tsx'
import { WebhookPage } from './webhooks/webhook.tsx'
import { WebhooksPage } from './webhooks/webhooks.tsx'
import { WeekPage } from './week/week.tsx'

/** A page: what is remade when it changes, its title, and what it shows. */
type Found = { key: string; title: string; page: ComponentChild }

const missing = (): Found => ({ key: 'missing', title: w.not_found, page: <Missing /> })

/** A list of venues or organizers, or one of them. */
const linked = (kind: 'venue' | 'organizer') => (place: Place) =>
  place.path[1] === undefined
    ? { key: `${kind}s`, title: w[`${kind}s`], page: <LinkedList kind={kind} place={place} /> }
    : { key: location.hash, title: w[`${kind}_one`], page: <LinkedPage kind={kind} place={place} /> }

/** The pages of the desk by the first part of their place. A page of one record gets its ID, or `new`. */
const PAGES: Record<string, (place: Place) => Found> = {
  events: (place) =>
    place.path[1] === undefined
      ? { key: 'events', title: w.events, page: <EventsPage place={place} /> }
      : place.path[2] === 'history'
        ? { key: `history ${place.path[1]}`, title: w.history, page: <HistoryPage place={place} /> }
        : { key: location.hash, title: w.event, page: <EventPage place={place} /> },
  month: (place) => ({ key: 'month', title: w.month, page: <MonthPage place={place} /> }),
  week: (place) => ({ key: 'week', title: w.week, page: <WeekPage place={place} /> }),
  translate: (place) =>
    SITE.languages.includes(place.path[3] ?? '')
      ? { key: location.hash, title: w.translation, page: <TranslatePage place={place} /> }
      : missing(),
  venues: linked('venue'),
  organizers: linked('organizer'),
  categories: (place) => ({
    ...{ key: 'categories', title: w.categories },
    page: <TermsPage kind="category" place={place} />,
  }),
  tags: (place) => ({ key: 'tags', title: w.tags, page: <TermsPage kind="tag" place={place} /> }),
  pictures: (place) => ({ key: 'pictures', title: w.pictures, page: <PicturesPage place={place} /> }),
  changes: (place) => ({ key: 'changes', title: w.changes, page: <ChangesPage place={place} /> }),
  account: () => ({ key: 'account', title: w.account, page: <AccountPage /> }),
  users: (place) =>
    place.path[1] === undefined
      ? { key: 'users', title: w.users, page: <UsersPage place={place} /> }
      : { key: location.hash, title: w.user, page: <UserPage id={place.path[1]} /> },
  webhooks: (place) => {
    if (!may('manage webhooks')) return missing()
    return place.path[1] === undefined
      ? { key: 'webhooks', title: w.webhooks, page: <WebhooksPage /> }
      : { key: `webhook ${place.path[1]}`, title: w.webhook, page: <WebhookPage place={place} /> }
  },
  import: (place) =>
    may('import events') ? { key: 'import', title: w.import, page: <ImportPage place={place} /> } : missing(),
  submissions: (place) =>
    SITE.submits && may('decide on submissions')
      ? { key: 'submissions', title: w.submissions, page: <SubmissionsPage place={place} /> }
      : missing(),
  digest: (place) =>
    SITE.digests && may('manage subscriptions by mail')
      ? { key: 'digest', title: w.digest, page: <DigestPage place={place} /> }
      : missing(),
  settings: () =>
    may('change the settings of the site')
      ? { key: 'settings', title: w.settings, page: <SettingsPage /> }
      : missing(),
  audit: (place) =>
    may('read the audit log')
      ? { key: 'audit', title: w.audit, page: <AuditPage place={place} /> }
      : missing(),
}

/** The page of a place. */
export function pageAt(place: Place): Found {
  const name = place.path[0] ?? 'events'
  return Object.hasOwn(PAGES, name) ? PAGES[name]!(place) : missing()
}
