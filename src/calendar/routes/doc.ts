import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { LanguageSelector } from '../../../schemas/common.ts'
import { type Document, documentOf, downgrade, print } from '../../kernel/openapi/document.ts'
import { page, STYLE, start } from '../../kernel/openapi/page.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { JSON_ANSWER } from '../../kernel/output/header-values.ts'
import { type Packed, pack, sendPacked } from '../../kernel/output/negotiation.ts'
import { noRoute } from '../../kernel/server/errors.ts'
import { mountOf, prefixOf } from '../../kernel/server/mounts.ts'
import { inTurns, type Task } from '../../kernel/tasks/scheduler.ts'
import { fromRoot } from '../../package.ts'
import { family } from '../resource/service.ts'

/** The files of Swagger UI, which a build puts beside the program. */
const ASSETS = fromRoot('dist/swagger-ui/')

/** Media types of the files of Swagger UI that are served. */
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.png': 'image/png',
}
/** Files that change only with a new version of Swagger UI. */
const ASSET = 'public, max-age=3600'

function asset(name: string): Packed {
  if (!readdirSync(ASSETS).includes(name)) throw noRoute()
  return pack(readFileSync(new URL(name, ASSETS)), TYPES[extname(name)]!, ASSET)
}

/** `/doc`: Swagger UI for browsers, the document for everyone else (D42). */
export const docRoutes = family('doc', async (app, service) => {
  const style = pack(STYLE, TYPES['.css']!, ASSET)
  const assets = new Map<string, Packed>()
  app.get('/doc/static/:name', { schema: { hide: true } }, (request, reply) => {
    const { name } = request.params as { name: string }
    const packed = assets.get(name) ?? asset(name)
    assets.set(name, packed)
    return sendPacked(request, reply, packed)
  })

  const prefix = prefixOf(service.base)
  /** A form of the document of the mount at a path, in steps. */
  function* made(path: string, print: (document: Document) => string | Buffer, type: string): Task<Packed> {
    const document = yield* documentOf(app, path)
    const text = print(document)
    yield
    return pack(text, type)
  }
  const forms = {
    page: async (path: string) => pack(page(path), 'text/html; charset=utf-8'),
    start: (path: string) => inTurns(made(path, start, 'text/javascript; charset=utf-8')),
    v31: (path: string) => inTurns(made(path, print, JSON_ANSWER)),
    v30: (path: string) => inTurns(made(path, (document) => print(downgrade(document)), JSON_ANSWER)),
  }
  const kept = new Map<string, Promise<Packed>>()
  /** The page or a form of the document of the mount that was asked. Each is made when it is first asked for, because most clients ask for one. */
  const formOf = (request: FastifyRequest, form: keyof typeof forms) => {
    const path = prefix + mountOf(request)!.path
    const key = `${form} ${path}`
    const packed = kept.get(key) ?? forms[form](path)
    kept.set(key, packed)
    return packed
  }

  app.route({
    method: 'GET',
    url: '/doc',
    config: { page: 'doc' },
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
    async handler(request, reply) {
      reply.header('vary', 'accept')
      const form = /text\/html/.test(request.headers.accept ?? '') ? 'page' : 'v31'
      return sendPacked(request, reply, await formOf(request, form))
    },
  })
  app.get('/doc/openapi-3.0.json', { schema: { hide: true } }, async (request, reply) =>
    sendPacked(request, reply, await formOf(request, 'v30')),
  )
  app.get('/doc/style.css', { schema: { hide: true } }, (request, reply) => sendPacked(request, reply, style))
  app.get('/doc/start.js', { schema: { hide: true } }, async (request, reply) =>
    sendPacked(request, reply, await formOf(request, 'start')),
  )
})
