import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import Database from 'better-sqlite3'
import { ApiError } from '../../errors.ts'
import { VERSION } from '../../package.ts'
import { type Db, openDb } from '../sqlite/db.ts'
import { checkOurs, unusable } from '../sqlite/file.ts'
import { DERIVATION } from '../sqlite/kept.ts'
import { MIGRATIONS, readMigrations } from '../sqlite/migrations.ts'
import { install, type Progress, takeCopy } from './copy.ts'
import { openFollower } from './follower.ts'
import { type Head, headFor, type Parting, partingOf } from './history.ts'
import { openKeeper } from './keeper.ts'
import { openLink, openOutage } from './link.ts'
import type { Position } from './position.ts'
import { explain, prepareSchema } from './schema.ts'
import { connect, type Session } from './session.ts'
import { redacted } from './url.ts'

/** Where the truth is, and the copy of a node. */
export type Replicated = {
  url: string
  /** The file of the copy. */
  file: string
  /** Days that the log is kept. */
  logDays: number
  /** Where this node listens, for people. */
  address: string
}

/** How a node stands to the others. */
export type NodeStatus = {
  id: string
  name: string
  /** `follows`; `alone` while PostgreSQL does not answer; `stale` while it takes its copy anew; `outdated` where its program is too old. */
  state: 'follows' | 'alone' | 'stale' | 'outdated'
  /** The last group here, and the last that is known of. */
  seq: number
  head: number
  /** Seconds since this node last knew that it has everything. */
  age: number
  /** Does for all what only one node may do, such as sending webhooks. */
  leads: boolean
}

/** What a node is beside its database. */
export type Node = {
  status(): NodeStatus
  /** Calls `heard` with milliseconds that the lock of the head was waited for, and that commits took. */
  onMeasured(heard: (what: 'lock' | 'commit', milliseconds: number) => void): void
  /** Calls `heard` when this copy can not be followed any more: it has to be taken anew, by `prepareCopy` after the database is closed. */
  onStale(heard: (why: string) => void): void
}

/** What is told of a node to operators. */
export type NodeLog = {
  warn(what: object, message: string): void
  error(what: object, message: string): void
  info(what: object, message: string): void
}

/** A database file that is a copy. */
export type ReplicaDb = Db & { node: Node }

/**
 * Opens the copy of a node. With `log` it follows what other nodes write, until it is closed; else it has what there is now. Call
 * `prepareCopy` before.
 */
export async function openReplica({ url, file, logDays, address }: Replicated, log?: NodeLog): Promise<Db> {
  const id = randomUUID()
  const outage = openOutage()
  const heardOf: ((what: 'lock' | 'commit', milliseconds: number) => void)[] = []
  const staleTo: ((why: string) => void)[] = []
  let parting: Parting | undefined
  let head = 0
  let current = Date.now()
  const parted = (why: Parting) => {
    if (parting) return
    parting = why
    if (why.kind === 'newer')
      log?.error(
        { version: why.version },
        'a newer Almanac has changed the tables in PostgreSQL: this node writes nothing any more, and goes on reading; start that version here',
      )
    else {
      log?.error(
        { why: why.why },
        'THE COPY OF THIS NODE CAN NOT BE FOLLOWED ANY MORE: it is thrown away and taken anew',
      )
      for (const tell of staleTo) tell(why.why)
    }
  }
  const barred = () => parting && refusalOf(parting)
  const keeper = openKeeper({
    ...{ node: id, outage, barred, parted },
    link: openLink(url, outage),
    measured: (what, milliseconds) => {
      for (const heard of heardOf) heard(what, milliseconds)
    },
  })
  const db = openDb(file, 'normal', MIGRATIONS, undefined, keeper.open)
  const follower = openFollower(db, {
    ...{ id, name: hostname(), address, version: VERSION, logDays, parted },
    link: openLink(url, outage, async (session: Session) => {
      session.onNotification(() => follower.wake())
      await session.run('listen almanac').catch(() => {}) // some poolers refuse it; then there is the question every second
    }),
    saw(seen) {
      head = seen.seq
      current = Date.now()
    },
    applied() {},
    trouble(err) {
      if (outage.since() !== undefined && outage.isNew())
        log?.warn({ err }, 'PostgreSQL does not answer: reads go on, writes are refused')
    },
  })
  const fresh = async () => {
    if (parting || outage.since() !== undefined) return ageOf()
    try {
      await follower.fresh()
      return 0
    } catch {
      return ageOf()
    }
  }
  const ageOf = () => Math.max(1, Math.round((Date.now() - current) / 1_000))
  if (log) follower.start()
  else await follower.fresh().catch(() => {}) // a write will tell what is wrong
  return {
    ...db,
    fresh,
    leads: follower.leads,
    node: {
      status: () => ({
        ...{ id, name: hostname(), seq: follower.position().seq, head, leads: follower.leads() },
        state: parting
          ? parting.kind === 'newer'
            ? 'outdated'
            : 'stale'
          : outage.since() === undefined
            ? 'follows'
            : 'alone',
        age: outage.since() === undefined ? 0 : ageOf(),
      }),
      onMeasured: (heard) => void heardOf.push(heard),
      onStale: (heard) => void staleTo.push(heard),
    },
    close() {
      follower.stop()
      keeper.close()
      db.close()
    },
  }
}

