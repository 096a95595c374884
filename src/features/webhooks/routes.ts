import { Type } from '@sinclair/typebox'
import { extend, update } from '../../../schemas/common.ts'
import {
  DeliveryQuery,
  NewSecret,
  OPERATIONS,
  Webhook as Shown,
  WebhookInput,
  WebhookReplay,
} from '../../../schemas/webhook.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type ErrorCode, invalid, type Problems, refuse } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import { kindsWith, lacking, openInterestResolver } from '../sync/interests.ts'
import type { Interest } from '../sync/sources.ts'
import { WEBHOOKS_RIGHTS } from './rights.ts'
import { isSecret, makeSecret, messageId, messageType } from './signed-messages.ts'
import type { DeliveryRow, WebhookInput as Settings, Webhook } from './store.ts'

/** What all operations on webhooks have in common. */
const PERMISSION = { right: WEBHOOKS_RIGHTS['manage webhooks'], to: 'manage webhooks' } as const
/** What they tell is read by whoever chooses where they tell it, so a token needs both scopes. */
const WEBHOOKS = {
  tag: 'Webhooks',
  permission: { ...PERMISSION, scopes: ['admin', 'read'] },
  ids: { id: 'webhook', delivery_id: 'delivery' },
} as const
const ONE = '/webhooks/:id'
const DELIVERIES = `${ONE}/deliveries`
const DELIVERY = `${DELIVERIES}/:delivery_id`
/** Errors of creates that those without a body never return. */
const BODY: ErrorCode[] = [
  ...(['rest_invalid_param', 'rest_missing_callback_param'] as const),
  ...(['rest_unsupported_media_type', 'rest_bad_request'] as const),
]

const showDelivery = (row: DeliveryRow) =>
  shown({
    id: row.id,
    message_id: messageId(row),
    type: messageType(row),
    record_id: row.record_id || null,
    sequence: row.seq,
    status: row.status,
    attempts: row.attempts,
    created_utc: row.created_utc,
    tried_utc: row.tried_utc,
    next_attempt_utc: row.next_utc,
    response_code: row.response_code,
    response: row.response_text,
    error: row.error,
    duration_ms: row.duration,
  })

function secretOf(given: string | null | undefined): string {
  if (given === undefined || given === null) return makeSecret()
  if (isSecret(given)) return given
  throw invalid({ secret: 'must be whsec_ followed by 24 to 64 bytes in base64.' })
}

type Filters = Interest['filters'] & { i18n_language?: string }
/** The kinds that have these filters. */
const kindsOf = ({ i18n_language: _, ...filters }: Filters) => kindsWith(Object.keys(filters))

