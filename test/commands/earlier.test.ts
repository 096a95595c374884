import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { MIGRATIONS, readMigrations } from '../../src/kernel/database/migrations.ts'
import { DERIVATION } from '../../src/kernel/database/stored-settings.ts'
import { VERSION } from '../../src/package.ts'
import { almanac } from '../support/almanac.ts'
import { EARLIER, load } from '../support/earlier.ts'
import { openRecords, type Person } from '../support/store.ts'

const TAGS = readMigrations().map(({ tag }) => tag)
const SPAIN = { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR', LANGUAGES: 'en,ca' }

t.test('there is a database of each state of the tables', async (t) => {
  t.same(
    readdirSync(EARLIER).sort(),
    TAGS.map((tag) => `${tag}.sql`),
    'npm run fixture writes that of the last migration',
  )
})

t.test('a database of each earlier state is upgraded in the start, and right afterwards', async (t) => {
  for (const [at, tag] of TAGS.entries()) {
    const file = join(t.testdir(), `${tag}.db`)
    load(file, tag)
    const lines: string[] = []
    const told = { print: (text: string) => lines.push(text), terminal: true }
    await prepare(readConfig({ DATABASE: file, ...SPAIN }), told)
    const steps = TAGS.slice(at + 1)
    t.same(
      lines.filter((line) => line.startsWith('Upgrading')),
      steps.map((step, number) => `Upgrading ${file}: step ${number + 1} of ${steps.length} (${step}).\n`),
    )
    t.equal(lines.at(-1)?.startsWith(`${file} was upgraded in `), steps.length > 0 || undefined)
    t.same(await almanac(file, ['check']), {
      code: 0,
      printed: 'Nothing differs in 13 records.\n',
      complained: '',
    })

    const { anonymous, editor } = await openRecords(t, { env: { DATABASE: file } })
    const titles = async (person: Person, query: string) => {
      const { body } = await person.list('event', query)
      return body.events.map(({ title }: { title: string }) => title)
    }
    const all = 'start_date=2026-01-01&end_date=2028-01-01'
    t.same(await titles(anonymous, all), ['Festival', 'Concert — “Música”', 'Exhibition', 'Members only'])
    t.same(await titles(editor, `${all}&status=draft,future,trash`), ['Draft', 'Later', 'Cancelled'])
    t.same(await titles(anonymous, 'search=musica'), ['Concert — “Música”'])
    t.same(await titles(anonymous, 'search=音楽'), ['Concert — “Música”'])
    t.same(await titles(anonymous, 'search=secret'), [])
    t.same(await titles(editor, 'search=secret'), ['Members only'])
    t.same(await titles(anonymous, 'venue=1'), ['Concert — “Música”', 'Exhibition'])
    const { body } = await anonymous.read('event', 'concert-musica')
    t.match(body, { cost: '€10', venue: { city: 'Vic' }, categories: [{ slug: 'music' }], date_utc: String })
    t.equal((await editor.change('event', body.id, { title: 'Concert' })).status, 200)
  }
})

t.test(
  'an upgrade keeps the events of all words, where long lists of them have a table of their own',
  async (t) => {
    const file = join(t.testdir(), 'a.db')
    load(file, '0028_people')
    const lists = [
      [-1, 0, 200],
      [1, 0, 201],
      [1, 7, 16_384],
      [2, 0, 1],
    ] as const
    const earlier = new Database(file)
    const insert = earlier.prepare('insert into postings values (?, ?, ?)')
    for (const [word, block, length] of lists) insert.run(word, block, Buffer.alloc(length, word + 2))
    earlier.close()
    const db = openDb(file)
    t.teardown(() => db.close())
    const read = (table: string) => db.rows(`select word, block, events from ${table} order by word, block`)
    const whole = lists.map(([word, block, length]) => [word, block, Buffer.alloc(length, word + 2)] as const)
    t.same(
      read('long_postings'),
      whole.filter(([, , events]) => events.length > 200),
    )
    t.same(
      read('postings'),
      whole.map(([word, block, events]) => [word, block, events.length > 200 ? Buffer.alloc(0) : events]),
    )
  },
)

t.test('what the last program derived is what this one derives', async (t) => {
  const file = join(t.testdir(), 'a.db')
  load(file, TAGS.at(-1)!)
  const why = 'if data is derived in another way on purpose, raise DERIVATION and run npm run fixture'
  const db = new Database(file)
  t.equal(db.prepare('SELECT derivation FROM site').pluck().get(), DERIVATION, why)
  db.close()
  t.match(await almanac(file, ['check']), { code: 0 }, why)
})

t.test('a column of derived tables comes with another way of deriving', async (t) => {
  const dir = t.testdir()
  const derivationOf = (tag: string) => {
    const file = join(dir, `${tag}.db`)
    rmSync(file, { force: true })
    load(file, tag)
    const db = new Database(file)
    const derivation = db.prepare('SELECT derivation FROM site').pluck().get() as number
    db.close()
    return derivation
  }
  const changed = TAGS.filter(
    (tag) =>
      tag > '0010_site_settings' &&
      /`(documents|listings)`/.test(readFileSync(`${MIGRATIONS}${tag}.sql`, 'utf8')),
  )
  t.ok(changed.includes('0011_event_states'))
  const why = 'rows of older programs lack it: raise DERIVATION and run npm run fixture'
  for (const tag of changed)
    t.ok(derivationOf(tag) > derivationOf(TAGS[TAGS.indexOf(tag) - 1]!), `${tag}: ${why}`)
})

t.test('an upgrade waits for nobody: while another process has the file open, nothing happens', async (t) => {
  const file = join(t.testdir(), 'a.db')
  load(file, '0008_file_times')
  // as an earlier service has it
  const old = new Database(file)
  old.pragma('journal_mode = WAL')
  old.prepare('SELECT * FROM migrations').all()
  const before = old.prepare('SELECT * FROM migrations').all()
  const message = `${file}: is in use; stop the service, and whatever else has it open, then try again. Nothing was changed in it`
  t.throws(() => openDb(file), { message, unusable: true })
  t.same(await almanac(file, ['user', 'list']), { code: 1, printed: '', complained: `almanac: ${message}\n` })
  t.same(old.prepare('SELECT * FROM migrations').all(), before)
  old.close()
  t.match(await almanac(file, ['user', 'list']), { code: 0, printed: /maria/ })
})

t.test('while an upgrade runs, others are told to wait', async (t) => {
  const file = join(t.testdir(), 'a.db')
  load(file, '0008_file_times')
  const db = new Database(file)
  db.pragma('locking_mode = EXCLUSIVE')
  db.pragma('journal_mode = WAL')
  db.exec('BEGIN IMMEDIATE')
  const { code, complained } = await almanac(file, ['config'])
  db.close()
  t.equal(code, 1)
  t.equal(
    complained,
    `almanac: ${file}: is in use by another process, which upgrades or restores it; try again when it has ended\n`,
  )
})

t.test('a newer database is told with the version that it needs, and not touched', async (t) => {
  const file = join(t.testdir(), 'a.db')
  openDb(file).close()
  const newer = new Database(file)
  newer.exec("INSERT INTO migrations VALUES ('9999_future', 1, '9.1.0')")
  newer.pragma('journal_mode = DELETE')
  newer.close()
  const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex')
  const before = hash()
  const message = `${file}: was written by a newer Almanac (9.1.0; this is ${VERSION}); start that version, or restore a backup that this version made. Nothing was changed in it`
  for (const words of ['serve', 'check', 'migrate', 'config', 'user list'])
    t.same(await almanac(file, words.split(' ')), {
      code: 1,
      printed: '',
      complained: `almanac: ${message}\n`,
    })
  t.equal(hash(), before)
  new Database(file).exec(`UPDATE migrations SET program = '${VERSION}'`).close()
  t.match(await almanac(file, ['migrate']), { code: 1, complained: /was written by a newer Almanac; start/ })

  const unknown = join(t.testdirName, 'b.db')
  load(unknown, '0009_listing_orders')
  const later = TAGS.map((_, at) => `('9999_future_${at}', 1)`)
  new Database(unknown).exec(`INSERT INTO migrations VALUES ${later}`).close()
  t.match(await almanac(unknown, ['migrate']), {
    code: 1,
    complained: /was written by a newer Almanac; start/,
  })
})
