import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { deriveAgain, prepare } from '../../src/commands/prepare.ts'
import { readConfig } from '../../src/config.ts'
import { openDb } from '../../src/kernel/database/db.ts'
import { serve, warnAtStart } from '../../src/run/serve.ts'
import { almanac } from '../support/almanac.ts'
import { type Api, build, EVENT } from '../support/app.ts'

const SPAIN = { TIMEZONE: 'Europe/Madrid', LANGUAGES: 'ca,es', CURRENCY: 'EUR' }
const SPANISH = 'TIMEZONE=Europe/Madrid LANGUAGES=ca,es CURRENCY=EUR'

/** Some records that depend on the settings, on a database that was first started with these. */
async function filled(t: Test, env: Record<string, string> = SPAIN) {
  const file = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE: file, ...env } })
  await api.editor.post('/events', { ...EVENT, cost: '10', date: '2026-11-01 12:00:00' })
  await api.editor.post('/events', { ...EVENT, title: 'Draft', status: 'draft', cost: '€5' })
  await api.editor.post('/venues', { venue: 'Hall', date: '2026-07-01 12:00:00' })
  await api.editor.patch('/venues/3', { date: '2026-07-02 12:00:00' })
  return { api, file }
}

/** Another start on the database, whose users get out of the way of new ones. */
async function reopen(t: Test, file: string) {
  new Database(file).exec("UPDATE users SET login = 'former-' || id || login").close()
  return build(t, { env: { DATABASE: file } })
}

const run = (file: string, words: string, env: Record<string, string> = {}, terminal = false) =>
  almanac(file, words.split(' '), terminal, env)
const DAMAGED = { code: 1, printed: '' }

t.test('what records were written with is kept, and needs no environment', async (t) => {
  const { api, file } = await filled(t)
  await api.app.close()
  for (const env of [
    {},
    SPAIN,
    { LANGUAGES: ' ca , es', TIMEZONE: 'europe/madrid', CURRENCY: 'eur' },
    // these are in no stored byte: responses get them when they are read
    {
      BASE_URL: 'https://example.org/cal',
      NAMESPACE: 'agenda/v2',
      COMPAT_PREFIXES: '',
      HOST: '::1',
      PORT: '80',
    },
  ] as Record<string, string>[])
    t.same(await run(file, 'check', env), {
      code: 0,
      printed: 'Nothing differs in 3 records.\n',
      complained: '',
    })
  const again = await reopen(t, file)
  const { body } = await again.anonymous.get('/events/1')
  t.match(body, { cost: '€10', language: 'ca', date: '2026-11-01 12:00:00', date_utc: '2026-11-01 11:00:00' })
})

t.test('other settings than those are refused by every command and start, with both values', async (t) => {
  const { api, file } = await filled(t)
  const before = await api.fingerprint()
  const env = { TIMEZONE: 'Asia/Tokyo', LANGUAGES: 'es,ca', CURRENCY: 'eur' }
  const message = `${file}: its records were written with TIMEZONE=Europe/Madrid LANGUAGES=ca,es, but the environment says TIMEZONE=Asia/Tokyo LANGUAGES=es,ca; correct or unset TIMEZONE, LANGUAGES, or change the database: stop the service and run \`almanac config set TIMEZONE=Asia/Tokyo LANGUAGES=es,ca\``
  for (const words of ['check', 'rebuild', 'user list', 'migrate', 'serve'])
    t.same(await run(file, words, env), { ...DAMAGED, complained: `almanac: ${message}\n` }, words)
  await t.rejects(build(t, { env: { DATABASE: file, ...env } }), { message, unusable: true })
  t.equal(await api.fingerprint(), before)
})

t.test('while there are no records, the environment decides', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const zoneOf = async (env: Record<string, string>) => {
    const api = await build(t, { env: { DATABASE: file, ...env } })
    const { site } = api.app.store
    await api.app.close()
    new Database(file).exec('DELETE FROM users').close()
    return `${site.zone} ${site.languages} ${site.currency}`
  }
  t.equal(await zoneOf({}), 'UTC en,ca,es USD')
  t.equal(await zoneOf({ TIMEZONE: 'Asia/Tokyo' }), 'Asia/Tokyo en,ca,es USD')
  t.equal(await zoneOf({ CURRENCY: 'JPY' }), 'Asia/Tokyo en,ca,es JPY', 'what it does not name is kept')
})

