import { join } from 'node:path'
import type { Test } from 'tap'
import { prepare } from '../../../src/commands/prepare.ts'
import { readConfig } from '../../../src/config.ts'
import { TIMING } from '../../../src/features/nodes/session.ts'
import { type Api, build } from '../../../test/support/app.ts'
import { until } from '../../../test/support/until.ts'
import { type EmbeddedPostgres, embeddedPostgres } from './embedded-postgres.ts'

/** PostgreSQL for the tests of a file. */
export async function openPostgres(t: Pick<Test, 'teardown'>): Promise<EmbeddedPostgres> {
  const postgres = await embeddedPostgres()
  t.teardown(() => postgres.close())
  return postgres
}

/** The environment of a node with this name; what belongs to it lies in a folder of the test. */
export function envOf(t: Test, { url }: { url: string }, name: string): Record<string, string> {
  const at = (file: string) => join(t.testdirName, name, file)
  return {
    ...{ DATABASE: url, REPLICA: at('replica.db'), MEDIA_DIR: at('media'), BASE_URL: `http://${name}.test` },
    PORT: String(3000 + name.charCodeAt(0)), // nobody listens there
  }
}

/** A node: its own folder, and a copy of what PostgreSQL keeps. The first one makes the users. */
export async function openNode(
  t: Test,
  postgres: { url: string },
  name: string,
  options: NonNullable<Parameters<typeof build>[1]> = {},
): Promise<Api> {
  const env = { ...envOf(t, postgres, name), ...options.env }
  await prepare(readConfig(env), { print() {}, terminal: false })
  return build(t, { ...options, env })
}

/** Two nodes. Users of both have the credentials that the first one made. */
export async function openPair(
  t: Test,
  postgres: EmbeddedPostgres,
  env: Record<string, string> = {},
  machine = Date.now,
) {
  t.testdir()
  postgres.tap(() => undefined)
  postgres.down(false)
  await postgres.ask('drop schema if exists almanac cascade')
  const one = await openNode(t, postgres, 'one', { env, machine })
  const two = await openNode(t, postgres, 'two', { env, machine, users: false })
  /** What a request to the second node sends to be of this user. */
  const as = (role: keyof Api['credentials'], more: Record<string, string> = {}) => ({
    headers: { authorization: one.credentials[role].authorization, ...more },
  })
  return { one, two, as }
}

/** Brings everything that was written anywhere to a node, also where PostgreSQL takes its time. */
export const follow = ({ app: { store } }: Api) =>
  until(async () => (await store.db.fresh!()) === 0 && store.db.replica!.status().state === 'follows')

/** The question of a follower for groups that its copy lacks; a write asks for them with its lock. */
export const GROUPS = /^select seq, commit_id, rows from /

/** Keeps followers from the groups that they ask for, until `letGo`. Writes bring them nevertheless, each by itself. */
export function holdBack(postgres: EmbeddedPostgres) {
  let letGo = () => {}
  const free = new Promise<undefined>((resolve) => {
    letGo = () => {
      postgres.tap(() => undefined)
      resolve(undefined)
    }
  })
  postgres.tap((text) => (GROUPS.test(text) ? free : undefined))
  return { letGo }
}

/** Sets the milliseconds for which requests wait for what other nodes wrote, for nodes that are opened from now on in this test. */
export function setPatience(t: Pick<Test, 'teardown'>, milliseconds: number) {
  const { patience } = TIMING
  TIMING.patience = milliseconds
  t.teardown(() => {
    TIMING.patience = patience
  })
}
