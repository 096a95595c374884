import fp from 'fastify-plugin'
import { excessOf, type GivenQuery } from './validation.ts'

/** Refuses requests with too many or too deep parameters in their address, whatever they are for, before anything is done for them. */
export const bounds = fp(
  async (app) => {
    app.addHook('onRequest', (request, _reply, done) => done(excessOf(request.query as GivenQuery)))
  },
  { name: 'bounds', dependencies: ['headers'] },
)
