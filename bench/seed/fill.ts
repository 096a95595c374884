import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as tables from '../../drizzle/tables.ts'
import { deriveListing, renderDocument } from '../../src/calendar/records/derived.ts'
import { toRefs } from '../../src/calendar/records/rows.ts'
import { openMerging, saveSearch } from '../../src/calendar/search/indexing.ts'
import { EVERYTHING } from '../../src/kernel/database/changes.ts'
import { openDb, type Queries } from '../../src/kernel/database/db.ts'
import { openRandom } from './random.ts'
import { type Event, openRecords, type Sizes } from './records.ts'
import { openRows, type Rows } from './rows.ts'

const BATCH = 5_000

/** Fills an empty database whose tables are there: records as rows, and what is derived by the service's own functions. */
export async function fill(file: string, sizes: Sizes, progress: (done: number, total: number) => void) {
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  db.pragma('foreign_keys = OFF')
  db.pragma('temp_store = MEMORY')
  db.pragma('cache_size = -1000000')
  const tx = drizzle(db, { schema: tables })
  const rows = openRows(db)
  const records = openRecords(sizes, openRandom(sizes.events))

  db.exec('begin')
  rows.users({ id: 1, login: 'bench', role: 'administrator', created_utc: '2026-11-20 00:00:00' })
  for (const term of records.terms()) rows.terms(term)
  for (let at = 0; at < sizes.venues; at++) {
    const { post, venue } = records.venue(at)
    rows.posts(post)
    rows.venues(venue)
    rows.documents(documentOf({ post, venue }))
  }
  for (let at = 0; at < sizes.organizers; at++) {
    const { post, organizer } = records.organizer(at)
    rows.posts(post)
    rows.organizers(organizer)
    rows.documents(documentOf({ post, organizer }))
  }
  for (let at = 0; at < sizes.events; at++) {
    const { post, event, links } = records.event(at)
    rows.posts(post)
    rows.events(event)
    for (const link of links) rows.links(link)
    derive(tx, rows, post, event, links)
    if (at % BATCH !== BATCH - 1) continue
    db.exec('commit; begin')
    progress(at + 1, sizes.events)
  }
  db.exec(
    'update terms set count = (select count(*) from links where kind = terms.taxonomy and target_id = terms.id)',
  )
  rows.changes({ kind: EVERYTHING, record_id: 0, operation: 'create', at_utc: '2026-11-20 00:00:00' })
  db.exec('commit')
  db.close()
  await indexTexts(file)
}

/** Brings all texts into the index of words, which a service does beside its requests. */
async function indexTexts(file: string) {
  const db = openDb(file, { durability: 'normal' })
  const { merge } = openMerging(db)
  while ((await merge()) > 0);
  await db.local(async (tx) => tx.run(sql`analyze`))
  db.close()
}

/** Everything that a write of an event derives from it: worked out as a write does, inserted without asking what was there. */
function derive(tx: Queries, rows: Rows, post: Event['post'], event: Event['event'], linked: Event['links']) {
  saveSearch(tx, post, undefined)
  rows.documents(documentOf({ post, event }, linked))
  rows.listings(deriveListing(post, event))
}

type Rendered = Pick<Parameters<typeof renderDocument>[0], 'post'> &
  Partial<Parameters<typeof renderDocument>[0]>
const documentOf = (record: Rendered, links: Event['links'] = []) => ({
  post_id: record.post.id,
  ...renderDocument(
    { event: null, venue: null, organizer: null, image: null, ...record },
    toRefs(links.map(({ kind, target_id: id }) => ({ kind, id }))),
    { currency: 'USD' },
  ),
})
