import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPicture, type Share, statOf, writePicture } from '../../calendar/media/folder.ts'
import { explain, SHARED, unusable } from '../../kernel/database/file.ts'
import { ApiError } from '../../kernel/errors.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import type { SharedPictures } from '../host.ts'
import { openConnection, openOutage } from './connection.ts'
import { beginSnapshot } from './log.ts'
import { filesIn, literal } from './rows.ts'
import { explainPostgres } from './schema.ts'
import { ConnectionLost, connect, type Session, TIMING } from './session.ts'

/** Milliseconds for one file there or back, and for the names of many. */
const TRANSFER = 30_000
const NAMES = 10_000
/** The time of a file, in whole seconds as files have it. */
const SECONDS = 'floor(extract(epoch from at))::bigint as at'
/** Days after which a file that no picture has counts as left behind. */
const LEFT_AFTER = 1

const unavailable = () =>
  new ApiError(
    'database_unavailable',
    'PostgreSQL, which keeps the files of pictures for all nodes, does not answer; try again.',
    { retry_after: 2 },
  )

const list = (names: string[]) => `(${names.map(literal)})`

/**
 * The files of pictures in PostgreSQL, where all nodes find them. They have a connection of their own, for one transfer at a time, so
 * that no write waits for them. Bytes travel as base64. What can not be done because PostgreSQL does not answer throws 503.
 */
export function openSharedFiles(url: string): Share {
  const connection = openConnection(url, openOutage(), TIMING)
  const semaphore = openSemaphore(1, 100)

  async function attempt<T>(job: (session: Session) => Promise<T>): Promise<T> {
    let session: Session | undefined
    try {
      session = await connection.get()
      const done = await job(session)
      connection.note()
      return done
    } catch (error) {
      await session?.run('rollback').catch(session.cut)
      connection.note(error)
      throw error
    }
  }

  /** A connection that was not used for long may be broken, which shows at its next use: then a new one is tried. */
  const run = <T>(job: (session: Session) => Promise<T>): Promise<T> =>
    semaphore(() =>
      attempt(job)
        .catch((error) => {
          if (error instanceof ConnectionLost) return attempt(job)
          throw error
        })
        .catch((cause) => {
          throw Object.assign(unavailable(), { cause })
        }),
    )

  return {
    put: (files) =>
      run(async (session) => {
        await session.run(`begin; set local idle_in_transaction_session_timeout = ${TRANSFER}`)
        let at: number | undefined
        // in one order, so that two that share names do not wait for each other
        for (const { name, bytes } of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
          const [made] = await session.ask<{ at: number }>(
            `insert into almanac.files (name, bytes, at) values (${literal(name)}, decode('${bytes.toString('base64')}', 'base64'), now())
              on conflict do nothing returning ${SECONDS}`,
            TRANSFER,
          )
          at = made?.at
          if (made) continue
          await session.run('rollback')
          return undefined
        }
        await session.run('commit')
        return at
      }),
    get: (name) =>
      run(async (session) => {
        const [file] = await session.ask<{ bytes: string; at: number }>(
          `select encode(bytes, 'base64') as bytes, ${SECONDS} from almanac.files where name = ${literal(name)}`,
          TRANSFER,
        )
        return file && { bytes: Buffer.from(file.bytes, 'base64'), at: file.at }
      }),
    present: (names) =>
      run(async (session) => {
        const rows = await session.ask<{ name: string }>(
          `select name from almanac.files where name in ${list(names)}`,
          NAMES,
        )
        return rows.map(({ name }) => name)
      }),
    async release(names) {
      // a write whose outcome is not known may still give them a picture; it holds the lock of the head until it is over
      await run((session) =>
        session.run(
          `begin; set local lock_timeout = ${NAMES / 2}; select 1 from almanac.head for update;
            delete from almanac.files where name in ${list(names)} and not exists (select 1 from almanac.media where file = ${literal(names[0]!)});
            commit`,
          NAMES,
        ),
      ).catch(() => {}) // `sweep` removes them
    },
    sweep: () =>
      run(async (session) => {
        const swept = await session.ask(
          `delete from almanac.files where at < now() - interval '${LEFT_AFTER} day' and name not in ${filesIn('almanac.media')} returning 1`,
          TRANSFER,
        )
        return swept.length
      }),
    close: () => connection.end(),
  }
}

/** Milliseconds for the bytes of one file. */
const FILE = 120_000

/** How many files of pictures travelled, and how many were not there. */
export type Pictures = { files: number; missing: number }

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The bytes of a file. */
function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw explain(error as Error, path)
  }
}

async function store(session: Session, name: string, bytes: Buffer, at: number) {
  const [stored] = await session.ask<{ digest: string }>(
    `insert into almanac.files (name, bytes, at) values (${literal(name)}, decode('${bytes.toString('base64')}', 'base64'), to_timestamp(${at}))
      returning encode(sha256(bytes), 'hex') as digest`,
    FILE,
  )
  if (stored!.digest !== digestOf(bytes))
    throw unusable(name, 'PostgreSQL has other bytes of it than were sent. Nothing was moved')
}