t.test('a change of settings moves dates as moments, and derives all data again', async (t) => {
  const { api, file } = await filled(t)
  const shown = async (api: Api) => {
    const fields = '_fields=title,cost,date,date_utc,modified,modified_utc,start_date'
    const paths = [`/events/1?${fields}`, `/events/2?${fields}`, '/venues/3?_fields=date,date_utc,modified']
    return Promise.all(paths.map(async (path) => (await api.editor.get(path)).body))
  }
  const before = await shown(api)
  t.match(await run(file, 'config set CURRENCY=USD'), {
    ...DAMAGED,
    complained: `almanac: ${file}: is in use; stop the service, and whatever else has it open, then try again. Nothing was changed in it\n`,
  })
  await api.app.close()
  t.same(await run(file, 'config set TIMEZONE=Asia/Tokyo CURRENCY=USD'), {
    code: 0,
    printed: `${file} keeps TIMEZONE=Asia/Tokyo LANGUAGES=ca,es CURRENCY=USD.\n3 records were checked; 3 differences were corrected.\n`,
    complained: '',
  })
  t.match(await run(file, 'check'), { code: 0 })
  const again = await reopen(t, file)
  const [concert, draft, venue] = before
  t.same(await shown(again), [
    { ...concert, cost: '$10', date: '2026-11-01 20:00:00', modified: '2026-11-21 18:00:00' },
    { ...draft, date: '2026-11-21 18:00:00', modified: '2026-11-21 18:00:00' },
    // its date was given apart from that in UTC
    { ...venue, date: '2026-07-02 19:00:00', modified: '2026-11-21 18:00:00' },
  ])
  t.equal(venue.date_utc, '2026-07-01 10:00:00')
  t.match((await again.anonymous.get('/events?search=concert')).body, { total: 1, events: [{ cost: '$10' }] })
})

t.test('a change says which records no language names, and what the environment still says', async (t) => {
  const { api, file } = await filled(t)
  await api.app.close()
  const { printed } = await run(file, 'config set LANGUAGES=en', { CURRENCY: 'USD' }, true)
  t.equal(
    printed,
    `${file} keeps TIMEZONE=Europe/Madrid LANGUAGES=en CURRENCY=EUR.\n3 records were checked; 0 differences were corrected.\n3 records are in languages that LANGUAGES does not name.\nThe environment says otherwise: correct it, or the service will not start.\n`,
  )
  t.same(JSON.parse((await run(file, 'config set LANGUAGES=ca --json')).printed), {
    ...{ timezone: 'Europe/Madrid', languages: ['ca'], currency: 'EUR' },
    ...{ records: 3, corrected: 0, other_languages: 0 },
  })
  for (const [words, complaint] of [
    ['config set', /missing required argument 'name=value'/],
    ['config set CURRENCY', /Use TIMEZONE=\.\.\., LANGUAGES=\.\.\., CURRENCY=\.\.\.\./],
    [
      'config set HOST=::1',
      /The database keeps only TIMEZONE, LANGUAGES, CURRENCY; set HOST in the environment\./,
    ],
  ] as const) {
    const { code, complained } = await run(file, words)
    t.equal(code, 2, words)
    t.match(complained, complaint)
  }
  t.match(await run(file, 'config set CURRENCY=EURO'), {
    code: 1,
    complained: /CURRENCY must be an ISO 4217 code/,
  })
  t.match(await run(join(t.testdirName, 'no.db'), 'config set CURRENCY=EUR'), {
    code: 1,
    complained: /does not exist/,
  })
})

