import { INTRODUCTION } from './calendar/introduction.ts'
import type { Documentation } from './kernel/openapi/document.ts'
import type { Subject, Traits } from './kernel/openapi/operations.ts'
import { ASKED, header, WRITTEN } from './kernel/openapi/responses.ts'

const listOf = (names: string) => names.trim().split(/\s+/)

// Shared parameters and errors are named after those that have them first: what is new is added at the end.
const PLACES = {
  schemas: listOf(`
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
  WebhookFilters WebhookUpdate WebhookSecretInput WebhookReplay SettingsUpdate Digest DigestPage MediaCrop
`),
  tags: listOf(`
  Events Series Venues Organizers Categories Tags History Media Search Feeds Batch Imports Submissions Digests
  Changes Session Users Webhooks Settings Audit Index Aliases
`),
  operations: listOf(`
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
  createMedia getMedia updateMedia deleteMedia getMediaUses cropMedia listChanges getSession createSession
  deleteSession createCookieSession listUsers createUser getUser updateUser deleteUser
  listApplicationPasswords createApplicationPassword getApplicationPassword deleteApplicationPassword
  listUserSessions getUserSession deleteUserSession listTokens createToken getToken deleteToken
  createInvitation acceptInvitation setOwnPassword requestPasswordReset confirmPasswordReset
  createFactorSession createPasskeyChallenge createPasskeySession getSecondFactor createSecondFactor
  deleteSecondFactor confirmSecondFactor createRecoveryCodes listPasskeys createPasskey createPasskeyOptions
  getPasskey deletePasskey listProviderLinks deleteProviderLink listWebhooks createWebhook getWebhook
  updateWebhook deleteWebhook rotateWebhookSecret testWebhook replayWebhook listWebhookDeliveries
  getWebhookDelivery replayWebhookDelivery getSettings updateSettings listAudit listDigests deleteDigest
`),
  errors: listOf(`
  sync-token-invalid rest_missing_callback_param rest_invalid_param rest_invalid_json empty_content
  empty_term_name term_name_too_long term_exists duplicate_term_slug too-many-webhooks
  rest_taxonomy_not_hierarchical could-not-create-venue could-not-create-organizer rest_bad_request
  rest_forbidden incorrect_password invalid_username invalid_token insufficient_user_authentication
  second_factor_required incorrect_code sign_in_ended incorrect_passkey passkey_origin passkey_unverified
  local_sign_in_off openid_not_begun openid_refused openid_no_account calendar_is_mirror
  submission_proof_required event-not-accessible series-not-accessible venue-not-accessible
  organizer-not-accessible event-no-longer-available event-password-protected rest-event-not-found
  series-not-found venue-not-found organizer-not-found category-not-found tag-not-found user-not-found
  application-password-not-found second-factor-not-found passkey-not-found provider-link-not-found
  session-not-found token-not-found webhook-not-found webhook-delivery-not-found revision-not-found
  submission-not-found import-not-found media-not-found event-archive-page-not-found
  series-archive-page-not-found venue-archive-page-not-found organizer-archive-page-not-found
  category-archive-page-not-found tag-archive-page-not-found user-archive-page-not-found
  application-password-archive-page-not-found passkey-archive-page-not-found
  provider-link-archive-page-not-found session-archive-page-not-found token-archive-page-not-found
  invitation-not-found password-reset-not-found webhook-archive-page-not-found
  delivery-archive-page-not-found media-archive-page-not-found revision-archive-page-not-found
  import-archive-page-not-found submission-archive-page-not-found audit-archive-page-not-found
  rest_no_route rest_invalid_namespace rest_method_not_allowed rest_request_timeout external_id_taken
  user_disabled submission_decided submission_changed submission_forgotten idempotency_key_reused
  idempotency_key_in_use source_refused event-is-in-trash series-is-in-trash venue-is-in-trash
  organizer-is-in-trash sync-token-expired rest_precondition_failed rest_payload_too_large
  rest_unsupported_media_type batch_not_applied batch_operation_not_made rest_rate_limited
  rest_headers_too_large internal_server_error source_failed openid_failed rest_overloaded rest_not_ready
  sync-token-ahead database_busy database_unavailable outcome_unknown database_read_only
  insufficient_storage digest-not-found digest-archive-page-not-found
`),
}

const HEADERS = {
  'X-Ignored-Parameters': { ...ASKED['X-Ignored-Parameters'], example: 'category, limit' },
  'X-Ignored-Fields': { ...WRITTEN['X-Ignored-Fields'], example: 'venue_id' },
  'X-Created-Terms': header(
    'string',
    'IDs and percent-encoded names of the categories and tags that the request created. Absent if there are none.',
    'categories[12]=Jazz, tags[13]=Open%20Air',
  ),
  'X-Translations-Differ': header(
    'string',
    'For callers who may edit the record: its translations, by language, each with the facts in which it differs. Absent if none does.',
    'ca: start_date, venue; es: status',
  ),
}

