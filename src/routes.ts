import type { Room } from './calendar/resource/room.ts'
import { docRoutes } from './calendar/routes/doc.ts'
import { eventRoutes } from './calendar/routes/events.ts'
import { linkedRoutes } from './calendar/routes/linked.ts'
import { mediaRoutes } from './calendar/routes/media.ts'
import { indexRoutes } from './calendar/routes/namespace.ts'
import { seriesRoutes } from './calendar/routes/series.ts'
import { settingsRoutes } from './calendar/routes/settings.ts'
import { suggestRoutes } from './calendar/routes/suggest.ts'
import { termRoutes } from './calendar/routes/terms.ts'
import { mediaUseRoutes } from './calendar/routes/uses.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { batchRoutes } from './features/batch/batch.ts'
import { type Desk, deskRoutes } from './features/desk/desk.ts'
import { feedRoutes } from './features/feeds/feeds.ts'
import { revisionRoutes } from './features/history/routes.ts'
import { importRoutes } from './features/imports/routes.ts'
import type { Pages } from './features/pages/pages.ts'
import { linkedPages, seriesPages, termPages } from './features/pages/routes/archives.ts'
import { embedPages } from './features/pages/routes/embed.ts'
import { eventPages, previewPages } from './features/pages/routes/event.ts'
import { pageFiles } from './features/pages/routes/files.ts'
import { listPages } from './features/pages/routes/lists.ts'
import { dayPages, monthPages } from './features/pages/routes/months.ts'
import { permalinks } from './features/pages/routes/permalinks.ts'
import { sitemaps } from './features/pages/routes/sitemap.ts'
import { subscribePages } from './features/pages/routes/subscribe.ts'
import { invitationRoutes } from './features/people/routes/invitations.ts'
import { openidRoutes } from './features/people/routes/openid.ts'
import { ownPasswordRoutes } from './features/people/routes/own-passwords.ts'
import { passkeyRoutes } from './features/people/routes/passkeys.ts'
import { passwordRoutes } from './features/people/routes/passwords.ts'
import { providerLinkRoutes } from './features/people/routes/provider-links.ts'
import { secondFactorRoutes } from './features/people/routes/second-factor.ts'
import { sessionRoutes } from './features/people/routes/session.ts'
import { sessionStepRoutes } from './features/people/routes/session-steps.ts'
import { openSessionRoutes } from './features/people/routes/sessions.ts'
import { tokenRoutes } from './features/people/routes/tokens.ts'
import { userRoutes } from './features/people/routes/users.ts'
import { previewRoutes } from './features/previews/routes.ts'
import { submissionPages } from './features/submissions/routes/page.ts'
import { submissionRoutes } from './features/submissions/routes/submissions.ts'
import { changeRoutes } from './features/sync/changes.ts'

const API = [
  ...[
    indexRoutes,
    docRoutes,
    eventRoutes,
    previewRoutes,
    seriesRoutes,
    revisionRoutes,
    linkedRoutes,
    termRoutes,
  ],
  ...[batchRoutes, importRoutes, submissionRoutes],
  ...[suggestRoutes, feedRoutes, mediaRoutes, mediaUseRoutes, changeRoutes],
  ...[sessionRoutes, userRoutes, passwordRoutes, openSessionRoutes, tokenRoutes],
  ...[invitationRoutes, ownPasswordRoutes],
  ...[sessionStepRoutes, secondFactorRoutes, passkeyRoutes, openidRoutes, providerLinkRoutes],
  ...[settingsRoutes, auditRoutes],
]
const PAGES = [
  listPages,
  monthPages,
  dayPages,
  embedPages,
  eventPages,
  previewPages,
  seriesPages,
  linkedPages,
  termPages,
  subscribePages,
  submissionPages,
  pageFiles,
  sitemaps,
]

type Parts = { pages: Pages | undefined; desk: Desk | undefined; room: Room | undefined }

/** All routes of a service that has these parts, in the order in which they are registered. Without pages, their addresses lead to the API. */
export const routesOf = ({ pages, desk, room }: Parts) => [
  ...(room ? room.routes : []),
  ...(desk ? [deskRoutes(desk)] : []),
  ...API,
  ...(pages ? PAGES : [permalinks]),
]
