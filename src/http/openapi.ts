import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import swagger from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { LanguageSelector } from '../../schemas/common.ts'
import * as event from '../../schemas/event.ts'
import * as media from '../../schemas/media.ts'
import * as organizer from '../../schemas/organizer.ts'
import * as output from '../../schemas/output.ts'
import * as root from '../../schemas/root.ts'
import * as term from '../../schemas/term.ts'
import * as user from '../../schemas/user.ts'
import * as venue from '../../schemas/venue.ts'
import { PAGE_POLICY } from './headers.ts'
import { mountOf } from './mounts.ts'
import type { Service } from './service.ts'

type Json = Record<string, unknown>
type Document = Json & { servers: { url: string }[] }

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
  root.Index,
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
  Events: 'Events with their dates, places, hosts and terms.',
  Venues: 'Places where events happen.',
  Organizers: 'People and organisations that host events.',
  Categories: 'Categories of events, nested.',
  Tags: 'Tags of events.',
  Media: 'Uploaded images.',
  Users: 'Users, application passwords and tokens; for administrators.',
  Index: 'What this API offers.',
}

/** Collects the document while routes are registered; to be awaited before the first route. */
export async function addOpenApi(app: FastifyInstance, version: string) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Almanac',
        version,
        description:
          'Almanac, an event calendar REST service: events, venues, organizers, categories, tags and media.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'A login and one of its application passwords.',
          },
          bearer: { type: 'http', scheme: 'bearer', description: 'A token.' },
        },
      },
      security: [{}, { basic: [] }, { bearer: [] }],
    },
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  })
  for (const schema of ANSWERS) app.addSchema(schema)
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Walks a document and gives a copy in which `change` was made to every object, inner ones first. */
function rewrite(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change))
  if (!isObject(value)) return value
  return change(
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member, change)])),
  )
}

/** The document of this application for the mount at `path`: plain JSON, list parameters as comma lists. */
export function buildDocument(app: FastifyInstance, path: string): Document {
  const listed = rewrite(JSON.parse(JSON.stringify(app.swagger())), (object) => {
    const { schema } = object as { schema?: Json }
    const isList = object.in === 'query' && schema?.type === 'array'
    return isList ? { ...object, style: 'form', explode: false } : object
  }) as Json
  const { openapi, info, ...rest } = listed
  return { openapi, info, servers: [{ url: path }], ...rest } as Document
}

/** The same document as OpenAPI 3.0.3, for generators that need it (D42). */
export function downgrade(document: Document): Document {
  const older = rewrite(document, ({ examples, exclusiveMinimum, identifier, ...rest }) => ({
    ...rest,
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(identifier !== undefined && { url: 'https://opensource.org/license/mit' }),
  })) as Document
  return { ...older, openapi: '3.0.3' }
}

const ASSETS = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')

const page = (path: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Almanac API</title>
<link rel="stylesheet" href="${path}/doc/static/swagger-ui.css">
<link rel="icon" type="image/png" href="${path}/doc/static/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${path}/doc/static/swagger-ui-bundle.js"></script>
<script src="${path}/doc/start.js"></script>
</body>
</html>
`

const start = (document: Document) =>
  `SwaggerUIBundle({ dom_id: '#swagger-ui', deepLinking: true, persistAuthorization: true, spec: ${JSON.stringify(document).replaceAll('<', '\\u003c')} })\n`

/** `/doc`: Swagger UI for browsers, the document for everyone else (D42). */
export async function addDoc(app: FastifyInstance, service: Service) {
  await app.register(fastifyStatic, {
    root: ASSETS,
    prefix: '/doc/static/',
    decorateReply: false,
    schemaHide: true,
    index: false,
    wildcard: true,
  })
  const documents = new Map<string, { v31: Buffer; v30: Buffer; start: string }>()
  const documentOf = (path: string) => {
    const known = documents.get(path)
    if (known) return known
    const document = buildDocument(app, path)
    const built = { v31: print(document), v30: print(downgrade(document)), start: start(document) }
    documents.set(path, built)
    return built
  }

  app.route({
    method: 'GET',
    url: '/doc',
    helmet: { contentSecurityPolicy: PAGE_POLICY },
    schema: {
      operationId: 'getDocument',
      tags: ['Index'],
      summary: 'Read this document',
      description: 'A browser (`Accept: text/html`) gets Swagger UI, everyone else this document as JSON.',
      querystring: Type.Object(LanguageSelector(service.site.languages)),
      response: { 200: { description: 'The OpenAPI document.', type: 'object', additionalProperties: true } },
    },
    handler(request, reply) {
      const { path } = mountOf(request)!
      reply.header('vary', 'accept')
      if (/text\/html/.test(request.headers.accept ?? ''))
        return reply.type('text/html; charset=utf-8').send(page(path))
      return reply.type('application/json; charset=utf-8').send(documentOf(path).v31)
    },
  })
  app.get('/doc/openapi-3.0.json', { schema: { hide: true } }, (request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentOf(mountOf(request)!.path).v30),
  )
  app.get('/doc/start.js', { schema: { hide: true } }, (request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(documentOf(mountOf(request)!.path).start),
  )
}

/** A document as it stands in a file. */
export const print = (document: Document) => Buffer.from(`${JSON.stringify(document, null, 2)}\n`)
