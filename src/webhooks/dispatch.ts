import { setImmediate as turn } from 'node:timers/promises'
import { type Guarded, leadsInward, readWebUrl } from '../outbound/guard.ts'
import { type Answer, post } from '../outbound/post.ts'
import { toWall } from '../rules/dates.ts'
import type { Delivery, DeliveryRow, Webhook, WebhookState } from '../store/records/webhooks.ts'
import type { Store } from '../store/store.ts'
import type { Audience } from './audience.ts'
import { type Line, openLine, type Task, type Told } from './line.ts'
import { messageBody, messageId } from './message.ts'
import { outcomeOf } from './outcome.ts'
import { secretsOf, signed } from './signature.ts'

type Log = { warn(data: object, text: string): void; info(data: object, text: string): void }
export type DispatchOptions = {
  audience: Audience
  log: Log
  allow: string[]
  userAgent: string
  /** From 0 to 1. */
  random?: () => number
  lookup: Guarded['lookup']
}

const NOT_A_URL = 'The URL must be an absolute http or https URL without credentials.'
const NOT_ALLOWED =
  'The host of this URL is, or resolves to, a private or local address; use a public one, or have the operator add it to DOWNLOAD_ALLOW.'

/** How many messages are tried at the same time, to all webhooks and to one host. */
const AT_ONCE = 32
const AT_ONCE_A_HOST = 8
/** While so many results could not be stored, nothing is sent. */
const MOST_UNSAVED = 500
/** Milliseconds between looks at the log, and after which a position alone is stored. */
const TICK = 250
const POSITION = 10_000
/** Milliseconds that running tries have when the service stops. */
const GRACE = 1_000

