import type { Share } from '../../../calendar/media/folder.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { openSemaphore } from '../../../kernel/tasks/semaphore.ts'
import { openLink } from '../connection/link.ts'
import { openOutage } from '../connection/outage.ts'
import { PACE } from '../connection/pace.ts'
import { Lost, type Session } from '../connection/session.ts'
import { literal } from '../tables/rows.ts'

/** Milliseconds for one file there or back, and for the names of many. */
const TRANSFER = 30_000
const NAMES = 10_000
/** The time of a file, in whole seconds as files have it. */
const SECONDS = 'floor(extract(epoch from at))::bigint as at'
/** Days after which a file that no picture has counts as left behind. */
const LEFT_AFTER = 1

const unavailable = () =>
  new ApiError(
    'database_unavailable',
    'PostgreSQL, which keeps the files of pictures for all nodes, does not answer; try again.',
    { retry_after: 2 },
  )

const list = (names: string[]) => `(${names.map(literal)})`

/** The names of the files of pictures, in PostgreSQL. */
const filesIn = (pictures: string) =>
  `(select file from ${pictures} union all select size.value->>'file' from ${pictures}, json_each(${pictures}.sizes) as size)`

/** In PostgreSQL: deletes the files of the pictures with the keys of a JSON array, which is an expression there. */
export const removeFilesThere = (array: string) =>
  `with gone as (select m.file, m.sizes from almanac.media m join json_to_recordset(${array}) as r(id bigint) on m.id = r.id)
    delete from almanac.files where name in ${filesIn('gone')}`

/**
 * The files of pictures in PostgreSQL, where all nodes find them. They have a connection of their own, for one transfer at a time, so
 * that no write waits for them. Bytes travel as base64. What can not be done because PostgreSQL does not answer throws 503.
 */
export function openSharedFiles(url: string): Share {
  const link = openLink(url, openOutage(), PACE)
  const semaphore = openSemaphore(1, 100)

  async function attempt<T>(job: (session: Session) => Promise<T>): Promise<T> {
    let session: Session | undefined
    try {
      session = await link.get()
      const done = await job(session)
      link.note()
      return done
    } catch (error) {
      await session?.run('rollback').catch(session.cut)
      link.note(error)
      throw error
    }
  }

  /** A connection that was not used for long may be broken, which shows at its next use: then a new one is tried. */
  const run = <T>(job: (session: Session) => Promise<T>): Promise<T> =>
    semaphore(() =>
      attempt(job)
        .catch((error) => {
          if (error instanceof Lost) return attempt(job)
          throw error
        })
        .catch((cause) => {
          throw Object.assign(unavailable(), { cause })
        }),
    )

  return {
    put: (files) =>
      run(async (session) => {
        await session.run(`begin; set local idle_in_transaction_session_timeout = ${TRANSFER}`)
        let at: number | undefined
        // in one order, so that two that share names do not wait for each other
        for (const { name, bytes } of [...files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
          const [made] = await session.ask<{ at: number }>(
            `insert into almanac.files (name, bytes, at) values (${literal(name)}, decode('${bytes.toString('base64')}', 'base64'), now())
              on conflict do nothing returning ${SECONDS}`,
            TRANSFER,
          )
          at = made?.at
          if (made) continue
          await session.run('rollback')
          return undefined
        }
        await session.run('commit')
        return at
      }),
    get: (name) =>
      run(async (session) => {
        const [file] = await session.ask<{ bytes: string; at: number }>(
          `select encode(bytes, 'base64') as bytes, ${SECONDS} from almanac.files where name = ${literal(name)}`,
          TRANSFER,
        )
        return file && { bytes: Buffer.from(file.bytes, 'base64'), at: file.at }
      }),
    present: (names) =>
      run(async (session) => {
        const rows = await session.ask<{ name: string }>(
          `select name from almanac.files where name in ${list(names)}`,
          NAMES,
        )
        return rows.map(({ name }) => name)
      }),
    async release(names) {
      // a write whose outcome is not known may still give them a picture; it holds the lock of the head until it is over
      await run((session) =>
        session.run(
          `begin; set local lock_timeout = ${NAMES / 2}; select 1 from almanac.head for update;
            delete from almanac.files where name in ${list(names)} and not exists (select 1 from almanac.media where file = ${literal(names[0]!)});
            commit`,
          NAMES,
        ),
      ).catch(() => {}) // `sweep` removes them
    },
    sweep: () =>
      run(async (session) => {
        const swept = await session.ask(
          `delete from almanac.files where at < now() - interval '${LEFT_AFTER} day' and name not in ${filesIn('almanac.media')} returning 1`,
          TRANSFER,
        )
        return swept.length
      }),
    close: () => link.end(),
  }
}
