import type { SyncKind } from '../../../schemas/changes.ts'
import type { Origin } from '../../calendar/formats/urls.ts'
import type { Store } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { type Answer, type Guarded, post } from '../../kernel/outbound/requests.ts'
import { toWall } from '../../kernel/time/dates.ts'
import type { Interest } from '../sync/sources.ts'
import type { SyncChange } from '../sync/sync.ts'
import type { Message, Queue, Task } from './queue.ts'
import { messageBody, messageId, outcomeOf, secretsOf, signed } from './signed-messages.ts'
import { type Delivery, refusalOf, seesAll, type Webhook } from './store.ts'

/** Most records of which changes are read at once. */
const MOST = 100

const OPERATIONS = { create: 'created', update: 'updated', delete: 'deleted' } as const
/**
 * The messages of a change of the log. That a record was created is told with the change which did so, and what came later with its own:
 * what is read together differs from node to node, and the ID of a message must not.
 */
function messagesOf({ kind, id, operation, first, entered, last }: SyncChange): Message[] {
  const { seq, at_utc } = last!
  const record = { kind, record_id: id }
  if (operation !== 'create')
    return [{ ...record, operation: OPERATIONS[operation], from: first!, seq, at_utc }]
  const created = { ...record, operation: OPERATIONS.create, from: first!, ...entered! }
  if (entered!.seq === seq) return [created]
  return [created, { ...record, operation: OPERATIONS.update, from: entered!.seq + 1, seq, at_utc }]
}

const interestOf = ({ interest }: Webhook) => interest as Interest

/** What webhooks are told: what everyone may see, or if they ask for statuses, what their owner may see at that moment. */
export function openAudience({ sync, webhooks }: Pick<Store, 'sync' | 'webhooks'>, origin: Origin) {
  /** Who sees. Throws if that may tell nothing. */
  function audienceOf(hook: Webhook) {
    const owner = webhooks.owner(hook)
    const refusal = refusalOf(hook, owner)
    if (refusal !== undefined) throw new Error(refusal)
    return { origin, caller: seesAll(hook) ? { id: owner!.id, role: owner!.role } : undefined }
  }
  return {
    /** Why a webhook may tell nothing now; undefined if it may. */
    refusal: (hook: Webhook) => refusalOf(hook, webhooks.owner(hook)),
    /** The messages of the changes after a number, and the last change that was read; or that these changes are no longer known. */
    async read(hook: Webhook, after: number): Promise<{ messages: Message[]; next: number } | 'gap'> {
      const interest = interestOf(hook)
      try {
        const page = await sync.read(interest, { at: after }, audienceOf(hook), MOST)
        return { messages: page.changes.flatMap(messagesOf), next: page.next.at }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'sync-token-expired') return 'gap'
        throw error
      }
    },
    /** The JSON of a record; undefined if the webhook does not see it, or its filters exclude it. */
    async show(hook: Webhook, kind: SyncKind, id: number): Promise<Buffer[] | undefined> {
      const interest = interestOf(hook)
      return sync.show(interest, kind, id, audienceOf(hook))
    },
  }
}
type Audience = ReturnType<typeof openAudience>

export type Log = { warn(data: object, text: string): void; info(data: object, text: string): void }
export type SenderOptions = {
  audience: Audience
  log: Log
  allow: string[]
  userAgent: string
  lookup: Guarded['lookup']
  /** From 0 to 1. */
  random?: () => number
}
type Work = {
  clock: () => number
  queues: () => Queue[]
  /** Whether more may be sent now. */
  mayStart: () => boolean
  /** Takes what changed in a queue, and the deliveries that a try changed. */
  keep: (queue: Queue, deliveries: Delivery[]) => void
}

/** How many messages are tried at the same time, to all webhooks and to one host. */
const AT_ONCE = 32
const AT_ONCE_A_HOST = 8

