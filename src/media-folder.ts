import { rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** How the files that Almanac makes are called: nothing else is looked for, or ever deleted. */
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

/** The folder of pictures, `MEDIA_DIR`. Names are paths below it, with slashes. */
export const openMediaFolder = (dir: string) => ({
  /** One line about why the folder can not be read; undefined where it can. */
  async trouble(): Promise<string | undefined> {
    try {
      await readdir(dir)
      return undefined
    } catch (error) {
      return `MEDIA_DIR ${dir} ${codeOf(error) === 'ENOENT' ? 'does not exist' : `can not be read (${codeOf(error)})`}`
    }
  },
  /** Those of the names under which a file of ours lies. */
  async present(names: string[]): Promise<string[]> {
    const isFile = (name: string) =>
      stat(join(dir, name)).then(
        (entry) => entry.isFile(),
        () => false,
      )
    const found = await Promise.all(names.map((name) => OURS.test(name) && isFile(name)))
    return names.filter((_, at) => found[at])
  },
  /** Deletes those of these files that are ours, at once: it is done inside of transactions. Gives false where one of them stays. */
  remove(names: string[]): boolean {
    const gone = names.filter((name) => OURS.test(name)).map((name) => tryRemove(join(dir, name)))
    return !gone.includes(false)
  },
})
export type MediaFolder = ReturnType<typeof openMediaFolder>
