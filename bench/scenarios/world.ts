import type { DataSet } from '../data.ts'
import type { Server } from '../process.ts'
import type { Result } from '../results.ts'

/** What scenarios are measured in. */
export type World = {
  data: DataSet
  rounds: number
  seconds: number
  /** Only scenarios whose name has these words. */
  only: string
  /** Takes a result as soon as it is there. */
  add(result: Result): void
}

/** The world of scenarios that read: a server on the data set, and the bare limit. */
export type Reading = World & { server: Server; limit: Server }

export const ROOT = '/calendar/events/v1'
export const CONNECTIONS = 32
