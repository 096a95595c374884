import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPicture, statOf, writePicture } from '../../../calendar/media/backup.ts'
import { connect, Lost } from '../connection/session.ts'
import { beginSnapshot } from '../copy/copy.ts'
import { literal } from '../tables/rows.ts'
import { explain } from '../tables/schema.ts'

/** Milliseconds for the bytes of one file. */
const FILE = 120_000
/** Names that are looked up at a time. */
const NAMES = 500

type StoredFile = { name: string; size: number; at: number }

/** The files of pictures in PostgreSQL as they are at one moment. */
export type PictureSource = {
  /** Size and time of those of the names that are there. */
  find(names: string[]): Promise<StoredFile[]>
  read(name: string): Promise<Buffer>
  /** Goes on with a later moment. */
  renew(): Promise<void>
  close(): void
}

/**
 * Opens the files of pictures in PostgreSQL as they are now: what is deleted from now on stays readable. Undefined if PostgreSQL does not
 * answer; everything else that goes wrong is thrown in one sentence for the operator.
 */
export async function openPictureSource(url: string): Promise<PictureSource | undefined> {
  const explained = (error: Error) => {
    throw explain(error, url)
  }
  try {
    const session = await connect(url)
    const ask = <T>(statement: string) => session.ask<T>(statement, FILE).catch(explained)
    await beginSnapshot(session)
    return {
      find: (names) =>
        ask<StoredFile>(`select name, octet_length(bytes) as size, floor(extract(epoch from at))::bigint as at
          from almanac.files where name in (${names.map(literal)})`),
      async read(name) {
        const [row] = await ask<{ bytes: string }>(
          `select encode(bytes, 'base64') as bytes from almanac.files where name = ${literal(name)}`,
        )
        return Buffer.from(row!.bytes, 'base64')
      },
      async renew() {
        await ask('commit')
        await beginSnapshot(session).catch(explained)
      },
      close: session.cut,
    }
  } catch (error) {
    if (error instanceof Lost) return undefined
    throw explain(error as Error, url)
  }
}

/** What became of the files of pictures of a backup. */
export type Brought = { files: number; missing: string[] }

/**
 * Brings files of pictures into a folder: from PostgreSQL, and what that does not have, or can not tell, from the folder of this node.
 * A file that is in the folder already, with the same size and time, is not copied again.
 */
export async function bringPictures(
  source: PictureSource | undefined,
  { names, folder, mediaDir }: { names: string[]; folder: string; mediaDir: string },
  progress: (done: number, total: number) => void,
): Promise<Brought> {
  let left = names
  for (let pass = 0; source && left.length > 0 && pass < 2; pass++) {
    if (pass > 0) await source.renew() // for those that came after the first moment
    left = await bringFrom(source, left, folder, (done) => progress(done, names.length))
  }
  const missing = left.filter((name) => {
    const here = findPicture([folder, mediaDir], name)
    if (here && here !== join(folder, name))
      writePicture(join(folder, name), readFileSync(here), statOf(here)!.at)
    return !here
  })
  progress(names.length, names.length)
  return { files: names.length - missing.length, missing }
}

/** Brings what the source has; returns the names that it does not have. */
async function bringFrom(
  source: PictureSource,
  names: string[],
  folder: string,
  step: (done: number) => void,
): Promise<string[]> {
  const left = new Set(names)
  for (let from = 0; from < names.length; from += NAMES)
    for (const { name, size, at } of await source.find(names.slice(from, from + NAMES))) {
      const path = join(folder, name)
      const here = statOf(path)
      if (here?.size !== size || here.at !== at) writePicture(path, await source.read(name), at)
      left.delete(name)
      step(names.length - left.size)
    }
  return [...left]
}
