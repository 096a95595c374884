import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { alone, checkOurs, unusable } from '../../../kernel/database/file.ts'
import { readMigrations } from '../../../kernel/database/migrations.ts'
import { DERIVATION } from '../../../kernel/database/stored-settings.ts'
import { connect, type Session } from '../connection/session.ts'
import { redacted } from '../connection/url.ts'
import type { Replicated } from '../node.ts'
import type { NodeLog } from '../node-log.ts'
import { type Head, headFor, partingOf } from '../tables/history.ts'
import type { Position } from '../tables/position.ts'
import { explain, prepareSchema } from '../tables/schema.ts'
import { install, type Progress, takeCopy } from './copy.ts'

let copies = 0
/** Copies that this process took in the place of one that could not be followed. */
export const copiesTaken = () => copies

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
    const why = copy && (await whyStale(session, copy))
    if (copy && !why) return
    if (why) {
      mustBeUnused(file)
      told.print(`THE COPY ${file} IS THROWN AWAY AND TAKEN ANEW: ${why}.\n`)
    }
    const began = performance.now()
    const seq = await takeCopy(session, file, told.progress)
    if (why) copies++
    told.print(
      `${file} has what ${redacted(url)} keeps, up to group ${seq}: taken in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`,
    )
  } catch (error) {
    throw explain(error as Error, url)
  } finally {
    session.cut()
  }
}

/** Why a copy can not be followed; undefined if it can. */
async function whyStale(session: Session, copy: Position | { why: string }): Promise<string | undefined> {
  if ('why' in copy) return copy.why
  const [head] = await session.ask<Head>(headFor(copy.seq))
  const parting = partingOf(head!, copy)
  return parting?.kind === 'stale' ? parting.why : undefined
}

/** Throws if a service has the copy open: it takes it anew by itself. What is damaged may be open. */
function mustBeUnused(file: string) {
  try {
    alone(file, () => {})
  } catch (error) {
    if ('unusable' in (error as Error)) throw error
  }
}

/**
 * Takes a copy beside the one that is in use, and puts it in its place once `close` has closed that. Tables of an earlier program are
 * upgraded before, as at a start. Throws, with nothing closed, if they are of a newer one.
 */
export async function renewCopy(
  { url, file }: Pick<Replicated, 'url' | 'file'>,
  log: NodeLog,
  close: () => Promise<void>,
) {
  const session = await connect(url)
  try {
    await prepareSchema(session, url)
    const seq = await takeCopy(session, `${file}.new`, () => {})
    copies++
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
    return readCopy(db, file)
  } finally {
    db.close()
  }
}

function readCopy(db: Database.Database, file: string): Position | { why: string } | undefined {
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
  }
}
