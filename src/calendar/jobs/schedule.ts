import fp from 'fastify-plugin'
import type { Warnings } from '../../kernel/server/log.ts'
import type { Store } from '../store.ts'

/** Publishes due records before a request is answered; if the database can not be written, reads still work. */
export const schedule = fp<{ store: Store; warnings: Warnings }>(
  async (app, { store: { schedule }, warnings }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (!schedule.isDue()) return void done()
      schedule
        .settle()
        .catch((err) =>
          warnings.warn('schedule', request.log, { err }, 'scheduled records could not be published'),
        )
        .then(() => done())
    })
  },
  { name: 'schedule', dependencies: ['auth'] },
)
