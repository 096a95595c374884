import type { TSchema } from '@sinclair/typebox'

/**
 * The named schemas of a context of Fastify, with those of the context around it. Fastify asks for all of them twice for each route, so
 * they are neither copied then nor when they are added. Throws if two have one name.
 */
export function openComponents(around: unknown = {}) {
  const components = { ...(around as Record<string, TSchema>) }
  return {
    add(schema: TSchema) {
      const id = schema.$id!
      if (id in components) throw new Error(`Two schemas have the name ${id}.`)
      components[id] = schema
    },
    getSchema: (id: string) => components[id],
    getSchemas: () => components,
  }
}
