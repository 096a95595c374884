import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import * as event from '../../../schemas/event.ts'
import * as media from '../../../schemas/media.ts'
import * as organizer from '../../../schemas/organizer.ts'
import * as output from '../../../schemas/output.ts'
import * as root from '../../../schemas/root.ts'
import * as term from '../../../schemas/term.ts'
import * as user from '../../../schemas/user.ts'
import * as venue from '../../../schemas/venue.ts'
import { REFERENCE } from '../input/published.ts'
import { HEADERS } from './headers.ts'
import { nameWords } from './named.ts'
import { type Collected, completeOperations } from './operations.ts'
import { orderPaths } from './order.ts'
import { type Complete, isObject, type Json, rewrite } from './rewrite.ts'
import { shareParts } from './shared.ts'

export type Document = Complete & { servers: { url: string }[] }

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
  venue.Venue,
  venue.VenuePage,
  organizer.Organizer,
  organizer.OrganizerPage,
  term.TermUrls,
  term.Category,
  term.CategoryPage,
  term.Tag,
  term.TagPage,
  media.Media,
  media.MediaPage,
  media.MediaUpload,
  root.Index,
  root.Document,
  user.User,
  user.NewUser,
  user.UserPage,
  user.ApplicationPassword,
  user.NewApplicationPassword,
  user.ApplicationPasswordPage,
  user.Token,
  user.NewToken,
  user.TokenPage,
]

const TAGS = {
  Events: 'Events with their dates, venue, organizers, categories and tags, by ID or by slug.',
  Venues: 'Places where events happen, with address and coordinates.',
  Organizers: 'People and organisations that host events.',
  Categories: 'Hierarchical categories of events. A filter by category includes its descendants.',
  Tags: 'Tags of events, without a hierarchy.',
  Media: 'Images of events, venues and organizers, each with resized versions.',
  Users: 'Users, their roles, application passwords and tokens. For administrators only.',
  Index: 'The routes of this API, and this document.',
  Aliases:
    'Other ways to do what PATCH and DELETE by ID do: writes by slug, and PUT and POST for existing clients.',
}

const INTRODUCTION = `An event calendar: events, venues, organizers, categories, tags and images, in several languages.

**Authentication.** Published records are readable without credentials. Everything else requires HTTP Basic with a login and an application password, or a Bearer token.

**Dates** have the format \`YYYY-MM-DD HH:MM:SS\`. \`start_date\` and \`end_date\` are local times in the time zone of the event; \`date\` and \`modified\` are in the site time zone. Members with \`utc\` in their name hold the same times in UTC. Requests may also use ISO 8601 with an offset, unix seconds, or words such as \`tomorrow\` and \`+3 days\`.

**Lists** are paginated, with \`total\`, \`total_pages\` and \`next_rest_url\`, which is absent on the last page. Separate several values of a parameter by commas. Unknown parameters are ignored and named in the response header \`X-Ignored-Parameters\`.

**No nulls.** A member without a value is absent or is \`""\`, \`false\` or \`[]\`.

**Languages.** Every record has a language. Select one with \`i18n_language\`, or by a path that starts with \`/ca\`, \`/en\` or \`/es\`.

**Slugs** in a path may be written as in the response, percent-encoded again, decoded, or as any text that results in the same slug.

**Methods.** A POST with \`?_method=\` or the header \`X-HTTP-Method-Override\` acts as a GET, PUT, PATCH or DELETE.

**Errors** have the form \`{code, message, data: {status}}\`. Programs should check \`code\`; \`message\` is for people. \`data.params\` names every invalid parameter.`

/** Collects the document while routes are registered. */
export const openapi = fp<{ version: string }>(
  async (app, { version }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Almanac',
          version,
          description: INTRODUCTION,
          license: { name: 'MIT', identifier: 'MIT' },
        },
        tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
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
      refResolver: { buildLocalReference: (json) => String(json.$id) },
    })
    for (const schema of ANSWERS) app.addSchema(schema)
  },
  { name: 'openapi', dependencies: ['validator'] },
)

/** The OpenAPI 3.1 document of this application for the namespace root at `path`. */
export function buildDocument(app: FastifyInstance, path: string): Document {
  const listed = rewrite(JSON.parse(JSON.stringify(app.swagger())), (object) => {
    const { schema, [REFERENCE]: component, ...rest } = object as { schema?: Json; [REFERENCE]?: string }
    if (component) return { $ref: `#/components/schemas/${component}`, ...rest }
    // the collector makes `enum` of `const`; some generators read one of them, and some the other
    const [only, ...others] = object.type === 'boolean' && Array.isArray(object.enum) ? object.enum : [true]
    if (only === false && others.length === 0) return { ...object, const: false }
    const isList = object.in === 'query' && schema?.type === 'array'
    return isList ? { ...object, style: 'form', explode: false } : object
  })
  const named = nameWords(completeOperations(listed as Collected), app.store.site.languages)
  const { openapi, info, paths, ...rest } = shareParts(named)
  const ordered = orderPaths(paths, Object.keys(TAGS))
  return { openapi, info, servers: [{ url: path }], paths: ordered, ...rest }
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
