import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { getTableColumns, getTableName, type Table } from 'drizzle-orm'
import * as tables from '../drizzle/tables.ts'
import { secondsOf } from '../src/dates.ts'
import { openDb } from '../src/store/db.ts'
import { type EventRow, type Post, renderEvent, renderOrganizer, renderVenue } from '../src/store/render.ts'
import { tokensOf } from '../src/store/search.ts'
import { fold, toSlug } from '../src/text.ts'

/** The moment at which the benchmarks take place: the events lie from three years before to seven years after it. */
export const NOW = Date.parse('2026-11-21T09:00:00Z')
const DAY = 86_400_000
const FIRST_DAY = NOW - 3 * 365 * DAY
const DAYS = 3650
const LANGUAGES = ['en', 'ca', 'es']
const ZONES = ['UTC', 'Europe/Madrid', 'America/New_York']

/** Evenly distributed numbers from 0 to 1, the same for the same seed. */
export function openRandom(seed: number) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}
type Random = () => number

/** Words from syllables: the rarer, the longer. */
function words(random: Random, count: number): string[] {
  const syllables =
    'ba be bi bo bu ca co da de di do fa fe ga go la le li lo lu ma me mi mo mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo'.split(
      ' ',
    )
  const found = new Set<string>()
  while (found.size < count) {
    const length = 2 + Math.floor(Math.log2(1 + found.size) / 5 + random())
    found.add(Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join(''))
  }
  return [...found]
}

/** An index below `count` of which the low ones are frequent, as places and words are. */
const skewed = (random: Random, count: number) => Math.min(count - 1, Math.floor(count * random() ** 3))
const text = (random: Random, vocabulary: string[], length: number) =>
  Array.from({ length }, () => vocabulary[skewed(random, vocabulary.length)]).join(' ')
const wall = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** A statement that inserts rows of a table, raw: seeding goes around the service's own writes. */
function inserter(db: Database.Database, table: Table) {
  const columns = Object.values(getTableColumns(table))
  const statement = db.prepare(
    `insert into ${getTableName(table)} (${columns.map((column) => column.name)}) values (${columns.map(() => '?')})`,
  )
  return (row: Record<string, unknown>) => {
    const values = columns.map((column) => {
      const value = row[column.name] ?? column.default ?? null
      return value === null || (value instanceof Object && 'queryChunks' in value)
        ? null
        : column.mapToDriverValue(value)
    })
    return statement.run(values)
  }
}

export type DataSet = {
  file: string
  events: number
  venues: number
  organizers: number
  categories: number
  tags: number
}

/** The sizes of what belongs to so many events. */
export const sizesOf = (events: number) => ({
  venues: Math.max(20, Math.round(events / 100)),
  organizers: Math.max(10, Math.round(events / 200)),
  categories: 40,
  tags: 300,
})

/**
 * A database with so many events, the same bytes of answers on every machine; made once and kept in `bench/data/`.
 * `progress` is told how many events there are.
 */
export async function openData(events: number, progress: (done: number) => void): Promise<DataSet> {
  const file = new URL(`data/${events}.db`, import.meta.url).pathname
  const sizes = sizesOf(events)
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true })
    const unfinished = `${file}.new`
    for (const end of ['', '-wal', '-shm']) rmSync(unfinished + end, { force: true })
    openDb(unfinished).close()
    fill(unfinished, events, sizes, progress)
    for (const end of ['-wal', '-shm']) rmSync(unfinished + end, { force: true })
    renameSync(unfinished, file)
  }
  return { file, events, ...sizes }
}

