import Database from 'better-sqlite3'

/** Bytes of the tables and indexes of a database file, by name, with `free pages`, which later writes take. */
export type Sizes = Map<string, number>

/** Reads the sizes of a file, which a service may have open. */
export function sizesOf(file: string): Sizes {
  const db = new Database(file, { readonly: true })
  const rows = db.prepare('select name, sum(pgsize) from dbstat group by name').raw().all()
  const free = db.prepare('pragma freelist_count').pluck().get() as number
  const page = db.prepare('pragma page_size').pluck().get() as number
  db.close()
  return new Map([...(rows as [string, number][]), ['free pages', free * page]])
}

/** Bytes a write by which each part of a file grew, the most first; parts that grew by less than one are summed as `others`. */
export function growthOf(before: Sizes, after: Sizes, writes: number): [name: string, perWrite: number][] {
  const all = [...after].map(
    ([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / Math.max(1, writes)] as [string, number],
  )
  const shown = all.filter(([, bytes]) => Math.abs(bytes) >= 1).sort(([, one], [, other]) => other - one)
  const others = all.filter(([, bytes]) => Math.abs(bytes) < 1).reduce((sum, [, bytes]) => sum + bytes, 0)
  return [...shown, ['others', others]]
}
