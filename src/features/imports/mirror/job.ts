import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { isAdministration } from '../../../kernel/access/roles.ts'
import { ApiError } from '../../../kernel/errors.ts'
import type { Warnings } from '../../../kernel/server/log.ts'
import { later, repeat } from '../../../kernel/tasks/jobs.ts'

/** Milliseconds until the first look. */
const FIRST = 50

/** What keeps the calendar in step with one of its sources. */
type Mirror = {
  /** The address of the source. */
  source: string
  look(signal: AbortSignal): Promise<number>
  /** Milliseconds until the next look after one that failed. */
  pause(): number
}
type Options = {
  /** The addresses of the calendars that this one is a mirror of. */
  source: string | undefined
  /** Only where this process writes. */
  mirrors: readonly Mirror[]
  warnings: Pick<Warnings, 'warn'>
  /** Whether writes of records are passed on to the source. */
  forwards: boolean
}

const WRITES: readonly unknown[] = ['create', 'update', 'delete']

/** Whether a request would write records or pictures; accounts, webhooks and settings belong to this service. */
function writesRecords({ routeOptions: { config } }: FastifyRequest): boolean {
  const right = config.permission?.right
  return WRITES.includes(config.operation) && right !== 'sign in' && !isAdministration(right)
}

/** Keeps the calendar in step with the one that it is a mirror of, and refuses what clients would write into it. */
export const mirroring = fp<Options>(
  async (app, { source, mirrors, warnings, forwards }) => {
    if (source === undefined) return
    app.addHook('onRequest', (request, _reply, done) => {
      const { passable = false } = request.routeOptions.config
      if (!writesRecords(request) || (forwards && passable)) return void done()
      const message = forwards
        ? `This calendar is a mirror of ${source}. Writes of single records are passed on to it, and this is none. Write there.`
        : `This calendar is a mirror of ${source}, and changes only with it. Write there.`
      done(new ApiError('calendar_is_mirror', message, { source }))
    })
    let stops: (() => Promise<void>)[] = []
    app.addHook('onListen', async () => {
      stops = mirrors.map((mirror) => {
        const { source } = mirror
        const fail = (err: unknown) => {
          warnings.warn(
            `mirror ${source}`,
            app.log,
            { err, source },
            'the calendar could not be brought in step',
          )
          return mirror.pause()
        }
        return repeat(mirror.look, { first: FIRST, fail, wait: later })
      })
    })
    app.addHook('preClose', async () => {
      await Promise.all(stops.map((stop) => stop()))
    })
  },
  { name: 'mirroring', dependencies: ['auth'] },
)
