import type { AddressInfo } from 'node:net'
import fp from 'fastify-plugin'
import type { Db } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import { COPY_AGE } from '../../kernel/output/header-values.ts'
import { isRead } from '../../kernel/rate-limits.ts'
import { type ConfigOf, isPostgres, onOrOff, type SettingTable, whole } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { addMoveCommand, addNodesCommand } from './commands.ts'
import { prepareCopy, renewCopy } from './copy.ts'
import { findMarkerThere, noteThere } from './log.ts'
import { changeShared } from './move.ts'
import { addressOf, openReplica } from './node.ts'
import { openPictures, openSharedFiles } from './pictures.ts'
import { addNodeMetrics } from './status.ts'

const NODES_SETTINGS = {
  REPLICA: {
    default: 'data/replica.db',
    meaning: 'Path of the copy from which this node answers, if DATABASE is PostgreSQL.',
    read: (given, { must, text }) =>
      must(given, given !== ':memory:' || !isPostgres(text('DATABASE')), 'the path of a file'),
  },
  LOG_DAYS: {
    default: '7',
    meaning: 'Days that PostgreSQL keeps writes for nodes that were away; later ones take their copy anew.',
    read: whole(1, 3_650),
  },
  STALE_READS: {
    default: 'on',
    meaning:
      'on: while PostgreSQL does not answer, reads with credentials are answered from the copy, with its age in a header, and so are all reads while the node knows that it lacks what others have; off: with 503.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof NODES_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
declare module 'fastify' {
  interface FastifyRequest {
    /** Whether it is not known that the copy of this node has every write that was answered before the request. */
    mayLack?: boolean
  }
}

/** Several machines: PostgreSQL keeps the truth, and each answers from its own copy. */
export const nodes: ServiceFeature = {
  name: 'nodes',
  settings: NODES_SETTINGS,
  sharedDatabase: {
    open: (at, config, machine, log) =>
      openReplica({ ...at, logDays: config.logDays, address: addressOf(config), machine }, log),
    openBeside: (url) => ({ fresh: async () => 1, findMarkerThere: (id) => findMarkerThere(url, id) }),
    openShare: openSharedFiles,
    openPictures,
    note: noteThere,
    prepare: prepareCopy,
    renew: renewCopy,
    change: changeShared,
  },
  between({ db: { fresh, catchUp } }, { staleReads }, { lag }) {
    return {
      ...(fresh && lag && { freshness: (app) => app.register(freshness, { fresh, lag, staleReads }) }),
      ...(catchUp && { catchingUp: (app) => app.register(catchingUp, { catchUp }) }),
    }
  },
  addCommands(program, tools) {
    addNodesCommand(program, tools)
    addMoveCommand(program.command('move'), tools)
  },
  async plugin(app, { config: { host } }) {
    const { replica } = app.store.db
    if (!replica) return
    app.measure((meter) => addNodeMetrics(replica, meter))
    // tells other nodes where this one listens: with `PORT=0`, that is known only now
    app.addHook('onListen', async () => {
      const { port } = app.server.address() as AddressInfo
      replica.listensAt(addressOf({ host, port }))
    })
  },
}

/**
 * Requests with credentials, and those that write, see every write that was answered anywhere before: they wait until this node's copy has it. While
 * PostgreSQL does not answer, reads go on with the age of the copy in a header, or are refused. So do those without credentials while the
 * node knows that it lacks what others have.
 */
const freshness = fp<{ fresh: NonNullable<Db['fresh']>; lag: () => number; staleReads: boolean }>(
  async (app, { fresh, lag, staleReads }) => {
    app.addHook('onRequest', async (request, reply) => {
      // who signs in sends no credentials yet, and may have chosen the password at another node
      const isSigned = request.raw.headers.authorization !== undefined || !isRead(request)
      const age = isSigned ? await fresh(isRead(request)) : lag()
      if (age === 0) return
      request.mayLack = true
      const { operation, page } = request.routeOptions.config
      const isShown = operation !== undefined || page !== undefined
      if (!staleReads && isRead(request) && (isSigned || isShown))
        throw new ApiError('database_unavailable', isSigned ? UNKNOWN : LACKING, { retry_after: 2 })
      reply.header(COPY_AGE, String(age))
    })
  },
  { name: 'freshness', dependencies: ['headers'] },
)

const UNKNOWN =
  'This node does not know whether it has every write, because it can not ask PostgreSQL, which keeps the truth, or can not follow it; reads without credentials may still work.'
const LACKING =
  'This node lacks writes that others have, and shows nothing until it has them; another node may answer.'

/**
 * A write is never refused for what the copy of a node lacks: a record that another node has just created is not 404, and an ETag that
 * it has just given is not 412. Where it is in doubt whether the copy has everything, it is brought first on the way of a write, and
 * the request gets the 503 of a write if that is not possible. All other requests pay nothing.
 */
const catchingUp = fp<{ catchUp: NonNullable<Db['catchUp']> }>(
  async (app, { catchUp }) => {
    app.addHook('preHandler', async (request, reply) => {
      const { mayLack, routeOptions, validationError } = request
      // what is invalid is refused whatever the copy has
      if (!mayLack || isRead(request) || !routeOptions.config.operation || validationError) return
      await catchUp()
      reply.removeHeader(COPY_AGE)
    })
  },
  { name: 'catchingUp', dependencies: ['permissions'] },
)