/** The bytes of a file in PostgreSQL; undefined if it has none of this name. */
async function fetchBytes(session: Session, name: string): Promise<Buffer | undefined> {
  const [row] = await session.ask<{ bytes: string }>(
    `select encode(bytes, 'base64') as bytes from almanac.files where name = ${literal(name)}`,
    FILE,
  )
  return row && Buffer.from(row.bytes, 'base64')
}

/** Does something with each file of a picture, one by one; `work` returns whether it was there. */
async function forEachFile(
  names: string[],
  step: (count: number) => void,
  work: (name: string) => Promise<boolean>,
): Promise<Pictures> {
  const pictures = { files: 0, missing: 0 }
  for (const name of names) {
    pictures[(await work(name)) ? 'files' : 'missing']++
    step(1)
  }
  return pictures
}

/** Stores files of pictures from the first of these folders that has them in PostgreSQL, one by one, and compares what it has then. Files that are not there are counted. */
export const storePictures = (
  session: Session,
  folders: string[],
  names: string[],
  step: (count: number) => void,
): Promise<Pictures> =>
  forEachFile(names, step, async (name) => {
    const path = findPicture(folders, name)
    if (path) await store(session, name, read(path), statOf(path)!.at)
    return path !== undefined
  })

/** Writes files of pictures from PostgreSQL into a folder, one by one; `written` gets the paths of new ones. */
export const fetchPictures = (
  session: Session,
  folder: string,
  names: string[],
  written: string[],
  step: (count: number) => void,
): Promise<Pictures> =>
  forEachFile(names, step, async (name) => {
    const bytes = await fetchBytes(session, name)
    if (bytes) write(join(folder, name), bytes, written)
    return bytes !== undefined
  })

/** Those of the names that PostgreSQL has no file of. */
export async function missingThere(session: Session, names: string[]): Promise<string[]> {
  const rows = await session.ask<{ name: string }>('select name from almanac.files', FILE)
  const stored = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !stored.has(name))
}

/** A file that is there already with the same bytes stays. */
function write(path: string, bytes: Buffer, written: string[]) {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: SHARED.folder })
    writeFileSync(path, bytes, { flag: 'wx', mode: SHARED.file })
    written.push(path)
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw explain(error as Error, path)
    if (!readFileSync(path).equals(bytes))
      throw unusable(path, 'exists already, and is another file; move it away, or name another MEDIA_DIR')
  }
}

/** Deletes files that were written. */
export const removeFiles = (paths: string[]) => {
  for (const path of paths) rmSync(path, { force: true })
}

/** Names that are looked up at a time. */
const LOOKED_UP = 500

/**
 * Opens the files of pictures in PostgreSQL as they are now: what is deleted from now on stays readable. If PostgreSQL does not answer, there
 * are those in the folder of this node alone; everything else that goes wrong is thrown in one sentence for the operator. A file that
 * is in the folder of a backup already, with the same size and time, is not copied again.
 */
export async function openPictures(url: string): Promise<SharedPictures> {
  const explained = (error: Error) => {
    throw explainPostgres(error, url)
  }
  const session = await openSnapshot(url)

  /** Brings what PostgreSQL has now; returns the names that it does not have. */
  async function bringFrom(session: Session, names: string[], folder: string, step: (left: number) => void) {
    const left = new Set(names)
    for (let from = 0; from < names.length; from += LOOKED_UP) {
      const found = await session.ask<{ name: string; size: number; at: number }>(
        `select name, octet_length(bytes) as size, ${SECONDS} from almanac.files where name in ${list(names.slice(from, from + LOOKED_UP))}`,
        FILE,
      )
      for (const { name, size, at } of found) {
        const path = join(folder, name)
        const here = statOf(path)
        if (here?.size !== size || here.at !== at) writePicture(path, (await fetchBytes(session, name))!, at)
        left.delete(name)
        step(left.size)
      }
    }
    return [...left]
  }

  async function bringAll(session: Session, names: string[], folder: string, step: (left: number) => void) {
    const left = await bringFrom(session, names, folder, step)
    if (left.length === 0) return left
    // those that came after the first moment
    await session.run('commit')
    await beginSnapshot(session)
    return bringFrom(session, left, folder, step)
  }

  return {
    async bring({ names, folder, mediaDir }, progress) {
      const total = names.length
      const step = (left: number) => progress(total - left, total)
      const left = session ? await bringAll(session, names, folder, step).catch(explained) : names
      const missing = left.filter((name) => {
        const here = findPicture([folder, mediaDir], name)
        if (here && here !== join(folder, name))
          writePicture(join(folder, name), readFileSync(here), statOf(here)!.at)
        return !here
      })
      progress(total, total)
      return { files: total - missing.length, missing }
    },
    close: () => session?.cut(),
  }
}

/** A connection that sees one state of PostgreSQL; undefined if that does not answer. */
async function openSnapshot(url: string): Promise<Session | undefined> {
  try {
    const session = await connect(url)
    await beginSnapshot(session)
    return session
  } catch (error) {
    if (error instanceof ConnectionLost) return undefined
    throw explainPostgres(error as Error, url)
  }
}
