import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import type { AuditCode } from '../../schemas/audit-codes.ts'
import type { Config } from '../calendar/config.ts'
import type { Origin } from '../calendar/formats/urls.ts'
import type { Share } from '../calendar/media/folder.ts'
import type { Service } from '../calendar/resource/service.ts'
import type { Branding } from '../calendar/settings.ts'
import type { Store } from '../calendar/store.ts'
import type { Details } from '../kernel/access/audit-log.ts'
import type { User } from '../kernel/access/users.ts'
import type { Feature } from '../kernel/feature.ts'
import type { Lookup } from '../kernel/outbound/requests.ts'
import type { Warnings } from '../kernel/server/log.ts'
import type { Face, Mount } from '../kernel/server/mounts.ts'
import type { Shell } from '../kernel/shell.ts'
import type { Site } from '../kernel/site.ts'

/** What features add to the site before there is a server. Each declares its own members. */
export interface SiteParts {
  /** Leads addresses to what is meant, before routing. */
  rewrite?: Face
  /** What responses depend on beside records: if it differs after a restart, nothing that caches hold is valid. */
  versions: unknown[]
}

/** What there is before the server. */
export type Early = {
  config: Config
  site: Site
  mounts: readonly Mount[]
  /** How the site shows itself, as of now. */
  branding(): Branding
}

/** What the plugins of features are given. */
export type Host = {
  config: Config
  service: Service
  /** What features have added before the server. */
  parts: SiteParts
  /** Where the records of the first mount are. */
  origin: Origin
  /** Whether this process writes; of several, one does. */
  writes: boolean
  warnings: Warnings
  /** The clock of the service, and that of the machine; in Unix milliseconds. */
  clock(): number
  machine(): number
  /** How names of hosts are looked up. */
  lookup: Lookup
}

/** What the commands of features work with. */
export type Tools = Shell & {
  /** The configuration. Throws if it has mistakes. */
  config(): Config
  /** The same in another environment. */
  inEnvironment(env: Shell['env']): Tools
  /** Whether the configured database is still to be created. */
  isMissing(config: Pick<Config, 'database'>): boolean
  /** Throws unless the configured database exists; a node has its copy taken, or brought up to date. */
  mustBeReady(config: Config): Promise<void>
  /** The user with this login. Throws if there is none. */
  mustFind(store: Store, login: string): Promise<User>
  /** Opens the configured database for the duration of one command. Throws if it is missing, unless it should be created. */
  withStore(work: (store: Store) => Promise<void>, missing?: 'refuse' | 'create'): Promise<void>
  /** Where nodes keep the files of pictures for each other; undefined if there is one node. */
  openShare(config: Pick<Config, 'postgres'>): Share | undefined
  /** Tells the audit log of a calendar, in PostgreSQL or in a file, what a command did with all of it. */
  noteIn(
    place: { url?: string | undefined; file?: string | undefined },
    code: AuditCode,
    details: Details,
  ): Promise<void>
}

/** A feature of this service. */
export type ServiceFeature = Feature<Store, Host, FastifyInstance> & {
  /** Adds what there must be before the server, in the order of the list. */
  addToSite?(early: Early, parts: SiteParts): void
  /** Adds its commands. */
  addCommands?(program: Command, tools: Tools): void
}
