import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import Fastify, { type FastifyRequest } from 'fastify'
import sanitize from 'sanitize-html'
import { listen } from './child.ts'
import { NOW } from './seed/records.ts'

// The service as a good engineer writes it by hand in a day: Fastify, prepared SQL, an index of trigrams, JSON.stringify. It has the events
// of a data set of the benchmark in tables of its own, and answers lists, events and writes as the service does.

const ROOT = '/calendar/events/v1'
const file = process.env.DATABASE!
const TOKEN = 'by-hand'
const SCHEMA = `
  create table venues (id integer primary key, title, slug, date, modified, address, city, country, zip, geo_lat, geo_lng, language);
  create table organizers (id integer primary key, title, slug, date, modified, website, language);
  create table terms (id integer primary key, taxonomy, name, slug, description, count);
  create table events (id integer primary key, title, slug unique, description, date, modified, start_date, end_date, utc_start_date,
    utc_end_date, timezone, all_day, cost, website, featured, ticketed, event_status, attendance_mode, virtual_url, event_status_reason, language,
    venue_id references venues (id), organizer_id references organizers (id));
  create table event_terms (event_id references events (id) on delete cascade, term_id, position, primary key (event_id, term_id)) without rowid;
  create index events_by_start on events (start_date, id, end_date);
  create index events_by_venue on events (venue_id, start_date);
  create index event_terms_by_term on event_terms (term_id, event_id);
  create virtual table texts using fts5 (title, description, tokenize = 'trigram', content = 'events', content_rowid = 'id');
  create table tokens (hash text primary key);
`
const COPY = `
  insert into venues select p.id, title, slug, date, modified, address, city, country, zip, geo_lat, geo_lng, language from source.posts p join source.venues v on v.post_id = p.id;
  insert into organizers select p.id, title, slug, date, modified, website, language from source.posts p join source.organizers o on o.post_id = p.id;
  insert into terms select id, taxonomy, name, slug, description, count from source.terms;
  insert into events select p.id, title, slug, description, date, modified, start_date, end_date, utc_start_date, utc_end_date, timezone, all_day,
    cost, website, featured, ticketed, event_status, attendance_mode, virtual_url, event_status_reason, language,
    (select target_id from source.links where event_id = p.id and kind = 'venue'), (select target_id from source.links where event_id = p.id and kind = 'organizer')
    from source.posts p join source.events e on e.post_id = p.id;
  insert into event_terms select event_id, target_id, position from source.links where kind in ('category', 'tag');
  insert into texts (texts) values ('rebuild');
  analyze;
`

function openDatabase(): Database.Database {
  const isNew = !existsSync(file)
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  if (!isNew) return db
  db.exec(SCHEMA)
  db.prepare('attach ? as source').run(process.env.SOURCE!)
  db.exec(`begin; ${COPY} commit; detach source`)
  db.prepare('insert into tokens values (?)').run(hashOf(TOKEN))
  return db
}
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

// biome-ignore lint/suspicious/noExplicitAny: rows of tables without types, as one writes them by hand
type Row = Record<string, any>
const db = openDatabase()
const COLUMNS = (db.pragma('table_info(events)') as Row[])
  .map(({ name }) => name)
  .filter((name) => name !== 'id')
const find = {
  event: db.prepare('select * from events where id = ?'),
  venue: db.prepare('select * from venues where id = ?'),
  organizer: db.prepare('select * from organizers where id = ?'),
  terms: db.prepare(
    'select t.* from event_terms e join terms t on t.id = e.term_id where event_id = ? order by slug',
  ),
  token: db.prepare('select 1 from tokens where hash = ?'),
  slug: db.prepare('select 1 from events where slug = ?'),
}
const write = {
  insert: db.prepare(`insert into events (${COLUMNS}) values (${COLUMNS.map((name) => `@${name}`)})`),
  update: db.prepare(`update events set ${COLUMNS.map((name) => `${name} = @${name}`)} where id = @id`),
  delete: db.prepare('delete from events where id = ?'),
  link: db.prepare('insert into event_terms values (?, ?, ?)'),
  unlink: db.prepare('delete from event_terms where event_id = ?'),
  count: db.prepare(
    'update terms set count = count + ? where id in (select term_id from event_terms where event_id = ?)',
  ),
  index: db.prepare('insert into texts (rowid, title, description) values (@id, @title, @description)'),
  unindex: db.prepare(
    "insert into texts (texts, rowid, title, description) values ('delete', @id, @title, @description)",
  ),
}

