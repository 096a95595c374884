import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { prepareCopy } from '../../src/features/nodes/copy.ts'
import { prepareSchema } from '../../src/features/nodes/schema.ts'
import { connect } from '../../src/features/nodes/session.ts'

/**
 * Where the applications of a test keep what they store: a file or memory, as the test says, or, where the environment names a
 * PostgreSQL server in TEST_POSTGRES, a database of their own there, of which they are nodes. `on-nodes.ts` runs files so.
 */
export const SERVER = process.env.TEST_POSTGRES

/** The database that all others begin as: it has the tables already. */
const TEMPLATE = 'almanac_template'

const quiet = { print() {}, progress() {} }
/** The databases of files that several applications of a test share. */
const byFile = new Map<string, string>()
let folder: string | undefined
let pristine: string | undefined

/** The URL of another database of a server. */
export const databaseOf = (server: string, name: string) =>
  Object.assign(new URL(server), { pathname: `/${name}` }).href

/** Runs a statement that can not be part of a transaction. */
async function run(connectionString: string, statement: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Makes the database on a server that those of tests begin as. */
export async function makeTemplate(server: string) {
  await run(server, `create database ${TEMPLATE}`)
  const session = await connect(databaseOf(server, TEMPLATE))
  try {
    await prepareSchema(session, server)
  } finally {
    session.cut()
  }
}

/** Settings for an application that stores in `file`, and what ends that. */
export async function settingsFor(file: string) {
  if (SERVER === undefined) return { env: { DATABASE: file }, async end() {} }
  if (!folder) {
    const made = mkdtempSync(join(tmpdir(), 'almanac-copies-'))
    folder = made
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const copy = file === ':memory:' ? join(folder, `${name}.db`) : file
  const isShared = byFile.has(copy) && existsSync(copy)
  const url = isShared ? byFile.get(copy)! : databaseOf(SERVER, name)
  byFile.set(copy, url)
  if (!isShared) await run(SERVER, `create database ${name} template ${TEMPLATE}`)
  // databases from one template have the same groups, so a copy of one is a copy of all
  if (pristine && !existsSync(copy)) copyFileSync(pristine, copy)
  await prepareCopy({ url, file: copy }, quiet)
  if (!pristine && !isShared) {
    pristine = join(folder, 'pristine.db')
    copyFileSync(copy, pristine)
  }
  return {
    env: { DATABASE: url, REPLICA: copy },
    async end() {
      if (file !== ':memory:') return
      for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
      await run(SERVER!, `drop database ${name} with (force)`)
    },
  }
}
