import { toEpoch, toWall } from '../../kernel/time/dates.ts'
import { DOWNTIME, delayAfter, MANY, type Outcome, PATIENCE, restAfter } from './signed-messages.ts'
import type { Delivery, DeliveryRow, Webhook, WebhookState } from './store.ts'

/** What a webhook is to be told of a record: what happened to it, with which change. */
export type RecordChange = Pick<Delivery, 'kind' | 'record_id' | 'operation' | 'seq' | 'at_utc'>
/** A message of the log, the first of the changes that it covers, and of a deletion whether it covers a creation that was not told. */
export type Message = RecordChange & { from: number; coversCreation?: boolean | undefined }
/** A try of a delivery; of one that was never tried, the first change that it covers, and the delivery whose place it takes. */
export type Task = { key: string; delivery: Delivery; from?: number; replaced?: Delivery | undefined }

/** What is the same for all messages about a record. */
const keyOf = ({ kind, record_id }: Pick<RecordChange, 'kind' | 'record_id'>) => `${kind} ${record_id}`

/** The operation that covers one that was not told yet and a later one. */
function merged(first: Delivery['operation'], then: Delivery['operation']): Delivery['operation'] {
  if (then === 'deleted') return then
  return first === 'deleted' ? 'updated' : first
}

/** A delivery of a message that is to be tried at a time. */
export function deliveryOf(hook: Webhook, change: RecordChange, at: number): Delivery {
  const time = toWall(at, 'UTC')
  return {
    ...change,
    webhook_id: hook.id,
    status: 'waiting',
    attempts: 0,
    created_utc: time,
    first_utc: null,
    tried_utc: null,
    next_utc: time,
    response_code: null,
    response_text: null,
    error: null,
    duration: null,
  }
}

/** Marks a delivery whose place another one took. */
const superseded = (delivery: Delivery) =>
  Object.assign(delivery, { status: 'superseded' as const, next_utc: null })

/**
 * Adds a message to those about its record that were never tried, in their order, and returns them: one that it was created, or one that tells
 * of all since. A creation is told by itself, because the node that told before may have told it, and a receiver knows it by its ID.
 */
function joined(known: Message[], message: Message, isWanted: (operation: Message['operation']) => boolean) {
  const last = known.at(-1)
  if (!last) return isWanted(message.operation) ? [message] : []
  if (message.operation === 'deleted') {
    const { from, operation, coversCreation } = known[0]!
    return isWanted('deleted')
      ? [{ ...message, from, coversCreation: operation === 'created' || coversCreation }]
      : []
  }
  if (last.operation === 'created')
    return isWanted('updated') ? [last, { ...message, operation: 'updated' as const }] : [last]
  const operation: Message['operation'] = last.coversCreation ? 'created' : 'updated'
  return isWanted(operation) ? [...known.slice(0, -1), { ...message, operation, from: last.from }] : []
}

/** The messages of a webhook that were read from the log and never tried, by record, in the order of the log. */
function openFresh() {
  const messages = new Map<string, Message[]>()
  const set = (key: string, left: Message[]) =>
    left.length > 0 ? messages.set(key, left) : messages.delete(key)
  return {
    /** How many records they are about. */
    size: () => messages.size,
    keys: () => messages.keys(),
    clear: () => messages.clear(),
    /** The numbers of the first changes that they cover. */
    froms: () => [...messages.values()].map(([first]) => first!.from),
    add(message: Message, operations: string[]) {
      const key = keyOf(message)
      set(
        key,
        joined(messages.get(key) ?? [], message, (operation) => operations.includes(operation)),
      )
    },
    /** The next message about a record. */
    first: (key: string): Message | undefined => messages.get(key)?.[0],
    /** Takes out the next message about a record. */
    shift: (key: string) => set(key, messages.get(key)!.slice(1)),
    /** Takes out what another node has told, or stored, up to a change. */
    drop(until: number) {
      for (const [key, known] of messages)
        set(
          key,
          known.filter(({ seq }) => seq > until),
        )
    },
  }
}

/** How many messages of one webhook are tried at the same time; while it fails, one. */
const AT_ONCE = 4
/** How many messages are held that were never tried, and that wait for another try. The others stay in the log. */
const MOST_FRESH = 500
const MOST_WAITING = 1_000

const wall = (ms: number) => toWall(ms, 'UTC')