t.test('a database of another program, or without records, is no reason to warn or to write', async (t) => {
  const foreign = join(t.testdir(), 'foreign.db')
  new Database(foreign).exec('CREATE TABLE theirs (id)').close()
  t.match(await run(foreign, 'config set CURRENCY=EUR'), {
    code: 1,
    complained: /is a database of another program/,
  })
  const theirs = new Database(foreign)
  t.equal(theirs.pragma('journal_mode', { simple: true }), 'delete')
  theirs.close()
  const file = join(t.testdirName, 'a.db')
  await (await build(t, { env: { DATABASE: file } })).app.close()
  const { printed } = await run(file, 'config set CURRENCY=EUR', { CURRENCY: 'USD' })
  t.equal(
    printed,
    `${file} keeps TIMEZONE=UTC LANGUAGES=en,ca,es CURRENCY=EUR.\n0 records were checked; 0 differences were corrected.\n`,
  )
  t.match(await run(file, 'config', { CURRENCY: 'USD' }), { code: 0, printed: /CURRENCY +environment +USD/ })
})

t.test('a start warns of names that are near a setting, and of links that lead nowhere', async (t) => {
  const warned = (env: Record<string, string>) => {
    const lines: string[] = []
    warnAtStart(readConfig({ DATABASE: ':memory:', ...env }), {
      warn: (text: string) => lines.push(text),
    } as never)
    return lines
  }
  t.same(warned({ HOST: '0.0.0.0', TIMZONE: 'UTC' }), [
    'TIMZONE is not a setting; TIMEZONE is',
    'HOST is 0.0.0.0 and BASE_URL is not set: links start with http://0.0.0.0:3000, which other machines can not open',
  ])
  t.match(warned({ HOST: '::' }), [/links start with http:\/\/\[::\]:3000,/])
  t.same(warned({ HOST: '0.0.0.0', BASE_URL: 'https://example.org' }), [])
})

t.test('settings are printed with where they come from, and secrets hidden', async (t) => {
  const { api, file } = await filled(t)
  await api.app.close()
  const env = {
    ...{ CURRENCY: 'EUR', METRICS_TOKEN: 'secret', TRUST_PROXY: 'on', HOST: '0.0.0.0', TIMZONE: 'UTC' },
    ...{ SMTP_URL: 'smtps://me:hush@mail.example', MAIL_FROM: 'c@d.example' },
  }
  const { code, printed } = await run(file, 'config', env)
  t.equal(code, 0)
  for (const line of [
    'HOST             environment  0.0.0.0',
    'PORT             default      3000',
    'TIMEZONE         database     Europe/Madrid',
    'CURRENCY         environment  EUR',
    'CORS_ORIGINS     default',
    'TRUST_PROXY      environment  on',
    'METRICS_TOKEN    environment  (hidden)',
    'SMTP_URL         environment  smtps://me:***@mail.example',
    'Warning: TIMZONE is not a setting; TIMEZONE is.',
    'Warning: HOST is 0.0.0.0 and BASE_URL is not set: links start with http://0.0.0.0:3000, which other machines can not open.',
  ])
    t.ok(printed.split('\n').includes(line), line)
  const refused = await run(file, 'config --json', {
    LANGUAGES: 'en',
    TRUST_PROXY: '10.0.0.1',
    WORKERS: '2',
    CHECK: 'on',
    ...{ WEBHOOKS: 'off', CHANGES_DAYS: 'off', PAGES: 'off' },
  })
  const { settings, warnings, conflict } = JSON.parse(refused.printed)
  t.equal(refused.code, 1)
  t.match(settings, {
    LANGUAGES: { value: 'en', source: 'environment' },
    TRUST_PROXY: { value: '10.0.0.1' },
    CHECK: { value: 'on' },
    ...{ WEBHOOKS: { value: 'off' }, CHANGES_DAYS: { value: 'off' }, PAGES: { value: 'off' } },
  })
  t.same(warnings, [])
  t.match(conflict, /^its records were written with LANGUAGES=ca,es, but the environment says LANGUAGES=en;/)
  t.equal(refused.complained, `almanac: ${file}: ${conflict}\n`)

  const missing = join(t.testdirName, 'no.db')
  t.match(await run(missing, 'config'), { code: 0, printed: /TIMEZONE +default +UTC/ })
  t.notOk(existsSync(missing), 'looking makes no database')
  copyFileSync(new URL(import.meta.url), join(t.testdirName, 'text.db'))
  t.match(await run(join(t.testdirName, 'text.db'), 'config'), {
    code: 1,
    complained: /is not an SQLite database/,
  })
  t.match(await run(t.testdirName, 'config'), {
    code: 1,
    complained: /can not be read \(SQLITE_IOERR.*\); check the path and the disk/,
  })
})

