import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { acceptForwarded } from '../../src/run/forwarding.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { type Listening, listenTo } from '../support/listening.ts'
import { addToken, killAfter, openFile, serveFile } from '../support/process.ts'
import { until } from '../support/until.ts'

/** A writer and a reader on one database, in this process, and how to listen to them. */
async function openTwo(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'a-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.db')
  const headers = { authorization: `Bearer ${await addToken(file)}` }
  const config = readConfig({ DATABASE: file, MAX_DELAY: '0' })
  const writer = await buildApp({ config, worker: { folder, writes: true } })
  const server = await acceptForwarded(writer, { folder, writes: true })
  const reader = await buildApp({ config, worker: { folder, writes: false } })
  const open: Listening[] = []
  const listenerOf = async (app: typeof reader) => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    return async (path: string, headers = {}) => {
      const one = await listenTo(port, path, { headers })
      open.push(one)
      t.same((await one.next())!.data.changes, [])
      return one
    }
  }
  t.teardown(async () => {
    for (const one of open) one.close()
    server.close()
    server.closeAllConnections()
    await reader.close()
    await writer.close()
  })
  const post = async (payload: object): Promise<number> => {
    const answer = await writer.inject({ method: 'POST', url: `${ROOT}/events`, headers, payload })
    return answer.json().id
  }
  return {
    ...{ file, headers, writer, reader, server, post },
    ...{ hearReader: await listenerOf(reader), hearWriter: await listenerOf(writer) },
  }
}

t.test('a write is heard from every process, with credentials by way of the writer', async (t) => {
  const { headers, writer, reader, post, hearReader, hearWriter } = await openTwo(t)
  const path = '?kind=event'
  const all = [
    ...[await hearReader(path), await hearWriter(path)],
    ...[await hearReader(path, headers), await hearWriter(path, headers)],
  ]
  t.same([reader.eventStreams.count(), writer.eventStreams.count()], [1, 3])
  const id = await post(EVENT)
  for (const one of all) t.same(await one.told(), [`create event ${id}`])
  all[2]!.close()
  await until(() => writer.eventStreams.count() === 2)
  const other = await post(EVENT)
  for (const one of [all[0]!, all[1]!, all[3]!]) t.same(await one.told(), [`create event ${other}`])
})

t.test('a reader that stops ends what it forwards, and a writer that ends what others forward', async (t) => {
  const { headers, writer, reader, hearReader } = await openTwo(t)
  const [first, second] = [await hearReader('', headers), await hearReader('')]
  await reader.close()
  for (const one of [first, second]) t.equal(await one.next(), undefined)
  await until(() => writer.eventStreams.count() === 0)

  const again = await openTwo(t)
  const third = await again.hearReader('', headersOf(again))
  again.server.closeAllConnections()
  t.equal(await third.next(), undefined)
  await third.ended
})
const headersOf = ({ headers }: { headers: Record<string, string> }) => headers

t.test('what was scheduled is published by the writer, though only others have listeners', async (t) => {
  const { file, post, hearReader } = await openTwo(t)
  const heard = await hearReader('?kind=event')
  const id = await post({ ...EVENT, date_utc: '+1 hour' })
  const { db } = openFile(file)
  await db.write(async (tx) => {
    tx.run(`UPDATE posts SET date_utc = '2026-01-01 00:00:00' WHERE id = ${id}`)
    tx.run(
      `INSERT INTO changes (kind, record_id, operation, at_utc) VALUES ('tag', 1, 'update', '2026-11-21 00:00:00')`,
    )
  })
  db.close()
  t.same(await heard.told(), [`create event ${id}`])
})

t.test('several processes end all streams when they are stopped', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const headers = { authorization: `Bearer ${await addToken(file)}` }
  const { child, port, ended } = await serveFile(file, { WORKERS: '2', STOP_TIMEOUT: '600' })
  killAfter(t, { child, ended })
  const all = await Promise.all([{}, {}, headers, headers].map((own) => listenTo(port, '', { headers: own })))
  for (const one of all) await one.next()
  const made = await fetch(`http://127.0.0.1:${port}${ROOT}/events`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(EVENT),
  })
  t.equal(made.status, 201)
  for (const one of all) t.same(await one.told(), ['create event 1'])
  child.kill('SIGTERM')
  for (const one of all) t.equal(await one.next(), undefined)
  t.equal(await ended, 0)
})
