import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPicture, statOf } from '../../../calendar/records/media/album.ts'
import { explain, SHARED, unusable } from '../../../kernel/database/file.ts'
import type { Session } from '../connection/session.ts'
import { literal } from '../tables/rows.ts'

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

/** Stores files of pictures from the first of these folders that has them in PostgreSQL, one by one, and compares what it has then. Files that are not there are counted. */
export async function storePictures(
  session: Session,
  folders: string[],
  names: string[],
  step: (count: number) => void,
): Promise<Pictures> {
  const pictures = { files: 0, missing: 0 }
  for (const name of names) {
    const path = findPicture(folders, name)
    const bytes = path && read(path)
    if (bytes) await store(session, name, bytes, statOf(path)!.at)
    pictures[bytes ? 'files' : 'missing']++
    step(1)
  }
  return pictures
}

/** Writes files of pictures from PostgreSQL into a folder, one by one; `written` gets the paths of new ones. */
export async function fetchPictures(
  session: Session,
  folder: string,
  names: string[],
  written: string[],
  step: (count: number) => void,
): Promise<Pictures> {
  const pictures = { files: 0, missing: 0 }
  for (const name of names) {
    const [row] = await session.ask<{ bytes: string }>(
      `select encode(bytes, 'base64') as bytes from almanac.files where name = ${literal(name)}`,
      FILE,
    )
    if (row) write(join(folder, name), Buffer.from(row.bytes, 'base64'), written)
    pictures[row ? 'files' : 'missing']++
    step(1)
  }
  return pictures
}

/** Those of the names that PostgreSQL has no file of. */
export async function lackedThere(session: Session, names: string[]): Promise<string[]> {
  const rows = await session.ask<{ name: string }>('select name from almanac.files', FILE)
  const there = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !there.has(name))
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
