import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { LanguageSelector } from '../../../schemas/common.ts'
import { buildDocument, type Document, downgrade, print } from '../openapi/document.ts'
import { responses } from '../openapi/responses.ts'
import { mountOf, prefixOf } from '../plugins/mounts.ts'
import { family } from './family.ts'

const ASSETS = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')

/** Lines that can be read; no locks, which would show public operations as closed. */
const STYLE = `body { margin: 0 }
.swagger-ui .wrapper { max-width: 1080px }
.swagger-ui .info { margin: 40px 0 24px }
.swagger-ui .info .markdown, .swagger-ui .opblock-description { max-width: 46rem; line-height: 1.5 }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #34495e; font-weight: 500 }
.swagger-ui .scheme-container { padding: 16px 0; margin-bottom: 16px }
.swagger-ui .opblock-summary .authorization__btn { display: none }
.swagger-ui .parameters-col_description .renderedMarkdown p { font-size: 14px; margin: 0 0 4px }
`

const page = (path: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Almanac API</title>
<link rel="stylesheet" href="${path}/doc/static/swagger-ui.css">
<link rel="icon" type="image/png" href="${path}/doc/static/favicon-32x32.png">
<link rel="stylesheet" href="${path}/doc/style.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${path}/doc/static/swagger-ui-bundle.js"></script>
<script src="${path}/doc/start.js"></script>
</body>
</html>
`

/** Omits the browser's own credentials: otherwise it would ask for a login before Swagger UI could show a 401. */
const start = (document: Document) => `SwaggerUIBundle({
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  requestInterceptor: (request) => Object.assign(request, { credentials: 'omit' }),
  spec: ${JSON.stringify(document).replaceAll('<', '\\u003c')},
})
`

/** `/doc`: Swagger UI for browsers, the document for everyone else (D42). */
export const docRoutes = family('doc', async (app, service) => {
  await app.register(fastifyStatic, {
    root: ASSETS,
    prefix: '/doc/static/',
    decorateReply: false,
    schemaHide: true,
    index: false,
    wildcard: true,
  })
  const prefix = prefixOf(service.base)
  /** The path of the API as browsers and clients see it. */
  const pathOf = (request: FastifyRequest) => prefix + mountOf(request)!.path
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
    config: { page: true },
    schema: {
      operationId: 'getDocument',
      tags: ['Index'],
      summary: 'Read this document',
      description:
        'Returns this document as JSON, or Swagger UI for `Accept: text/html`. `/doc/openapi-3.0.json` returns the document as OpenAPI 3.0.3.',
      querystring: Type.Object(LanguageSelector(service.site.languages)),
      ...responses('read', 'OpenApiDocument', [], { except: ['rest_forbidden'] }),
      response: {
        200: {
          description: 'The OpenAPI document, or Swagger UI.',
          content: {
            'application/json': { schema: Type.Ref('OpenApiDocument') as TSchema },
            'text/html': { schema: Type.String() },
          },
        },
      },
    },
    handler(request, reply) {
      const path = pathOf(request)
      reply.header('vary', 'accept')
      if (/text\/html/.test(request.headers.accept ?? ''))
        return reply.type('text/html; charset=utf-8').send(page(path))
      return reply.type('application/json; charset=utf-8').send(documentOf(path).v31)
    },
  })
  app.get('/doc/openapi-3.0.json', { schema: { hide: true } }, (request, reply) =>
    reply.type('application/json; charset=utf-8').send(documentOf(pathOf(request)).v30),
  )
  app.get('/doc/style.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  )
  app.get('/doc/start.js', { schema: { hide: true } }, (request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(documentOf(pathOf(request)).start),
  )
})
