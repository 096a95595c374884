import type { Share } from '../media-folder.ts'
import { openSharedFiles } from './postgres/files.ts'
import { type NodeLog, openReplica } from './postgres/node.ts'
import { type Db, type Durability, openDb } from './sqlite/db.ts'

/** Which database, and how it is written to. */
type Location = {
  database: string
  durability: Durability
  postgres: string | undefined
  logDays: number
  baseUrl: string
}

/**
 * Opens the configured database to read and write: the file, or the copy of what PostgreSQL keeps. With `log`, a copy follows what
 * other nodes write.
 */
export async function openDatabase(location: Location, log?: NodeLog): Promise<Db> {
  const { database, durability, postgres, logDays, baseUrl } = location
  if (postgres === undefined) return openDb(database, durability)
  return openReplica({ url: postgres, file: database, logDays, address: baseUrl }, log)
}

/** Where the nodes keep the files of pictures for each other; undefined if there is one node, whose folder has them all. */
export const openShare = ({ postgres }: Pick<Location, 'postgres'>): Share | undefined =>
  postgres === undefined ? undefined : openSharedFiles(postgres)
