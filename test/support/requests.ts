import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parseQuery, type QueryValue } from '../../src/kernel/input/query.ts'
import { readTexts } from '../../src/kernel/input/readers.ts'
import { printName } from '../../src/kernel/output/header-values.ts'
import { toPlainText } from '../../src/kernel/text/text.ts'
import type { Document, Operation, Published } from './document.ts'

/** A request as it was sent, without what is the same for all. `query` is the text after the question mark. */
export type Asked = { query: string; type?: string | undefined; payload?: unknown }
/** What was answered, as far as it says how the request was understood. */
export type Reply = { status: number; text: string; headers: Record<string, unknown> }

/** Parameters that WordPress clients add to every request. */
const USUAL = ['context', '_locale', '_wpnonce', 'rest_route', '_']
/** Words that are taken in any case (D38). */
const ANY_CASE = ['order', 'orderby']
const TRUE = /^(true|1)$/i
const FALSE = /^(false|0)$/i
const NUMBER = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i
const JSON_TYPE = /^application\/(.+\+)?json(;|$)/i

/** A message of the page about rules, where `…` stands for anything. */
const messageOf = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*')}$`,
  )

/** Refusals of what a schema can not say, as the reference names them. Every other refusal is one of a type. */
export const RULES = [
  ...readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8').matchAll(
    /^\| `(.+)` \| /gm,
  ),
].map(([, text]) => ({ text: text!, pattern: messageOf(text!) }))

/** Whether a refusal is none of a type. */
export const isRule = (why: string) =>
  [why, why.replace(/^\w+: /, '')].some((text) => RULES.some(({ pattern }) => pattern.test(text)))

/** A venue or organizer has its slug changed at its address by slug only; by ID it is passed over, as responses show it (R11). */
export const isPassedOver = ({ path }: Operation, name: string) =>
  name === 'slug' && /^\/(venues|organizers)\/\{id\}$/.test(path)

/** What venue and organizer of an event may be so that nothing is linked, besides what is declared (D32). */
const UNLINKED = ['venue', 'organizer']
const isNothing = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.trim() === ''
    : Array.isArray(value)
      ? value.every(isNothing)
      : value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** Members that only single reads show, and that may be sent back (R11). */
const READ_ONLY = ['json_ld']

/** A copy of a value with each text in it changed; `name` is that of the member that holds it. */
const withTexts = (value: unknown, change: (text: string, name: string) => unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member) =>
    typeof member === 'string' ? change(member, name) : member,
  )
/** A value whose texts have no tags and entities, as they are measured. */
const plain = (value: unknown) => withTexts(value, toPlainText)
/** Numbers inside of objects, which may be sent as text like every number. */
const NUMBERS = ['id', 'geo_lat', 'geo_lng']
/** A value with the numbers inside of it as numbers. */
const withNumbers = (value: unknown) =>
  withTexts(value, (text, name) => (NUMBERS.includes(name) && NUMBER.test(text) ? Number(text) : text))

type Validate = (value: unknown) => boolean

