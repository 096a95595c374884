import { KINDS, type Kind } from '../../../schemas/webhook.ts'
import type { Complete, Json } from '../../kernel/openapi/components.ts'
import { EXAMPLES } from '../../kernel/openapi/operations.ts'
import { capital, withArticle } from '../../kernel/openapi/responses.ts'
import { messageBody, messageId } from './signed-messages.ts'

// The `webhooks` object of OpenAPI 3.1: what receivers get.

const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

/** The component of the record of a kind. */
const recordOf = (kind: Kind) => (kind === 'event' ? 'CalendarEvent' : capital(kind))
const nameOf = (kind: Kind, verb: Verb) => `${capital(kind)}${verb === 'deleted' ? 'Deleted' : ''}Message`
const PING = 'PingMessage'

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more })
const wordOf = (words: string[], description: string) =>
  text(description, words.length === 1 ? { const: words[0], enum: words } : { enum: words })
const object = (description: string, properties: Record<string, object>) => ({
  type: 'object',
  description,
  required: Object.keys(properties),
  properties,
})

const message = (description: string, types: string[], data: object, example: unknown) => ({
  ...object(description, {
    type: wordOf(types, 'Type of the message.'),
    timestamp: text('Time of the change in UTC, as in RFC 3339.', { examples: ['2026-11-21T09:00:00Z'] }),
    data,
  }),
  examples: [example],
})

/** A message as it is sent, with the record of the example of its kind. */
function example(kind: Kind | 'ping', operation: Verb | 'ping'): unknown {
  const record = kind === 'ping' ? undefined : (EXAMPLES[recordOf(kind)] as { id: number })
  const sample = { webhook_id: 1, record_id: record?.id ?? 0, seq: 1204, at_utc: '2026-11-21 09:00:00' }
  const shown = record && operation !== 'deleted' ? [Buffer.from(JSON.stringify(record))] : []
  return JSON.parse(messageBody({ ...sample, kind, operation }, shown).toString())
}

function recordMessage(kind: Kind, verb: Verb) {
  const verbs = verb === 'deleted' ? ['deleted'] : ['created', 'updated']
  const record = { $ref: `#/components/schemas/${recordOf(kind)}`, description: `The ${kind} as it is now.` }
  const data = object('What changed.', {
    kind: wordOf([kind], 'Kind of the record.'),
    id: { type: 'integer', minimum: 1, description: `ID of the ${kind}.` },
    operation: wordOf(verbs, 'What happened to it.'),
    ...(verb !== 'deleted' && { record }),
  })
  const types = verbs.map((one) => `${kind}.${one}`)
  const what = verb === 'deleted' ? 'was deleted, or is not visible any more' : 'was created or updated'
  return message(`${capital(withArticle(kind))} ${what}.`, types, data, example(kind, verb))
}

/** The components of messages by name. */
const MESSAGES: Json = Object.fromEntries([
  ...KINDS.flatMap((kind) =>
    (['updated', 'deleted'] as const).map((verb) => [nameOf(kind, verb), recordMessage(kind, verb)]),
  ),
  [
    PING,
    message(
      'A test message.',
      ['ping'],
      object('The webhook that is tested.', {
        webhook: { type: 'integer', minimum: 1, description: 'ID of the webhook.' },
      }),
      example('ping', 'ping'),
    ),
  ],
])

const sample = { webhook_id: 1, kind: 'event', record_id: 3, operation: 'updated', seq: 1204 } as const
const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})
const PARAMETERS = [
  header(
    'webhook-id',
    'ID of the message: the same for all tries and replays of a change. Keep it, to recognise a message that arrives twice.',
    messageId({ ...sample, at_utc: '2026-11-21 09:00:00' }),
  ),
  header(
    'webhook-timestamp',
    'Time of this try in Unix seconds. Refuse messages that are old.',
    '1795251600',
  ),
  header(
    'webhook-signature',
    'One or more signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in base64. The key is the secret after `whsec_`, decoded from base64.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const webhook = (type: string, component: string, summary: string) => ({
  post: {
    operationId: type.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary,
    description:
      'Sent to each webhook that asks for it. Answer within 15 seconds, and do the work afterwards: without a 2xx the message is sent again for three days. Messages about one record arrive in order, each with its latest state; one may arrive twice.',
    // what comes from here is known by its signature, not by credentials
    security: [],
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } },
    },
    responses: {
      '2XX': { description: 'The message was accepted.' },
      410: { description: 'The receiver wants no more messages: the webhook is disabled at once.' },
      429: { description: 'The message is sent again after the seconds in `Retry-After`.' },
      503: { description: 'The message is sent again after the seconds in `Retry-After`.' },
      default: { description: 'The message is sent again later. Redirects are not followed.' },
    },
  },
})

/** Adds the messages that webhooks get to a document. */
export function addMessages({ components, ...document }: Complete): Complete {
  const webhooks = Object.fromEntries([
    ...KINDS.flatMap((kind) =>
      VERBS.map((verb) => {
        const type = `${kind}.${verb}`
        return [type, webhook(type, nameOf(kind, verb), `${capital(withArticle(kind))} was ${verb}`)]
      }),
    ),
    ['ping', webhook('ping', PING, 'A test')],
  ])
  return {
    ...document,
    webhooks,
    components: { ...components, schemas: { ...(components.schemas as Json), ...MESSAGES } },
  }
}
