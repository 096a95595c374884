import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unusable } from '../../kernel/database/file.ts'
import { readMigrations } from '../../kernel/database/migrations.ts'
import { redacted } from '../../kernel/settings.ts'
import { fromRoot } from '../../package.ts'
import { literal } from './rows.ts'
import {
  ConnectionLost,
  connect,
  isPostgresError,
  NoUsableHost,
  ReadOnly,
  type Session,
  Unreachable,
} from './session.ts'

export const MIGRATIONS = fileURLToPath(fromRoot('drizzle/postgres/'))

/** The number of this program's migrations of the tables in PostgreSQL. */
export const versionOf = (folder = MIGRATIONS) => readMigrations(folder).length

/** SQLSTATEs of another node that makes the tables at the same time. */
const MADE_MEANWHILE = ['23505', '42P06', '42P07', '42710']
const TRIES = 5
/** SQLSTATE of a table that is another one. */
const NO_COLUMN = '42703'
/** Milliseconds for migrations, and for the lock of the head, which a node that fell silent may hold. */
const LONG = 60_000

/**
 * Makes or upgrades the tables in PostgreSQL where they are missing or those of an earlier program. Throws `unusable`, with nothing
 * changed, if the schema is another program's or of a newer Almanac, and if there are no rights to do so.
 */
export async function prepareSchema(session: Session, url: string, folder = MIGRATIONS) {
  for (let left = TRIES; ; left--) {
    try {
      return await makeCurrent(session, url, folder)
    } catch (error) {
      await session.run('rollback').catch(() => {})
      if (
        left > 1 &&
        (error instanceof Meanwhile || (isPostgresError(error) && MADE_MEANWHILE.includes(error.code!)))
      )
        continue
      throw explainPostgres(error as Error, url)
    }
  }
}

/** Whether the schema is there, its table `head`, and the number of migrations that made the tables; 0 if there are none. */
async function readApplied(session: Session, url: string) {
  const [found] = await session.ask<{ made: boolean; relations: number; head: boolean; encoding: string }>(
    `select n.oid is not null as made, (select count(*) from pg_class where relnamespace = n.oid) as relations, to_regclass('almanac.head') is not null as head,
      current_setting('server_encoding') as encoding from (select 1) as one left join pg_namespace n on nspname = 'almanac'`,
  )
  const { made, relations, head, encoding } = found!
  if (encoding !== 'UTF8')
    throw refused(
      url,
      `the encoding of the database is ${encoding}; create one with ENCODING 'UTF8'. Nothing was changed in it`,
    )
  if (!head && relations > 0) throw foreign(url)
  return { made, head, applied: head ? await readVersion(session, url) : 0 }
}

/** Throws `unusable` unless the tables are there as this program knows them. */
export async function mustBeCurrent(session: Session, url: string) {
  const version = versionOf()
  const { applied } = await readApplied(session, url)
  if (applied > version) throw newer(url, applied, version)
  if (applied < version)
    throw refused(
      url,
      'holds no calendar of this version; correct the URL, or let `almanac migrate` upgrade its tables',
    )
}

async function makeCurrent(session: Session, url: string, folder: string) {
  const version = versionOf(folder)
  const { made, head, applied } = await readApplied(session, url)
  if (applied > version) throw newer(url, applied, version)
  if (applied === version) return
  await session.run(`begin; set local idle_in_transaction_session_timeout = ${LONG}`)
  // others that upgrade wait here, and writers: nothing is written between the last group and the new tables
  if (head && (await readVersion(session, url, 'for update')) !== applied) throw new Meanwhile()
  await session.run(
    [...migrationsOf(folder, applied, made), ...headOf(applied, version), 'commit'].join(';\n'),
    LONG,
  )
}

/** Another node has upgraded the tables. */
class Meanwhile extends Error {}

async function readVersion(session: Session, url: string, lock = ''): Promise<number> {
  try {
    const [head] = await session.ask<{ version: number }>(
      `select version, origin, commit_id from almanac.head ${lock}`,
      LONG,
    )
    if (head) return head.version
  } catch (error) {
    if (!isPostgresError(error) || error.code !== NO_COLUMN) throw error
  }
  throw foreign(url)
}

