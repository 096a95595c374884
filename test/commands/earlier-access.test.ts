import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { load } from '../support/earlier.ts'
import { openRecords } from '../support/store.ts'

/** The last state in which sessions belonged to no password, and webhooks to nobody. */
const BEFORE = '0015_alt_texts'
/** The administrator of the fixture who has signed in and added webhooks. */
const MARIA = 2
const PAGE = { page: 1, per_page: 9 }
const NOW = Date.parse('2026-11-23T09:00:00Z')

/** Fills tables as the program of that state did. */
function open(file: string) {
  const db = new Database(file)
  const key = db.prepare("SELECT value FROM settings WHERE name = 'token_key'").pluck().get() as string
  const addToken = db.prepare(
    'INSERT INTO tokens (user_id, name, hash, scopes, expires_utc, created_utc) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const addHook = db.prepare(
    `INSERT INTO webhooks (url, description, kinds, operations, filters, interest, enabled, secret, position, created_utc)
      VALUES ('https://hooks.example.org/', @description, '["event"]', '["created"]', @filters, @interest, @enabled, 'whsec_eA==', 7, '2026-11-22 20:50:00')`,
  )
  return {
    db,
    token(name: string, expires: string | null) {
      const text = `alm_${name} ${expires}`
      const hash = createHmac('sha256', key).update(text).digest('base64')
      addToken.run(MARIA, name, hash, '["read","write","admin"]', expires, '2026-11-23 08:00:00')
      return text
    },
    hook(description: string, filters: object, enabled = 1) {
      const interest = JSON.stringify({ kinds: ['event'], filters })
      addHook.run({ description, filters: JSON.stringify(filters), interest, enabled })
    },
  }
}

t.test('sessions of an earlier state end with the upgrade, and tokens of programs go on', async (t) => {
  const file = join(t.testdir(), 'a.db')
  load(file, BEFORE)
  const { db, token } = open(file)
  const session = token('Session', '2026-11-23 20:00:00')
  // as somebody may have called the token of a program
  const others = [token('Session', '2026-12-23 08:00:00'), token('Session', null)]
  const program = token('import', '2026-11-23 20:00:00')
  db.close()

  const { tokens, sessions } = (await openRecords(t, { env: { DATABASE: file }, now: NOW })).store
  t.equal(await tokens.find(session), undefined)
  for (const text of [...others, program]) t.match(await tokens.find(text), { user: { login: 'maria' } })
  const rows = await tokens.list()
  t.same(
    rows.filter(({ user_id }) => user_id === MARIA).map(({ expires_utc }) => expires_utc),
    ['2026-12-23 08:00:00', null, '2026-11-23 20:00:00'],
  )
  t.equal((await sessions.list(MARIA, PAGE)).total, 0)
})

t.test('webhooks of an earlier state that tell of drafts are paused until they have an owner', async (t) => {
  const file = join(t.testdir(), 'a.db')
  load(file, BEFORE)
  const { db, hook } = open(file)
  hook('drafts', { status: ['draft', 'publish'] })
  hook('drafts, off', { status: ['draft'] }, 0)
  hook('published', {})
  db.close()

  const { store, ids } = await openRecords(t, { env: { DATABASE: file }, now: NOW })
  const [drafts, off, published] = await store.webhooks.list(PAGE)
  t.match(drafts, {
    description: 'drafts',
    enabled: false,
    filters: { status: ['draft', 'publish'] },
    disabled_reason: /^It tells what only administrators see, and has no owner yet/,
  })
  t.match(
    off,
    { description: 'drafts, off', enabled: false, disabled_reason: null },
    'a person had done that',
  )
  t.match(published, { description: 'published', enabled: true, disabled_reason: null })
  for (const one of [drafts, off, published]) t.equal(one!.owner_id, null, one!.description)

  const set = { owner_id: ids.administrator, enabled: true }
  t.match(await store.webhooks.update(drafts!.id, set), { ...set, position: 7, disabled_reason: null })
})