/** Tells the webhooks of changes: reads the log, sends messages, and stores what became of them. For the process that writes. */
export function openDispatch(store: Store, options: DispatchOptions) {
  const { audience, log, allow, userAgent, random = Math.random, lookup } = options
  const { webhooks, schedule, changes } = store
  const clock = () => store.site.clock()
  const lines = new Map<number, Line>()
  const running = new Set<Promise<void>>()
  const hosts = new Map<string, number>()
  const cut = new AbortController()
  const unsaved = new Set<Delivery>()
  const changed = new Set<Line>()
  const counts = { delivered: 0, failed: 0, given_up: 0 }
  let known = -1
  let positioned = 0
  let offset = 0
  let stopping = false
  let saving = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  // ---- what is stored

  async function saveNow() {
    const now = clock()
    if (now - positioned >= POSITION) {
      positioned = now
      for (const line of lines.values()) if (line.state().position > line.hook().position) changed.add(line)
    }
    if (unsaved.size + changed.size === 0) return
    let taken: { deliveries: Delivery[]; states: WebhookState[]; from: Line[] } | undefined
    try {
      await webhooks.deliveries.save(() => {
        const from = [...changed]
        taken = { deliveries: [...unsaved], states: from.map((line) => line.state()), from }
        unsaved.clear()
        changed.clear()
        return taken
      })
      for (const [at, line] of taken!.from.entries()) line.saved(taken!.states[at]!)
    } catch (err) {
      for (const delivery of taken?.deliveries ?? []) unsaved.add(delivery)
      for (const line of taken?.from ?? []) changed.add(line)
      log.warn({ err }, 'results of webhooks could not be stored; they will be')
    }
  }
  const save = () => {
    saving = saving.then(saveNow)
    return saving
  }

  /** Takes what administrators changed. */
  async function reload() {
    const version = webhooks.version()
    if (version === known) return
    const rows = new Map((await webhooks.all()).map((row) => [row.id, row]))
    for (const id of lines.keys()) if (!rows.has(id)) lines.delete(id)
    for (const [id, row] of rows) {
      const line = lines.get(id)
      if (line) line.change(row, clock())
      else lines.set(id, openLine(row, await webhooks.deliveries.waiting(id), clock()))
    }
    known = version
  }

  // ---- reading the log

  const warnDisabled = ({ id, disabled_reason: reason }: Webhook) =>
    log.warn({ webhook: id, reason }, 'a webhook was disabled')

  async function readLine(line: Line) {
    while (line.hasRoom() && line.cursor() < changes.latest().seq) {
      const at = line.cursor()
      const read = await audience.read(line.hook(), at)
      if (line.cursor() !== at) continue // an administrator moved it meanwhile
      if (read === 'gap') {
        line.skip(changes.latest().seq, clock())
        changed.add(line)
        log.warn(
          { webhook: line.hook().id },
          'changes that a webhook was not told of are no longer in the log',
        )
      } else line.take(read.messages, read.next)
      await turn()
    }
  }

  async function read(line: Line) {
    try {
      await readLine(line)
    } catch (err) {
      log.warn({ err, webhook: line.hook().id }, 'the log could not be read for a webhook')
    }
  }

  // ---- sending

  /** The body of a message; undefined if nothing is left to tell. A record that was hidden meanwhile is told as deleted. */
  async function compose(hook: Webhook, delivery: Delivery): Promise<Buffer | undefined> {
    const { kind, operation, record_id } = delivery
    if (kind === 'ping' || operation === 'deleted') return messageBody(delivery)
    const record = await audience.show(hook, kind, record_id)
    if (record) return messageBody(delivery, record)
    delivery.operation = 'deleted'
    return hook.operations.includes('deleted') ? messageBody(delivery) : undefined
  }

  async function send(hook: Webhook, delivery: Delivery, body: Buffer): Promise<Answer> {
    const now = clock()
    const seconds = Math.floor(now / 1_000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      ...signed(messageId(delivery), seconds, body, secretsOf(hook, toWall(now, 'UTC'))),
    }
    return post(new URL(hook.url), { headers, body, allow, lookup, signal: cut.signal })
  }

  function note(line: Line, task: Task, answer: Answer, began: number, duration: number) {
    const was = line.hook()
    const { enabled, failing_since_utc: failing } = was
    const outcome = outcomeOf(answer, clock(), duration)
    for (const delivery of line.finish(task, outcome, began, clock(), random())) unsaved.add(delivery)
    changed.add(line)
    const { status, kind } = task.delivery
    counts[status === 'delivered' ? status : status === 'failed' && kind !== 'ping' ? 'given_up' : 'failed']++
    const now = line.hook()
    const { id, failing_since_utc } = now
    if (!failing && failing_since_utc) log.warn({ webhook: id, error: outcome.error }, 'a webhook fails')
    if (failing && !failing_since_utc) log.info({ webhook: id }, 'a webhook works again')
    if (enabled && !now.enabled) warnDisabled(now)
  }

  async function attempt(line: Line, task: Task) {
    const [began, start] = [clock(), performance.now()]
    let answer: Answer
    try {
      const body = await compose(line.hook(), task.delivery)
      if (body === undefined) {
        for (const delivery of line.drop(task)) unsaved.add(delivery)
        changed.add(line)
        return
      }
      answer = await send(line.hook(), task.delivery, body)
    } catch (err) {
      log.warn({ err, webhook: line.hook().id }, 'a message to a webhook could not be composed')
      answer = { failure: 'The service could not compose the message; its log says why.' }
    }
    // what was cut off is tried again after the next start
    if (cut.signal.aborted && 'failure' in answer) return
    note(line, task, answer, began, Math.round(performance.now() - start))
  }

  function start(line: Line, task: Task, host: string) {
    hosts.set(host, (hosts.get(host) ?? 0) + 1)
    const done = attempt(line, task).then(() => {
      running.delete(done)
      hosts.set(host, hosts.get(host)! - 1)
      if (hosts.get(host) === 0) hosts.delete(host)
      pump()
    })
    running.add(done)
  }

  /** Starts all tries that are due, as far as the limits allow, one of each webhook in turn. */
  function pump() {
    if (stopping || unsaved.size >= MOST_UNSAVED) return
    const all = [...lines.values()]
    for (let idle = 0; idle < all.length && running.size < AT_ONCE; offset++) {
      const line = all[offset % all.length]!
      const { host } = new URL(line.hook().url)
      const task = (hosts.get(host) ?? 0) < AT_ONCE_A_HOST ? line.next(clock()) : undefined
      idle = task ? 0 : idle + 1
      if (task) start(line, task, host)
    }
  }

  // ---- when

  async function round() {
    await reload()
    const all = [...lines.values()]
    // nobody may ask for a record whose time of publication comes
    if (all.some((line) => line.hook().enabled) && schedule.isDue()) await schedule.settle()
    for (const line of all) await read(line)
    pump()
  }
  const isBehind = (line: Line) => line.hasRoom() && line.cursor() < changes.latest().seq

  const lineOf = async (id: number): Promise<Line> => {
    await reload()
    return lines.get(id)!
  }
  const add = async (id: number, told: Told): Promise<DeliveryRow> => {
    const line = await lineOf(id)
    const delivery = line.add(told, clock())
    unsaved.add(delivery)
    await save()
    return webhooks.deliveries.read(id, delivery.id!)
  }

  return {
    counts,
    /** The URL of a webhook in its usual form; or what is wrong with it, also if its host must not be reached. */
    async readUrl(text: string): Promise<{ url: string } | { problem: string }> {
      const url = readWebUrl(text)
      if (!url) return { problem: NOT_A_URL }
      return (await leadsInward(url, { allow, lookup })) ? { problem: NOT_ALLOWED } : { url: url.href }
    },
    lines: () => [...lines.values()],
    /** Looks at the log and at the time every quarter of a second, until `stop`. */
    start() {
      const tick = () =>
        round()
          .catch((err) => log.warn({ err }, 'webhooks could not be looked at'))
          .then(save)
          .then(() => {
            if (!stopping) timer = setTimeout(tick, TICK)
          })
      timer = setTimeout(tick, TICK)
    },
    /** Does all that is due at the moment, and waits until it is done. */
    async settle() {
      do {
        await round()
        while (running.size > 0) await Promise.all(running)
        await save()
        await turn()
      } while ([...lines.values()].some(isBehind))
    },
    /** Ends running tries after a short while; what they did not tell is told after the next start. */
    async stop() {
      stopping = true
      clearTimeout(timer)
      const late = setTimeout(() => cut.abort(), GRACE)
      while (running.size > 0) await Promise.all(running)
      clearTimeout(late)
      positioned = 0
      await save()
    },
    /** How many messages to a webhook are known that it did not accept. */
    pending: async (id: number) => (await lineOf(id)).pending(),
    /** Sends a test message, once. */
    ping: (id: number) =>
      add(id, { kind: 'ping', record_id: 0, operation: 'ping', seq: 0, at_utc: toWall(clock(), 'UTC') }),
    /** Sends what a delivery told of again, as it is now. */
    replay: (id: number, { kind, record_id, operation, seq, at_utc }: DeliveryRow) =>
      add(id, { kind, record_id, operation, seq, at_utc }),
    /** Goes back to a change: tells of all later ones again. Never goes forward, past what was not told yet. */
    async rewind(id: number, seq: number) {
      const line = await lineOf(id)
      line.move(Math.min(seq, line.state().position))
      changed.add(line)
      await save()
    },
  }
}
export type Dispatch = ReturnType<typeof openDispatch>
