import { setImmediate as turn } from 'node:timers/promises'
import type { Store } from '../../calendar/store.ts'
import { leadsInward, readWebUrl } from '../../kernel/outbound/requests.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { deliveryOf, openQueue, type Queue, type RecordChange } from './queue.ts'
import { type Log, openSender, type SenderOptions } from './sender.ts'
import type { Delivery, DeliveryRow, Webhook, WebhookState, Webhooks } from './store.ts'

/** Milliseconds after which a position alone is stored. */
const POSITION = 10_000

/** Where results are stored. */
type Deliveries = Pick<Webhooks['deliveries'], 'save'>
type Options = { clock(): number; log: Pick<Log, 'warn'>; queues(): Iterable<Queue> }

/** What became of tries, until it is stored. */
export function openResults(deliveries: Deliveries, { clock, log, queues }: Options) {
  const unsaved = new Set<Delivery>()
  const changed = new Set<Queue>()
  let positioned = 0
  /** How often another node took over. */
  let losses = 0
  let saving: Promise<unknown> = Promise.resolve()

  /** Stores what changed; returns what went wrong. Then the next save stores it. */
  async function saveNow(): Promise<unknown> {
    const now = clock()
    if (now - positioned >= POSITION) {
      positioned = now
      for (const queue of queues()) if (queue.state().position > queue.hook().position) changed.add(queue)
    }
    if (unsaved.size + changed.size === 0) return undefined
    let batch: { deliveries: Delivery[]; states: WebhookState[]; from: Queue[] } | undefined
    const before = losses
    try {
      await deliveries.save(() => {
        const from = [...changed]
        batch = { deliveries: [...unsaved], states: from.map((queue) => queue.state()), from }
        unsaved.clear()
        changed.clear()
        return batch
      })
      for (const [at, queue] of batch!.from.entries()) queue.saved(batch!.states[at]!)
      return undefined
    } catch (err) {
      if (losses > before) return err // another node began with what is stored
      for (const delivery of batch?.deliveries ?? []) unsaved.add(delivery)
      for (const queue of batch?.from ?? []) changed.add(queue)
      log.warn({ err }, 'results of webhooks could not be stored; they will be')
      return err
    }
  }

  const add = (some: Iterable<Delivery>) => {
    for (const delivery of some) unsaved.add(delivery)
  }
  return {
    add,
    /** Notes a webhook whose state is to be stored, with deliveries. */
    note(queue: Queue, some: Iterable<Delivery> = []) {
      add(some)
      changed.add(queue)
    },
    /** Forgets what is not stored yet: another node begins with what is. */
    drop() {
      losses++
      unsaved.clear()
      changed.clear()
    },
    size: () => unsaved.size,
    unsaved: () => [...unsaved],
    /** Stores what changed, after earlier saves, and with `all` every position; returns what went wrong. */
    save(all = false): Promise<unknown> {
      if (all) positioned = 0
      saving = saving.then(saveNow)
      return saving
    },
    /** Waits until what is being stored is stored. */
    saved: () => saving,
  }
}

const NOT_A_URL = 'The URL must be an absolute http or https URL without credentials.'
const NOT_ALLOWED =
  'The host of this URL is, or resolves to, a private or local address; use a public one, or have the operator add it to DOWNLOAD_ALLOW.'

/** While so many results could not be stored, nothing is sent. */
const MOST_UNSAVED = 500
/** Milliseconds between looks at the log. */
const TICK = 250
/** Milliseconds that running tries have when the service stops. */
const GRACE = 1_000

/**
 * Tells the webhooks of changes: reads the log, sends messages, and stores what became of them. For the process that writes. Of several
 * nodes, the one that leads does so; the others store what is asked of them, and it sees that.
 */
