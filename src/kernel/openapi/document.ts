import swagger from '@fastify/swagger'
import type { TObject } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import * as audit from '../../../schemas/audit.ts'
import * as batch from '../../../schemas/batch.ts'
import { CHANGE_ANSWERS } from '../../../schemas/changes.ts'
import * as event from '../../../schemas/event.ts'
import * as factors from '../../../schemas/factors.ts'
import * as feed from '../../../schemas/feed.ts'
import * as imports from '../../../schemas/imports.ts'
import * as media from '../../../schemas/media.ts'
import * as organizer from '../../../schemas/organizer.ts'
import * as output from '../../../schemas/output.ts'
import * as people from '../../../schemas/people.ts'
import * as preview from '../../../schemas/preview.ts'
import * as recurrence from '../../../schemas/recurrence.ts'
import * as revision from '../../../schemas/revision.ts'
import * as root from '../../../schemas/root.ts'
import * as series from '../../../schemas/series.ts'
import * as session from '../../../schemas/session.ts'
import * as settings from '../../../schemas/settings.ts'
import * as submission from '../../../schemas/submission.ts'
import * as suggestion from '../../../schemas/suggestion.ts'
import * as term from '../../../schemas/term.ts'
import * as user from '../../../schemas/user.ts'
import * as venue from '../../../schemas/venue.ts'
import { publishedQuery, REFERENCE } from '../input/validator.ts'
import { finish, type Task } from '../tasks/scheduler.ts'
import { HEADERS } from './headers.ts'
import { INTRODUCTION } from './introduction.ts'
import { nameWords } from './named.ts'
import { type Collected, completeOperations } from './operations.ts'
import { inPlace, TAGS } from './order.ts'
import { type Complete, isObject, type Json, rewrite } from './rewrite.ts'
import { shareParts } from './shared.ts'

export type Document = Complete & { servers: { url: string }[] }
/** Adds to a document what is no route. */
type Completion = (document: Complete) => Complete

declare module 'fastify' {
  interface FastifyInstance {
    /** What features add to the document. */
    completions: Completion[]
  }
}

const ANSWERS = [
  output.DateDetails,
  output.ImageSize,
  output.Image,
  output.ErrorBody,
  event.EmbeddedTerm,
  event.CostDetails,
  event.ImageOrFalse,
  event.VenueOrVenues,
  event.Event,
  event.EventPage,
  preview.Preview,
  recurrence.Recurrence,
  series.Series,
  series.SeriesPage,
  revision.RecurrenceRule,
  revision.EventVersion,
  revision.Revision,
  revision.RevisionPage,
  venue.Venue,
  venue.VenuePage,
  organizer.Organizer,
  organizer.OrganizerPage,
  term.TermUrls,
  term.Category,
  term.CategoryPage,
  term.Tag,
  term.TagPage,
  feed.JsonFeed,
  feed.LinkedData,
  feed.FullCalendarEvents,
  suggestion.Suggestions,
  batch.BatchResult,
  batch.BatchAnswer,
  ...[imports.ImportUpload, imports.ImportEntry, imports.ImportReport],
  ...[imports.Import, imports.ImportPage, imports.ImportUndone],
  ...[submission.SubmissionAlike, submission.Submission, submission.SubmissionPage],
  ...[submission.NewSubmission, submission.SubmissionChallenge],
  ...CHANGE_ANSWERS,
  media.Media,
  media.MediaPage,
  media.MediaUpload,
  media.MediaUses,
  root.Index,
  root.Document,
  user.RightLimits,
  session.Session,
  session.NewSession,
  user.User,
  people.NewUser,
  ...[people.Invitation, people.PasswordReset, people.OwnPassword],
  user.UserPage,
  user.ApplicationPassword,
  user.NewApplicationPassword,
  user.ApplicationPasswordPage,
  user.Token,
  user.NewToken,
  user.TokenPage,
  user.UserSession,
  user.UserSessionPage,
  ...[factors.SecondFactor, factors.NewSecondFactor, factors.RecoveryCodes],
  ...[factors.Passkey, factors.PasskeyPage, factors.PasskeyCreation, factors.PasskeyRequest],
  ...[factors.ProviderLink, factors.ProviderLinkPage],
  settings.SiteLink,
  settings.Settings,
  audit.AuditSubject,
  audit.AuditEntry,
  audit.AuditPage,
]

const DESCRIPTIONS = {
  Events: 'Events with their dates, venue, organizers, categories and tags, by ID or by slug.',
  Series: 'Events that repeat, by a rule of RFC 5545 or by dates. Their dates are events.',
  Venues: 'Places where events happen, with address and coordinates.',
  Organizers: 'People and organisations that host events.',
  Categories: 'Hierarchical categories of events. A filter by category includes its descendants.',
  Tags: 'Tags of events, without a hierarchy.',
  History: 'What was changed in events and series, by whom, and the way back. For those who may edit them.',
  Media: 'Images of events, venues and organizers, each with resized versions.',
  Search: 'What visitors may mean while they type. `q` of lists of events is the search itself.',
  Feeds:
    'Events in formats that calendar programs, feed readers and search engines read. `Accept` with the type of a format gives the same at the addresses of JSON.',
  Batch: 'Many writes of records in one request.',
  Imports:
    'Files of events that are taken into the calendar, and the list of imports, each of which can be taken back. For editors and administrators.',
  Submissions: 'Events that people without accounts propose, and what editors decide.',
  Changes: 'What was created, changed and removed since a last visit, of all kinds of records.',
  Session: 'Signing in with a password for a token that expires, and signing out.',
  Users:
    'Users, their roles, invitations, passwords and tokens. For administrators; each user has a part for the own account.',
  Settings: 'How the site shows itself, and what its records are written with. For administrators only.',
  Audit: 'Who did what that matters for security, when and from where. For administrators only.',
  Index: 'The routes of this API, and this document.',
  Aliases:
    'Other ways to do what PATCH and DELETE by ID do: writes by slug, and PUT and POST for existing clients.',
}

