import type { Complete } from './rewrite.ts'

// The places of components and operations in the document, whichever part of the service declares them first. Shared parameters and errors
// are named after those that have them first: what is new is added at the end.
const listOf = (names: string) => names.trim().split(/\s+/)

export const SCHEMAS = listOf(`
  RecordReference TermKey TermFilter VenueLink OrganizerLink CostAmount DateDetails ImageSize FeaturedImage
  ErrorBody EmbeddedTerm CostDetails ImageOrFalse VenueOrVenues CalendarEvent EventPage Preview Recurrence
  Series SeriesPage RecurrenceRule EventVersion Revision RevisionPage Venue VenuePage Organizer
  OrganizerPage TermUrls Category CategoryPage Tag TagPage JsonFeed LinkedData FullCalendarEvents
  Suggestions BatchResult BatchAnswer ImportUpload ImportEntry ImportReport Import ImportPage ImportUndone
  SubmissionAlike Submission SubmissionPage NewSubmission SubmissionChallenge EventChange SeriesChange
  VenueChange OrganizerChange CategoryChange TagChange RecordDeletion RecordChange ChangePage Media
  MediaPage MediaUpload MediaUses ApiIndex OpenApiDocument RightLimits Session NewSession User NewUser
  Invitation PasswordReset OwnPassword UserPage ApplicationPassword NewApplicationPassword
  ApplicationPasswordPage Token NewToken TokenPage UserSession UserSessionPage SecondFactor NewSecondFactor
  RecoveryCodes Passkey PasskeyPage PasskeyCreation PasskeyRequest ProviderLink ProviderLinkPage
  WebhookState Webhook NewWebhook WebhookPage WebhookSecret WebhookDelivery WebhookDeliveryPage SiteLink
  Settings AuditSubject AuditEntry AuditPage EventInput DateInput DateOrNull StatusOrNull ImageLink
  CostInput TermKeys VenueLinks OrganizerLinks EventStatusOrNull AttendanceModeOrNull RecurrenceOrNull
  LanguageOrNull EventUpdate SeriesInput RecurrenceInput SeriesUpdate VenueInput YesOrNo PostCode
  VenueUpdate OrganizerInput OrganizerUpdate CategoryInput CategoryUpdate TagInput TagUpdate BatchOperation
  BatchInput SubmissionInput SubmissionDecision MediaUpdate SignInInput UserInput UserUpdate RoleOrNull
  ApplicationPasswordInput TokenInput InvitationAcceptance OwnPasswordInput PasswordResetInput
  PasswordResetConfirmation FactorProof PasskeyProof SecondFactorInput PasskeyInput WebhookInput
  WebhookFilters WebhookUpdate WebhookSecretInput WebhookReplay SettingsUpdate
`)

export const TAGS = listOf(`
  Events Series Venues Organizers Categories Tags History Media Search Feeds Batch Imports Submissions Changes
  Session Users Webhooks Settings Audit Index Aliases
`)

export const OPERATIONS = listOf(`
  getIndex getDocument listEvents createEvent getEvent updateEvent replaceEvent updateEventByPost
  deleteEvent getEventBySlug updateEventBySlug replaceEventBySlug updateEventBySlugByPost deleteEventBySlug
  getEventByExternalId upsertEvent restoreEvent createPreview listSeries createSeries getSeries updateSeries
  replaceSeries updateSeriesByPost deleteSeries getSeriesBySlug updateSeriesBySlug replaceSeriesBySlug
  updateSeriesBySlugByPost deleteSeriesBySlug getSeriesByExternalId upsertSeries restoreSeries
  listEventRevisions restoreEventRevision listSeriesRevisions restoreSeriesRevision listVenues createVenue
  getVenue updateVenue replaceVenue updateVenueByPost deleteVenue getVenueBySlug updateVenueBySlug
  replaceVenueBySlug updateVenueBySlugByPost deleteVenueBySlug getVenueByExternalId upsertVenue restoreVenue
  listOrganizers createOrganizer getOrganizer updateOrganizer replaceOrganizer updateOrganizerByPost
  deleteOrganizer getOrganizerBySlug updateOrganizerBySlug replaceOrganizerBySlug
  updateOrganizerBySlugByPost deleteOrganizerBySlug getOrganizerByExternalId upsertOrganizer
  restoreOrganizer listCategories createCategory getCategory updateCategory replaceCategory
  updateCategoryByPost deleteCategory listTags createTag getTag updateTag replaceTag updateTagByPost
  deleteTag batch createImport listImports undoImport createSubmission listSubmissions
  getSubmissionChallenge getSubmission acceptSubmission askSubmission refuseSubmission getSuggestions
  feedFullCalendar feedEvents feedEvent feedCategory feedTag feedVenue feedOrganizer feedSeries listMedia
  createMedia getMedia updateMedia deleteMedia getMediaUses listChanges getSession createSession
  deleteSession createCookieSession listUsers createUser getUser updateUser deleteUser
  listApplicationPasswords createApplicationPassword getApplicationPassword deleteApplicationPassword
  listUserSessions getUserSession deleteUserSession listTokens createToken getToken deleteToken
  createInvitation acceptInvitation setOwnPassword requestPasswordReset confirmPasswordReset
  createFactorSession createPasskeyChallenge createPasskeySession getSecondFactor createSecondFactor
  deleteSecondFactor confirmSecondFactor createRecoveryCodes listPasskeys createPasskey createPasskeyOptions
  getPasskey deletePasskey listProviderLinks deleteProviderLink listWebhooks createWebhook getWebhook
  updateWebhook deleteWebhook rotateWebhookSecret testWebhook replayWebhook listWebhookDeliveries
  getWebhookDelivery replayWebhookDelivery getSettings updateSettings listAudit
`)

/** Compares by the places of names in a list; what is not in it comes last. */
/** Compares by the places of names in a list; what is not in it is last. */
export function byPlace<T>(list: readonly string[], nameOf: (one: T) => string) {
  const places = new Map(list.map((name, at) => [name, at]))
  const placeOf = (one: T) => places.get(nameOf(one)) ?? list.length
  return (one: T, other: T) => placeOf(one) - placeOf(other)
}

/** What was collected of routes and components, with these in their places. */
export function inPlace({ components, paths, ...others }: Complete): Complete {
  const schemas = Object.entries(components.schemas!).toSorted(byPlace(SCHEMAS, ([name]) => name))
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    .toSorted(byPlace(OPERATIONS, ({ operation }) => String(operation.operationId)))
  const placed: Complete['paths'] = {}
  for (const { path, method, operation } of operations)
    placed[path] = { ...placed[path], [method]: operation }
  return { ...others, components: { ...components, schemas: Object.fromEntries(schemas) }, paths: placed }
}
