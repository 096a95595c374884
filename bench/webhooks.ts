import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addToken, serveFile } from '../test/support/process.ts'

// What webhooks cost a write: node --import tsx bench/webhooks.ts. One of ten receivers never answers.
const CREATES = 300
const ROUNDS = 3
const folder = mkdtempSync(join(tmpdir(), 'almanac-webhooks-'))
const file = join(folder, 'a.db')
const headers = { authorization: `Bearer ${await addToken(file)}`, 'content-type': 'application/json' }
let told = 0
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    told++
    if (!request.url!.startsWith('/hangs')) response.writeHead(204).end()
  })
})
await once(receiver.listen(0, '0.0.0.0'), 'listening')
const { port } = receiver.address() as AddressInfo
const { child, root, ended } = await serveFile(file, { DOWNLOAD_ALLOW: '127.0.0.0/8' })
const send = async (method: string, path: string, body: object) => {
  const answer = await fetch(root + path, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json() as Promise<{ id: number }>
}

async function measure() {
  const times: number[] = []
  for (let at = 0; at < CREATES; at++) {
    const began = performance.now()
    await send('POST', '/events', { title: `Event ${at}`, start_date: '+3 days', end_date: '+3 days' })
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (part: number) => Number(times[Math.floor(times.length * part)]!.toFixed(2))
  return { median: at(0.5), p90: at(0.9), p99: at(0.99) }
}

await measure()
for (let round = 0; round < ROUNDS; round++) {
  const none = await measure()
  const ids: number[] = []
  for (let at = 0; at < 10; at++)
    ids.push(
      (
        await send('POST', '/webhooks', {
          url: `http://127.0.0.${at + 1}:${port}/${at === 0 ? 'hangs' : at}`,
        })
      ).id,
    )
  told = 0
  const ten = await measure()
  process.stdout.write(`${JSON.stringify({ milliseconds: { none, ten }, told })}\n`)
  for (const id of ids) await fetch(`${root}/webhooks/${id}`, { method: 'DELETE', headers })
}
child.kill('SIGKILL')
await ended
receiver.closeAllConnections()
receiver.close()
rmSync(folder, { recursive: true })
