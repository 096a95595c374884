import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Warnings } from '../../kernel/server/log.ts'
import { type Later, later, repeat } from '../../kernel/tasks/jobs.ts'
import type { Store } from '../store.ts'

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
  const look = async () => ((await horizon.extend()) ? PAUSE : EVERY)
  const fail = (err: unknown) => {
    warnings.warn('horizon', log, { err }, 'series could not be given their next dates')
    return EVERY
  }
  return repeat(look, { first: PAUSE, fail, wait })
}

/** Keeps series as far ahead as the horizon. For a process that writes. */
export const horizon = fp<{ store: Store; warnings: Warnings; writes: boolean }>(
  async (app, { store, warnings, writes }) => {
    if (!writes) return
    app.addHook('preClose', extendSeries(store, { warnings, log: app.log }))
  },
  { name: 'horizon' },
)
