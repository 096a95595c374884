import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import type { Selection } from '../src/calendar/lists/selection.ts'
import { openStore } from '../src/calendar/store.ts'
import { FEATURES } from '../src/features.ts'
import { openDb } from '../src/kernel/database/db.ts'
import { secondsOf } from '../src/kernel/time/dates.ts'
import { openData } from './data.ts'
import { median } from './load.ts'
import { day } from './scenarios/lists.ts'
import { even, openRandom, type Random } from './seed/random.ts'
import { NOW } from './seed/records.ts'
import { megabytes, short, table, whole } from './table.ts'

// Lists of events in memory beside prepared SQL, which is all that they could be replaced by: npm run bench:lists -- [--sizes 1000,100000]
const { values } = parseArgs({ options: { sizes: { type: 'string' }, rounds: { type: 'string' } } })
const sizes = (values.sizes ?? '1000,10000,100000,1000000').split(',').map(Number)
const rounds = Number(values.rounds ?? 5)
/** Events of the data set that larger ones are copies of, an hour later each. */
const WHOLE = 100_000
const PER_PAGE = 12
/** Milliseconds of CPU for which a way is run in each round. */
const SPAN = 150
const SITE = { clock: () => NOW, zone: 'UTC', currency: 'USD', languages: ['en', 'ca', 'es'] }

