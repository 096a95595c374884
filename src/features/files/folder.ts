import { constants } from 'node:fs'
import { access, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openMediaFolder, type Share } from '../../calendar/media/folder.ts'
import type { Store } from '../../calendar/store.ts'
import { SHARED } from '../../kernel/database/file.ts'

/** Whether there is a file or a folder of this name. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Writes a file by way of another name, so that it is whole or not there; nobody else may read it. */
export async function writeWhole<T>(
  path: string,
  work: (write: (text: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const partial = `${path}.partial`
  const file = await open(partial, 'w', 0o600)
  try {
    const done = await work((text) => file.write(text))
    await file.sync()
    await file.close()
    await rename(partial, path)
    return done
  } catch (error) {
    await file.close().catch(() => {})
    await rm(partial, { force: true })
    throw error
  }
}

/** Copies files of pictures, from other nodes where this one lacks them; false if nobody has a file. */
export function openCopying(from: string, to: string, share: Share | undefined) {
  const folder = openMediaFolder(from, share)
  return async ({ media }: Store, name: string): Promise<boolean> => {
    await folder.bring(name, () => media.hasFile(name))
    if (!(await exists(join(from, name)))) return false
    const path = join(to, name)
    await mkdir(dirname(path), { recursive: true, mode: SHARED.folder })
    await copyFile(join(from, name), path, constants.COPYFILE_FICLONE)
    return true
  }
}
