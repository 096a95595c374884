import { FormatRegistry, Kind, type TSchema, TypeRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import * as error from '../../schemas/error.ts'
import * as event from '../../schemas/event.ts'
import * as media from '../../schemas/media.ts'
import * as organizer from '../../schemas/organizer.ts'
import * as output from '../../schemas/output.ts'
import * as recurrence from '../../schemas/recurrence.ts'
import * as root from '../../schemas/root.ts'
import * as series from '../../schemas/series.ts'
import * as term from '../../schemas/term.ts'
import * as user from '../../schemas/user.ts'
import * as venue from '../../schemas/venue.ts'

FormatRegistry.Set('uri', (text) => URL.canParse(text))
TypeRegistry.Set('Unsafe', ({ enum: words }: { enum?: unknown[] }, value) => words?.includes(value) ?? true)

/** The schema with members that an object does not declare refused, at every depth. */
function strict(schema: TSchema): TSchema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      name === 'properties' ? members(part) : within(part),
    ]),
  )
  const closed = schema[Kind] === 'Object' && schema.additionalProperties === undefined
  return { ...schema, ...inner, ...(closed && { additionalProperties: false }) }
}
const within = (part: unknown): unknown =>
  Array.isArray(part) ? part.map(within) : isSchema(part) ? strict(part) : part
const members = (properties: Record<string, TSchema>) =>
  Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, strict(member)]))
const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && Kind in value

const published: TSchema[] = [
  output,
  error,
  event,
  recurrence,
  series,
  venue,
  organizer,
  term,
  media,
  root,
  user,
]
  .flatMap((file): unknown[] => Object.values(file))
  .filter((value): value is TSchema => isSchema(value) && value.$id !== undefined)
  .map(strict)

/** What is wrong with an answer by the published schema of this name, as texts; undeclared members are wrong too. */
export function faults(name: string, answer: unknown): string[] {
  const schema = published.find(({ $id }) => $id === name)
  if (!schema) throw new Error(`no schema ${name}`)
  return [...Value.Errors(schema, published, answer)].map(({ path, message }) => `${path} ${message}`)
}
