import type { SchemaOptions, TObject, TSchema } from '@sinclair/typebox'
import { Declared, OrNull, Reads } from '../../../schemas/common.ts'

/** A body as the document shows it, and the components that its members refer to. */
export type PublishedForm = { body: TSchema; components: TSchema[] }

/** Each member as what it is declared as, and also null if null is read. */
export function publishedForm({ properties, ...schema }: TObject): PublishedForm {
  const components: TSchema[] = []
  const members = Object.entries(properties).map(([name, member]) => {
    const declared: SchemaOptions = member[Declared] ?? {}
    const isCleared = !schema.required?.includes(name) && member[Reads] !== 'name'
    const { $id, ...form }: SchemaOptions = (isCleared && declared[OrNull]) || declared
    if ($id === undefined)
      return [name, isCleared ? withNull({ ...member, ...form }) : { ...member, ...form }]
    components.push({ $id, ...form } as TSchema)
    const { description, examples } = member
    return [name, { [REFERENCE]: $id, description, examples }]
  })
  return { body: { ...schema, properties: Object.fromEntries(members) } as TSchema, components }
}

/** The parameters of a query as the document shows them. */
export const publishedQuery = ({ properties, ...schema }: TObject): TSchema => {
  const members = Object.entries(properties).map(([name, { examples, ...member }]) => {
    const { $id, ...form }: SchemaOptions = member[Declared] ?? {}
    return [
      name,
      $id === undefined
        ? { ...member, ...form, examples }
        : { [REFERENCE]: $id, description: member.description, examples },
    ]
  })
  return { ...schema, properties: Object.fromEntries(members) } as TSchema
}

/** A reference with words of its own beside it, which the collector of the document would drop. */
export const REFERENCE = 'x-reference'

const withNull = ({ type, ...schema }: TSchema) => ({ ...schema, type: [type, 'null'] })
