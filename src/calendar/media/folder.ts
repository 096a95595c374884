import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { explain, SHARED, sync, unusable } from '../../kernel/database/file.ts'
import { filesOf } from '../records/media.ts'

/** The names of files that Almanac creates. It never looks for other files, and never deletes them. */
const OURS = /^\d{4}\/\d{2}\/[^/\\]+\.\w+$/

/** Files that are being fetched have such names, outside the folders that are served; after so many milliseconds they are left over. */
const INCOMING = '.incoming-'
const LEFT_AFTER = 3_600_000

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** A file of a picture, by its path below MEDIA_DIR. */
export type MediaFile = { name: string; bytes: Buffer }

/** Where several nodes keep the files of pictures for each other. */
export type Share = {
  /** Keeps files under names that nobody has, and returns their time in seconds; if one is taken, keeps none and returns undefined. */
  put(files: MediaFile[]): Promise<number | undefined>
  /** The bytes of a file, and its time in seconds; undefined if it is not there. */
  get(name: string): Promise<{ bytes: Buffer; at: number } | undefined>
  /** Those of the names that are there. */
  present(names: string[]): Promise<string[]>
  /** Deletes the files of one picture, the full one first, unless it has a row. What fails is left to `sweep`. */
  release(names: string[]): Promise<void>
  /** Deletes files that no picture has and that are too old for an upload; returns how many. */
  sweep(): Promise<number>
  close(): void
}

function tryRemove(path: string): boolean {
  try {
    rmSync(path, { force: true })
    return true
  } catch {
    return false
  }
}

/**
 * The folder of images, `MEDIA_DIR`. Names are relative paths with slashes. With a share it holds those of its files that were asked for
 * here.
 */
export function openMediaFolder(dir: string, share?: Share) {
  const fetching = new Map<string, Promise<void>>()
  const isFile = (name: string) =>
    stat(join(dir, name)).then(
      (entry) => entry.isFile(),
      () => false,
    )
  const makeFolder = (name: string) =>
    mkdir(dirname(join(dir, name)), { recursive: true, mode: SHARED.folder })

  async function present(names: string[]): Promise<string[]> {
    const found = await Promise.all(names.map((name) => OURS.test(name) && isFile(name)))
    return names.filter((_, at) => found[at])
  }

  function remove(names: string[]): boolean {
    const gone = names.filter((name) => OURS.test(name)).map((name) => tryRemove(join(dir, name)))
    return !gone.includes(false)
  }

  async function fetchFrom(from: Share, name: string, isKnown: () => Promise<boolean>) {
    if (!(await isKnown())) return
    const file = await from.get(name)
    if (!file) return
    const aside = join(dir, INCOMING + randomUUID())
    try {
      await makeFolder(name)
      await writeFile(aside, file.bytes, { mode: SHARED.file })
      await utimes(aside, file.at, file.at)
      await rename(aside, join(dir, name))
    } catch (error) {
      tryRemove(aside)
      throw error
    }
    await turn() // so that the question sees what was written meanwhile
    if (!(await isKnown())) remove([name])
  }

  /** Writes all files or none, with the time of the share, from which their ETags are made; returns false if one of them already exists. */
  async function writeHere(files: MediaFile[], at: number | undefined): Promise<boolean> {
    const written: string[] = []
    try {
      for (const { name, bytes } of files) {
        await makeFolder(name)
        written.push(name)
        await writeFile(join(dir, name), bytes, { flag: 'wx', mode: SHARED.file })
        if (at !== undefined) await utimes(join(dir, name), at, at)
      }
      return true
    } catch (error) {
      const taken = codeOf(error) === 'EEXIST'
      remove(taken ? written.slice(0, -1) : written)
      if (!taken) throw error
      return false
    }
  }

  /** Gives up the files of one picture, the full one first, which got no row. Those here are another matter. */
  const release = async (names: string[]) => share?.release(names)

  return {
    /** Why the folder can not be read, in one line; undefined if it can. A share fills one that does not exist. */
    async trouble(): Promise<string | undefined> {
      try {
        await readdir(dir)
        return undefined
      } catch (error) {
        const isMissing = codeOf(error) === 'ENOENT'
        if (isMissing && share) return undefined
        return `MEDIA_DIR ${dir} ${isMissing ? 'does not exist' : `can not be read (${codeOf(error)})`}`
      }
    },
    /** The names whose file exists here and was created by Almanac. */
    present,
    /** The bytes of a file that Almanac created and that is here; undefined if it is not. */
    read: (name: string): Promise<Buffer | undefined> => readFile(join(dir, name)).catch(() => undefined),
    /** The names whose file exists, here or in the share. */
    async kept(names: string[]): Promise<string[]> {
      const here = await present(names)
      const others = names.filter((name) => !here.includes(name))
      return share && others.length > 0 ? [...here, ...(await share.present(others))] : here
    },
    /** Writes all files of one picture, the full one first, or none; returns false if one of the names is taken. */
    async write(files: MediaFile[]): Promise<boolean> {
      const at = await share?.put(files)
      if (share && at === undefined) return false
      const names = files.map(({ name }) => name)
      const written = await writeHere(files, at).catch(async (error) => {
        await release(names)
        throw error
      })
      if (!written) await release(names)
      return written
    },
    /** Fetches a file from the share if it is not here, and `isKnown` says that a picture has it. */
    async ensure(name: string, isKnown: () => Promise<boolean>): Promise<void> {
      if (!share || !OURS.test(name) || (await isFile(name))) return
      const under = fetching.get(name) ?? fetchFrom(share, name, isKnown).finally(() => fetching.delete(name))
      fetching.set(name, under)
      return under
    },
    /** Deletes those of these files that Almanac created; synchronous, because it runs inside transactions. Returns false if one remains. */
    remove,
    release,
    /** Deletes what earlier processes were fetching when they were killed. */
    async tidy() {
      const before = Date.now() - LEFT_AFTER
      for (const name of (await readdir(dir)).filter((name) => name.startsWith(INCOMING)))
        if ((await stat(join(dir, name))).mtimeMs < before) tryRemove(join(dir, name))
    },
    /** Deletes files of the share that uploads left behind; returns how many. For one node at a time. */
    sweepShare: async (): Promise<number> => (share ? share.sweep() : 0),
  }
}
export type MediaFolder = ReturnType<typeof openMediaFolder>

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
