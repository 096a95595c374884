import { Type } from '@sinclair/typebox'
import { DeliveryQuery, WebhookReplay } from '../../../../schemas/webhook.ts'
import { inZone, readMoment } from '../../../rules/time/moments.ts'
import type { DeliveryRow } from '../../../store/store.ts'
import { type ErrorCode, invalid } from '../../../support/errors.ts'
import { messageId, messageType } from '../../../webhooks/message.ts'
import { publishBody } from '../../input/validator.ts'
import { family } from '../../resource/service.ts'
import { openAccounts, paramsOf, shown } from '../accounts/accounts.ts'
import { showWebhook, WEBHOOKS } from './webhooks.ts'

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

/** Messages to webhooks: tests, replays, and what became of each. */
export const webhookMessageRoutes = family('webhook messages', async (app, service) => {
  const { hooks, site } = service
  const { webhooks } = service.store
  const { deliveries } = webhooks
  const { add, list, created } = openAccounts(app, service, WEBHOOKS)
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
      return showWebhook(await webhooks.read(id), hooks)
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
