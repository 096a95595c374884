import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Service } from './service.ts'

/** The plugins that every route of the API depends on. */
const AROUND = [
  'methods',
  'headers',
  'answers',
  'listeners',
  'ahead',
  'intake',
  'rights',
  'schedule',
  'validator',
  'parameters',
  'bodies',
  'openapi',
]

/** Wraps the routes of one kind in a plugin, so that its hooks apply to no other kind. */
export const family = (name: string, add: (app: FastifyInstance, service: Service) => Promise<void>) =>
  fp<{ service: Service }>(async (app, { service }) => add(app, service), {
    name: `routes of ${name}`,
    encapsulate: true,
    dependencies: AROUND,
  })
