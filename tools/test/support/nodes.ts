import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Test } from 'tap'
import { site } from '../../../drizzle/tables.ts'
import { openStore, type Store } from '../../../src/calendar/store.ts'
import type { DatabaseLog } from '../../../src/features/host.ts'
import { prepareCopy } from '../../../src/features/nodes/copy.ts'
import { openReplica } from '../../../src/features/nodes/node.ts'
import { TABLES } from '../../../src/features/nodes/rows.ts'
import { TIMING } from '../../../src/features/nodes/session.ts'
import { FEATURES } from '../../../src/features.ts'
import type { Db } from '../../../src/kernel/database/db.ts'
import { DERIVATION } from '../../../src/kernel/database/stored-settings.ts'
import { NOW } from '../../../test/support/given.ts'
import { type EmbeddedPostgres, embeddedPostgres } from './embedded-postgres.ts'

/** What a node told, in order. */
export type Told = { level: string; what: Record<string, unknown>; message: string }

/** A node that asks by itself only when it is told to: its rounds are an hour apart. It waits for answers as long as a slow machine needs. */
export const CALM = { ...TIMING, every: 3_600_000, connect: 60_000, answer: 60_000, commit: 60_000 }

/** A node in this process. */
export type TestNode = {
  db: Db
  store: Store
  file: string
  told: Told[]
  /** Resolves when a message was told that matches, from now or before. */
  said(message: RegExp): Promise<Told>
}

/** PostgreSQL for the tests of a file, and nodes on it. Each test that calls `reset` begins with an empty database. */
export async function openNodes(t: Test) {
  const postgres = await embeddedPostgres()
  t.teardown(() => postgres.close())
  let files = 0
  return {
    postgres,
    async reset() {
      postgres.tap(() => undefined)
      postgres.mute(false)
      postgres.down(false)
      postgres.cut()
      await postgres.ask('drop schema if exists almanac cascade')
    },
    /** Makes a copy ready, as a start does; returns what it printed. */
    async prepare(file: string, url = postgres.url) {
      const printed: string[] = []
      await prepareCopy({ url, file }, { print: (text) => void printed.push(text), progress() {} })
      return printed.join('')
    },
    /** Starts a node on a copy of its own, or on this one. */
    async start(
      t: Test,
      {
        file = join(t.testdirName, `${++files}.db`),
        timing = CALM,
        follows = true,
        isPrepared = false,
        machine = Date.now,
      } = {},
    ): Promise<TestNode> {
      if (!existsSync(t.testdirName)) t.testdir()
      if (!isPrepared) await this.prepare(file)
      const told: Told[] = []
      const waiting: (() => void)[] = []
      const tell = (level: string) => (what: object, message: string) => {
        told.push({ level, what: what as Record<string, unknown>, message })
        for (const look of waiting) look()
      }
      const log: DatabaseLog = { warn: tell('warn'), error: tell('error') }
      const db = await openReplica(
        { url: postgres.url, file, logDays: 7, address: 'http://node.test', machine },
        follows ? log : undefined,
        timing,
      )
      t.teardown(() => db.close())
      const store = openStore(
        db,
        { clock: () => NOW, zone: 'UTC', currency: 'EUR', languages: ['en', 'ca'] },
        FEATURES,
      )
      const said = (message: RegExp) =>
        new Promise<Told>((resolve) => {
          const look = () => {
            const found = told.find((one) => message.test(one.message))
            if (found) resolve(found)
          }
          waiting.push(look)
          look()
        })
      return { db, store, file, told, said }
    },
  }
}

/** Gives the calendar its settings. */
export const settle = (db: Db) =>
  db.write(async (tx) => {
    await tx
      .insert(site)
      .values({ id: 1, timezone: 'UTC', languages: ['en', 'ca'], currency: 'EUR', derivation: DERIVATION })
  })

/** All rows of truth of a copy, as JSON by table. */
export const truthOf = (db: Db) =>
  Object.fromEntries(
    TABLES.map(({ name, toJson, keys }) => [
      name,
      db.read
        .all<{ row: string }>(
          sql.raw(`select ${toJson} as row from ${name} t order by ${keys.map((key) => `t."${key}"`)}`),
        )
        .map(({ row }) => plain(row)),
    ]),
  )

/** The two sides write booleans and numbers in different ways. */
const plain = (row: string) =>
  JSON.stringify(JSON.parse(row, (_, value) => (typeof value === 'boolean' ? Number(value) : value)))

/** All rows of truth in PostgreSQL, likewise. */
export async function truthThere({ ask }: EmbeddedPostgres) {
  const all: Record<string, string[]> = {}
  for (const { name, toJsonThere, keys } of TABLES) {
    const rows = await ask<{ row: string }>(
      `select ${toJsonThere} as row from almanac.${name} order by ${keys.map((key) => `"${key}"`)}`,
    )
    all[name] = rows.map(({ row }) => plain(row))
  }
  return all
}
