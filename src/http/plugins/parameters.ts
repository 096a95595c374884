import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { bodySchema } from '../input/validator.ts'
import { addNames, printName } from '../output/names.ts'
import { isOverridden } from './override.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query parameters of this route. */
    parameters?: Set<string>
  }
}

/** Parameters that WordPress clients add to every URL automatically. They are ignored on purpose, and not named. */
const USUAL = ['context', '_locale', '_wpnonce', 'rest_route', '_']

/** Names unknown query parameters in a response header, and in the log at level debug. */
export const parameters = fp(
  async (app) => {
    const namesOf = ({ schema }: RouteOptions) =>
      [schema?.querystring, schema?.body && bodySchema(app, schema.body)].flatMap((part) =>
        Object.keys((part as { properties?: object } | undefined)?.properties ?? {}),
      )
    app.addHook('onRoute', (route) => {
      if (route.schema && !route.schema.hide)
        route.config = { ...route.config, parameters: new Set([...USUAL, ...namesOf(route)]) } as never
    })
    app.addHook('preValidation', (request, reply, done) => {
      const { parameters } = request.routeOptions.config
      const ignored = parameters
        ? Object.keys(request.query as object).filter(
            (name) => !parameters.has(name) && !isDone(request, name),
          )
        : []
      if (ignored.length > 0) {
        addNames(reply, 'x-ignored-parameters', ignored.map(printName))
        request.log.debug({ ignored }, 'parameters of the address were ignored')
      }
      done()
    })
  },
  { name: 'parameters', dependencies: ['headers', 'validator'] },
)

const isDone = ({ raw }: FastifyRequest, name: string) => name === '_method' && isOverridden(raw)