const at = (path: string) => `http://localhost:3000${path}`
const detailsOf = (date: string) => {
  const [year, month, day, hour, minutes, seconds] = date.split(/[- :]/)
  return { year, month, day, hour, minutes, seconds }
}
const postOf = (row: Row, kind: string) => ({
  id: row.id,
  global_id: `localhost?id=${row.id}`,
  global_id_lineage: [`localhost?id=${row.id}`],
  author: '1',
  status: 'publish',
  date: row.date,
  date_utc: row.date,
  modified: row.modified,
  modified_utc: row.modified,
  url: at(`/${kind}/${row.slug}/`),
  language: row.language,
})
const venueOf = ({ id: _, title, slug, date, modified, language, ...rest }: Row, row: Row) => ({
  ...postOf(row, 'venue'),
  venue: title,
  slug,
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '' && value !== null)),
  show_map: true,
  show_map_link: true,
  translations: {},
})
const organizerOf = (row: Row) => ({
  ...postOf(row, 'organizer'),
  organizer: row.title,
  slug: row.slug,
  website: row.website,
  translations: {},
})
const termOf = ({ id, taxonomy, name, slug, description, count }: Row) => {
  const path = `${ROOT}/${taxonomy === 'tag' ? 'tags' : 'categories'}`
  return {
    name,
    slug,
    term_group: 0,
    term_taxonomy_id: id,
    taxonomy: taxonomy === 'tag' ? 'post_tag' : 'calendar_events_cat',
    description,
    parent: 0,
    count,
    filter: 'raw',
    id,
    urls: { self: at(`${path}/${id}`), collection: at(path) },
  }
}
const abbreviations = new Map<string, Intl.DateTimeFormat>()
function abbreviationOf(zone: string, utc: string): string {
  if (zone === 'UTC') return zone
  let format = abbreviations.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat(zone.startsWith('Europe') ? 'en-GB' : 'en-US', {
      timeZone: zone,
      timeZoneName: 'short',
    })
    abbreviations.set(zone, format)
  }
  return format.formatToParts(Date.parse(`${utc}Z`)).find(({ type }) => type === 'timeZoneName')!.value
}

const NO_CURRENCY = { currency_symbol: '', currency_code: '', currency_position: '' }
/** An event as its answers show it. */
function eventOf(row: Row) {
  const terms = find.terms.all(row.id) as Row[]
  const venue = row.venue_id && (find.venue.get(row.venue_id) as Row)
  const organizer = row.organizer_id && (find.organizer.get(row.organizer_id) as Row)
  const cost: string[] = JSON.parse(row.cost)
  const times = ['start_date', 'end_date', 'utc_start_date', 'utc_end_date'].flatMap((name) => [
    [name, row[name]],
    [`${name}_details`, detailsOf(row[name])],
  ])
  return {
    ...postOf(row, 'event'),
    rest_url: at(`${ROOT}/events/${row.id}`),
    title: row.title,
    description: row.description,
    excerpt: '',
    slug: row.slug,
    image: false,
    all_day: row.all_day === 1,
    ...Object.fromEntries(times),
    timezone: row.timezone,
    timezone_abbr: abbreviationOf(row.timezone, row.utc_start_date),
    cost: cost.map((value) => `$${value}`).join(' – '),
    cost_details: { ...NO_CURRENCY, values: cost },
    website: row.website,
    show_map: true,
    show_map_link: true,
    hide_from_listings: false,
    sticky: false,
    featured: row.featured === 1,
    ticketed: row.ticketed === 1,
    event_status: row.event_status,
    attendance_mode: row.attendance_mode,
    virtual_url: row.virtual_url,
    event_status_reason: row.event_status_reason,
    previous_start_date: '',
    post_parent: 0,
    translations: {},
    categories: terms.filter(({ taxonomy }) => taxonomy === 'category').map(termOf),
    tags: terms.filter(({ taxonomy }) => taxonomy === 'tag').map(termOf),
    venue: venue ? venueOf(venue, venue) : [],
    organizer: organizer ? [organizerOf(organizer)] : [],
    custom_fields: [],
  }
}

const FILTERS: Record<string, string> = {
  venue: 'venue_id = @venue',
  categories: 'id in (select event_id from event_terms where term_id = @categories)',
  tags: 'id in (select event_id from event_terms where term_id = @tags)',
  search: 'id in (select rowid from texts where texts match @search)',
}
const statements = new Map<string, { rows: Database.Statement; count: Database.Statement }>()
/** The statements of a list with these filters. */
function listBy(names: string[]) {
  const key = names.join()
  const known = statements.get(key)
  if (known) return known
  const where = ['start_date >= @from and end_date <= @to', ...names.map((name) => FILTERS[name])].join(
    ' and ',
  )
  const made = {
    rows: db.prepare(
      `select * from events where ${where} order by start_date, id limit @limit offset @offset`,
    ),
    count: db.prepare(`select count(*) from events where ${where}`).pluck(),
  }
  statements.set(key, made)
  return made
}