/** Sends the messages of queues as they are due. A receiver that does not answer holds up neither writes nor other receivers. */
export function openSender(options: SenderOptions, { clock, queues, mayStart, keep }: Work) {
  const { audience, log, allow, userAgent, random = Math.random, lookup } = options
  const running = new Set<Promise<void>>()
  const hosts = new Map<string, number>()
  let cut = new AbortController()
  const counts = { delivered: 0, failed: 0, given_up: 0 }
  let offset = 0

  /** The body of a message; undefined if nothing is left to tell. A record that was hidden meanwhile is told as deleted. */
  async function compose(hook: Webhook, delivery: Delivery): Promise<Buffer | undefined> {
    const { kind, operation, record_id } = delivery
    if (kind === 'ping') return messageBody(delivery)
    const refusal = audience.refusal(hook)
    if (refusal !== undefined) throw new Error(refusal)
    if (operation === 'deleted') return messageBody(delivery)
    const record = await audience.show(hook, kind, record_id)
    if (record) return messageBody(delivery, record)
    delivery.operation = 'deleted'
    return hook.operations.includes('deleted') ? messageBody(delivery) : undefined
  }

  async function send(hook: Webhook, delivery: Delivery, body: Buffer, signal: AbortSignal): Promise<Answer> {
    const now = clock()
    const seconds = Math.floor(now / 1_000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signed(messageId(delivery), seconds, body, secretsOf(hook, toWall(now, 'UTC'))),
    }
    return post(new URL(hook.url), { headers, body, allow, lookup, signal })
  }

  function note(queue: Queue, task: Task, answer: Answer, began: number, duration: number) {
    const { enabled, failing_since_utc: failing } = queue.hook()
    const outcome = outcomeOf(answer, clock(), duration)
    keep(queue, queue.finish(task, outcome, began, clock(), random()))
    const { status, kind } = task.delivery
    counts[status === 'delivered' ? status : status === 'failed' && kind !== 'ping' ? 'given_up' : 'failed']++
    const { id, failing_since_utc, enabled: goesOn, disabled_reason: reason } = queue.hook()
    if (!failing && failing_since_utc) log.warn({ webhook: id, error: outcome.error }, 'a webhook fails')
    if (failing && !failing_since_utc) log.info({ webhook: id }, 'a webhook works again')
    if (enabled && !goesOn) log.warn({ webhook: id, reason }, 'a webhook was disabled')
  }

  async function attempt(queue: Queue, task: Task) {
    const [began, start] = [clock(), performance.now()]
    const { signal } = cut
    let answer: Answer
    try {
      const body = await compose(queue.hook(), task.delivery)
      if (body === undefined) return keep(queue, queue.drop(task))
      answer = await send(queue.hook(), task.delivery, body, signal)
    } catch (err) {
      log.warn({ err, webhook: queue.hook().id }, 'a message to a webhook could not be composed')
      answer = { failure: 'The service could not compose the message; its log says why.' }
    }
    // what was cut off is tried again, after the next start or by another node
    if (signal.aborted && 'failure' in answer) return
    note(queue, task, answer, began, Math.round(performance.now() - start))
  }

  function start(queue: Queue, task: Task, host: string) {
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
    const done = attempt(queue, task).then(() => {
      running.delete(done)
      hosts.set(host, hosts.get(host)! - 1)
      if (hosts.get(host) === 0) hosts.delete(host)
      pump()
    })
    running.add(done)
  }

  /** Starts all tries that are due, as far as the limits allow, one of each webhook in turn. */
  function pump() {
    const all = queues()
    for (let idle = 0; idle < all.length && running.size < AT_ONCE && mayStart(); offset++) {
      const queue = all[offset % all.length]!
      const { host } = new URL(queue.hook().url)
      const task = (hosts.get(host) ?? 0) < AT_ONCE_A_HOST ? queue.next(clock()) : undefined
      idle = task ? 0 : idle + 1
      if (task) start(queue, task, host)
    }
  }

  return {
    /** Tries by outcome. */
    counts,
    pump,
    /** Waits until nothing is under way. */
    async idle() {
      while (running.size > 0) await Promise.all(running)
    },
    /** Ends what is under way; it counts as not tried. */
    cut() {
      cut.abort()
      cut = new AbortController()
    },
  }
}