/** Names of error responses. */
const REFUSALS: Documentation['refusals'] = {
  common: [['NotWritable', ['rest_forbidden', 'calendar_is_mirror']]],
  together: [
    ['InvalidEvent', ['empty_content', 'could-not-create-venue', 'could-not-create-organizer']],
    ['InvalidNewCategory', ['empty_term_name', 'term_name_too_long', 'term_exists']],
    ['InvalidCategory', ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug']],
    [
      'InvalidNewTag',
      ['empty_term_name', 'term_name_too_long', 'term_exists', 'rest_taxonomy_not_hierarchical'],
    ],
    [
      'InvalidTag',
      ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug', 'rest_taxonomy_not_hierarchical'],
    ],
    ['Taken', ['external_id_taken', 'idempotency_key_reused', 'idempotency_key_in_use']],
    ['EventNotReadable', ['event-not-accessible', 'event-no-longer-available', 'event-password-protected']],
  ],
  tagged: ['event-no-longer-available'],
}

/** What is for administrators is not cached, and the index depends on nothing that is stored. */
const UNCACHED = ['Users', 'Webhooks', 'Settings', 'Submissions', 'Digests', 'Index']
/** What is no part of the calendar, and so is written also where that is a mirror. */
const OF_SERVICE = ['Session', 'Users', 'Webhooks', 'Settings', 'Digests']

/** The addresses of records that link to a calendar. */
const WITH_CALENDAR = /^\/(events|categories|tags|venues|organizers|series)\/\{id\}$/

/** The addresses of records that share facts with their translations. */
const WITH_FACTS =
  /^\/(events|series|venues|organizers)(\/(\{id\}|by-slug\/\{slug\}|by-external\/\{source\}\/\{external_id\}))?$/

function traitsOf({ path, operationId, tags, kind, takes }: Subject): Traits {
  const hasTag = (names: readonly string[]) => names.some((name) => tags.includes(name))
  const isRead = kind === 'list' || kind === 'read'
  const isRecord = !hasTag(UNCACHED)
  const isWritten = isRecord && (kind === 'create' || kind === 'update')
  return {
    isCached: (isRecord && isRead) || path === '/doc',
    isTagged: isWritten || hasTag(['Settings']),
    isLinked: kind === 'read' && WITH_CALENDAR.test(path),
    // changes take words as they are
    isSearched: !['/changes', '/suggest'].includes(path) && takes('q'),
    // clients did so before it had one
    isBodyOptional: operationId === 'createCookieSession',
    headers: [
      ...(isWritten && path.startsWith('/events') ? ['X-Created-Terms'] : []),
      ...(WITH_FACTS.test(path) && (kind === 'read' || isWritten) ? ['X-Translations-Differ'] : []),
    ],
    errors: isRead || hasTag(OF_SERVICE) ? [] : ['calendar_is_mirror'],
  }
}

const EVENT = {
  title: 'Jazz at the Teatre',
  start_date: '2027-05-14 20:00:00',
  end_date: '2027-05-14 22:00:00',
  venue: { venue: 'Teatre de la Lluna', city: 'Vic' },
  categories: ['Concerts'],
}

/** The most frequent requests, by operation; the label distinguishes those of one operation. */
const SAMPLES: Documentation['samples'] = {
  listEvents: {
    '': { path: '/events?per_page=5', of: 'events', shows: ['start_date', 'title'] },
    search: {
      path: '/events?search=jazz&categories=concerts&start_date=2027-05-01&end_date=2027-05-31',
      of: 'events',
      shows: ['start_date', 'title'],
    },
  },
  getEvent: { '': { path: '/events/3', shows: ['title', 'start_date', 'timezone'] } },
  createEvent: {
    '': { method: 'POST', path: '/events', signedIn: true, body: EVENT, shows: ['id', 'url'] },
  },
  updateEvent: {
    '': {
      method: 'PATCH',
      path: '/events/3',
      signedIn: true,
      body: { title: 'Sold out: jazz at the Teatre', featured: true },
      shows: ['title', 'featured'],
    },
  },
  upsertEvent: {
    '': {
      method: 'PUT',
      path: '/events/by-external/box-office/show-4711',
      signedIn: true,
      body: { title: EVENT.title, start_date: EVENT.start_date, end_date: EVENT.end_date },
      shows: ['id', 'url'],
    },
  },
  deleteEvent: { '': { method: 'DELETE', path: '/events/3', signedIn: true, shows: ['id', 'status'] } },
  batch: {
    '': {
      method: 'POST',
      path: '/batch',
      signedIn: true,
      body: {
        atomic: true,
        operations: [
          { id: 'hall', method: 'POST', path: '/venues', body: { venue: 'Ateneu', city: 'Vic' } },
          {
            method: 'POST',
            path: '/events',
            body: {
              title: EVENT.title,
              start_date: EVENT.start_date,
              end_date: EVENT.end_date,
              venue: '#hall',
            },
          },
        ],
      },
      of: 'results',
      shows: ['status', 'body'],
    },
  },
  createPreview: {
    '': { method: 'POST', path: '/events/3/preview', signedIn: true, shows: ['url', 'expires_utc'] },
  },
  restoreEvent: {
    '': { method: 'POST', path: '/events/3/restore', signedIn: true, shows: ['id', 'status'] },
  },
  createMedia: {
    '': { method: 'POST', path: '/media', signedIn: true, file: 'poster.jpg', shows: ['id', 'url'] },
  },
  listVenues: { '': { path: '/venues?search=vic', of: 'venues', shows: ['id', 'venue'] } },
  createVenue: {
    '': {
      method: 'POST',
      path: '/venues',
      signedIn: true,
      body: { venue: 'Ateneu', address: 'Carrer Major 12', city: 'Vic' },
      shows: ['id', 'url'],
    },
  },
  listCategories: { '': { path: '/categories', of: 'categories', shows: ['id', 'name', 'count'] } },
}

/** What the document of the service says beside what its parts declare. */
export const DOCUMENTATION: Documentation = {
  title: 'Almanac',
  introduction: INTRODUCTION,
  places: PLACES,
  headers: HEADERS,
  refusals: REFUSALS,
  traitsOf,
  samples: SAMPLES,
  singulars: { categories: 'category', media: 'media' },
}
