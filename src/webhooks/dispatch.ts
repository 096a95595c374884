import { setImmediate as turn } from 'node:timers/promises'
import { leadsInward, readWebUrl } from '../outbound/guard.ts'
import { toWall } from '../rules/time/dates.ts'
import type { Store } from '../store/store.ts'
import type { DeliveryRow } from '../store/webhooks/deliveries.ts'
import type { Webhook } from '../store/webhooks/webhook.ts'
import { type Line, openLine } from './line.ts'
import { openResults } from './results.ts'
import { openSender, type SenderOptions } from './sender.ts'
import { deliveryOf, type Told } from './task.ts'

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
  const lines = new Map<number, Line>()
  const results = openResults(webhooks.deliveries, { clock, log, lines: () => lines.values() })
  let known = -1
  /** The term in which this node leads; undefined while it does not. */
  let term: number | undefined
  let stopping = false
  let loading: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const sender = openSender(options, {
    clock,
    lines: () => [...lines.values()],
    mayStart: () => !stopping && db.leads() && results.size() < MOST_UNSAVED,
    keep(line, deliveries) {
      if (lines.get(line.hook().id) !== line) return // it was deleted, or another node has it
      results.note(line, deliveries)
    },
  })

  // ---- which node tells

  /** Gives up what another node does now. It begins with what is stored: what was not may be told twice. */
  function giveUp() {
    term = undefined
    lines.clear()
    results.drop()
    sender.cut()
    log.info({}, 'another node sends to webhooks from now on')
  }

  /** Whether this node leads and has what those did who led before. Another one may have led meanwhile, unnoticed here. */
  async function takeLead(): Promise<boolean> {
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
    if (!(await takeLead())) return false
    const version = webhooks.version()
    if (version === known) return true
    await results.saved()
    const rows = new Map((await webhooks.all()).map((row) => [row.id, row]))
    for (const id of lines.keys()) if (!rows.has(id)) lines.delete(id)
    for (const [id, row] of rows) {
      const line = lines.get(id)
      if (line) await takeOver(line, row)
      else lines.set(id, openLine(row, await webhooks.deliveries.waiting(id), clock()))
    }
    known = version
    return true
  }

  function reload(): Promise<boolean> {
    const loaded = loading.then(load)
    loading = Promise.allSettled([loaded])
    return loaded
  }

  async function takeOver(line: Line, row: Webhook) {
    const { position, enabled } = line.hook()
    line.change(row, clock())
    if (enabled && row.disabled_reason !== null) tellPause(line) // with its owner, by a change of users
    if (row.position < position) line.move(row.position)
    else line.reach(row.position)
    const before = results.unsaved()
    const waiting = await webhooks.deliveries.waiting(row.id)
    // some may have been accepted while they were read
    const done = new Set([...before, ...results.unsaved()].map(({ id }) => id))
    results.add(line.adopt(waiting.filter(({ id }) => !done.has(id))))
  }

  // ---- reading the log

  async function readLine(line: Line) {
    while (line.hasRoom() && line.cursor() < changes.latest().seq) {
      const at = line.cursor()
      const read = await audience.read(line.hook(), at)
      if (line.cursor() !== at) continue // an administrator moved it meanwhile
      if (read === 'gap') {
        line.skip(changes.latest().seq, clock())
        results.note(line)
        log.warn(
          { webhook: line.hook().id },
          'changes that a webhook was not told of are no longer in the log',
        )
      } else line.take(read.messages, read.next)
      await turn()
    }
  }

  /** Writes to the log that a webhook tells nothing any more. */
  function tellPause(line: Line) {
    const { id, disabled_reason: reason } = line.hook()
    log.warn({ webhook: id, reason }, 'a webhook was disabled')
  }

  /** Pauses a webhook whose owner may have none any more. Returns whether it goes on. */
  function stands(line: Line): boolean {
    const reason = line.hook().enabled ? audience.refusal(line.hook()) : undefined
    if (reason === undefined) return true
    line.pause(reason)
    results.note(line)
    tellPause(line)
    return false
  }

  async function read(line: Line) {
    try {
      if (!stands(line)) return
      await readLine(line)
    } catch (err) {
      log.warn({ err, webhook: line.hook().id }, 'the log could not be read for a webhook')
    }
  }

  // ---- when

  async function round() {
    if (!(await reload())) return
    const all = [...lines.values()]
    // nobody may ask for a record whose time of publication comes
    if (all.some((line) => line.hook().enabled) && schedule.isDue()) await schedule.settle()
    for (const line of all) await read(line)
    sender.pump()
  }
  const isBehind = (line: Line) => line.hasRoom() && line.cursor() < changes.latest().seq

  /** The line of a webhook, if this node sends to it. */
  const lineOf = async (id: number): Promise<Line | undefined> => {
    await reload()
    return lines.get(id)
  }
  const add = async (id: number, told: Told): Promise<DeliveryRow> => {
    const line = await lineOf(id)
    if (!line) {
      const { ask, read } = webhooks.deliveries
      return read(id, await ask(deliveryOf(await webhooks.read(id), told, clock())))
    }
    const delivery = line.add(told, clock())
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
    lines: () => [...lines.values()],
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
    async settle() {
      do {
        await round()
        await sender.settle()
        await results.save()
        await turn()
      } while ([...lines.values()].some(isBehind))
    },
    /** Ends running tries after a short while; what they did not tell is told after the next start. */
    async stop() {
      stopping = true
      clearTimeout(timer)
      const late = setTimeout(sender.cut, GRACE)
      await sender.settle()
      clearTimeout(late)
      await results.save(true)
    },
    /** How many messages to a webhook are known that it did not accept; where another node sends them, those that failed once. */
    pending: async (id: number) =>
      (await lineOf(id))?.pending() ?? (await webhooks.deliveries.waiting(id)).length,
    /** Sends a test message, once. */
    ping: (id: number) =>
      add(id, { kind: 'ping', record_id: 0, operation: 'ping', seq: 0, at_utc: toWall(clock(), 'UTC') }),
    /** Sends what a delivery told of again, as it is now. */
    replay: (id: number, { kind, record_id, operation, seq, at_utc }: DeliveryRow) =>
      add(id, { kind, record_id, operation, seq, at_utc }),
    /** Goes back to a change: tells of all later ones again. Never goes forward, past what was not told yet. */
    async rewind(id: number, seq: number) {
      const line = await lineOf(id)
      if (!line) return void (await webhooks.rewind(id, seq))
      line.move(Math.min(seq, line.state().position))
      results.note(line)
      await results.save()
    },
  }
}
export type Dispatch = ReturnType<typeof openDispatch>
