import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { ChangeFilters, SYNC_KINDS, type SyncKind } from './changes.ts'
import * as c from './common.ts'
import * as i from './input.ts'
import * as output from './output.ts'

export const KINDS = SYNC_KINDS
export type Kind = SyncKind
export const OPERATIONS = ['created', 'updated', 'deleted'] as const
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'failed', 'superseded'] as const

const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`${c.Wall}\`.`, examples: ['2026-11-21 09:00:00'] })
const Words = <const T extends string>(words: readonly T[], description: string, example: T[]) =>
  c.read<T[]>('words', Type.Array(c.StringEnum(words)), {
    minItems: 1,
    maxItems: 100,
    description,
    examples: [example],
  })

// ---- what is sent

/** The filters that a webhook may have: those of changes. */
const filtersOf = (languages: readonly string[]): TObject =>
  Type.Object({ ...ChangeFilters, ...c.LanguageSelector(languages) })

/** Filters as the document shows them. */
function publishedFilters(filters: TObject): TSchema {
  const members = Object.entries(filters.properties).map(([name, { default: _, ...member }]) => {
    const { $id, ...form }: TSchema = member[c.Declared as never] ?? {}
    return [name, { ...member, ...($id === undefined ? form : Type.Ref($id)) }]
  })
  return Type.Object(Object.fromEntries(members), {
    $id: 'WebhookFilters',
    additionalProperties: false,
    description: 'Filters of changes, by name.',
  })
}

const Secret = Type.String({
  maxLength: 100,
  pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
  description:
    'Secret that signs the messages: `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks). Default: a new one with 32 bytes.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
})

/** The body of a create; of an update without the secret. */
export function WebhookInput(languages: readonly string[]) {
  const filters = filtersOf(languages)
  return Type.Object({
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        'Absolute http or https URL that messages are sent to by POST. Its host must be public, unless the operator allows it with `DOWNLOAD_ALLOW`.',
      examples: ['https://mirror.example/hooks/almanac'],
    }),
    description: Type.Optional(i.LineInput('Text that says what the webhook is for', 'Town website')),
    kinds: Type.Optional(
      Words(
        KINDS,
        'Kinds of records whose changes are sent, as a list or separated by commas. Default: all that have the filters, but for `series`.',
        ['event'],
      ),
    ),
    operations: Type.Optional(
      Words(
        OPERATIONS,
        'What is sent: that a record was created, updated or deleted. A record that the webhook does not see any more counts as deleted. Default: all.',
        ['created', 'updated', 'deleted'],
      ),
    ),
    filters: Type.Optional(
      c.read<Record<string, unknown>>('filters', filters, {
        [c.Declared]: publishedFilters(filters),
        description:
          'Filters by name, as in `GET /changes`. All kinds must have them. Without `status`, the webhook sees what everyone sees; with it, what its owner sees. Dates and terms keep the meaning that they have when they are set.',
        examples: [{ categories: ['concerts'] }],
      }),
    ),
    enabled: Type.Optional(
      i.Switch(
        '`false` stops all messages, and `true` goes on where they stopped. Default on create: `true`.',
      ),
    ),
  })
}
export const NewSecret = { secret: Type.Optional(Secret) }

export const WebhookReplay = Type.Object({
  since: Type.Optional(
    i.MomentInput('Time from which on changes are sent again, in UTC if it has no offset', '-2 days'),
  ),
  after: Type.Optional(
    i.Whole('Number of the last change that is not sent again: a `sequence` of before.', 1200, 0),
  ),
})

// ---- what is answered