/** Webhooks: list, add, read, change, remove, and replace their secrets; tests and replays of messages, and what became of them. */
export const webhookRoutes = family('webhooks', async (app, service) => {
  const { hooks } = app
  const { site } = service
  const { webhooks } = service.store
  const { deliveries } = webhooks
  const { add, list, created, paramsOf } = openCollection(app, service, WEBHOOKS)
  const Input = WebhookInput(site.languages)
  publishBody(app, extend(Input, NewSecret, { $id: 'WebhookInput' }), Shown)
  publishBody(app, update(Input, { $id: 'WebhookUpdate' }), Shown)
  publishBody(app, Type.Object(NewSecret, { $id: 'WebhookSecretInput' }))
  /** A webhook as shown, with its state. */
  async function show(row: Webhook) {
    const { id, owner_id, url, description, kinds, operations, filters, enabled, created_utc } = row
    const { last_success_utc, failing_since_utc, disabled_reason, gap_utc } = row
    const times = { last_success_utc, failing_since_utc, disabled_reason, gap_utc }
    const state = shown({ pending: await hooks.pending(id), sequence: row.position, ...times })
    const owner = owner_id === null ? {} : { owner: owner_id }
    return { id, ...owner, url, description, kinds, operations, filters, enabled, created_utc, state }
  }
  const resolve = openInterestResolver(service)

  /** What a body sets; null means the default. Throws 400 for a host that must not be reached, and for filters that do not fit. */
  async function read(caller: Caller, body: WebhookInput, known?: Webhook): Promise<Settings> {
    const chosen = <T>(given: T | null | undefined, before: T | undefined, usual: T): T =>
      given === null ? usual : (given ?? before ?? usual)
    const filters = chosen(body.filters, known?.filters, {})
    const kinds = chosen(body.kinds, known?.kinds, kindsOf(filters))
    const address = body.url ? await hooks.readUrl(body.url) : { url: known!.url }
    const isMeantAnew = !known || body.kinds !== undefined || body.filters !== undefined
    const { interest, problems } = isMeantAnew
      ? await interestOf(caller, kinds, filters)
      : { interest: known.interest, problems: {} }
    refuse({ ...problems, ...('problem' in address && { url: address.problem }) })
    return {
      owner_id: caller!.id,
      url: (address as { url: string }).url,
      kinds,
      filters,
      interest,
      description: chosen(body.description, known?.description, ''),
      operations: chosen(body.operations, known?.operations, [...OPERATIONS]),
      enabled: chosen(body.enabled, known?.enabled, true),
    }
  }

  /** What filters mean for kinds of records, with the problems of each. */
  async function interestOf(caller: Caller, kinds: Settings['kinds'], filters: Settings['filters']) {
    const { i18n_language: language, ...others } = filters as Filters
    const { interest, problems } = await resolve({ kinds, filters: others, language }, caller)
    const wrong = Object.entries(problems).map(([name, problem]) => `${name}: ${problem}`)
    for (const name of Object.keys(others)) {
      const kind = lacking(kinds, name)
      if (kind) wrong.push(`${name}: is not a filter of the kind ${kind}; name other kinds in \`kinds\`.`)
    }
    const text: Problems = wrong.length > 0 ? { filters: wrong.join(' ') } : {}
    return { interest, problems: text }
  }

  list({
    kind: 'webhook',
    plural: 'webhooks',
    url: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description:
      'Returns all webhooks with their states, ordered by ID, without their secrets. Requires the role `administrator` and, with a token, the scope `admin`; so do all operations on webhooks. Those that tell of records, or choose where they are told, also require the scope `read`.',
    permission: PERMISSION,
    errors: ['webhook-archive-page-not-found'],
    answer: 'WebhookPage',
    find: async (paging) => ({
      rows: await Promise.all((await webhooks.list(paging)).map(show)),
      total: await webhooks.count(),
    }),
  })
  add({
    method: 'POST',
    url: '/webhooks',
    operation: 'create',
    operationId: 'createWebhook',
    summary: 'Add a webhook',
    description:
      'Adds a receiver, which is told of all changes from now on. The caller becomes its owner, with whose rights it sees. The response shows the secret that signs the messages; no other response does. There may be 25 webhooks.',
    errors: ['too-many-webhooks'],
    answer: 'NewWebhook',
    body: 'WebhookInput',
    async handle(request, reply) {
      const body = request.body as WebhookInput
      const secret = secretOf(body.secret)
      const row = await webhooks.add(await read(request.caller, body), secret, actorOf(request))
      created(request, reply, `/webhooks/${row.id}`)
      return { ...(await show(row)), secret }
    },
  })
  add({
    method: 'GET',
    url: ONE,
    operation: 'read',
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    description: 'Returns a webhook with its state, without its secret.',
    permission: PERMISSION,
    errors: ['webhook-not-found'],
    answer: 'Webhook',
    handle: async (request) => show(await webhooks.read(paramsOf(request).id)),
  })
  add({
    method: 'PATCH',
    url: ONE,
    operation: 'update',
    operationId: 'updateWebhook',
    summary: 'Change a webhook, stop it, or let it go on',
    description:
      'Changes the fields that are sent and keeps the others. The caller becomes its owner, with whose rights it sees. A webhook that is enabled again goes on where it stopped.',
    errors: ['webhook-not-found'],
    answer: 'Webhook',
    body: 'WebhookUpdate',
    async handle(request) {
      const known = await webhooks.read(paramsOf(request).id)
      const set = await read(request.caller, request.body as WebhookInput, known)
      return show(await webhooks.update(known.id, set, actorOf(request)))
    },
  })
  add({
    method: 'DELETE',
    url: ONE,
    operation: 'delete',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    description: 'Deletes the webhook at once. Messages that were not accepted are not sent any more.',
    permission: PERMISSION,
    errors: ['webhook-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Webhook',
    async handle(request) {
      const { id } = paramsOf(request)
      const json = await show(await webhooks.read(id))
      await webhooks.remove(id, actorOf(request))
      return json
    },
  })
  add({
    method: 'POST',
    url: `${ONE}/secret`,
    operation: 'update',
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'Sets a new secret, which is shown only in this response. The caller becomes the owner of the webhook. For 24 hours, messages are signed with the old one as well.',
    errors: ['webhook-not-found'],
    answer: 'WebhookSecret',
    body: 'WebhookSecretInput',
    async handle(request) {
      const secret = secretOf((request.body as { secret?: string | null }).secret)
      const { previous_until_utc } = await webhooks.rotate(
        paramsOf(request).id,
        secret,
        request.caller!.id,
        actorOf(request),
      )
      return { secret, previous_until_utc }
    },
  })

  // ---- messages: tests, replays, and what became of each

  publishBody(app, Type.Object(WebhookReplay.properties, { $id: 'WebhookReplay' }))

  add({
    method: 'POST',
    url: `${ONE}/test`,
    operation: 'create',
    operationId: 'testWebhook',
    summary: 'Send a test message',
    description:
      'Sends one message of the type `ping`, also if the webhook is disabled, without waiting for the response: read the delivery to see what became of it.',
    errors: ['webhook-not-found'],
    except: BODY,
    answer: 'WebhookDelivery',
    async handle(request, reply) {
      const { id } = await webhooks.read(paramsOf(request).id)
      const row = await hooks.ping(id)
      created(request, reply, `/webhooks/${id}/deliveries/${row.id}`)
      return showDelivery(row)
    },
  })
  add({
    method: 'POST',
    url: `${ONE}/replay`,
    operation: 'update',
    operationId: 'replayWebhook',
    summary: 'Send the changes since a time again',
    description:
      'Goes back in the log of changes to a time (`since`) or a number (`after`), and sends every record that changed since then as it is now. Returns the webhook.',
    errors: ['webhook-not-found'],
    answer: 'Webhook',
    body: 'WebhookReplay',
    async handle(request) {
      const { id } = await webhooks.read(paramsOf(request).id)
      await hooks.rewind(id, await seqOf(request.body as WebhookReplay))
      return show(await webhooks.read(id))
    },
  })

  /** The last change before what a replay asks for. Throws 400 unless the log has all that comes after it. */
  async function seqOf({ since, after }: WebhookReplay): Promise<number> {
    if (Number(since !== undefined && since !== null) + Number(after !== undefined && after !== null) !== 1)
      throw invalid({ since: 'requires a time here, or the number of a change as `after`, not both.' })
    const { first, last } = webhooks.log()
    const name = since ? 'since' : 'after'
    const time = since && readMoment(since, { now: site.clock(), zone: 'UTC' })!
    const seq = time ? webhooks.before(inZone(time, 'UTC')) : after!
    if (seq > last) throw invalid({ after: `The log ends with change ${last}; send a smaller number.` })
    if (seq + 1 < first) throw invalid({ [name]: `The log begins with change ${first}; send a later one.` })
    return seq
  }

  list({
    kind: 'delivery',
    plural: 'deliveries',
    url: DELIVERIES,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description:
      'Returns messages that wait for another try, and the last 1,000 of 30 days that were delivered, given up or superseded, the latest first.',
    errors: ['webhook-not-found', 'delivery-archive-page-not-found'],
    answer: 'WebhookDeliveryPage',
    query: DeliveryQuery,
    async find(paging, { id }, request) {
      const { status } = request.query as DeliveryQuery
      const { rows, total } = await deliveries.list(id, paging, status && [status])
      return { rows: rows.map(showDelivery), total }
    },
  })
  add({
    method: 'GET',
    url: DELIVERY,
    operation: 'read',
    operationId: 'getWebhookDelivery',
    summary: 'Read a delivery of a webhook',
    description: 'Returns what became of a message.',
    errors: ['webhook-not-found', 'webhook-delivery-not-found'],
    answer: 'WebhookDelivery',
    async handle(request) {
      const { id, delivery_id } = paramsOf(request)
      return showDelivery(await deliveries.read(id, delivery_id))
    },
  })
  add({
    method: 'POST',
    url: `${DELIVERY}/replay`,
    operation: 'create',
    operationId: 'replayWebhookDelivery',
    summary: 'Send a message again',
    description:
      'Sends a message again with the same `webhook-id`, and with the record as it is now. Returns the new delivery, or the one that waits for the same record. A disabled webhook sends it when it is enabled.',
    errors: ['webhook-not-found', 'webhook-delivery-not-found'],
    except: BODY,
    answer: 'WebhookDelivery',
    async handle(request, reply) {
      const { id, delivery_id } = paramsOf(request)
      const known = await deliveries.read(id, delivery_id)
      const row = known.kind === 'ping' ? await hooks.ping(id) : await hooks.replay(id, known)
      created(request, reply, `/webhooks/${id}/deliveries/${row.id}`)
      return showDelivery(row)
    },
  })
})