export function openDispatch(store: Store, options: SenderOptions) {
  const { audience, log, allow, lookup } = options
  const { db, webhooks, schedule, changes } = store
  const clock = () => store.site.clock()
  const queues = new Map<number, Queue>()
  const results = openResults(webhooks.deliveries, { clock, log, queues: () => queues.values() })
  let known = -1
  /** The term in which this node leads; undefined while it does not. */
  let term: number | undefined
  let stopping = false
  let loading: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const sender = openSender(options, {
    clock,
    queues: () => [...queues.values()],
    mayStart: () => !stopping && db.leads() && results.size() < MOST_UNSAVED,
    keep(queue, deliveries) {
      if (queues.get(queue.hook().id) !== queue) return // it was deleted, or another node has it
      results.note(queue, deliveries)
    },
  })

  // ---- which node tells

  /** Gives up what another node does now. It begins with what is stored: what was not may be told twice. */
  function giveUp() {
    term = undefined
    queues.clear()
    results.drop()
    sender.cut()
    log.info({}, 'another node sends to webhooks from now on')
  }

  /** Whether this node leads and has what those did who led before. Another one may have led meanwhile, unnoticed here. */
  async function acquireLead(): Promise<boolean> {
    if (term !== undefined && !(db.leads() && db.term() === term)) giveUp()
    if (!db.leads()) return false
    if (term !== undefined) return true
    if (((await db.fresh?.()) ?? 0) > 0) return false
    known = -1
    term = db.term()
    return true
  }

  /** Takes what another node did before, what administrators changed, and what was asked of other nodes. Returns whether this one leads. */
  async function load(): Promise<boolean> {
    if (!(await acquireLead())) return false
    const version = webhooks.version()
    if (version === known) return true
    await results.saved()
    const rows = new Map((await webhooks.all()).map((row) => [row.id, row]))
    for (const id of queues.keys()) if (!rows.has(id)) queues.delete(id)
    for (const [id, row] of rows) {
      const queue = queues.get(id)
      if (queue) await refresh(queue, row)
      else queues.set(id, openQueue(row, await webhooks.deliveries.waiting(id), clock()))
    }
    known = version
    return true
  }

  function reload(): Promise<boolean> {
    const loaded = loading.then(load)
    loading = Promise.allSettled([loaded])
    return loaded
  }

  async function refresh(queue: Queue, row: Webhook) {
    const { position, enabled } = queue.hook()
    queue.change(row, clock())
    if (enabled && row.disabled_reason !== null) logPause(queue) // with its owner, by a change of users
    if (row.position < position) queue.move(row.position)
    else queue.reach(row.position)
    const before = results.unsaved()
    const waiting = await webhooks.deliveries.waiting(row.id)
    // some may have been accepted while they were read
    const done = new Set([...before, ...results.unsaved()].map(({ id }) => id))
    results.add(queue.adopt(waiting.filter(({ id }) => !done.has(id))))
  }

  // ---- reading the log

  async function readQueue(queue: Queue) {
    while (queue.hasRoom() && queue.cursor() < changes.latest().seq) {
      const at = queue.cursor()
      const read = await audience.read(queue.hook(), at)
      if (queue.cursor() !== at) continue // an administrator moved it meanwhile
      if (read === 'gap') {
        queue.skip(changes.latest().seq, clock())
        results.note(queue)
        log.warn(
          { webhook: queue.hook().id },
          'changes that a webhook was not told of are no longer in the log',
        )
      } else queue.enqueue(read.messages, read.next)
      await turn()
    }
  }

  /** Writes to the log that a webhook tells nothing any more. */
  function logPause(queue: Queue) {
    const { id, disabled_reason: reason } = queue.hook()
    log.warn({ webhook: id, reason }, 'a webhook was disabled')
  }

  /** Pauses a webhook whose owner may have none any more. Returns whether it goes on. */
  function isAllowed(queue: Queue): boolean {
    const reason = queue.hook().enabled ? audience.refusal(queue.hook()) : undefined
    if (reason === undefined) return true
    queue.pause(reason)
    results.note(queue)
    logPause(queue)
    return false
  }

  async function read(queue: Queue) {
    try {
      if (!isAllowed(queue)) return
      await readQueue(queue)
    } catch (err) {
      log.warn({ err, webhook: queue.hook().id }, 'the log could not be read for a webhook')
    }
  }

  // ---- when

  async function round() {
    if (!(await reload())) return
    const all = [...queues.values()]
    // nobody may ask for a record whose time of publication comes
    if (all.some((queue) => queue.hook().enabled) && schedule.isDue()) await schedule.publish()
    for (const queue of all) await read(queue)
    sender.pump()
  }
  const isBehind = (queue: Queue) => queue.hasRoom() && queue.cursor() < changes.latest().seq

  /** The queue of a webhook, if this node sends to it. */
  const queueOf = async (id: number): Promise<Queue | undefined> => {
    await reload()
    return queues.get(id)
  }
  const add = async (id: number, change: RecordChange): Promise<DeliveryRow> => {
    const queue = await queueOf(id)
    if (!queue) {
      const { ask, read } = webhooks.deliveries
      return read(id, await ask(deliveryOf(await webhooks.read(id), change, clock())))
    }
    const delivery = queue.add(change, clock())
    results.add([delivery])
    const failure = await results.save()
    if (failure) throw failure
    return webhooks.deliveries.read(id, delivery.id!)
  }

  return {
    counts: sender.counts,
    /** The URL of a webhook in its usual form; or what is wrong with it, also if its host must not be reached. */
    async readUrl(text: string): Promise<{ url: string } | { problem: string }> {
      const url = readWebUrl(text)
      if (!url) return { problem: NOT_A_URL }
      return (await leadsInward(url, { allow, lookup })) ? { problem: NOT_ALLOWED } : { url: url.href }
    },
    queues: () => [...queues.values()],
    /** Looks at the log and at the time every quarter of a second, until `stop`. */
    start() {
      const tick = () =>
        round()
          .catch((err) => log.warn({ err }, 'webhooks could not be looked at'))
          .then(() => results.save())
          .then(() => {
            if (!stopping) timer = setTimeout(tick, TICK)
          })
      timer = setTimeout(tick, TICK)
    },
    /** Does all that is due at the moment, and waits until it is done. */
    async drain() {
      do {
        await round()
        await sender.idle()
        await results.save()
        await turn()
      } while ([...queues.values()].some(isBehind))
    },
    /** Ends running tries after a short while; what they did not tell is told after the next start. */
    async stop() {
      stopping = true
      clearTimeout(timer)
      const late = setTimeout(sender.cut, GRACE)
      await sender.idle()
      clearTimeout(late)
      await results.save(true)
    },
    /** How many messages to a webhook are known that it did not accept; where another node sends them, those that failed once. */
    pending: async (id: number) =>
      (await queueOf(id))?.pending() ?? (await webhooks.deliveries.waiting(id)).length,
    /** Sends a test message, once. */
    ping: (id: number) =>
      add(id, { kind: 'ping', record_id: 0, operation: 'ping', seq: 0, at_utc: toWall(clock(), 'UTC') }),
    /** Sends what a delivery told of again, as it is now. */
    replay: (id: number, { kind, record_id, operation, seq, at_utc }: DeliveryRow) =>
      add(id, { kind, record_id, operation, seq, at_utc }),
    /** Goes back to a change: tells of all later ones again. Never goes forward, past what was not told yet. */
    async rewind(id: number, seq: number) {
      const queue = await queueOf(id)
      if (!queue) return void (await webhooks.rewind(id, seq))
      queue.move(Math.min(seq, queue.state().position))
      results.note(queue)
      await results.save()
    },
  }
}
export type Dispatch = ReturnType<typeof openDispatch>