/** Whether nothing could be tried for so long before `now` that earlier failures do not count. */
const isStale = ({ tried_utc }: { tried_utc: string | null }, now: number) =>
  tried_utc !== null && toEpoch(tried_utc, 'UTC') < now - DOWNTIME

/**
 * The messages to one webhook, in memory. There is at most one for each record, beside that of its creation: a later change of a record
 * takes the place of what was not accepted yet of an earlier one. So the messages about a record are in order, and those about others
 * do not wait for them.
 */
export function openQueue(hook: Webhook, rows: DeliveryRow[], now: number) {
  const fresh = openFresh()
  /** By record. */
  const waiting = new Map<string, Delivery>()
  const busy = new Map<string, Task>()
  const pings: Delivery[] = []
  let cursor = hook.position
  let failures = 0
  let restsUntil = 0
  let disabled: string | undefined

  if (isStale(hook, now)) hook.failing_since_utc = null
  for (const row of rows) {
    if (isStale(row, now)) row.first_utc = null
    row.next_utc = wall(now)
    if (row.kind === 'ping') pings.push(row)
    else waiting.set(keyOf(row), row)
  }

  /** IDs of the deliveries that are held. */
  function idsOf(): Set<number | undefined> {
    const tasks = [...busy.values()].flatMap(({ delivery, replaced }) => [delivery, replaced])
    return new Set([...waiting.values(), ...pings, ...tasks].map((delivery) => delivery?.id))
  }

  /** All that wait are tried at once. */
  function revive(at: number) {
    for (const delivery of waiting.values()) delivery.next_utc = wall(at)
  }

  function disable(reason: string) {
    hook.enabled = false
    hook.disabled_reason = disabled = reason
  }

  /** The record of the next message, if one may be sent. */
  function nextKey(at: number): string | undefined {
    const isFull = busy.size >= (failures > 0 ? 1 : AT_ONCE)
    if (!hook.enabled || at < restsUntil || isFull) return undefined
    const time = wall(at)
    for (const [key, { next_utc }] of waiting) if (next_utc! <= time && !busy.has(key)) return key
    for (const key of fresh.keys()) if (!busy.has(key) && !waiting.has(key)) return key
    return undefined
  }

  /** Takes out the next message about a record: the one that waits, or one that was never tried, which takes its place. */
  function taskOf(key: string, at: number): Task {
    const known = waiting.get(key)
    waiting.delete(key)
    if (known && fresh.first(key)?.seq === known.seq) fresh.shift(key) // another node stored what this one read
    const first = fresh.first(key)
    const isRedundant = known?.operation === 'created' && first?.operation === 'updated'
    if (!first || isRedundant) return { key, delivery: known! }
    fresh.shift(key)
    const { from, coversCreation, ...change } = first
    const delivery = deliveryOf(hook, change, at)
    if (known) delivery.operation = merged(known.operation, change.operation)
    return { key, delivery, from, replaced: known }
  }

  function succeed(delivery: Delivery, at: number) {
    Object.assign(delivery, { status: 'delivered' })
    hook.last_success_utc = wall(at)
    hook.failing_since_utc = null
    if (failures >= MANY) revive(at)
    failures = restsUntil = 0
  }

  function fail(key: string, delivery: Delivery, { gone, wait, error }: Outcome, at: number, random: number) {
    failures++
    hook.failing_since_utc ??= wall(at)
    restsUntil = Math.max(restsUntil, at + Math.max(restAfter(failures), wait))
    const end = toEpoch(delivery.first_utc!, 'UTC') + PATIENCE
    if (at >= end) delivery.status = 'failed'
    else {
      delivery.next_utc = wall(Math.min(at + Math.max(delayAfter(delivery.attempts, random), wait), end))
      waiting.set(key, delivery)
    }
    if (gone) disable(error!)
    else if (at - toEpoch(hook.failing_since_utc, 'UTC') >= PATIENCE)
      disable(`No message was accepted for three days. The last failure: ${error}`)
  }

  return {
    hook: () => hook,
    cursor: () => cursor,
    /** How many messages are known that were not accepted. */
    pending: () => new Set([...fresh.keys(), ...waiting.keys(), ...busy.keys()]).size + pings.length,
    /** Whether more of the log may be read. */
    hasRoom: () => hook.enabled && fresh.size() < MOST_FRESH && waiting.size < MOST_WAITING,
    /** Takes messages that were read from the log, up to a change. */
    enqueue(messages: Message[], next: number) {
      for (const message of messages) fresh.add(message, hook.operations)
      cursor = next
    },
    /** Tells nothing until an administrator enables it. */
    pause: disable,
    /** Goes on after another change of the log. */
    move(seq: number) {
      fresh.clear()
      cursor = seq
    },
    /** Goes on after a change up to which another node told all, or stored what waits. */
    reach(seq: number) {
      fresh.drop(seq)
      cursor = Math.max(cursor, seq)
    },
    /** Goes on at the end of the log, because what comes next is no longer in it. */
    skip(seq: number, at: number) {
      this.move(seq)
      hook.gap_utc = wall(at)
    },
    /** Takes what an administrator changed. One that is enabled again starts without its failures. */
    change(row: Webhook, at: number) {
      const { last_success_utc, tried_utc, gap_utc, failing_since_utc, enabled } = hook
      hook = { ...row, last_success_utc, tried_utc, gap_utc, failing_since_utc }
      if (!row.enabled || enabled) return
      failures = restsUntil = 0
      hook.failing_since_utc = null
      for (const delivery of waiting.values()) delivery.first_utc = null
      revive(at)
    },
    /** Takes deliveries that another node stored, to be tried when it says; returns those whose place is taken. */
    adopt(rows: DeliveryRow[]): Delivery[] {
      const held = idsOf()
      const replaced: Delivery[] = []
      for (const row of rows) {
        const known = row.kind === 'ping' ? undefined : waiting.get(keyOf(row))
        if (known && row.next_utc! < known.next_utc!) known.next_utc = row.next_utc
        if (held.has(row.id)) continue
        if (row.kind === 'ping') pings.push(row)
        else if (known) replaced.push(superseded(row))
        else waiting.set(keyOf(row), row)
      }
      return replaced
    },
    /** Adds a delivery that was asked for; returns the one that waits for the same record, if there is one, which is tried at once. */
    add(change: RecordChange, at: number): Delivery {
      const known = waiting.get(keyOf(change))
      const delivery = known ?? deliveryOf(hook, change, at)
      delivery.next_utc = wall(at)
      if (change.kind === 'ping') pings.push(delivery)
      else waiting.set(keyOf(change), delivery)
      return delivery
    },
    /** The next try, if there is one now. */
    next(at: number): Task | undefined {
      const ping = pings.shift()
      if (ping) return { key: '', delivery: ping }
      const key = nextKey(at)
      if (key === undefined) return undefined
      const task = taskOf(key, at)
      busy.set(key, task)
      return task
    },
    /** Notes what a try came to, with the time of its begin and of now; returns the deliveries that changed. */
    finish({ key, delivery, replaced }: Task, outcome: Outcome, began: number, at: number, random: number) {
      const { response_code, response_text, error, duration } = outcome
      Object.assign(delivery, { response_code, response_text, error, duration, next_utc: null })
      delivery.attempts++
      delivery.tried_utc = wall(began)
      delivery.first_utc ??= delivery.tried_utc
      if (delivery.kind === 'ping') {
        delivery.status = outcome.done ? 'delivered' : 'failed'
        return [delivery]
      }
      busy.delete(key)
      hook.tried_utc = delivery.tried_utc
      if (outcome.done) succeed(delivery, at)
      else fail(key, delivery, outcome, at, random)
      return replaced ? [delivery, superseded(replaced)] : [delivery]
    },
    /** Drops a task of which nothing is left to tell; returns the deliveries that changed. */
    drop({ key, delivery, replaced }: Task): Delivery[] {
      busy.delete(key)
      const stored = replaced ?? (delivery.id === undefined ? undefined : delivery)
      return stored ? [superseded(stored)] : []
    },
    /** What is to be stored of it. */
    state(): WebhookState {
      const { id, last_success_utc, tried_utc, failing_since_utc, gap_utc } = hook
      let position = cursor
      for (const from of [...fresh.froms(), ...[...busy.values()].map((task) => task.from)])
        if (from !== undefined) position = Math.min(position, from - 1)
      const times = { last_success_utc, tried_utc, failing_since_utc, gap_utc }
      const reason = disabled !== undefined && { disabled_reason: disabled }
      return { id, position, was: hook.position, ...times, ...reason }
    },
    /** Notes that a state is stored. */
    saved({ position }: WebhookState) {
      hook.position = position
      disabled = undefined
    },
  }
}
export type Queue = ReturnType<typeof openQueue>
