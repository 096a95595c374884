import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { findDamage, findDifferences } from './damage.ts'
import { addToken, openFile, serveFile } from './process.ts'
import { until } from './until.ts'

/** Every text of a record is the same word, so that a write which is there in part shows. */
type State = { word: string; status: 'publish' | 'trash' } | 'gone'
type Plural = 'events' | 'venues' | 'categories' | 'tags'
type Saved = { plural: Plural; id: number; is: State; perhaps?: State }

export type CrashReport = {
  rounds: number
  /** Writes that were answered, and those that the end of the process cut off. */
  acknowledged: number
  cut: number
  /** Of those: found there wholly. */
  kept: number
  losses: string[]
}

const NAME = { events: 'title', venues: 'venue', categories: 'name', tags: 'name' }
const WRITERS = 6
/** Rounds on one file, so that a rebuild of everything stays quick. */
const ROUNDS_A_FILE = 20
const MOST_MILLISECONDS = 500

const fieldsOf = (plural: Plural, word: string) => ({
  [NAME[plural]]: word,
  description: word,
  ...(plural === 'events' && { website: `https://example.org/${word}` }),
})
const creationOf = (plural: Plural, word: string) => ({
  ...fieldsOf(plural, word),
  ...(plural === 'events' && {
    start_date: '+3 days',
    end_date: '+3 days',
    tags: [`tag ${word}`],
    venue: { venue: `place of ${word}`, description: `place of ${word}` },
  }),
})

/** One client that writes until the service is gone; what it was told is in `saved`. */
async function keepWriting(root: string, token: string, saved: Saved[], name: string, report: CrashReport) {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(root + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { told: true })
    report.acknowledged++
    return JSON.parse(text)
  }
  for (let at = 0; ; at++) {
    const word = `w${name}x${at}`
    const plural = (['events', 'events', 'venues', 'categories', 'tags'] as const)[at % 5]!
    const mine = saved.filter(({ is }) => is !== 'gone' && is.status !== 'trash')
    const target = mine[(at * 7) % (mine.length || 1)]
    if (at % 3 === 0 || target === undefined) {
      const { id } = await send('POST', `/${plural}`, creationOf(plural, word))
      saved.push({ plural, id, is: { word, status: 'publish' } })
      continue
    }
    const path = `/${target.plural}/${target.id}`
    const isTerm = target.plural === 'categories' || target.plural === 'tags'
    const { word: old } = target.is as { word: string }
    if (at % 3 === 1) target.perhaps = { word, status: 'publish' }
    else target.perhaps = at % 2 === 0 || isTerm ? 'gone' : { word: old, status: 'trash' }
    if (at % 3 === 1) await send('PATCH', path, fieldsOf(target.plural, word))
    else await send('DELETE', `${path}${target.perhaps === 'gone' ? '?force=true' : ''}`)
    target.is = target.perhaps
    delete target.perhaps
  }
}

type Row = [string, number, string, string, string, string]

/** Looks into the file as the next start does, and says what is not as it was answered. */
async function inspect(file: string, saved: Saved[]): Promise<{ found: string[]; kept: number }> {
  const store = openFile(file)
  const found = [...findDamage(store.db), ...(await findDifferences(store.db, store.site))]
  const rows = store.db.read.values<Row>(sql`
    select p.kind || 's', p.id, p.title, replace(replace(p.description, '<p>', ''), '</p>', ''), p.status, coalesce(e.website, '')
    from posts p left join events e on e.post_id = p.id
    union all select iif(taxonomy = 'tag', 'tags', 'categories'), id, name, iif(description = '', name, replace(replace(description, '<p>', ''), '</p>', '')), 'publish', '' from terms`)
  const byId = new Map(rows.map((row) => [`${row[0]} ${row[1]}`, row]))
  for (const [plural, id, title, description, , website] of rows)
    if (title !== description || (plural === 'events' && website !== `https://example.org/${title}`))
      found.push(`${plural} ${id} is there in part: ${title}, ${description}, ${website}`)
  const unlinked = sql`select post_id from events where (select count(*) from links l join posts v on v.id = l.target_id where l.event_id = post_id and l.kind = 'venue') <> 1
    or (select count(*) from links l join terms t on t.id = l.target_id where l.event_id = post_id and l.kind = 'tag') <> 1`
  for (const [id] of store.db.read.values<[number]>(unlinked))
    found.push(`event ${id} lacks what was created with it`)
  const untold = sql`select id from posts where id not in (select record_id from changes where operation = 'create' and kind in ('event', 'venue'))`
  for (const [id] of store.db.read.values<[number]>(untold)) found.push(`the changes do not tell of ${id}`)
  let kept = 0
  for (const record of saved) {
    const row = byId.get(`${record.plural} ${record.id}`)
    const actual: State = row ? { word: row[2], status: row[4] as 'publish' } : 'gone'
    const same = (state: State | undefined) => JSON.stringify(state) === JSON.stringify(actual)
    if (record.perhaps && same(record.perhaps)) kept++
    else if (!same(record.is))
      found.push(
        `${record.plural} ${record.id} is ${JSON.stringify(actual)}, not ${JSON.stringify(record.is)}`,
      )
    record.is = actual
    delete record.perhaps
  }
  store.db.close()
  return { found, kept }
}

/** Kills the service at random moments under concurrent writes, and looks each time at what is left. */
export async function runCrashes(
  folder: string,
  rounds: number,
  progress: (report: CrashReport) => void = () => {},
): Promise<CrashReport> {
  const report: CrashReport = { rounds: 0, acknowledged: 0, cut: 0, kept: 0, losses: [] }
  let saved: Saved[][] = []
  let file = ''
  let token = ''
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_A_FILE === 0) {
      file = join(folder, `${round}.db`)
      token = await addToken(file)
      saved = Array.from({ length: WRITERS }, () => [])
    }
    const { child, root, ended } = await serveFile(file)
    const writers = saved.map((mine, at) => keepWriting(root, token, mine, `${round}x${at}`, report))
    const ends = Promise.allSettled(writers)
    // the first answer takes as long as a start; the moments that count come after it
    const before = report.acknowledged
    await Promise.race([ends, until(() => report.acknowledged > before)])
    await pause(Math.random() * MOST_MILLISECONDS)
    child.kill('SIGKILL')
    await ended
    for (const end of await ends)
      if (end.status === 'rejected' && end.reason.told) report.losses.push(`a refusal: ${end.reason.message}`)
    report.cut += WRITERS
    const { found, kept } = await inspect(file, saved.flat())
    report.kept += kept
    report.losses.push(...found.map((what) => `round ${round}: ${what}`))
    report.rounds++
    progress(report)
  }
  return report
}
