import { compareDocuments } from '../../tools/document/changes.ts'
import type { OpenApi, Schema } from '../../tools/document/openapi.ts'

/** A document that takes and gives one value. */
const document = (schema: Schema, way: string, schemas: Record<string, Schema> = {}): OpenApi => {
  const at = (isHere: boolean) => (isHere ? schema : { type: 'string' })
  const get = {
    parameters: [{ name: 'q', in: 'query', schema: at(way === 'input') }],
    responses: { 200: { content: { 'text/plain': { schema: at(way === 'output') } } } },
  }
  return { paths: { '/': { get } }, components: { schemas } }
}

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const [string, integer, boolean, object] = ['string', 'integer', 'boolean', 'object'].map(
  (type): Schema => ({ type }),
) as [Schema, Schema, Schema, Schema]
export const members = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
export const COMPONENTS = {
  Word: string,
  Place: members({ id: integer }),
  Names: { enum: ['a', 'b'] },
  Either: { type: ['string', 'integer'] },
}

/** What is told of a value whose schema changes, where the service reads it (`input`) and where it writes it; `#` is its place. */
export const tellOf = (before: Schema, after: Schema) =>
  (['input', 'output'] as const).map((way) =>
    compareDocuments(document(before, way, COMPONENTS), document(after, way, COMPONENTS))
      .filter(({ where }) => !where.startsWith('schema'))
      .map(({ breaking, where, what }) => `${breaking ? '! ' : ''}${where} ${what}`)
      .map((line) => line.replace(way === 'input' ? 'GET / query q' : 'GET / 200', '#')),
  )
