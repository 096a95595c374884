import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { explain, SHARED, sync, unusable } from '../../kernel/database/file.ts'
import { filesOf } from '../records/media.ts'

/** Names that are told where files are missing. */
const NAMED = 5

/** The folder where a backup has its pictures: beside the file. */
export const backupFolder = (file: string) => join(dirname(file), 'media')

/** The names of all files that the pictures of an open database have. */
export const picturesIn = (db: Database.Database): string[] =>
  (db.prepare('select file, sizes from media order by id').all() as { file: string; sizes: string }[])
    .map(({ file, sizes }) => ({ file, sizes: JSON.parse(sizes) }))
    .flatMap(filesOf)

/** The names of all files that the pictures of a database file have. */
export function picturesOf(file: string): string[] {
  const db = new Database(file, { readonly: true })
  try {
    return picturesIn(db)
  } finally {
    db.close()
  }
}

/** Size in bytes and time in whole seconds of a file; undefined if there is none. */
export function statOf(path: string): { size: number; at: number } | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? { size: found.size, at: Math.floor(found.mtimeMs / 1_000) } : undefined
}

/** The path of a file of a picture in the first of these folders that has it. */
export const findPicture = (folders: string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => statOf(path))

/** Writes a file of a picture by way of another name, so that it is whole or not there; `at` is its time in seconds. */
export function writePicture(path: string, bytes: Buffer, at: number) {
  const partial = `${path}.partial`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: SHARED.folder })
    writeFileSync(partial, bytes, { mode: SHARED.file })
    utimesSync(partial, at, at)
    sync(partial)
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw explain(error as Error, path)
  }
}

/** Copies files of pictures that a folder lacks from another one; returns the names that neither has. */
export function copyPictures(from: string, to: string, names: string[]): string[] {
  const missing: string[] = []
  for (const name of names) {
    if (findPicture([to], name)) continue
    if (!findPicture([from], name)) {
      missing.push(name)
      continue
    }
    const path = join(to, name)
    try {
      mkdirSync(dirname(path), { recursive: true, mode: SHARED.folder })
      copyFileSync(join(from, name), path)
    } catch (error) {
      throw explain(error as Error, path)
    }
  }
  return missing
}

/** What is missing, in words, with some of the names. */
export const missingText = (missing: string[]) =>
  `${missing.length.toLocaleString('en')} file${missing.length === 1 ? '' : 's'} of pictures (${missing.slice(0, NAMED).join(', ')}${missing.length > NAMED ? ', …' : ''})`

/** Throws `unusable` if files of pictures are missing in these places, unless that is `allowed`. `done` says that nothing was changed. */
export function mustHavePictures(
  place: string,
  missing: string[],
  { where, allowed, done }: { where: string; allowed: boolean; done: string },
) {
  if (missing.length === 0 || allowed) return
  throw unusable(
    place,
    `${missingText(missing)} are missing in ${where}; bring them there, or go on without them: --allow-missing. ${done}`,
  )
}
