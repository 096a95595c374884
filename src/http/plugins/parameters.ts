import type { TObject } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { type Reading, Reads } from '../../../schemas/common.ts'
import type { QueryValue } from '../input/validation.ts'
import { bodySchema } from '../input/validator.ts'
import { addNames, printName } from '../output/names.ts'
import { isOverridden } from './override.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The parameters that the URL of this route may have, with their values if unknown ones are ignored. */
    parameters?: Map<string, readonly string[] | undefined>
  }
}

/** Parameters that WordPress clients add to every URL automatically. They are ignored on purpose, and not named. */
const USUAL = ['context', '_locale', '_wpnonce', 'rest_route', '_'].map((name) => [name, undefined] as const)

/** Names unknown query parameters in a response header, and in the log at level debug. */
export const parameters = fp(
  async (app) => {
    const parametersOf = ({ schema }: RouteOptions) =>
      [schema?.querystring, schema?.body && bodySchema(app, schema.body)].flatMap((part) =>
        Object.entries((part as Partial<TObject> | undefined)?.properties ?? {}).map(
          ([name, schema]) =>
            [
              name,
              (schema as { [Reads]?: Reading })[Reads] === 'known' ? (schema.enum as string[]) : undefined,
            ] as const,
        ),
      )
    app.addHook('onRoute', (route) => {
      if (route.schema && !route.schema.hide)
        route.config = { ...route.config, parameters: new Map([...USUAL, ...parametersOf(route)]) } as never
    })
    app.addHook('preValidation', (request, reply, done) => {
      const { parameters } = request.routeOptions.config
      const ignored = parameters
        ? Object.keys(request.query as object).filter(
            (name) => !isUnderstood(request, name, parameters) && !isDone(request, name),
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

/** Whether a parameter has an effect: the route has it, and knows its value if it ignores unknown ones. */
function isUnderstood(
  { query }: FastifyRequest,
  name: string,
  parameters: NonNullable<FastifyContextConfig['parameters']>,
): boolean {
  const words = parameters.get(name)
  return words
    ? (query as Record<string, QueryValue>)[name]!.values.some((value) => words.includes(value.toLowerCase()))
    : parameters.has(name)
}
