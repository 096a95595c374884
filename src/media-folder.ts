import { rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of files that Almanac creates. It never looks for other files, and never deletes them. */
const OURS = /^\d{4}\/\d{2}\/[^/\\]+\.\w+$/

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

function tryRemove(path: string): boolean {
  try {
    rmSync(path, { force: true })
    return true
  } catch {
    return false
  }
}

/** The folder of images, `MEDIA_DIR`. Names are relative paths with slashes. */
export const openMediaFolder = (dir: string) => ({
  /** Why the folder can not be read, in one line; undefined if it can. */
  async trouble(): Promise<string | undefined> {
    try {
      await readdir(dir)
      return undefined
    } catch (error) {
      return `MEDIA_DIR ${dir} ${codeOf(error) === 'ENOENT' ? 'does not exist' : `can not be read (${codeOf(error)})`}`
    }
  },
  /** The names whose file exists and was created by Almanac. */
  async present(names: string[]): Promise<string[]> {
    const isFile = (name: string) =>
      stat(join(dir, name)).then(
        (entry) => entry.isFile(),
        () => false,
      )
    const found = await Promise.all(names.map((name) => OURS.test(name) && isFile(name)))
    return names.filter((_, at) => found[at])
  },
  /** Deletes those of these files that Almanac created; synchronous, because it runs inside transactions. Returns false if one remains. */
  remove(names: string[]): boolean {
    const gone = names.filter((name) => OURS.test(name)).map((name) => tryRemove(join(dir, name)))
    return !gone.includes(false)
  },
})
export type MediaFolder = ReturnType<typeof openMediaFolder>
