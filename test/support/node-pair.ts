import { join } from 'node:path'
import type { Test } from 'tap'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { type Api, build } from './app.ts'
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
export async function openPair(t: Test, postgres: EmbeddedPostgres, env: Record<string, string> = {}) {
  t.testdir()
  postgres.tap(() => undefined)
  postgres.down(false)
  await postgres.ask('drop schema if exists almanac cascade')
  const one = await openNode(t, postgres, 'one', { env })
  const two = await openNode(t, postgres, 'two', { env, users: false })
  /** What a request to the second node sends to be of this user. */
  const as = (role: keyof Api['credentials'], more: Record<string, string> = {}) => ({
    headers: { authorization: one.credentials[role].authorization, ...more },
  })
  return { one, two, as }
}

/** Brings everything that was written anywhere to a node. */
export const follow = ({ app }: Api) => app.store.db.fresh!()

/** Waits until something holds. */
export async function until(holds: () => unknown) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
}
