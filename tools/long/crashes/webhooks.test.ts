import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { addToken, serveFile } from '../../../test/support/process.ts'
import { type Got, openReceiver } from '../../../test/support/receiver.ts'
import { until } from '../../../test/support/until.ts'

type HookCrashReport = {
  rounds: number
  /** Writes that were answered, and events that they made. */
  acknowledged: number
  events: number
  /** Messages that the receiver accepted and refused, and those that came twice. */
  accepted: number
  refused: number
  twice: number
  losses: string[]
}

const WRITERS = 4
const MOST_MILLISECONDS = 500
const EVENT = { start_date: '+3 days', end_date: '+3 days' }

/** Writes until the service is gone; `mine` has the last acknowledged version of each event. */
async function keepWriting(root: string, token: string, mine: Map<number, number>, done: () => void) {
  const send = async (method: string, path: string, body: object): Promise<{ id: number }> => {
    const answer = await fetch(root + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw Object.assign(new Error(`${method} ${path}: ${answer.status}`), { told: true })
    done()
    return answer.json() as never
  }
  for (let at = 0; ; at++) {
    const ids = [...mine.keys()]
    const id = at % 3 === 0 ? undefined : ids[(at * 7) % (ids.length || 1)]
    if (id === undefined) mine.set((await send('POST', '/events', { ...EVENT, title: 'v 1' })).id, 1)
    else {
      // a write that was cut off may have been done, so its number is not used again
      const version = Math.max(mine.get(id)!, tried.get(id) ?? 0) + 1
      tried.set(id, version)
      await send('PATCH', `/events/${id}`, { title: `v ${version}` })
      mine.set(id, version)
    }
  }
}
const tried = new Map<number, number>()

const versionOf = (got: Got) => Number(String(got.data.record?.title).split(' ')[1])

/** Kills the service at random moments under writes, and compares what it acknowledged with what a receiver accepted. */
async function runHookCrashes(
  t: Pick<Test, 'teardown' | 'testdir'>,
  rounds: number,
  progress: (report: HookCrashReport) => void = () => {},
) {
  const file = join(t.testdir(), 'a.db')
  const report: HookCrashReport = {
    ...{ rounds: 0, acknowledged: 0, events: 0, accepted: 0, refused: 0, twice: 0, losses: [] },
  }
  const token = await addToken(file)
  const accepted: Got[] = []
  let asked = 0
  const receiver = await openReceiver(t, (got, response) => {
    // however few a slow machine sends, one is among them
    if (++asked % 30 === 3) {
      report.refused++
      return response.writeHead(500).end()
    }
    accepted.push(got)
    return response.writeHead(204).end()
  })
  const serve = () => serveFile(file, { DOWNLOAD_ALLOW: '127.0.0.1' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const first = await serve()
  await fetch(`${first.root}/webhooks`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ url: receiver.url, kinds: ['event'] }),
  })
  first.child.kill('SIGKILL')
  await first.ended

  const saved = Array.from({ length: WRITERS }, () => new Map<number, number>())
  for (; report.rounds < rounds; report.rounds++) {
    const { child, root, ended } = await serve()
    const before = report.acknowledged
    const writers = saved.map((mine) => keepWriting(root, token, mine, () => report.acknowledged++))
    const ends = Promise.allSettled(writers)
    await Promise.race([ends, until(() => report.acknowledged > before)])
    await pause(Math.random() * MOST_MILLISECONDS)
    child.kill('SIGKILL')
    await ended
    for (const end of await ends)
      if (end.status === 'rejected' && end.reason.told) report.losses.push(end.reason.message)
    report.accepted = accepted.length
    progress(report)
  }

  const { child, root, ended } = await serve()
  const known = new Map(saved.flatMap((mine) => [...mine]))
  const told = new Map<number, number>()
  const isTold = ([id, version]: [number, number]) => (told.get(id) ?? 0) >= version
  await until(() => {
    for (const got of accepted) told.set(got.data.id, versionOf(got))
    return [...known].every(isTold)
  }).catch(() => {}) // what is not is named below
  const { state } = (await (await fetch(`${root}/webhooks/1`, { headers })).json()) as { state: object }
  child.kill('SIGTERM')
  await ended
  for (const [id, version] of known)
    if (!isTold([id, version]))
      report.losses.push(
        `event ${id} is at version ${version}, and was told as ${told.get(id)}: ${JSON.stringify(state)}`,
      )
  const last = new Map<number, number>()
  for (const got of accepted) {
    const version = versionOf(got)
    if (version < (last.get(got.data.id) ?? 0))
      report.losses.push(`event ${got.data.id} was told as ${version} after ${last.get(got.data.id)}`)
    last.set(got.data.id, version)
  }
  report.events = known.size
  report.accepted = accepted.length
  report.twice = accepted.length - new Set(accepted.map(({ id }) => id)).size
  return report
}

/** `ROUNDS=50 npm run t -- tools/long/crashes/webhooks.test.ts` takes two minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 10)

t.test(
  `what was answered is told at least once and in order, though the process ends at any moment ${ROUNDS} times`,
  async (t) => {
    const { losses, ...report } = await runHookCrashes(t, ROUNDS)
    t.same(losses, [])
    t.ok(report.acknowledged > 0 && report.refused > 0, JSON.stringify(report))
    t.comment(JSON.stringify(report))
  },
)
