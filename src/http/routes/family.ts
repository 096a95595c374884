import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import type { Service } from './service.ts'

/** What stands around every route of the API: who asks, what may be asked, and how it is read. */
const AROUND = [
  'methods',
  'headers',
  'answers',
  'intake',
  'rights',
  'schedule',
  'validator',
  'parameters',
  'bodies',
  'openapi',
]

/** The routes of one kind, as a plugin of their own: hooks that one adds are its alone. */
export const family = (name: string, add: (app: FastifyInstance, service: Service) => Promise<void>) =>
  fp<{ service: Service }>(async (app, { service }) => add(app, service), {
    name: `routes of ${name}`,
    encapsulate: true,
    dependencies: AROUND,
  })
