import { existsSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../../drizzle/tables.ts'
import { backupFolder, findPicture, mustHavePictures, picturesIn } from '../../calendar/media/folder.ts'
import { type Contents, inspect } from '../../kernel/database/backup.ts'
import { explain as explainFile, openAlone, unusable } from '../../kernel/database/file.ts'
import { isEarlier, MIGRATIONS } from '../../kernel/database/migrations.ts'
import { redacted } from '../../kernel/settings.ts'
import type { Progress, SharedCalendar } from '../host.ts'
import { countersOf } from './apply.ts'
import {
  type Ask,
  askOf,
  compareRows,
  describeDifference,
  jsonOf,
  keyJsonOf,
  rowsHere,
  type TableDifference,
} from './comparison.ts'
import {
  DERIVED_TOO,
  deriveAll,
  fill,
  makeFile,
  NAMES,
  openSteps,
  rowsThere,
  type Step,
  sizeOf,
} from './copy.ts'
import { beginSnapshot, type Head, headFor } from './log.ts'
import { fetchPictures, missingThere, type Pictures, removeFiles, storePictures } from './pictures.ts'
import { literal, removeThere, TABLES, type Table, upsertThere } from './rows.ts'
import { commitAnew, mustBeCurrent, prepareSchema, withSession } from './schema.ts'
import type { Session } from './session.ts'

/** From where to where, and how it shows progress and is interrupted. */
export type Move = {
  url: string
  file: string
  /** The folder of the pictures of the file. */
  mediaDir: string
  /** Goes on although files of pictures are missing. */
  allowMissing: boolean
  progress: Progress
  /** Interrupts the move: nothing is moved then. */
  signal: AbortSignal
}

/** What was moved. */
export type Moved = Contents & Pictures & { rows: number }

const NOTHING = 'Nothing was moved'

/** Milliseconds for a batch of rows. */
const BATCH = 60_000

/**
 * Moves a database file into PostgreSQL, where nothing may be yet: all rows, how far IDs were given, and the files of pictures, in one
 * transaction, which is committed after both sides were compared row by row. Throws `unusable`, with nothing changed, also if the file is
 * in use: what a service wrote meanwhile would be lost.
 */
export async function moveToPostgres({
  url,
  file,
  mediaDir,
  progress,
  signal,
  allowMissing,
}: Move): Promise<Moved> {
  const contents = mustBeOwn(file)
  const db = openSource(file)
  try {
    const ask = askOf(db)
    mustFit(ask, file)
    const names = picturesIn(db)
    const folders = [...new Set([mediaDir, backupFolder(file)])]
    const missing = names.filter((name) => !findPicture(folders, name))
    mustHavePictures(file, missing, { where: folders.join(' and '), allowed: allowMissing, done: NOTHING })
    return await withMove(url, signal, async (session) => {
      await prepareSchema(session, url)
      await session.run(
        `begin; set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 0;
          set local standard_conforming_strings = on; select seq from almanac.head for update`,
      )
      if ((await sizeOf(session, [...NAMES, 'files'])) > 0)
        throw unusable(
          redacted(url),
          'holds a calendar already; name an empty database. Nothing was changed in it',
        )
      const rows = NAMES.reduce(
        (sum, name) => sum + (ask(`select count(*) from ${name}`)[0]![0] as number),
        0,
      )
      const step = openSteps(checked(progress, signal), 2 * rows + names.length)
      for (const table of TABLES) await send(session, ask, table, step)
      const pictures = await storePictures(session, folders, names, step)
      await verify(session, ask, step)
      await commitAnew(session, url, countersOf(drizzle(db, { schema: tables })))
      return { ...contents, rows, ...pictures }
    })
  } finally {
    db.close()
  }
}

function openSource(file: string): Database.Database {
  try {
    return openAlone(file)
  } catch (error) {
    throw explainFile(error as Error, file)
  }
}

/** Throws `unusable` unless a file is a sound database of this program, and of its own. */
function mustBeOwn(file: string): Contents {
  if (!existsSync(file)) throw unusable(file, 'does not exist')
  const contents = inspect(file)
  const db = new Database(file, { readonly: true })
  try {
    if (isEarlier(db, MIGRATIONS))
      throw unusable(file, 'an earlier version wrote it; upgrade it first: DATABASE=<file> almanac migrate')
    if (db.prepare('select count(*) from replica').pluck().get() !== 0)
      throw unusable(
        file,
        'is the copy of a node, which PostgreSQL may be ahead of; move from PostgreSQL, or from a backup of the node',
      )
    return contents
  } finally {
    db.close()
  }
}

/** Throws `unusable` if a text has what PostgreSQL can not store. */
function mustFit(ask: Ask, file: string) {
  for (const { name, keys, columns } of TABLES)
    for (const column of columns.filter(({ type }) => type === 'text')) {
      const [found] = ask(
        `select ${keys.map((key) => `"${key}"`)} from ${name} where instr("${column.name}", char(0)) > 0 limit 1`,
      )
      if (found)
        throw unusable(
          file,
          `${column.name} of row ${found.join('/')} of ${name} has a NUL character, which PostgreSQL can not store; write it without`,
        )
    }
}

/** Runs `work` on a connection that ends with it, or when the move is interrupted. */
const withMove = <T>(url: string, signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> =>
  withSession(url, async (session) => {
    signal.addEventListener('abort', session.cut)
    try {
      return await work(session)
    } catch (error) {
      if (signal.aborted && !('unusable' in (error as Error)))
        throw unusable(redacted(url), `the move was interrupted. ${NOTHING}`)
      throw error
    }
  })

const checked =
  (progress: Progress, signal: AbortSignal): Progress =>
  (done, total) => {
    signal.throwIfAborted()
    progress(done, total)
  }

async function send(session: Session, ask: Ask, table: Table, step: Step) {
  for (const page of rowsHere(ask, table)) {
    const array = `[${page.map((row) => jsonOf(table, row))}]`
    await session.run(upsertThere(table, `${literal(array)}::json`), BATCH)
    step(page.length)
  }
}

/** Compares all rows, in the session's transaction. */
async function verify(session: Session, ask: Ask, step: Step) {
  for (const table of TABLES) {
    const differs = (difference: Parameters<typeof describeDifference>[0]) => {
      throw unusable(table.name, `${describeDifference(difference)}. ${NOTHING}`)
    }
    await compareRows(
      table,
      { here: rowsHere(ask, table), there: rowsThere(session, table) },
      { differs, step },
    )
  }
}

/**
 * Moves what PostgreSQL keeps into a new database file of its own, and the files of pictures into a folder: one moment of it, while
 * nodes go on writing, compared row by row. Throws `unusable`, with nothing changed.
 */
export async function moveToFile({
  url,
  file,
  mediaDir,
  progress,
  signal,
  allowMissing,
}: Move): Promise<Moved> {
  if (existsSync(file)) throw unusable(file, 'exists already; name a file that does not exist')
  const written: string[] = []
  try {
    const moved = await withMove(url, signal, async (session) => {
      await mustBeCurrent(session, url)
      return makeFile(file, async (db, tx) => {
        const ask = askOf(db)
        const { counters } = await beginSnapshot(session)
        const rows = await sizeOf(session, NAMES)
        const total = 2 * rows + (await sizeOf(session, ['posts', 'files']))
        const step = openSteps(checked(progress, signal), total)
        await fill(session, db, step)
        const names = picturesIn(db)
        const where = 'its table almanac.files'
        mustHavePictures(redacted(url), await missingThere(session, names), {
          where,
          allowed: allowMissing,
          done: NOTHING,
        })
        const pictures = await fetchPictures(session, mediaDir, names, written, step)
        await verify(session, ask, step)
        await session.run('commit')
        await deriveAll(db, tx, counters, step)
        return { rows, ...pictures }
      })
    })
    return { ...inspect(file), ...moved }
  } catch (error) {
    removeFiles(written)
    throw explainFile(error as Error, file)
  }
}

/** Rows that are given back at a time. */
const ROWS = 1_000

/**
 * Changes what PostgreSQL keeps by work on a file of its own, beside that of the node: takes all rows into it, lets `work` change it, and
 * writes the rows that differ then, in one transaction. Nobody else writes meanwhile, and all nodes take their copies anew afterwards.
 */
export async function changeShared<T>(
  { url, file }: SharedCalendar,
  progress: Progress,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const changed = `${file}.changed`
  try {
    return await withSession(url, async (session) => {
      await mustBeCurrent(session, url)
      await copyAll(session, changed, progress)
      const result = await work(changed)
      await writeBack(session, url, changed)
      return result
    })
  } finally {
    rmSync(changed, { force: true })
  }
}

/** All rows in a file of its own, while nobody can write others. */
const copyAll = (session: Session, file: string, progress: Progress) =>
  makeFile(file, async (db, tx) => {
    const results = await session.run(
      `begin; set local lock_timeout = 5000; set local idle_in_transaction_session_timeout = 0;
        set local standard_conforming_strings = on; lock table almanac.head in exclusive mode; ${headFor(0)}`,
      BATCH,
    )
    const { counters } = results.at(-1)!.rows[0] as Head
    const step = openSteps(progress, await sizeOf(session, DERIVED_TOO))
    await fill(session, db, step)
    await deriveAll(db, tx, counters, step)
  })

/** Writes all rows of a file that PostgreSQL has otherwise. */
async function writeBack(session: Session, url: string, file: string) {
  const db = new Database(file, { readonly: true })
  try {
    const ask = askOf(db)
    for (const table of TABLES) await writeTable(session, ask, table)
    const counters = countersOf(drizzle(db, { schema: tables }))
    await commitAnew(session, url, counters)
  } finally {
    db.close()
  }
}

async function writeTable(session: Session, ask: Ask, table: Table) {
  let set: string[] = []
  let gone: string[] = []
  const array = (members: string[]) => `${literal(`[${members}]`)}::json`
  async function flush() {
    if (gone.length > 0) await session.run(removeThere(table, array(gone)), BATCH)
    if (set.length > 0) await session.run(upsertThere(table, array(set)), BATCH)
    set = []
    gone = []
  }
  await compareRows(
    table,
    { here: rowsHere(ask, table), there: rowsThere(session, table) },
    {
      async differs({ here, there }: TableDifference) {
        if (here) set.push(jsonOf(table, here))
        else gone.push(keyJsonOf(table, there!))
        if (set.length + gone.length >= ROWS) await flush()
      },
      step() {},
    },
  )
  await flush()
}
