import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { type TSchema, Type } from '@sinclair/typebox'
import { LanguageSelector } from '../../../schemas/common.ts'
import { buildDocument, downgrade, print } from '../openapi/document.ts'
import { page, STYLE, start } from '../openapi/page.ts'
import { responses } from '../openapi/responses.ts'
import { mountOf } from '../plugins/mounts.ts'
import { family } from './family.ts'

const ASSETS = join(dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui'))), 'static')

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
  app.get('/doc/style.css', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  )
  app.get('/doc/start.js', { schema: { hide: true } }, (request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(documentOf(mountOf(request)!.path).start),
  )
})
