import { resolve } from 'node:path'
import type { Config } from '../../../calendar/config.ts'
import { openMediaFolder } from '../../../calendar/media/folder.ts'
import { openPictures } from '../../../calendar/media/pictures.ts'
import type { Store, User, Writer } from '../../../calendar/store.ts'
import { fail, operatorOf } from '../../../kernel/shell.ts'
import { VERSION } from '../../../package.ts'
import type { Tools } from '../../host.ts'
import { firstAdministrator } from '../mirror/mirror.ts'

/** The user of that login, else the first administrator; undefined if there is none yet. Throws if nobody has the login. */
export async function findOwner(
  { mustFind }: Pick<Tools, 'mustFind'>,
  store: Store,
  login: string | undefined,
): Promise<User | undefined> {
  if (login !== undefined) return mustFind(store, login)
  return firstAdministrator(store)
}

/** As whom an import writes: its owner, and the language of what tells none. Throws if there is none of them. */
export async function writerOf(
  shell: Tools,
  store: Store,
  { author, language }: { author?: string; language?: string },
): Promise<Writer & { caller: Pick<User, 'id' | 'role'> }> {
  const { languages } = store.site
  if (language !== undefined && !languages.includes(language))
    throw fail(`"${language}" is none of the languages of this calendar: ${languages.join(', ')}`)
  const owner = await findOwner(shell, store, author)
  if (!owner)
    throw fail(
      'there is no administrator who could own the records; add one: almanac user add <login> --role administrator',
    )
  const { id, role } = owner
  return { caller: { id, role }, by: operatorOf(shell), language: language ?? languages[0]! }
}

/** The pictures of a calendar, which an import downloads. */
export const picturesOf = (store: Store, config: Config, share: ReturnType<Tools['openShare']>) =>
  openPictures(store.media, {
    folder: openMediaFolder(resolve(config.mediaDir), share),
    base: config.baseUrl,
    clock: Date.now,
    download: { allow: config.downloadAllow, userAgent: `Almanac/${VERSION}` },
  })
