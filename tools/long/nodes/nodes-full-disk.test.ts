import t from 'tap'
import { COPY_AGE } from '../../../src/kernel/output/header-values.ts'
import { openSmallDisk } from '../../../test/support/damage.ts'
import { EVENT } from '../../../test/support/given.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import {
  ask,
  askAgain,
  caughtUp,
  credentialsOf,
  inspectCopies,
  openNode,
  readTitles,
} from '../../../test/support/served-nodes.ts'
import { until } from '../../../test/support/until.ts'

for (const workers of ['1', '2'])
  t.test(
    `a node of ${workers} whose copy has no room any more says so, and ends when it is told to`,
    async (t) => {
      const disk = openSmallDisk(t, 16)
      if (typeof disk === 'string') return void t.pass(`skipped: ${disk}`)
      const server = await startPostgres(t)
      const folder = t.testdir()
      const one = await openNode(t, folder, server.url)
      const full = await openNode(t, disk.folder, server.url, { WORKERS: workers })
      await one.start()
      await full.start()
      const authorization = credentialsOf(one)
      const write = async (title: string) => {
        const body = { ...EVENT, title, description: 'long '.repeat(10_000) }
        t.equal((await askAgain(one, 'POST', '/events', { authorization, body })).status, 201)
      }
      // the log of the copy has pages then for which its file has no room
      for (let at = 0; at < 20; at++) await write(`before ${at}`)
      await caughtUp(full, authorization)
      disk.fill()
      await write('after')
      await until(() => /could not be brought/.test(full.output()), full.output)
      const at = (path: string) => fetch(new URL(path, full.root))
      t.match(await (await at('/health')).json(), { state: 'stuck', trouble: /SQLITE_FULL/ })
      t.equal((await at('/readyz')).status, 503)
      await until(async () => (await ask(full, 'GET', '/events')).headers.has(COPY_AGE))
      await full.stop()
      t.match(full.output(), /could not put its files in order/)
      disk.free()
      await full.start()
      await caughtUp(full, authorization)
      t.equal((await readTitles(full)).size, 21)
      await full.stop()
      t.same(await inspectCopies([full]), [])
    },
  )