const folder = mkdtempSync(join(tmpdir(), 'almanac-lists-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A database with the rows that lists are made from, and nothing else. */
async function make(events: number): Promise<string> {
  const { file: source } = await openData(Math.min(events, WHOLE))
  const file = join(folder, `${events}.db`)
  openDb(file).close()
  const db = new Database(file)
  db.pragma('foreign_keys = off')
  db.exec(`attach '${source.replaceAll("'", "''")}' as source`)
  const columns = (db.pragma('table_info(listings)') as { name: string }[]).map(({ name }) => name)
  const later = columns.map((name) =>
    name === 'event_id' ? 'event_id + :id' : /starts|ends/.test(name) ? `${name} + :seconds` : name,
  )
  for (let copy = 0; copy < Math.max(1, events / WHOLE); copy++) {
    const by = { id: copy * 2 * WHOLE, seconds: copy * 3_600 }
    db.prepare(`insert into listings (${columns}) select ${later} from source.listings`).run(by)
    db.prepare(
      'insert into links (event_id, kind, target_id, position) select event_id + ?, kind, target_id, position from source.links',
    ).run(by.id)
  }
  // the one index that serves every order by start, with all that is asked of an event
  db.exec(
    'create index spans on listings (starts, event_id, ends, status, hidden, language, featured); analyze',
  )
  db.close()
  return file
}

/** A question as both ways are asked it; `target` is one of the IDs that events link to. */
type Question = {
  name: string
  kinds: ('category' | 'tag' | 'venue')[]
  page: 'first' | 'any' | 'last'
  featured?: true
}
const QUESTIONS: Question[] = [
  { name: 'first page', kinds: [], page: 'first' },
  { name: 'any page', kinds: [], page: 'any' },
  { name: 'last page', kinds: [], page: 'last' },
  { name: 'featured', kinds: [], page: 'first', featured: true },
  { name: 'of a category', kinds: ['category'], page: 'first' },
  { name: 'of a category, any page', kinds: ['category'], page: 'any' },
  { name: 'of a tag', kinds: ['tag'], page: 'first' },
  { name: 'of a venue', kinds: ['venue'], page: 'first' },
  { name: 'of a category and a tag', kinds: ['category', 'tag'], page: 'first' },
]

type Asked = { from: number; until: number; targets: number[] }
/** Starts within three years before and after now, for up to three years: hardly twice the same. */
function ask({ kinds }: Question, random: Random, targets: Record<string, number[]>): Asked {
  const from = even(random, 2_000) - 1_000
  const moment = (days: number, clock: string) => secondsOf(`${day(days)} ${clock}`)
  return {
    from: moment(from, '00:00:00'),
    until: moment(from + 30 + even(random, 1_000), '23:59:59'),
    targets: kinds.map((kind) => targets[kind]![even(random, targets[kind]!.length)]!),
  }
}
const pageOf = ({ page }: Question, total: number, random: Random) => {
  const pages = Math.max(1, Math.ceil(total / PER_PAGE))
  return page === 'first' ? 1 : page === 'last' ? pages : 1 + even(random, pages)
}

type Way = { total(asked: Asked): number | Promise<number>; ids(asked: Asked, page: number): unknown }

/** The lists of the service. */
function openMemory(file: string, { kinds, featured }: Question) {
  const db = openDb(file)
  const { lists } = openStore(db, SITE, FEATURES)
  const selectionOf = ({ from, until, targets }: Asked): Selection => ({
    ...{ statuses: ['publish'], flags: { hidden: false, ...(featured && { featured }) } },
    links: Object.fromEntries(kinds.map((kind, at) => [kind, [targets[at]!]])),
    dates: [
      { side: 'start', than: '>=', value: from, utc: false },
      { side: 'end', than: '<=', value: until, utc: false },
    ],
    order: { by: 'start', descending: false },
  })
  const list = (asked: Asked, page: number) => lists.list(selectionOf(asked), { page, per_page: PER_PAGE })
  const way: Way = { total: async (asked) => (await list(asked, 1)).total, ids: list }
  return { way, close: () => db.close() }
}

/** Prepared SQL: by the order of starts, or from the rarest thing that events link to. */
function openSql(file: string, { kinds, featured }: Question, byLinks: boolean) {
  const db = new Database(file, { readonly: true })
  db.pragma('cache_size = -65536')
  const shown = `l.status = 'publish' and l.hidden = 0 and l.starts >= :from and l.ends <= :until${featured ? ' and l.featured = 1' : ''}`
  const last = kinds.length - 1
  const linked = kinds
    .map((kind, at) =>
      byLinks && at === last
        ? ''
        : ` and exists (select 1 from links where event_id = l.event_id and kind = '${kind}' and target_id = :target${at})`,
    )
    .join('')
  const from = byLinks
    ? `links k cross join listings l on l.event_id = k.event_id where k.kind = '${kinds[last]}' and k.target_id = :target${last} and`
    : 'listings l where'
  const count = db.prepare(`select count(*) from ${from} ${shown}${linked}`).pluck()
  const page = db
    .prepare(
      `select l.event_id from ${from} ${shown}${linked} order by l.starts, l.event_id limit ${PER_PAGE} offset :offset`,
    )
    .pluck()
  const valuesOf = ({ from, until, targets }: Asked) => ({
    ...{ from, until },
    ...Object.fromEntries(targets.map((id, at) => [`target${at}`, id])),
  })
  const way: Way = {
    total: (asked) => count.get(valuesOf(asked)) as number,
    ids: (asked, number) => page.all({ ...valuesOf(asked), offset: (number - 1) * PER_PAGE }),
  }
  return { way, close: () => db.close() }
}

/** Microseconds of CPU for questions that were never asked before, and for one that was and whose total is kept. */
async function measure(way: Way, question: Question, targets: Record<string, number[]>, round: number) {
  const random = openRandom(round * 7919)
  const spent = async (work: () => Promise<unknown>) => {
    const began = process.cpuUsage()
    let times = 0
    for (let used = 0; used < SPAN * 1_000; times++) {
      await work()
      const { user, system } = process.cpuUsage(began)
      used = user + system
      if (used >= SPAN * 1_000) return used / (times + 1)
    }
    return 0
  }
  const fresh = await spent(async () => {
    const asked = ask(question, random, targets)
    const total = await way.total(asked)
    await way.ids(asked, pageOf(question, total, random))
  })
  const asked = ask(question, random, targets)
  const total = await way.total(asked)
  const again = await spent(async () => await way.ids(asked, pageOf(question, total, random)))
  return { fresh, again }
}

/** What the calendar in memory takes: bytes, and milliseconds of CPU until its first answer. */
async function weigh(file: string) {
  const before = process.memoryUsage().arrayBuffers
  const began = process.cpuUsage()
  const { way, close } = openMemory(file, QUESTIONS[0]!)
  await way.total({ from: 0, until: Number.MAX_SAFE_INTEGER, targets: [] })
  const { user, system } = process.cpuUsage(began)
  const bytes = process.memoryUsage().arrayBuffers - before
  close()
  return { bytes, milliseconds: (user + system) / 1_000 }
}

for (const events of sizes) {
  const file = await make(events)
  const { bytes, milliseconds } = await weigh(file)
  const reader = new Database(file, { readonly: true })
  const targets = Object.fromEntries(
    ['category', 'tag', 'venue'].map((kind) => [
      kind,
      reader.prepare('select distinct target_id from links where kind = ?').pluck().all(kind) as number[],
    ]),
  )
  reader.close()
  const rows: string[][] = []
  for (const question of QUESTIONS) {
    const memory = openMemory(file, question)
    const ways = [
      memory,
      openSql(file, question, false),
      ...(question.kinds.length > 0 ? [openSql(file, question, true)] : []),
    ]
    const figures = ways.map(() => ({ fresh: [] as number[], again: [] as number[] }))
    for (let round = 0; round <= rounds; round++)
      for (const [at, { way }] of ways.entries()) {
        const { fresh, again } = await measure(way, question, targets, round)
        if (round === 0) continue // warms up
        figures[at]!.fresh.push(fresh)
        figures[at]!.again.push(again)
      }
    for (const { close } of ways) close()
    const [ours, ...theirs] = figures.map(({ fresh, again }) => ({
      fresh: median(fresh),
      again: median(again),
    }))
    const best = {
      fresh: Math.min(...theirs.map(({ fresh }) => fresh)),
      again: Math.min(...theirs.map(({ again }) => again)),
    }
    rows.push([
      ...[question.name, short(ours!.fresh), short(best.fresh), short(best.fresh / ours!.fresh)],
      ...[short(ours!.again), short(best.again), short(best.again / ours!.again)],
    ])
  }
  process.stdout.write(
    `Microseconds of CPU for a page of ${PER_PAGE} with its total, ${whole(events)} events. The calendar in memory takes ${megabytes(bytes)} and ${whole(milliseconds)} ms of CPU at the start.\n\n${table(
      ['list', 'new: memory', 'SQL', 'ratio', 'asked before: memory', 'SQL', 'ratio'],
      rows,
    )}\n`,
  )
}
