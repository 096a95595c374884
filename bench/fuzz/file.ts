import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { openData } from '../data.ts'

/** A database file in a folder: with so many events of the benchmarks' data, or with 0 a path at which there is none yet. */
export async function fileWith(events: number, folder: string): Promise<string> {
  const file = join(folder, 'a.db')
  if (events > 0) copyFileSync((await openData(events)).file, file)
  return file
}
