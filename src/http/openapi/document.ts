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
import { type Collected, completeOperations, HEADERS } from './operations.ts'

type Json = Record<string, unknown>
export type Document = Json & { servers: { url: string }[] }

const ANSWERS = [
  output.DateDetails,
  output.ImageSize,
  output.Image,
  output.ErrorBody,
  event.EmbeddedTerm,
  event.CostDetails,
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
  Events: 'What happens: dates, a venue, organizers, categories and tags, by ID or by slug.',
  Venues: 'Where events happen: address, coordinates, ways to reach the place.',
  Organizers: 'Who hosts events: people and organisations.',
  Categories: 'Kinds of events, nested: an event in a category is in those above it as well.',
  Tags: 'Words that events are marked with, flat.',
  Media: 'Images of events, venues and organizers, each with smaller versions.',
  Index: 'What this API offers: its routes, and this document.',
  Users: 'Users with their roles, application passwords and tokens. For administrators.',
}

const INTRODUCTION = `An event calendar: events, venues, organizers, categories and tags, with images, in several languages.

**Signing in.** Reading what is published needs no credentials. Everything else takes HTTP Basic with a login and an application password, or a Bearer token.

**Dates** are \`YYYY-MM-DD HH:MM:SS\`. \`start_date\` and \`end_date\` are wall clocks of the time zone of the event, \`date\` and \`modified\` those of the site; the members with \`utc\` in their name say the same in UTC. Dates that are sent may also be ISO 8601 with an offset, unix seconds, or words such as \`tomorrow\` and \`+3 days\`.

**Lists** come in pages with \`total\`, \`total_pages\` and, where there is one, \`next_rest_url\`. Parameters with several values are separated by commas. Those that nobody understands are named in the header \`X-Ignored-Parameters\`.

**Nothing is null.** What has no value is left out, or is \`""\`, \`false\` or \`[]\`.

**Languages.** Every record has one; \`i18n_language\` selects it, as does the address below \`/ca\`, \`/en\` or \`/es\`, for lists, reads and writes.

**Slugs** in an address are found as they are shown, percent-encoded once more, decoded, and in any writing that makes the same slug.

**Methods.** A POST stands for GET, PUT, PATCH or DELETE with \`?_method=\` or the header \`X-HTTP-Method-Override\`.

**Errors** are \`{code, message, data: {status}}\`; \`code\` is for programs, \`message\` for people, and \`data.params\` names every parameter at fault.`

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
              description: 'A login and one of its application passwords; spaces in it do not matter.',
            },
            bearer: {
              type: 'http',
              scheme: 'bearer',
              description: 'A token, made with `almanac token create` or `POST /tokens`.',
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

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Walks a document and gives a copy in which `change` was made to every object, inner ones first. */
function rewrite(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change))
  if (!isObject(value)) return value
  return change(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member, change)])),
  )
}

/** The document of this application for the mount at `path`: plain JSON, complete but for its 3.0 twin. */
export function buildDocument(app: FastifyInstance, path: string): Document {
  const listed = rewrite(JSON.parse(JSON.stringify(app.swagger())), (object) => {
    const { schema } = object as { schema?: Json }
    const isList = object.in === 'query' && schema?.type === 'array'
    return isList ? { ...object, style: 'form', explode: false } : object
  })
  const { openapi, info, ...rest } = completeOperations(listed as Collected)
  return { openapi, info, servers: [{ url: path }], ...rest } as Document
}

/** A document of OpenAPI 3.1 as 3.0.3, for generators that need it (D42). */
export function downgrade(document: Document): Document {
  const older = rewrite(document, ({ examples, exclusiveMinimum, identifier, ...rest }) => ({
    ...rest,
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(examples !== undefined && !Array.isArray(examples) && { examples }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(identifier !== undefined && { url: 'https://opensource.org/license/mit' }),
  })) as Document
  return { ...older, openapi: '3.0.3' }
}

/** A document as it stands in a file. */
export const print = (document: Document) => Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