const State = Type.Object(
  {
    pending: Type.Integer({
      description: 'Messages that are known and were not accepted yet. Others may still be in the log.',
    }),
    sequence: Type.Integer({
      description: 'Number of the last change of the log up to which everything was sent or waits.',
    }),
    last_success_utc: Type.Optional(Time('Time of the last accepted message')),
    failing_since_utc: Type.Optional(Time('Time of the first failure since then')),
    disabled_reason: Type.Optional(
      Type.String({ description: 'Why the service disabled the webhook; absent if a person did.' }),
    ),
    gap_utc: Type.Optional(
      Time('Time at which changes had left the log before they were sent: read everything again,'),
    ),
  },
  { $id: 'WebhookState', description: 'How far a webhook is, and how it does.' },
)
const Members = {
  id: c.Id('webhook'),
  owner: Type.Optional(
    Type.Integer({
      description:
        'ID of the administrator who added the webhook or changed it last, and with whose rights it sees. Absent if there is none.',
      examples: [1],
    }),
  ),
  url: Type.String({ format: 'uri', description: 'URL that messages are sent to.' }),
  description: Type.String({ description: 'Text that says what the webhook is for.' }),
  kinds: Type.Array(c.StringEnum(KINDS), { description: 'Kinds of records whose changes are sent.' }),
  operations: Type.Array(c.StringEnum(OPERATIONS), { description: 'Operations that are sent.' }),
  filters: Type.Object({}, { additionalProperties: true, description: 'Filters by name.' }),
  enabled: Type.Boolean({ description: 'Whether messages are sent.' }),
  created_utc: Time('Time of creation'),
  state: Type.Ref('WebhookState'),
}
export const Webhook = Type.Object(Members, {
  $id: 'Webhook',
  description: 'A receiver that is told of changes. Its secret is not shown.',
})
const shownSecret = Type.String({
  description: 'Secret that signs the messages. It is shown only in this response.',
})
export const NewWebhook = Type.Object(
  { ...Members, secret: shownSecret },
  { $id: 'NewWebhook', description: 'A new webhook with its secret.' },
)
export const WebhookSecret = Type.Object(
  {
    secret: shownSecret,
    previous_until_utc: Time('Time until which messages are signed with the secret before as well,'),
  },
  { $id: 'WebhookSecret', description: 'The new secret of a webhook.' },
)
export const WebhookDelivery = Type.Object(
  {
    id: c.Id('delivery'),
    message_id: Type.String({
      description: 'The header `webhook-id`: the same for all tries and replays of a change.',
      examples: ['msg_1_1204_1795251600'],
    }),
    type: Type.String({ description: 'Type of the message.', examples: ['event.updated', 'ping'] }),
    record_id: Type.Optional(Type.Integer({ description: 'ID of the record; absent for a test.' })),
    sequence: Type.Integer({ description: 'Number of the change in the log; 0 for a test.' }),
    status: c.StringEnum(DELIVERY_STATUSES, {
      description:
        '`waiting` for its next try, `delivered`, `failed` (given up), or `superseded` by a later change of the same record.',
    }),
    attempts: Type.Integer({ description: 'Number of tries.' }),
    created_utc: Time('Time of the first try, or of its request,'),
    tried_utc: Type.Optional(Time('Time of the last try')),
    next_attempt_utc: Type.Optional(Time('Time of the next try')),
    response_code: Type.Optional(Type.Integer({ description: 'Status of the last response.' })),
    response: Type.Optional(
      Type.String({ description: 'Beginning of the body of the last response, at most 1 kB.' }),
    ),
    error: Type.Optional(Type.String({ description: 'Why the last try failed, in words.' })),
    duration_ms: Type.Optional(Type.Integer({ description: 'Milliseconds that the last try took.' })),
  },
  { $id: 'WebhookDelivery', description: 'A message to a webhook, and what became of it.' },
)
export const WebhookPage = output.Page('WebhookPage', 'webhooks', Type.Ref('Webhook'))
export const WebhookDeliveryPage = output.Page(
  'WebhookDeliveryPage',
  'deliveries',
  Type.Ref('WebhookDelivery'),
)
export const DeliveryQuery = Type.Object({
  ...c.Paging,
  status: Type.Optional(
    c.StringEnum(DELIVERY_STATUSES, {
      description: 'Only deliveries with this status.',
      examples: ['failed'],
    }),
  ),
})
export { State as WebhookState }

export type WebhookInput = c.Input<ReturnType<typeof WebhookInput>> & { secret?: string | null }
export type WebhookReplay = { since?: string | null; after?: number | null }
export type DeliveryQuery = Static<typeof DeliveryQuery>