/** The statements of missing migrations. A schema that the operator made for Almanac is used. */
const migrationsOf = (folder: string, applied: number, made: boolean): string[] =>
  readMigrations(folder)
    .slice(applied)
    .map(({ tag }) =>
      readFileSync(join(folder, `${tag}.sql`), 'utf8').replaceAll('--> statement-breakpoint', ''),
    )
    .map((sql) => (made ? sql.replace('CREATE SCHEMA "almanac";', '') : sql).trim().replace(/;$/, ''))

/** The row of `head` after migrations: a new one, or one whose copies do not have the new tables. */
const headOf = (applied: number, version: number) =>
  applied === 0
    ? [
        `insert into almanac.head (id, seq, commit_id, origin, version, counters) values (1, 0, '${randomUUID()}', '${randomUUID()}', ${version}, '{}')`,
        FIRST,
      ]
    : [beginLogAnew(`version = ${version}`)]

const FIRST =
  "insert into almanac.log (seq, commit_id, at, node, rows) select seq, commit_id, now(), '', '{}' from almanac.head"

/** Statements of a group after which the log begins anew, with what it sets in `head`: copies from before it are taken anew. */
const beginLogAnew = (set: string) =>
  `delete from almanac.log; update almanac.head set ${set}, seq = seq + 1, commit_id = '${randomUUID()}'; ${FIRST}`

/** Commits a transaction that wrote more than a group: all copies are taken anew. `counters` tells how far IDs were given. */
export async function commitAnew(session: Session, url: string, counters: string) {
  const set = `counters = ${literal(counters)}`
  try {
    await session.run(`${beginLogAnew(set)}; notify almanac; commit`, 60_000)
  } catch (error) {
    if (isPostgresError(error)) throw error
    throw refused(
      url,
      'the connection broke during the commit, so it is not known whether the calendar is there now; look before you run the command again',
    )
  }
}

/** An error about what is at a URL, without its password. */
const refused = (url: string, why: string) => unusable(redacted(url), why)
const foreign = (url: string) =>
  refused(
    url,
    'the schema "almanac" holds tables of another program; use another database. Nothing was changed in it',
  )
const newer = (url: string, applied: number, version: number) =>
  refused(
    url,
    `was written by a newer Almanac (its tables have version ${applied}, this program knows ${version}); start that version. Nothing was changed in it`,
  )

/** Runs `work` on a connection that ends with it. Throws one sentence for the operator if PostgreSQL can not be asked. */
export async function withSession<T>(url: string, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    const session = await connect(url)
    try {
      return await work(session)
    } finally {
      session.cut()
    }
  } catch (error) {
    throw explainPostgres(error as Error, url)
  }
}

/** What PostgreSQL or the network said, in one sentence for the operator, without the password. */
export function explainPostgres(error: Error & { code?: string }, url: string): Error {
  if ('unusable' in error) return error
  if (error instanceof NoUsableHost && !(error.main instanceof ReadOnly))
    return refused(
      url,
      `no host of it can be used (${error.message}); check DATABASE, and that PostgreSQL runs`,
    )
  if (error instanceof ReadOnly || error instanceof NoUsableHost)
    return refused(url, 'is a read-only standby; name the primary in DATABASE. Nothing was changed in it')
  if (isPostgresError(error)) {
    const code = error.code!
    if (code === '42501')
      return refused(
        url,
        'the user has no rights to make tables there; an administrator may run CREATE SCHEMA almanac AUTHORIZATION <user>. Nothing was changed in it',
      )
    if (code === '3D000') return refused(url, 'there is no such database; create it, or correct DATABASE')
    if (code.startsWith('28'))
      return refused(
        url,
        `PostgreSQL refuses the login (${error.message}); correct the user and password in DATABASE`,
      )
    if (code === '25006') return explainPostgres(new ReadOnly(''), url)
    return refused(url, `PostgreSQL says: ${error.message}`)
  }
  if (error instanceof ConnectionLost || error.code)
    return refused(
      url,
      `can not be reached (${error instanceof Unreachable ? error.message : (error.code ?? error.message)}); check DATABASE, and that PostgreSQL runs`,
    )
  return error
}
