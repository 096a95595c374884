import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { settings } from '../../../drizzle/tables.ts'
import { VERSION } from '../../package.ts'
import { type Db, prepared } from './db.ts'

/** The name under which the database keeps the last manner, and since when it is. */
const NAME = 'manner'

/** The settings of the environment that every answer shows. */
type Shown = { baseUrl: string; namespace: string; compatPrefixes: string[] }

/**
 * How answers are made from the same records: a digest of the program, of the names and clocks that it has of ICU and of the tz database,
 * and of the settings that answers show.
 */
export function mannerOf({ baseUrl, namespace, compatPrefixes }: Shown, more: unknown[]): string {
  const { icu, tz } = process.versions
  const all = JSON.stringify([VERSION, icu, tz, baseUrl, namespace, compatPrefixes, ...more])
  return createHash('sha256').update(all).digest('base64url').slice(0, 16)
}

const stored = prepared((db) => db.select().from(settings).where(eq(settings.name, NAME)).prepare())

function read(db: Db): { manner: string; at: number } | undefined {
  const row = stored(db.read).get()
  if (!row) return undefined
  const [manner, at] = row.value.split(' ') as [string, string]
  return { manner, at: Number(at) }
}

/** Keeps from when on answers are made in this manner, unless that is how the last ones were made; for all processes and nodes. */
export async function keepManner(db: Db, manner: string, at: number) {
  if (read(db)?.manner === manner) return
  const value = `${manner} ${at}`
  await db.write((tx) =>
    tx
      .insert(settings)
      .values({ name: NAME, value })
      .onConflictDoUpdate({ target: settings.name, set: { value } }),
  )
}

/** Tells since when answers are made in this manner, in Unix milliseconds: as the database keeps it, or else since `at`. */
export function openManner(db: Db, manner: string, at: number): () => number {
  let version = Number.NaN
  let since = at
  const look = () => {
    const now = db.version()
    if (now !== version) {
      version = now
      const last = read(db)
      if (last?.manner === manner) since = last.at
    }
    return since
  }
  look() // before another process keeps its own
  return look
}