const began = Date.now()
const now = () => new Date(NOW + Date.now() - began).toISOString().slice(0, 19).replace('T', ' ')
const QUERY = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 50, default: 12 },
    start_date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    end_date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    venue: { type: 'integer' },
    categories: { type: 'integer' },
    tags: { type: 'integer' },
    search: { type: 'string' },
  },
}
const DATE = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' }
const MEMBERS = {
  title: { type: 'string', minLength: 1 },
  description: { type: 'string' },
  start_date: DATE,
  end_date: DATE,
  cost: { type: 'string' },
  venue: { type: 'integer' },
  organizer: { type: 'integer' },
  categories: { type: 'array', items: { type: 'integer' } },
  tags: { type: 'array', items: { type: 'integer' } },
}
const CREATE = { type: 'object', properties: MEMBERS, required: ['title', 'start_date', 'end_date'] }
const UPDATE = { type: 'object', properties: MEMBERS }
const BLANK = {
  ...{
    description: '',
    cost: '[]',
    website: '',
    timezone: 'UTC',
    all_day: 0,
    featured: 0,
    ticketed: 0,
    language: 'en',
  },
  ...{ event_status: 'scheduled', attendance_mode: 'offline', virtual_url: '', event_status_reason: '' },
  ...{ venue_id: null, organizer_id: null },
}

function freeSlug(title: string): string {
  const base = title
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9]+/g, '-')
  for (let number = 1; ; number++) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!find.slug.get(slug)) return slug
  }
}

/** A row with what was sent for it. */
function changed(row: Row, sent: Row): Row {
  const { start_date = row.start_date, end_date = row.end_date } = sent
  return {
    ...row,
    ...(sent.title !== undefined && { title: sanitize(sent.title, { allowedTags: [] }) }),
    ...(sent.description !== undefined && { description: sanitize(sent.description) }),
    ...(sent.cost !== undefined && { cost: JSON.stringify(sent.cost ? [sent.cost] : []) }),
    ...(sent.venue !== undefined && { venue_id: sent.venue }),
    ...(sent.organizer !== undefined && { organizer_id: sent.organizer }),
    ...{ start_date, end_date, utc_start_date: start_date, utc_end_date: end_date, modified: now() },
  }
}

const store = db.transaction((row: Row, sent: Row) => {
  const before = row.id && find.event.get(row.id)
  if (before) {
    write.update.run(row)
    write.unindex.run(before)
  } else row.id = write.insert.run(row).lastInsertRowid
  write.index.run(row)
  if (sent.categories || sent.tags) {
    write.count.run(-1, row.id)
    write.unlink.run(row.id)
    for (const [position, term] of [...(sent.categories ?? []), ...(sent.tags ?? [])].entries())
      write.link.run(row.id, term, position)
    write.count.run(1, row.id)
  }
  return eventOf(row)
})
const remove = db.transaction((row: Row) => {
  write.count.run(-1, row.id)
  write.unindex.run(row)
  write.delete.run(row.id)
})

const app = Fastify({ routerOptions: { ignoreTrailingSlash: true }, logger: false })
const error = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })
const mustWrite = async ({ headers }: FastifyRequest) => {
  if (!find.token.get(hashOf(headers.authorization?.slice(7) ?? ''))) throw error(401, 'Sign in.')
}
const mustFind = ({ params }: FastifyRequest): Row => {
  const row = find.event.get((params as { id: number }).id)
  if (!row) throw error(404, 'There is no such event.')
  return row
}

app.get(`${ROOT}/events`, { schema: { querystring: QUERY } }, async ({ query }, reply) => {
  const { page, per_page, start_date, end_date, ...asked } = query as Row
  const filters = Object.keys(FILTERS).filter((name) => asked[name] !== undefined)
  const [today] = now().split(' ') as [string]
  const from = start_date ? `${start_date} 00:00:00` : now()
  const to = `${end_date ?? Number(today.slice(0, 4)) + 2 + today.slice(4)} 23:59:59`
  const values = {
    from,
    to,
    ...asked,
    ...(asked.search && { search: `"${asked.search.replaceAll('"', '""')}"` }),
  }
  const { rows, count } = listBy(filters)
  const total = count.get(values) as number
  const events = rows
    .all({ ...values, limit: per_page, offset: (page - 1) * per_page })
    .map((row) => eventOf(row as Row))
  const total_pages = Math.ceil(total / per_page)
  reply.header('x-total', total).header('x-totalpages', total_pages)
  return { rest_url: at(`${ROOT}/events`), total, total_pages, events }
})
app.get(`${ROOT}/events/:id`, async (request) => eventOf(mustFind(request)))
app.post(`${ROOT}/events`, { schema: { body: CREATE }, onRequest: mustWrite }, async ({ body }, reply) => {
  const sent = body as Row
  const date = now()
  const row = changed({ ...BLANK, date, slug: freeSlug(sent.title) }, sent)
  return reply.code(201).send(store(row, sent))
})
app.put(`${ROOT}/events/:id`, { schema: { body: UPDATE }, onRequest: mustWrite }, async (request) =>
  store(changed(mustFind(request), request.body as Row), request.body as Row),
)
app.delete(`${ROOT}/events/:id`, { onRequest: mustWrite }, async (request) => {
  const row = mustFind(request)
  const gone = eventOf(row)
  remove(row)
  return gone
})
app.addHook('onClose', async () => db.close())
await listen(app, { tokens: [TOKEN] })
