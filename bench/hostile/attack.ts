import type { Moment } from './leaving.ts'

/** A request as a hostile client sends it. Of one that is withheld, the last byte never comes; one that `leaves` is given up after so many milliseconds. */
export type Sent = {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
  withheld?: boolean
  leaves?: number
}

/**
 * Sends one request after the other on each of its connections, and reads every answer; of a stream the beginning. `since` is a sync token
 * at the beginning of all records.
 */
export type Asks = {
  name: string
  connections: number
  /** Set if the normal client comes from the same address: the headers that make it so. */
  shared?: Record<string, string>
  /** What is made once, before the first request. */
  prepare?(root: string): Promise<Buffer>
  request(
    at: number,
    token: string,
    since: string,
    prepared: Buffer | undefined,
    root: string,
  ): Sent | Promise<Sent>
}

/**
 * Writes the same bytes so many times on each of its connections, without waiting for any answer. What does not read leaves the
 * answers in the sockets. A connection that the service closes is opened again; one whose answers have all come is written again.
 */
export type Pours = {
  name: string
  connections: number
  shared?: undefined
  pour(root: string): { bytes: string; times: number; reads: boolean }
}

/** Gives requests of all operations up, each on a connection of its own, at one moment. */
export type Leaves = {
  name: string
  connections: number
  shared?: undefined
  moment: Moment
  signedIn: boolean
}

export type Attack = Asks | Pours | Leaves

/** What a hostile client was answered: how many times which status, or which end of a connection. */
export type Statuses = Record<string, number>

/** The address from which hostile clients come; the normal client has another, so that limits of an address tell them apart. */
export const HOSTILE_ADDRESS = '127.0.0.2'