function refusalOf(parting: Parting): ApiError {
  if (parting.kind === 'newer')
    return new ApiError(
      'database_unavailable',
      `A newer Almanac has changed the tables; this node (${VERSION}) writes nothing until it is upgraded.`,
      { retry_after: 30 },
    )
  return new ApiError(
    'database_unavailable',
    'This node takes its copy anew; nothing was written. Reads still work.',
    { retry_after: 5 },
  )
}

/** How `prepareCopy` tells what it does. */
export type Telling = { print(text: string): void; progress: Progress }

/**
 * Makes the tables in PostgreSQL and the copy ready: makes or upgrades what is missing there, and takes the copy if there is none, or
 * none that can follow. Where PostgreSQL does not answer, and there is a copy, it says so and leaves all as it is. Throws `unusable`
 * if that can not be done.
 */
export async function prepareCopy({ url, file }: Pick<Replicated, 'url' | 'file'>, told: Telling) {
  const copy = peekCopy(file)
  let session: Session
  try {
    session = await connect(url)
  } catch (error) {
    const explained = explain(error as Error, url)
    if (!copy || 'why' in copy) throw explained
    told.print(
      `${explained.message}. The service answers reads from ${file} until it is there again; writes are refused.\n`,
    )
    return
  }
  try {
    await prepareSchema(session, url)
    const [head] = await session.ask<Head>(headFor(copy && 'seq' in copy ? copy.seq : 0))
    const parting = copy && 'seq' in copy ? partingOf(head!, copy) : undefined
    const why = !copy
      ? undefined
      : 'why' in copy
        ? copy.why
        : parting?.kind === 'stale'
          ? parting.why
          : undefined
    if (copy && !why) return
    if (why) told.print(`THE COPY ${file} IS THROWN AWAY AND TAKEN ANEW: ${why}.\n`)
    const began = performance.now()
    const seq = await takeCopy(session, file, told.progress)
    told.print(
      `${file} has what ${redacted(url)} keeps, up to group ${seq}: taken in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`,
    )
  } catch (error) {
    throw explain(error as Error, url)
  } finally {
    session.cut()
  }
}

/** Takes a copy beside the one that is in use, and puts it in its place once `close` has closed that. */
export async function renewCopy(
  { url, file }: Pick<Replicated, 'url' | 'file'>,
  log: NodeLog,
  close: () => Promise<void>,
) {
  const session = await connect(url)
  try {
    const seq = await takeCopy(session, `${file}.new`, () => {})
    log.warn({ seq }, 'the copy was taken anew; this node starts again on it')
  } finally {
    session.cut()
  }
  await close()
  install(`${file}.new`, file)
}

/** The group of the copy in a file; why it can not be used; undefined if there is none. Throws if the file is something else. */
function peekCopy(file: string): Position | { why: string } | undefined {
  if (!existsSync(file)) return undefined
  const db = new Database(file, { timeout: 1_000 })
  try {
    checkOurs(db, file)
    const tables = db
      .prepare("select count(*) from sqlite_master where name in ('replica', 'posts')")
      .pluck()
      .get()
    if (tables === 0) return undefined
    const position =
      tables === 2 && (db.prepare('select seq, commit_id, origin from replica').get() as Position | undefined)
    if (!position)
      throw unusable(
        file,
        'is a database of its own, not a copy of what PostgreSQL keeps; name another file in REPLICA, or move it there: almanac move',
      )
    if ((db.prepare('select count(*) from migrations').pluck().get() as number) !== readMigrations().length)
      return { why: 'another version of Almanac made it' }
    const derivation = db.prepare('select derivation from site').pluck().get()
    return derivation === undefined || derivation === DERIVATION
      ? position
      : { why: 'another version of Almanac derived its data' }
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_'))
      return { why: `it can not be read (${(error as Error).message})` }
    throw error
  } finally {
    db.close()
  }
}
