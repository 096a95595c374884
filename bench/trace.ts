import Database from 'better-sqlite3'

/** A statement that ran: on which connection, with which values, and whether it gave rows. */
export type Step = { db: Database.Database; sql: string; values: unknown[]; reads: boolean }

type Native = { prepare: typeof Database.prototype.prepare; exec: typeof Database.prototype.exec }
const native: Native = { prepare: Database.prototype.prepare, exec: Database.prototype.exec }

/** Tells every statement that better-sqlite3 runs in this process from now on. */
export function trace(told: (step: Step) => void) {
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = native.prepare.call(this, sql)
    for (const name of ['run', 'get', 'all', 'iterate'] as const) {
      const method = statement[name].bind(statement) as (...values: unknown[]) => unknown
      Object.assign(statement, {
        [name]: (...values: unknown[]) => {
          // a list of values counts as its values
          told({ db: this, sql, values: values.flat(), reads: statement.reader })
          return method(...values)
        },
      })
    }
    return statement
  } as Native['prepare']
  Database.prototype.exec = function (this: Database.Database, sql: string) {
    told({ db: this, sql, values: [], reads: false })
    return native.exec.call(this, sql)
  }
}

/** How SQLite goes about a statement: the lines of its plan, indented by depth. */
export function planOf({ db, sql, values }: Step): string[] {
  const rows = native.prepare.call(db, `explain query plan ${sql}`).all(values) as PlanRow[]
  const depth = new Map([[0, -1]])
  return rows.map(({ id, parent, detail }) => {
    depth.set(id, depth.get(parent)! + 1)
    return `${'  '.repeat(depth.get(id)!)}${detail}`
  })
}
type PlanRow = { id: number; parent: number; detail: string }
