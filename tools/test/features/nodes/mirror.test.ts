import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openMirrorsOf } from '../../../../src/features/imports/mirror/plugin.ts'
import { must } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { buildSource, importer } from '../../../../test/support/importing.ts'
import { until } from '../../../../test/support/until.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const GOES_ON = new AbortController().signal
const postgres = await openPostgres(t)

t.test('the node that leads follows the source, all pass writes on, and another one goes on', async (t) => {
  const source = await buildSource(t)
  await must(source.administrator.post('/events', { ...EVENT, title: 'First' }))
  const folder = mkdtempSync(join(tmpdir(), 'almanac-mirror-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const credentials = join(folder, 'credentials')
  writeFileSync(credentials, source.credentials.editor.authorization.slice('Bearer '.length))
  const { one, two, as } = await openPair(t, postgres, {
    ...{ MIRROR: source.root, MIRROR_CREDENTIALS: credentials, MIRROR_WRITES: 'forward' },
  })
  const mirrorOf = (api: Api) =>
    openMirrorsOf({
      ...{ store: api.app.store, pictures: importer(t, api).pictures, clock: () => api.clock.now },
      config: { mirror: [{ address: source.root }], mirrorCredentials: credentials, downloadAllow: [] },
    })[0]!
  const nodes = [one, two].map((api) => ({ api, mirror: mirrorOf(api) }))
  const leads = ({ api }: { api: Api }) => api.app.store.db.leads()
  await until(() => nodes.some(leads))
  for (const { mirror } of nodes) await mirror.poll(GOES_ON)
  const [leader, other] = nodes.toSorted((a, b) => Number(leads(b)) - Number(leads(a))) as [
    (typeof nodes)[0],
    (typeof nodes)[0],
  ]
  t.same(
    [leader, other].map(({ mirror }) => mirror.status().state),
    ['following', 'idle'],
  )
  const titles = async (api: Api) => {
    await follow(api)
    return (await api.anonymous.get('/events')).body.events.map(({ title }: { title: string }) => title)
  }
  for (const { api } of nodes) t.same(await titles(api), ['First'])

  const made = await other.api.anonymous.post('/events', { ...EVENT, title: 'Second' }, as('editor'))
  t.equal(made.status, 201, made.text)
  for (const { api } of nodes) t.same(await titles(api), ['First', 'Second'])
  t.match((await source.anonymous.get('/events')).body, { total: 2 })

  await must(source.administrator.post('/events', { ...EVENT, title: 'Third' }))
  await leader.api.app.close()
  await until(() => leads(other))
  await other.mirror.poll(GOES_ON)
  t.match(other.mirror.status(), { state: 'following', failures: 0, left: 0 })
  t.same(await titles(other.api), ['First', 'Second', 'Third'])
})
