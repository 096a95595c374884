import { constants } from 'node:fs'
import { access, copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { exportLines } from '../exports/lines.ts'
import { openShare } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { openMediaFolder } from '../support/media-folder.ts'
import { SHARED } from '../support/modes.ts'
import { noteIn } from './audit.ts'
import { many, quiet } from './database.ts'
import { withBar } from './terminal/progress.ts'
import { fail, type Shell, tell, withStore } from './terminal/shell.ts'

type Options = { force?: boolean; media: boolean; json?: boolean }

/** The file of an export in its folder, and the folder of its pictures. */
export const LINES = 'calendar.jsonl'
export const PICTURES = 'media'

/** `export`: everything as JSON Lines with the pictures beside it. */
export function addExportCommand(command: Command, shell: Shell) {
  command
    .description('write everything to a folder, as JSON Lines with the pictures beside it')
    .argument('<folder>')
    .option('--force', 'overwrite the export that the folder has')
    .option('--no-media', 'leave the files of pictures out')
    .option('--json', 'print JSON')
    .action((folder: string, options: Options) => exportAll(shell, folder, options))
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

async function exportAll(shell: Shell, folder: string, { force, media, json }: Options) {
  const config = readConfig(shell.env)
  const file = join(folder, LINES)
  if (!force && (await exists(file))) throw fail(`${file} exists; name another folder, or use --force`)
  const share = openShare(config)
  const bring = openCopying(resolve(config.mediaDir), join(folder, PICTURES), share)
  try {
    await withStore(shell, async (store) => {
      await mkdir(folder, { recursive: true, mode: SHARED.folder })
      const picture = media ? (name: string) => bring(store, name) : async () => true
      const done = await withBar(quiet(shell, json), 'Exporting', (progress) =>
        writeWhole(file, (write) => exportLines(store, { write, picture }, progress)),
      )
      await noteIn(shell, { url: config.postgres, file: config.database }, 'data_exported', {
        ...{ command: 'export', to: resolve(file) },
      })
      const { event, venue, organizer } = done.counts
      const held = `${many(event, 'event')}, ${many(venue, 'venue')}, ${many(organizer, 'organizer')}`
      const files = media ? `, and ${join(folder, PICTURES)} ${many(done.files, 'file')} of pictures` : ''
      const lost =
        done.missing.length > 0
          ? `\n${many(done.missing.length, 'file')} of pictures were not there: ${done.missing.slice(0, 5).join(', ')}`
          : ''
      tell(shell, json, { file: resolve(file), ...done }, `${file} holds ${held}${files}.${lost}`)
    })
  } finally {
    share?.close()
  }
}

/** Writes a file by way of another name, so that it is whole or not there; nobody else may read it. */
async function writeWhole<T>(
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
function openCopying(from: string, to: string, share: ReturnType<typeof openShare>) {
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
