import type { Desk } from './http/output/desk.ts'
import type { Pages } from './http/output/pages.ts'
import type { Room } from './http/resource/room.ts'
import { auditRoutes } from './http/routes/accounts/audit.ts'
import { invitationRoutes } from './http/routes/accounts/invitations.ts'
import { openidRoutes } from './http/routes/accounts/openid.ts'
import { ownPasswordRoutes } from './http/routes/accounts/own-passwords.ts'
import { passkeyRoutes } from './http/routes/accounts/passkeys.ts'
import { passwordRoutes } from './http/routes/accounts/passwords.ts'
import { providerLinkRoutes } from './http/routes/accounts/provider-links.ts'
import { secondFactorRoutes } from './http/routes/accounts/second-factor.ts'
import { sessionRoutes } from './http/routes/accounts/session.ts'
import { sessionStepRoutes } from './http/routes/accounts/session-steps.ts'
import { openSessionRoutes } from './http/routes/accounts/sessions.ts'
import { tokenRoutes } from './http/routes/accounts/tokens.ts'
import { userRoutes } from './http/routes/accounts/users.ts'
import { batchRoutes } from './http/routes/batch/batch.ts'
import { changeRoutes } from './http/routes/changes/changes.ts'
import { docRoutes } from './http/routes/document/doc.ts'
import { indexRoutes } from './http/routes/document/namespace.ts'
import { eventRoutes } from './http/routes/events/events.ts'
import { previewRoutes } from './http/routes/events/preview.ts'
import { feedRoutes } from './http/routes/feeds/feeds.ts'
import { revisionRoutes } from './http/routes/history/revisions.ts'
import { importRoutes } from './http/routes/imports/imports.ts'
import { mediaRoutes } from './http/routes/media/media.ts'
import { mediaUseRoutes } from './http/routes/media/uses.ts'
import { linkedPages, termPages } from './http/routes/pages/about.ts'
import { embedPages } from './http/routes/pages/embed.ts'
import { eventPages } from './http/routes/pages/event.ts'
import { deskRoutes, pageFiles } from './http/routes/pages/files.ts'
import { listPages } from './http/routes/pages/lists.ts'
import { dayPages, monthPages } from './http/routes/pages/months.ts'
import { permalinks } from './http/routes/pages/permalinks.ts'
import { previewPages } from './http/routes/pages/preview.ts'
import { seriesPages } from './http/routes/pages/series.ts'
import { sitemaps } from './http/routes/pages/sitemap.ts'
import { subscribePages } from './http/routes/pages/subscribe.ts'
import { linkedRoutes } from './http/routes/places/linked.ts'
import { suggestRoutes } from './http/routes/search/suggest.ts'
import { seriesRoutes } from './http/routes/series/series.ts'
import { settingsRoutes } from './http/routes/settings/settings.ts'
import { submissionPages } from './http/routes/submissions/page.ts'
import { submissionRoutes } from './http/routes/submissions/submissions.ts'
import { termRoutes } from './http/routes/terms/terms.ts'

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