function fill(
  file: string,
  count: number,
  sizes: ReturnType<typeof sizesOf>,
  progress: (done: number) => void,
) {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  db.pragma('cache_size = -400000')
  const random = openRandom(count)
  const vocabulary = words(random, 20_000)
  const add = Object.fromEntries(
    Object.entries(tables).flatMap(([name, table]) =>
      typeof table === 'object' && Symbol.for('drizzle:Name') in table
        ? [[name, inserter(db, table as Table)]]
        : [],
    ),
  ) as Record<keyof typeof tables, (row: Record<string, unknown>) => Database.RunResult>
  const grams = db.prepare('insert into grams (rowid, tokens) values (?, ?)')
  let id = 0

  const post = (kind: Post['kind'], title: string, description: string, language: string): Post => ({
    ...{ id: ++id, kind, status: 'publish', title, slug: `${toSlug(title)}-${id}`, description, excerpt: '' },
    ...{
      author_id: 1,
      language,
      translation_group: null,
      image_id: null,
      parent_id: null,
      password_hash: null,
    },
    ...{
      date: wall(NOW - DAY),
      date_utc: wall(NOW - DAY),
      modified: wall(NOW - DAY),
      modified_utc: wall(NOW - DAY),
    },
    ...{
      folded: fold(`${title}\n${description.replace(/<[^>]*>/g, '')}`),
      folded_title: fold(title),
      untrashed_slug: null,
    },
  })
  const addPost = (row: Post, document: object) => {
    add.posts(row)
    add.documents({ post_id: row.id, blanked: null, ...document })
  }

  db.exec('begin')
  add.users({ id: 1, login: 'bench', role: 'administrator', disabled: false, created_utc: wall(NOW) })
  for (let n = 1; n <= sizes.categories + sizes.tags; n++) {
    const name = `${vocabulary[n]} ${n}`
    const taxonomy = n <= sizes.categories ? 'category' : 'tag'
    add.terms({
      id: n,
      taxonomy,
      name,
      folded_name: fold(name),
      slug: toSlug(name),
      description: '',
      parent_id: 0,
      language: 'en',
      count: 0,
    })
  }
  for (let n = 0; n < sizes.venues; n++) {
    const row = post('venue', `${text(random, vocabulary, 2)} hall`, '', 'en')
    const venue = {
      ...{
        post_id: row.id,
        address: `${n} ${text(random, vocabulary, 1)} street`,
        city: text(random, vocabulary, 1),
        country: 'Spain',
        province: '',
        state: '',
        zip: String(10_000 + n),
        phone: '',
        stateprovince: '',
        website: '',
      },
      ...{ show_map: true, show_map_link: true, geo_lat: 36 + random() * 7, geo_lng: -9 + random() * 12 },
    }
    addPost(row, renderVenue(row, venue, null))
    add.venues(venue)
  }
  for (let n = 0; n < sizes.organizers; n++) {
    const row = post('organizer', `${text(random, vocabulary, 2)} club`, '', 'en')
    const organizer = { post_id: row.id, phone: '', website: `https://example.org/${n}`, email: '' }
    addPost(row, renderOrganizer(row, organizer, null))
    add.organizers(organizer)
  }
  for (let n = 0; n < count; n++) {
    const language = LANGUAGES[skewed(random, 3)]!
    const description = `<p>${text(random, vocabulary, 40)}.</p>\n<p>${text(random, vocabulary, 40)}.</p>\n`
    const row = post('event', text(random, vocabulary, 4), description, language)
    const start = FIRST_DAY + Math.floor(random() * DAYS) * DAY + (8 + Math.floor(random() * 14)) * 3_600_000
    const days = random() < 0.85 ? 0 : Math.floor(random() ** 4 * 120)
    const end = start + days * DAY + 7_200_000
    const event: EventRow = {
      ...{
        post_id: row.id,
        start_date: wall(start),
        end_date: wall(end),
        utc_start_date: wall(start),
        utc_end_date: wall(end),
      },
      ...{
        timezone: ZONES[n % 20 < 18 ? 0 : (n % 20) - 17]!,
        all_day: false,
        cost: n % 3 ? ['10', '20'] : [],
        website: '',
      },
      ...{
        show_map: true,
        show_map_link: true,
        hide_from_listings: false,
        sticky: false,
        featured: random() < 0.02,
        ticketed: random() < 0.1,
      },
    }
    const venue = sizes.categories + sizes.tags && skewed(random, sizes.venues) + 1
    const refs = {
      category: [...new Set([1 + skewed(random, sizes.categories), 1 + skewed(random, sizes.categories)])],
      tag: [...new Set([1, 2].map(() => sizes.categories + 1 + skewed(random, sizes.tags)))],
      venue: [venue],
      organizer: [sizes.venues + 1 + skewed(random, sizes.organizers)],
    }
    addPost(row, { ...renderEvent(row, event, null, 'USD'), refs })
    add.events(event)
    const { start_date, end_date, utc_start_date, utc_end_date, featured, ticketed } = event
    add.listings({
      ...{ event_id: row.id, status: 'publish', hidden: false, author_id: 1, language, parent_id: null },
      ...{ starts: secondsOf(start_date), ends: secondsOf(end_date) },
      ...{ utc_starts: secondsOf(utc_start_date), utc_ends: secondsOf(utc_end_date), featured, ticketed },
    })
    grams.run(row.id, tokensOf(row).join(' '))
    for (const [kind, targets] of Object.entries(refs))
      for (const [position, target_id] of targets.entries())
        add.links({ event_id: row.id, kind, target_id, position })
    if (n % 10_000 === 9_999) {
      db.exec('commit; begin')
      progress(n + 1)
    }
  }
  db.exec("insert into search (rowid, folded) select id, folded from posts where kind = 'event'")
  db.exec(
    `update terms set count = (select count(*) from links where kind = terms.taxonomy and target_id = terms.id)`,
  )
  db.exec(
    "insert into changes (kind, record_id, operation, at_utc) values ('event', 0, 'create', '2026-11-20 00:00:00')",
  )
  db.exec('commit')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.exec('analyze')
  db.close()
}