/** Validators of the parameters and members of a document, made when they are first needed. */
export function openRequests(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
  ajv.addSchema({ $id: 'requests', components: { schemas: document.components.schemas } })
  const made = new Map<Published, ValidateFunction>()
  const validatorOf = (schema: Published): Validate => {
    if (!made.has(schema)) made.set(schema, ajv.compile(absolute(schema) as object))
    return made.get(schema) as Validate
  }
  const deref = (schema: Published): Published =>
    schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!

  /** Whether the document allows a value of a parameter of the address. */
  const allowsText = (name: string, schema: Published, { values, bracketed }: QueryValue): boolean => {
    const { type, items } = deref(schema)
    if (![type].flat().includes('array'))
      return !bracketed && validatorOf(schema)(read(name, deref(schema), values.at(-1)!))
    return validatorOf(schema)(readTexts(values)!.map((text) => read(name, deref(items!), text)))
  }
  /** Whether it allows a member of a body. */
  const allowsValue = (name: string, schema: Published, value: unknown): boolean =>
    validatorOf(schema)(value) ||
    validatorOf(schema)(withNumbers(value)) ||
    (typeof value === 'string' &&
      [readTexts(value)!.join(), value.toLowerCase()].some(validatorOf(schema))) ||
    validatorOf(schema)(plain(value)) ||
    (UNLINKED.includes(name) &&
      deref(schema).anyOf !== undefined &&
      (isNothing(value) ||
        (Array.isArray(value) &&
          validatorOf(schema)(value.filter((item) => !isNothing(item) && item !== 0))))) ||
    (typeof value === 'string' &&
      [deref(schema).type].flat().includes('array') &&
      allowsText(name, schema, { values: [value], bracketed: false })) ||
    (isForm(deref(schema), value) && validatorOf(schema)(read(name, deref(schema), String(value))))

  /** What a request has that the document lacks or refuses, though it was accepted. */
  function strays(operation: Operation, asked: Asked, { headers, text }: Reply): string[] {
    const query = parseQuery(asked.query)
    const members = membersOf(operation)
    const ignored = `${headers['x-ignored-parameters'] ?? ''}, ${headers['x-ignored-fields'] ?? ''}`
    const isNamed = (name: string) => ignored.includes(printName(name)) || ignored.includes('...')
    const found = Object.entries(query).filter(([name, value]) => {
      const declared = operation.parameters.find((one) => one.in === 'query' && one.name === name)
      if (declared && allowsText(name, declared.schema, value)) return false
      // what the body lacks is taken from the query
      return !(USUAL.includes(name) || isNamed(name) || (!declared && name in members))
    })
    const body = operation.method === 'delete' || isUpload(operation) ? undefined : bodyOf(asked)
    const shown = body && text ? [...Object.keys(JSON.parse(text)), ...READ_ONLY] : []
    const wrong = Object.entries(body ?? {}).filter(([name, value]) =>
      members[name]
        ? value !== null && !allowsValue(name, members[name], value) && !isPassedOver(operation, name)
        : !isNamed(name) && !shown.includes(name),
    )
    return [
      ...found.map(([name, { values }]) => `query ${name}=${values}`),
      ...wrong.map(([name, value]) => `body ${name}=${`${JSON.stringify(value)}`.slice(0, 200)}`),
      ...typeStrays(operation, asked),
    ]
  }

  /** What a request was refused for, though the document allows it. */
  function vain(operation: Operation, asked: Asked, { text }: Reply): string[] {
    const { code, data } = JSON.parse(text) as { code: string; data: { params?: Record<string, string> } }
    if (code !== 'rest_invalid_param' || data.params === undefined) return []
    const query = parseQuery(asked.query)
    const members = membersOf(operation)
    const body = (isUpload(operation) ? undefined : bodyOf(asked)) ?? {}
    return Object.entries(data.params)
      .filter(([name, why]) => {
        // the languages of an application may be others than those of the document
        if (isRule(why) || name === 'i18n_language') return false
        if (Object.hasOwn(body, name)) return members[name] && validatorOf(members[name])(body[name])
        const declared = operation.parameters.find((one) => one.in === 'query' && one.name === name)
        return declared && query[name] && allowsText(name, declared.schema, query[name])
      })
      .map(([name, why]) => `${name} ${why}`)
  }

  return { strays, vain, allowsValue, deref }
}

export type Requests = ReturnType<typeof openRequests>

/** The schema with references to the document instead of to itself. */
const absolute = (schema: Published): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"requests#/components/'))

const membersOf = ({ body }: Operation): Record<string, Published> => body?.properties ?? {}

/** A text as the type that is declared for it, in the forms that are taken for it; as it is where it is none. */
function read(name: string, { type, anyOf, enum: words }: Published, text: string): unknown {
  const types = [type].flat()
  if (types.includes('boolean')) return TRUE.test(text) ? true : FALSE.test(text) ? false : text
  const isNumber = types.includes('integer') || types.includes('number') || (anyOf && /^\d+$/.test(text))
  if (isNumber) return NUMBER.test(text) ? Number(text) : text
  if (words && ANY_CASE.includes(name)) return text.toLowerCase()
  return text.trim() || text
}

/** Whether a value may be another form of the type that is declared: a text of a number or boolean, or a number of a boolean. */
const isForm = ({ type }: Published, value: unknown) =>
  typeof value === 'string' || (typeof value === 'number' && [type].flat().includes('boolean'))

/** What is uploaded is told by its content, whatever its type says (D43). */
const isUpload = ({ operationId }: Operation) => ['createMedia', 'createImport'].includes(operationId)

/** The members of a JSON body. */
function bodyOf({ type, payload }: Asked): Record<string, unknown> | undefined {
  if (payload === undefined || (type !== undefined && !JSON_TYPE.test(type))) return undefined
  const isText = typeof payload === 'string' || Buffer.isBuffer(payload)
  if (isText && type === undefined) return undefined
  if (!isText && Symbol.asyncIterator in (payload as object)) return undefined
  return JSON.parse((isText ? String(payload).trim() : JSON.stringify(payload)) || 'null') ?? {}
}

/** The media type of a body that the document lacks. */
function typeStrays(operation: Operation, { type, payload }: Asked): string[] {
  // what is in a stream is not known; an empty one is no body
  const isEmpty =
    !payload || typeof (payload as Buffer).length !== 'number' || (payload as Buffer).length === 0
  // a DELETE looks at no body
  const { content } = operation
  if (isEmpty || type === undefined || content === undefined || isUpload(operation)) return []
  const sent = JSON_TYPE.test(type) ? 'application/json' : type.split(';')[0]!.toLowerCase()
  const known = Object.keys(content).some(
    (one) => one === sent || one === '*/*' || one === `${sent.split('/')[0]}/*`,
  )
  return known ? [] : [`body of type ${sent}`]
}
