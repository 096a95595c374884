import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Store } from '../../store/store.ts'
import { type Later, later } from '../../support/later.ts'
import type { Warnings } from '../server/warnings.ts'

/** Milliseconds between two looks, and between two series while several are due. */
const EVERY = 60_000
const PAUSE = 50

type Telling = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }

/**
 * Gives series the dates that time brings near: one series after the other, with a pause for others. Returns a function that stops it, once
 * what is under way has ended.
 */
export function extendSeries(
  { horizon }: Pick<Store, 'horizon'>,
  { warnings, log }: Telling,
  wait: Later = later,
): () => Promise<void> {
  let timer = wait(look, PAUSE)
  let isStopped = false
  let underWay = Promise.resolve()
  const again = (milliseconds: number) => {
    if (!isStopped) timer = wait(look, milliseconds)
  }
  function look() {
    underWay = horizon.extend().then(
      (isExtended) => again(isExtended ? PAUSE : EVERY),
      (err) => {
        warnings.warn('horizon', log, { err }, 'series could not be given their next dates')
        again(EVERY)
      },
    )
  }
  return () => {
    isStopped = true
    timer.clear()
    return underWay
  }
}

/** Keeps series as far ahead as the horizon. For a process that writes. */
export const horizon = fp<{ store: Store; warnings: Warnings; writes: boolean }>(
  async (app, { store, warnings, writes }) => {
    if (!writes) return
    app.addHook('preClose', extendSeries(store, { warnings, log: app.log }))
  },
  { name: 'horizon' },
)