/** A database of a version before the kept settings, upgraded. */
async function unkept(t: Test) {
  const { api, file } = await filled(t)
  await api.app.close()
  new Database(file).exec('DELETE FROM site').close()
  return file
}

t.test('a database of an earlier version keeps the settings of the first start, and says so', async (t) => {
  const file = await unkept(t)
  t.match(await run(file, 'config', SPAIN), { code: 0, printed: /TIMEZONE +environment +Europe\/Madrid/ })
  t.match(await run(file, 'check', SPAIN), { code: 1, complained: /does not keep its settings yet, because/ })
  t.equal(
    (await run(file, 'migrate', {}, true)).printed,
    'The next start of the service derives its data again.\nThe database is up to date.\n',
    'the environment of a command may not be that of the service',
  )
  const lines: string[] = []
  const told = { print: (text: string) => lines.push(text), terminal: false }
  await prepare(readConfig({ DATABASE: file, ...SPAIN }), told)
  t.equal(lines[0], `From now on, ${file} keeps the settings that its records depend on: ${SPANISH}.\n`)
  t.match(
    lines[1],
    /^Documents, lists, counts and search texts of 3 records were checked in .*; 0 differences were corrected\.\n$/,
  )
  t.equal(lines.length, 2)
  await prepare(readConfig({ DATABASE: file, ...SPAIN }), told)
  t.equal(lines.length, 2, 'once')
  t.match(await run(file, 'check'), { code: 0 })
})

t.test('or those that the operator names', async (t) => {
  const file = await unkept(t)
  t.match((await run(file, `config set ${SPANISH}`)).printed, `${file} keeps ${SPANISH}.\n3 records`)
  t.match(await run(file, 'check'), { code: 0 })
})

t.test('a start derives what another program derived in another way, and tells how far it is', async (t) => {
  const { api, file } = await filled(t)
  await api.app.close()
  const spoil = "UPDATE site SET derivation = 0; UPDATE documents SET body = '{}'; DELETE FROM listings"
  new Database(file).exec(spoil).close()
  const lines: string[] = []
  const config = readConfig({ DATABASE: file, PORT: '0', LOG_LEVEL: 'silent', MAX_DELAY: '0' })
  const app = await serve(config, { print: (text) => lines.push(text), terminal: false })
  t.match((await app.inject('/calendar/events/v1/events')).json(), { total: 1, events: [{ cost: '€10' }] })
  await app.close()
  t.match(lines[1], `\nDatabase: ${file}; time zone: Europe/Madrid; languages: ca, es; public address: http`)
  t.match(await run(file, 'check'), { code: 0 })

  new Database(file).exec(spoil).close()
  const db = openDb(file)
  t.teardown(() => db.close())
  const told = { print: (text: string) => lines.push(text), terminal: false }
  t.same(await deriveAgain(db, config, told, 3), { records: 3, corrected: 5 })
  t.equal(lines[2], 'Deriving data again: 3 of 3 records.\n')
})

t.test('a restored backup is told whose settings the environment contradicts', async (t) => {
  const { api, file } = await filled(t)
  await api.app.close()
  const other = join(t.testdirName, 'other', 'a.db')
  const refused = await run(other, `restore ${file}`, { TIMEZONE: 'UTC' })
  t.equal(refused.code, 0)
  t.match(
    refused.printed,
    /\nThe service will not start on it: its records were written with TIMEZONE=Europe\/Madrid, but/,
  )
  const { printed } = await run(other, `restore ${file} --force --json`)
  t.match(JSON.parse(printed), { conflict: '' })
})
