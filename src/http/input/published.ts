import type { TObject, TSchema } from '@sinclair/typebox'
import { Declared, Reads } from '../../../schemas/common.ts'

const NULL = { type: 'null' }

/** A body as the document shows it: each member as what it is declared as, and also null if null is read. */
export function publishedForm({ properties, ...body }: TObject): TSchema {
  const members = Object.entries(properties).map(([name, member]) => {
    const isCleared = !body.required?.includes(name) && member[Reads as never] !== ('name' as never)
    return [name, isCleared ? withNull(declaredForm(member)) : declaredForm(member)]
  })
  return { ...body, properties: Object.fromEntries(members) } as TSchema
}

type Form = Record<string, unknown> & { anyOf?: object[] }

function declaredForm(member: TSchema): Form {
  const declared: TSchema | undefined = member[Declared as never]
  if (declared === undefined) return member
  const { type: _, description, examples, ...rest } = member
  return {
    ...(declared.$id === undefined ? { ...rest, ...declared } : referTo(declared)),
    description,
    examples,
  }
}

/** A component that takes null itself is referred to as it is. */
const referTo = ({ $id, anyOf }: TSchema): Form => ({
  $ref: $id,
  ...(isOneNull(anyOf) && { [TakesNull]: true }),
})
const TakesNull = Symbol('takes null')
const isOneNull = (forms: TSchema[] = []) => forms.some(({ type }) => type === 'null')

function withNull(form: Form): Form {
  if (form[TakesNull as never]) return form
  const { type, anyOf, enum: words, $ref, description, examples } = form
  const said = { description, examples }
  if (anyOf) return { ...form, anyOf: [...anyOf, NULL] }
  if ($ref) return { anyOf: [{ $ref }, NULL], ...said }
  if (words) return { anyOf: [{ type, enum: words }, NULL], ...said }
  return { ...form, type: [type, NULL.type].flat() }
}
