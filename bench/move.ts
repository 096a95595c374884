import { statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { run } from '../src/cli.ts'
import { copyData, openData, temporaryFolder } from './data.ts'

// How long a calendar takes to PostgreSQL and back: npm run bench:move -- <URL of an empty database> [events]
const [url, events = '100000'] = process.argv.slice(2)
if (!url)
  throw new Error('Name an empty database: npm run bench:move -- postgres://user:password@host/database')
const say = (text: string) => void process.stdout.write(text)
const data = copyData(await openData(Number(events)))
const back = join(temporaryFolder(), 'back.db')
const bytes = (file: string) => `${Math.round(statSync(file).size / 1_000_000)} MB`

async function timed(what: string, args: string[]) {
  const began = performance.now()
  const code = await run(args, { env: {}, print() {}, complain: say, terminal: false })
  if (code !== 0) process.exit(code)
  say(`${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s\n`)
}

say(
  `${cpus()[0]!.model}, Node.js ${process.version}: ${Number(events).toLocaleString('en')} events, ${bytes(data.file)}\n`,
)
await timed('to PostgreSQL', ['move', '--from', data.file, '--to', url])
await timed('and back', ['move', '--from', url, '--to', back])
say(`${bytes(back)} afterwards\n`)
