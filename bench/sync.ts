import { execFileSync } from 'node:child_process'
import { Agent } from 'node:http'
import { parseArgs } from 'node:util'
import { addToken } from '../test/support/process.ts'
import { copyData, openData } from './data.ts'
import { middleBy, short, table, whole } from './figures.ts'
import { ask as send } from './http.ts'
import { type Server, startProgram } from './process.ts'
import { ROOT } from './scenarios/world.ts'

// What it costs to keep a copy of a calendar: npm run bench:sync -- [--events 10000] [--rounds 5] [--prebuilt]
const { values } = parseArgs({
  options: { events: { type: 'string' }, rounds: { type: 'string' }, prebuilt: { type: 'boolean' } },
})
const rounds = Number(values.rounds ?? 5)
/** Events that are written between two polls. */
const WRITTEN = 10

type Answer = { status: number; text: string; etag: string | undefined }
/** What one way of polling took. */
type Cost = { requests: number; bytes: number; milliseconds: number; worst: number }

/** A client that counts what it receives over one connection. */
function openClient({ url }: Server, token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let cost: Cost = { requests: 0, bytes: 0, milliseconds: 0, worst: 0 }
  const { hostname, port } = new URL(url)
  const ask = async (path: string, headers = {}, method = 'GET', body?: string): Promise<Answer> => {
    const call = { method, path: ROOT + path, headers, ...(body !== undefined && { body }) }
    const answer = await send(agent, { hostname, port }, call)
    cost.requests++
    cost.bytes += answer.bytes.length
    cost.worst = Math.max(cost.worst, answer.milliseconds)
    return { status: answer.status, text: answer.bytes.toString(), etag: answer.headers.etag }
  }
  return {
    ask,
    write: (id: number, body: object) =>
      ask(
        `/events/${id}`,
        { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        'PATCH',
        JSON.stringify(body),
      ),
    /** The cost of some requests. */
    async measure(run: () => Promise<unknown>): Promise<Cost> {
      cost = { requests: 0, bytes: 0, milliseconds: 0, worst: 0 }
      const from = performance.now()
      await run()
      return { ...cost, milliseconds: performance.now() - from }
    },
  }
}
type Client = ReturnType<typeof openClient>

/** Reads every page of the list; keeps the ETags, and sends those that it has. */
async function crawl({ ask }: Client, etags: Map<string, string>) {
  let pages = Number.POSITIVE_INFINITY
  for (let page = 1; page <= pages; page++) {
    const path = `/events?when=all&per_page=50&page=${page}`
    const known = etags.get(path)
    const { status, text, etag } = await ask(path, known ? { 'if-none-match': known } : {})
    etags.set(path, etag!)
    if (status === 200) pages = JSON.parse(text).total_pages
    else pages = Math.min(pages, etags.size)
  }
}

/** Reads changes until there are no more; returns the IDs of the records, and the next token. */
async function sync({ ask }: Client, from: string, perPage = 500) {
  const ids: number[] = []
  for (let query = from; ; ) {
    const { status, text } = await ask(`/changes?${query}&per_page=${perPage}`)
    if (status !== 200) throw new Error(text)
    const { changes, has_more, next_sync_token } = JSON.parse(text)
    for (const { id } of changes) ids.push(id)
    query = `sync_token=${next_sync_token}`
    if (!has_more) return { ids, query }
  }
}

if (!values.prebuilt) execFileSync('npm', ['run', '-s', 'build'])
const data = await openData(Number(values.events ?? 10_000))
const copy = copyData(data)
const token = await addToken(copy.file)
const server = await startProgram({ DATABASE: copy.file, STOP_TIMEOUT: '1' })
const client = openClient(server, token)
const found = new Map<string, Cost[]>()
const note = async (name: string, run: () => Promise<unknown>) =>
  void found.set(name, [...(found.get(name) ?? []), await client.measure(run)])

let query = ''
for (let round = 0; round < rounds; round++) {
  const etags = new Map<string, string>()
  await note('full crawl of the list, 50 a page', () => crawl(client, etags))
  await note('crawl answered by 304s', () => crawl(client, etags))
  for (const perPage of [100, 500])
    await note(`beginning of a sync, ${perPage} a page`, async () => {
      const begun = await sync(client, 'kind=event', perPage)
      query = begun.query
    })
  const { ids } = await sync(client, 'kind=event&per_page=500')
  await note('poll with nothing new', () => sync(client, query))
  await note('poll again with nothing new', () => sync(client, query))
  for (let at = 0; at < WRITTEN; at++) await client.write(ids[at * 7]!, { title: `Round ${round}` })
  await note(`poll after ${WRITTEN} events changed`, async () => {
    const { ids } = await sync(client, query)
    if (ids.length !== WRITTEN) throw new Error(`${ids.length} changes`)
  })
  await client.write(ids[1]!, { title: `Round ${round}` })
  await note('crawl by 304s after one write', () => crawl(client, etags))
}
const memory = server.memory()
await server.stop()
copy.remove()
const rows = [...found].map(([name, costs]) => {
  const { requests, bytes, milliseconds, worst } = middleBy(costs, ({ milliseconds }) => milliseconds)
  return [name, whole(requests), whole(bytes), short(milliseconds), short(worst)]
})
process.stdout.write(
  `${whole(data.events)} events; medians of ${rounds} rounds; ${whole(memory / 2 ** 20)} MB of memory at the end.\n\n${table(['what a client does', 'requests', 'bytes', 'ms', 'longest ms'], rows)}\n`,
)
