import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/ports.ts'
import { median } from '../load.ts'
import { memoryOf, SERVER, STARTED, start } from '../process.ts'
import type { Start } from '../results.ts'
import { ROOT, type World } from './world.ts'

/** The least that can answer: Node.js alone. */
const BARE = [
  process.execPath,
  '-e',
  "require('node:http').createServer((q, r) => r.end()).listen(process.env.PORT, '127.0.0.1')",
]

/** From spawning the program to its first list, beside Node.js alone answering nothing, in turn. */
export async function measureStart({ data, rounds }: World): Promise<Start> {
  const programs: Started[] = []
  const bares: Started[] = []
  // the first time warms the disk's cache
  for (let round = 0; round <= rounds; round++) {
    const program = await startOnce(STARTED, { DATABASE: data.file })
    const bare = await startOnce(BARE, {})
    if (round > 0) programs.push(program)
    if (round > 0) bares.push(bare)
  }
  const of = (all: Started[], name: keyof Started) => median(all.map((one) => one[name]))
  return {
    milliseconds: of(programs, 'milliseconds'),
    memory: of(programs, 'memory'),
    bare: of(bares, 'milliseconds'),
  }
}

type Started = { milliseconds: number; memory: number }

async function startOnce(args: string[], env: Record<string, string>): Promise<Started> {
  const port = await freePort()
  const began = performance.now()
  const child = start(SERVER, args, [], { ...env, PORT: String(port) })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await answers(`http://127.0.0.1:${port}${ROOT}/events`))) {
    if (child.exitCode !== null) throw new Error('the program ended before it answered')
    await sleep(2)
  }
  const milliseconds = performance.now() - began
  const memory = memoryOf(child.pid!)
  child.kill('SIGTERM')
  await ended
  return { milliseconds, memory }
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
