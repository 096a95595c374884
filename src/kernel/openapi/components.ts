import { STATUSES } from '../../../schemas/common.ts'
import { ROLES, SCOPES } from '../../../schemas/user.ts'
import { type ErrorCode, errors } from '../errors.ts'
import { capital } from './responses.ts'

export type Json = Record<string, unknown>
/** A document whose operations are complete. */
export type Complete = Json & {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Json>
}

/** Members that hold data, which is no part of the document itself. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Returns a copy of a part of a document with `change` applied to every object, inner ones first. Data is left as it is, and so are
 * maps of properties, whose names are those of members.
 */
export function rewrite(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => {
    if (DATA.has(name)) return [name, member]
    return [name, name === 'properties' ? rewriteEach(member as Json, change) : rewrite(member, change)]
  })
  return change(Object.fromEntries(members))
}

/** A map of names to schemas, with each schema rewritten. */
const rewriteEach = (map: Json, change: (object: Json) => Json): Json =>
  Object.fromEntries(Object.entries(map).map(([name, member]) => [name, rewrite(member, change)]))

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

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

const ERRORS = listOf(`
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
  insufficient_storage
`)

/** Compares by the places of names in a list; what is not in it is last. */
export function byPlace<T>(list: readonly string[], nameOf: (one: T) => string) {
  const places = new Map(list.map((name, at) => [name, at]))
  const placeOf = (one: T) => places.get(nameOf(one)) ?? list.length
  return (one: T, other: T) => placeOf(one) - placeOf(other)
}

/** The codes of all errors, in their places. */
export const errorCodes = () => (Object.keys(errors) as ErrorCode[]).toSorted(byPlace(ERRORS, (code) => code))

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

/** Sets of words that occur in many places, each described once. */
const wordsOf = (
  languages: readonly string[],
): Record<string, { description: string; enum: readonly string[] }> => ({
  Status: { description: 'Status of a record.', enum: STATUSES },
  Language: { description: 'A language of this calendar.', enum: languages },
  Role: { description: 'Role of a user. Each role has all rights of the roles before it.', enum: ROLES },
  Scope: { description: 'What a token may do within the rights of its user.', enum: SCOPES },
  ErrorCode: { description: 'Machine-readable error code.', enum: errorCodes() },
})

/** A name for a word, for languages whose constants need one. */
const constant = (word: unknown) =>
  String(word) === ''
    ? 'Empty'
    : String(word).replace(/(?:^|[^a-z0-9]+)(\w?)/gi, (_, letter: string) => letter.toUpperCase())

/** Refers to named sets of words wherever they occur, and names the words of a set that has an empty one. */
export function nameWords(document: Complete, languages: readonly string[]): Complete {
  const words = wordsOf(languages)
  const names = new Map(Object.entries(words).map(([name, { enum: set }]) => [String(set), name]))
  const named = rewrite(document, (schema) => {
    const { type, enum: set, ...rest } = schema
    if (!Array.isArray(set)) return schema
    const name = type === 'string' && names.get(String(set))
    if (name) return { $ref: `#/components/schemas/${name}`, ...rest }
    return set.includes('') ? { ...schema, 'x-enum-varnames': set.map(constant) } : schema
  }) as Complete
  const components = Object.entries(words).map(([name, { description, enum: set }]) => [
    name,
    { type: 'string', enum: set, description },
  ])
  named.components.schemas = { ...named.components.schemas, ...Object.fromEntries(components) }
  return named
}

/** Where equal parameters occur, and the names of the collections of these operations. */
type Use = { part: Json; count: number; collections: string[] }

/** `i18n_language` as `I18nLanguage`. */
const pascal = (name: string) =>
  name
    .split(/[^a-z0-9]+/i)
    .filter(Boolean)
    .map(capital)
    .join('')
const SINGULAR: Record<string, string> = { categories: 'category', media: 'media' }
const singular = (plural: string) => SINGULAR[plural] ?? plural.replace(/s$/, '')

const isReference = (part: Json) => '$ref' in part

/** Counts equal parameters. */
function count(uses: Map<string, Use>, part: Json, path: string) {
  if (isReference(part)) return
  const key = JSON.stringify(part)
  const use = uses.get(key) ?? { part, count: 0, collections: [] }
  use.count++
  const collection = path.split('/')[1]!
  if (!use.collections.includes(collection)) use.collections.push(collection)
  uses.set(key, use)
}

/**
 * Names for parameters that occur at least twice, by content. One that only one collection has, or whose name another one has already,
 * is named after its first collection too. No name is that of a schema: some generators make a type of each component, in one index
 * and in files whose names have no case.
 */
function nameParts(uses: Map<string, Use>, schemas: string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(schemas.map((name) => name.toLowerCase()))
  for (const [key, { part, count, collections }] of uses) {
    if (count < 2) continue
    const plain = pascal(String(part.name))
    const long = pascal(singular(collections[0]!)) + plain
    const possible = [...(collections.length > 1 ? [plain] : []), long, `${long}Parameter`]
    const name = possible.find((one) => !taken.has(one.toLowerCase()))!
    taken.add(name.toLowerCase())
    names.set(key, name)
  }
  return names
}

/**
 * Moves parameters that are equal in several operations to the components, and refers to them. Bodies and responses of success stay in
 * the operations: some generators of clients do not follow a reference there. Errors are components already.
 */
export function shareParts(document: Complete): Complete {
  const { paths, components } = document
  const uses = new Map<string, Use>()
  for (const [path, methods] of Object.entries(paths))
    for (const { parameters = [] } of Object.values(methods))
      for (const part of parameters as Json[]) count(uses, part, path)
  const names = nameParts(uses, Object.keys(components.schemas!))
  const share = (part: Json): Json => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/parameters/${name}` }
  }
  const sharing = ({ parameters, ...operation }: Json): Json =>
    parameters === undefined ? operation : { ...operation, parameters: (parameters as Json[]).map(share) }
  const moved = Object.fromEntries([...names].map(([key, name]) => [name, uses.get(key)!.part]))
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [
        path,
        Object.fromEntries(
          Object.entries(methods).map(([method, operation]) => [method, sharing(operation)]),
        ),
      ]),
    ),
    components: { ...components, parameters: { ...moved, ...components.parameters } },
  }
}
