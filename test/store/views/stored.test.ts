import { join } from 'node:path'
import { Writable } from 'node:stream'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openStored } from '../../../src/store/views/stored.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

/** A calendar in a file: event 2 at venue 1 by organizer 3, protected event 4, series 5 and its dates. */
async function filled(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const { editor, app } = await build(t, { env: { DATABASE: file } })
  await must(editor.post('/venues', { venue: 'Hall', city: 'Vic' }))
  await must(
    editor.post('/events', {
      ...{ ...EVENT, title: '"Quoted" \\ {[}]', venue: 1, organizer: { organizer: 'Choir' } },
      ...{ categories: ['Music'], tags: ['late'], website: 'https://a.test/' },
    }),
  )
  await must(editor.post('/events', { ...EVENT, title: 'Locked', password: 'hush', venue: 1 }))
  await must(editor.post('/events', { ...EVENT, recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }))
  await app.close()
  return file
}

/** Another process on the file, and what it logs of documents. */
async function open(t: Test, file: string) {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      const { record, msg } = JSON.parse(String(chunk))
      if (/stored document/.test(msg)) lines.push(`${record} ${/record (is \w+)/.exec(msg)![1]}`)
      done()
    },
  })
  const api = await build(t, { env: { DATABASE: file }, logger: { level: 'error', stream }, users: false })
  return { api, lines }
}

const PATHS = [
  ...[
    '/events/2',
    '/events/4',
    '/events/4?password=hush',
    '/events/6',
    '/series/5',
    '/venues/1',
    '/organizers/3',
  ],
  ...[
    '/events',
    '/events?_fields=events.id,events.title',
    '/events?q=quoted',
    '/venues',
    '/organizers',
    '/series',
  ],
  ...[
    '/events.ics',
    '/events.jsonld',
    '/events.rss',
    '/changes',
    '//events/',
    '//event/quoted/',
    '//month/2026-12/',
  ],
]

/** Every kind of answer, but for what differs from one request to the next. */
async function answers({ anonymous }: Api) {
  const found: string[] = []
  for (const path of PATHS) {
    const { status, text } = await anonymous.get(path)
    found.push(`${path} ${status} ${text.replace(/"next_sync_token":"[^"]*"/, '')}`)
  }
  return found
}

function tamper(file: string, query: string) {
  const db = new Database(file)
  db.pragma('foreign_keys = OFF')
  db.exec(query)
  db.close()
}

t.test(
  'documents that are missing or damaged are derived again when they are read, and told once',
  async (t) => {
    const file = await filled(t)
    const first = await open(t, file)
    const right = await answers(first.api)
    t.notOk(right.some((answer) => / 500 /.test(answer.slice(0, 60))))
    t.same(first.lines, [])
    const saved = new Database(file)
    saved.exec('create temp table saved as select * from documents')
    for (const [query, told] of [
      ['delete from documents where post_id = 2', ['2 is missing']],
      [
        'delete from documents',
        [
          '1 is missing',
          '2 is missing',
          '3 is missing',
          '4 is missing',
          '5 is missing',
          '6 is missing',
          '7 is missing',
        ],
      ],
      ["update documents set body = x'' where post_id = 2", ['2 is damaged']],
      ['update documents set body = \'{"id":2\' where post_id = 2', ['2 is damaged']],
      [
        'update documents set body = substr(body, 1, length(body) / 2) where post_id in (1, 2)',
        ['1 is damaged', '2 is damaged'],
      ],
      [
        'update documents set body = cast(replace(body, char(1), char(7)) as blob) where post_id = 2',
        ['2 is damaged'],
      ],
      ["update documents set body = x'7b2261223a22ff22' where post_id = 3", ['3 is damaged']],
      ["update documents set refs = '{' where post_id = 2", ['2 is damaged']],
      ['update documents set refs = \'{"venue":[1]}\' where post_id = 2', ['2 is damaged']],
      ["update documents set refs = 'null' where post_id = 2", ['2 is damaged']],
      ['update documents set refs = null where post_id = 2', ['2 is damaged']],
      [
        'update documents set refs = \'{"category":[],"tag":[],"venue":[],"organizer":[]}\' where post_id = 1',
        ['1 is damaged'],
      ],
      ['update documents set blanked = null where post_id = 4', ['4 is damaged']],
      ["update documents set blanked = x'7b' where post_id = 4", ['4 is damaged']],
      ["update documents set json_ld = x'' where post_id in (1, 2)", ['1 is damaged', '2 is damaged']],
      ["update documents set json_ld = 'a' where post_id in (2, 5)", ['2 is damaged', '5 is damaged']],
    ] as const) {
      tamper(file, query)
      const { api, lines } = await open(t, file)
      t.same(await answers(api), right, query)
      t.same(lines.sort(), told, query)
      await api.app.close()
      saved.exec('delete from documents; insert into documents select * from saved')
    }
    saved.close()
  },
)

t.test('what was read before is never a failure', async (t) => {
  const file = await filled(t)
  const { api, lines } = await open(t, file)
  const right = await answers(api)
  for (const query of [
    "update documents set refs = '[' where post_id = 2",
    "update documents set body = 'text', json_ld = 'text' where post_id = 2",
    'update documents set blanked = null where post_id = 4',
    'delete from documents where post_id = 1',
  ]) {
    tamper(file, query)
    // so that no answer is kept
    tamper(
      file,
      "insert into changes (kind, record_id, operation, at_utc) values ('organizer', 999, 'update', '2026-11-21 09:00:00')",
    )
    await new Promise(setImmediate) // what was committed is seen from the next turn on
    t.same(await answers(api), right, query)
  }
  t.same(lines, ['2 is damaged', '4 is damaged', '1 is missing'])
})

t.test('of a record whose fields are lost nothing can be derived', async (t) => {
  const file = await filled(t)
  tamper(file, 'delete from documents; delete from venues; delete from terms')
  const { api } = await open(t, file)
  t.equal((await api.anonymous.get('/events/2')).body.venue.length, 0)
  t.same((await api.anonymous.get('/events/2')).body.categories, [])
  const { db, site } = api.app.store
  t.same(
    openStored(db, site)
      .posts([1, 2, 99])
      .map(({ id }) => id),
    [2],
    'also if nobody is told',
  )
})
