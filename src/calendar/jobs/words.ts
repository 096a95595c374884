import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Warnings } from '../../kernel/server/log.ts'
import { type Later, later, repeat } from '../../kernel/tasks/jobs.ts'
import type { Store } from '../store.ts'

/** Events that wait until they are merged together. Fewer would take as long, and searches read so many texts in a millisecond or two. */
const LEAST = 512
/** While so many times as many wait as at the last check, more are waited for: merging thousands together takes less for each. */
const GROWS = 1.25
/** Milliseconds between two checks, after a merge, and after a failure. */
const EVERY = 1_000
const PAUSE = 20
const AGAIN = 60_000

type Reporting = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }

/**
 * Brings texts that were written into the index of words, once there are some hundreds. Returns a function that stops it, which resolves once
 * nothing is under way.
 */
export function mergeWords(
  { words }: Pick<Store, 'words'>,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => Promise<void> {
  let before = 0
  function isDue() {
    const waiting = words.waiting()
    const isGrowing = waiting < words.most && waiting > before * GROWS
    before = waiting
    return waiting >= LEAST && !isGrowing
  }
  const fail = (err: unknown) => {
    warnings.warn('words', log, { err }, 'texts could not be indexed, so searches read them')
    return AGAIN
  }
  return repeat((stop) => (isDue() ? words.merge(stop).then(() => PAUSE) : EVERY), {
    first: PAUSE,
    fail,
    wait,
  })
}

/** Keeps the index of words near to what is written. For the process that writes. */
export const words = fp<{ store: Store; warnings: Warnings; writes: boolean }>(
  async (app, { store, warnings, writes }) => {
    if (!writes) return
    let stop: (() => Promise<void>) | undefined
    app.addHook('onReady', async () => {
      stop = mergeWords(store, { warnings, log: app.log })
    })
    app.addHook('preClose', async () => stop?.())
  },
  { name: 'words' },
)