/** Collects the document while routes are registered. */
export const openapi = fp<{ version: string; tags: Record<string, string> }>(
  async (app, { version, tags }) => {
    app.decorate('completions', [])
    const described: Record<string, string> = { ...DESCRIPTIONS, ...tags }
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Almanac',
          version,
          description: INTRODUCTION,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        tags: TAGS.filter((name) => name in described).map((name) => ({
          name,
          description: described[name]!,
        })),
        components: {
          headers: HEADERS,
          securitySchemes: {
            basic: {
              type: 'http',
              scheme: 'basic',
              description:
                'A login and one of its application passwords. Spaces in the password are ignored.',
            },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description: 'A token, created with `almanac token create` or `POST /tokens`.',
            },
          },
        },
      },
      transform: ({ schema, url }) => {
        const query = schema?.querystring as TObject | undefined
        return { url, schema: query ? { ...schema, querystring: publishedQuery(query) } : schema }
      },
      transformObject: (collected) => {
        const { openapiObject } = collected as Extract<typeof collected, { openapiObject: object }>
        for (const path of Object.values(openapiObject.paths!)) delete path!.head // every GET has it
        return openapiObject
      },
      refResolver: { buildLocalReference: (json) => String(json.$id) },
    })
    for (const schema of ANSWERS) app.addSchema(schema)
  },
  { name: 'openapi', dependencies: ['validator'] },
)

/** The OpenAPI 3.1 document of this application for the namespace root at `path`, in steps, of which each is long. */
export function* documentOf(app: FastifyInstance, path: string): Task<Document> {
  const collected = app.swagger() as unknown as Complete
  const { completions } = app
  yield
  return yield* complete(collected, { path, languages: app.store.site.languages, completions })
}

/** The document at once. */
export const buildDocument = (app: FastifyInstance, path: string) => finish(documentOf(app, path))

/** Completes what was collected of routes and components, in whatever order they were registered. */
export function* complete(
  collected: Complete,
  {
    path,
    languages,
    completions,
  }: { path: string; languages: readonly string[]; completions: readonly Completion[] },
): Task<Document> {
  const copied = JSON.parse(JSON.stringify(inPlace(collected)))
  yield
  const listed = rewrite(copied, (object) => {
    const { schema, [REFERENCE]: component, ...rest } = object as { schema?: Json; [REFERENCE]?: string }
    if (component) return { $ref: `#/components/schemas/${component}`, ...rest }
    // the collector makes `enum` of `const`; some generators read one of them, and some the other
    const [only, ...others] = object.type === 'boolean' && Array.isArray(object.enum) ? object.enum : [true]
    if (only === false && others.length === 0) return { ...object, const: false }
    const isList = object.in === 'query' && schema?.type === 'array'
    return isList ? { ...object, style: 'form', explode: false } : object
  })
  yield
  const completed = completeOperations(listed as Collected)
  yield
  const named = nameWords(completed, languages)
  yield
  const shared = shareParts(named)
  yield
  const { openapi, info, paths, ...rest } = completions.reduce((whole, add) => add(whole), shared)
  return { openapi, info, servers: [{ url: path }], paths: orderPaths(paths), ...rest }
}

/** The depth down to which a document has a line for each member: operations and components. */
const LINES = 3

function lines(value: unknown, depth: number): string {
  if (depth === 0 || !isObject(value) || Array.isArray(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${lines(member, depth - 1)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`
}

/** The bytes of a document as sent and as written to a file: not indented, with a line for each operation and component. */
export const print = (document: Document) => Buffer.from(`${lines(document, LINES)}\n`)

/** Methods in the order in which people need them: those of a list, those of a record, and what does the same as PATCH. */
const METHODS = ['get', 'post', 'patch', 'delete', 'put']
/** Methods of one record in this order. A POST to a record does the same as PATCH, and comes last. */
const OF_RECORDS = ['get', 'patch', 'delete', 'put', 'post']

/** Paths in the order of the tags of their first operations, and the methods of each in a fixed order. */
function orderPaths(paths: Complete['paths']): Complete['paths'] {
  const rank = (path: string) => TAGS.indexOf((Object.values(paths[path]!)[0]!.tags as [string])[0])
  return Object.fromEntries(
    Object.keys(paths)
      .toSorted((a, b) => rank(a) - rank(b))
      .map((path) => {
        const order = path.endsWith('}') ? OF_RECORDS : METHODS
        const methods = Object.entries(paths[path]!).toSorted(
          ([a], [b]) => order.indexOf(a) - order.indexOf(b),
        )
        return [path, Object.fromEntries(methods)]
      }),
  )
}
