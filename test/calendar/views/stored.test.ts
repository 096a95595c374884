import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openStoredDocuments } from '../../../src/calendar/views/stored-documents.ts'
import { fillWithKinds, tamper } from '../../support/damage.ts'
import { type Kind, openRecords, type Records } from '../../support/store.ts'

async function filled(t: Test) {
  const file = join(t.testdir(), 'a.db')
  const calendar = await openRecords(t, { env: { DATABASE: file } })
  await fillWithKinds(calendar)
  calendar.store.db.close()
  return file
}

/** The store of another process on the file, and what it tells of documents. */
async function open(t: Test, file: string) {
  const lines: string[] = []
  const calendar = await openRecords(t, { env: { DATABASE: file } })
  const { store } = calendar
  store.documents.onDamage(({ id, what }) => lines.push(`${id} ${what}`))
  return { calendar, lines }
}

const READ: [kind: Kind, id: number, query?: string][] = [
  ['event', 2],
  ['event', 4],
  ['event', 4, 'password=hush'],
  ['event', 6],
  ['series', 5],
  ['venue', 1],
  ['organizer', 3],
]
const LISTED: [kind: Kind, query?: string][] = [
  ['event'],
  ['event', 'q=quoted'],
  ['venue'],
  ['organizer'],
  ['series'],
]

/** What everybody sees of all records. */
async function answers({ anonymous }: Records) {
  const found = await Promise.all([
    ...READ.map((of) => anonymous.read(...of)),
    ...LISTED.map((of) => anonymous.list(...of)),
  ])
  return found.map((outcome) => JSON.stringify(outcome))
}

t.test(
  'documents that are missing or damaged are derived again when they are read, and told once',
  async (t) => {
    const file = await filled(t)
    const first = await open(t, file)
    const right = await answers(first.calendar)
    t.equal(
      right.filter((answer) => /"status":200/.test(answer)).length,
      right.length - 1,
      'all but a password',
    )
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
      const { calendar, lines } = await open(t, file)
      t.same(await answers(calendar), right, query)
      t.same(lines.sort(), told, query)
      calendar.store.db.close()
      saved.exec('delete from documents; insert into documents select * from saved')
    }
    saved.close()
  },
)

t.test('what was read before is never a failure', async (t) => {
  const file = await filled(t)
  const { calendar, lines } = await open(t, file)
  const right = await answers(calendar)
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
    t.same(await answers(calendar), right, query)
  }
  t.same(lines, ['2 is damaged', '4 is damaged', '1 is missing'])
})

t.test('of a record whose fields are lost nothing can be derived', async (t) => {
  const file = await filled(t)
  tamper(file, 'delete from documents; delete from venues; delete from terms')
  const { calendar } = await open(t, file)
  const { body } = await calendar.anonymous.read('event', 2)
  t.same([body.venue, body.categories], [[], []])
  const { db, site } = calendar.store
  t.same(
    openStoredDocuments(db, site)
      .posts([1, 2, 99])
      .map(({ id }) => id),
    [2],
    'also if nobody is told',
  )
})
