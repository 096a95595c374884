import type { Command } from 'commander'
import type { FastifyInstance } from 'fastify'
import type { AuditCode } from '../../schemas/audit-codes.ts'
import type { Branding } from '../calendar/branding.ts'
import type { Config } from '../calendar/config.ts'
import type { Origin } from '../calendar/formats/urls.ts'
import type { Share } from '../calendar/media/folder.ts'
import type { Service } from '../calendar/resource/service.ts'
import type { Store } from '../calendar/store.ts'
import type { Actor, Details } from '../kernel/access/audit-log.ts'
import type { User } from '../kernel/access/users.ts'
import type { Db } from '../kernel/database/db.ts'
import type { Feature } from '../kernel/feature.ts'
import type { Lookup } from '../kernel/outbound/requests.ts'
import type { Warnings } from '../kernel/server/log.ts'
import type { Mount, Rewrite } from '../kernel/server/mounts.ts'
import type { Between, Standing } from '../kernel/server/plugins.ts'
import type { Shell } from '../kernel/shell.ts'
import type { Site } from '../kernel/site.ts'

/** What features add to the site before there is a server. Each declares its own members. */
export interface SiteParts {
  /** Lead addresses to what is meant, before routing; the first that knows one does. */
  rewrites: Rewrite[]
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

/** Where operators read of a database. */
export type DatabaseLog = {
  warn(what: object, message: string): void
  error(what: object, message: string): void
}

/** A calendar that several machines share, by its URL, and the file of the copy that one of them has. */
export type SharedCalendar = { url: string; file: string }

/** Is called with how much was done of all there is. */
export type Progress = (done: number, total: number) => void

/** The files of pictures of a shared calendar, as they are at one moment. */
export type SharedPictures = {
  /** Brings files into a folder, and from `mediaDir` those that are not there or can not be had; tells how many it has now, and which are missing. */
  bring(
    to: { names: string[]; folder: string; mediaDir: string },
    progress: Progress,
  ): Promise<{ files: number; missing: string[] }>
  close(): void
}

/**
 * Calendars that several machines share, each with its own copy. What goes wrong is thrown as one sentence for the operator. `prepare` comes
 * before everything that needs the copy.
 */
export type SharedDatabase = {
  /** Makes the tables there ready and the copy here, or says that it can be read only. */
  prepare(at: SharedCalendar, output: { print(text: string): void; progress: Progress }): Promise<void>
  /** Opens the copy to read and write. With `log` it follows what others write, until it is closed; else it has what there is now. */
  open(at: SharedCalendar, config: Config, machine: () => number, log?: DatabaseLog): Promise<Db>
  /** What a process has on a copy that another one writes to. */
  openBeside(url: string): Pick<Db, 'fresh' | 'findMarkerThere'>
  /** Takes a copy anew that can not follow any more; `close` has to close the present one, once the new one is complete. */
  renew(at: SharedCalendar, log: DatabaseLog, close: () => Promise<void>): Promise<void>
  /** Has `work` change all of a calendar in a file of its own, while nobody else writes; all copies are taken anew then. */
  change<T>(at: SharedCalendar, progress: Progress, work: (file: string) => Promise<T>): Promise<T>
  /** Where the machines keep files of pictures for each other. */
  openShare(url: string): Share
  /** The files of pictures as they are now, for a backup. */
  openPictures(url: string): Promise<SharedPictures>
  /** Tells the audit log what a command did with all of a calendar. */
  note(url: string, by: Actor, code: AuditCode, details: Details): Promise<void>
}

/** A feature of this service. */
export type ServiceFeature = Feature<Store, Host, FastifyInstance> & {
  /** Adds what there must be before the server, in the order of the list. */
  addToSite?(early: Early, parts: SiteParts): void
  /** Opens and keeps calendars whose `DATABASE` is a URL. Without such a feature that is refused. */
  sharedDatabase?: SharedDatabase
  /** What it puts between the plugins of the kernel, in front of all routes. */
  between?(store: Store, config: Config, standing: Standing): Between
  /** Adds its commands. */
  addCommands?(program: Command, tools: Tools): void
}
