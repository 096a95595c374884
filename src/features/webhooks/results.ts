import type { Delivery, WebhookState } from './deliveries.ts'
import type { Queue } from './queue.ts'
import type { Log } from './sender.ts'

/** Milliseconds after which a position alone is stored. */
const POSITION = 10_000

/** Where results are stored: deliveries, which get their IDs, and the states of webhooks, taken at the begin of one transaction. */
type Deliveries = { save(take: () => { deliveries: Delivery[]; states: WebhookState[] }): Promise<unknown> }
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
    let taken: { deliveries: Delivery[]; states: WebhookState[]; from: Queue[] } | undefined
    const before = losses
    try {
      await deliveries.save(() => {
        const from = [...changed]
        taken = { deliveries: [...unsaved], states: from.map((queue) => queue.state()), from }
        unsaved.clear()
        changed.clear()
        return taken
      })
      for (const [at, queue] of taken!.from.entries()) queue.saved(taken!.states[at]!)
      return undefined
    } catch (err) {
      if (losses > before) return err // another node began with what is stored
      for (const delivery of taken?.deliveries ?? []) unsaved.add(delivery)
      for (const queue of taken?.from ?? []) changed.add(queue)
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
