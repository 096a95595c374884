import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { MediaFile, MediaFolder } from '../../../calendar/media/folder.ts'
import type { Store, TransferFiles } from '../../../calendar/store.ts'

/** How files of pictures begin, by their extension. */
const BEGINNINGS: Record<string, RegExp> = {
  '.jpg': /^\xff\xd8\xff/,
  '.png': /^\x89PNG\r\n/,
  '.gif': /^GIF8/,
  '.webp': /^RIFF.{4}WEBP/s,
  '.avif': /^.{4}ftyp/s,
}
/** Whether a file is what its name says. */
const isPicture = ({ name, bytes }: MediaFile) =>
  BEGINNINGS[extname(name)]?.test(bytes.subarray(0, 16).toString('latin1')) === true

/** The pictures of an export, which lie in a folder under the names that they have in MEDIA_DIR. */
export function openPictureFolder(
  dir: string,
  { files: notes }: Pick<Store['media'], 'files'>,
  folder: MediaFolder,
): TransferFiles {
  const isThere = async (name: string) =>
    (await stat(join(dir, name)).catch(() => undefined))?.isFile() === true
  const areKept = async (names: string[]) => (await folder.kept(names)).length === names.length
  async function has(names: string[]) {
    const found = await Promise.all(names.map(isThere))
    return !found.includes(false) || areKept(names)
  }
  return {
    has,
    async bring(names) {
      if (await areKept(names)) return null
      if (!(await has(names))) return undefined
      const files = await Promise.all(
        names.map(async (name): Promise<MediaFile> => ({ name, bytes: await readFile(join(dir, name)) })),
      )
      const loose = files.every(isPicture) ? await notes.claim(names) : undefined
      if (loose === undefined) return undefined
      const isWritten = await folder.write(files).catch(async (error) => {
        await notes.forget(loose)
        throw error
      })
      if (isWritten) return loose
      await notes.forget(loose)
      return undefined
    },
    drop: (loose) => notes.remove(loose, folder.remove),
  }
}
