import { join } from 'node:path'
import { gt } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, media, posts, terms } from '../../../drizzle/tables.ts'
import { recordV1, termV1 } from '../../../src/calendar/formats/v1.ts'
import { isOpen, type View } from '../../../src/calendar/records/visibility.ts'
import { canEdit, canRead } from '../../../src/calendar/rights.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { fillWithDemo } from '../../support/demo.ts'
import { type Kind, openRecords, type Records } from '../../support/store.ts'
import { addPicture, type Step, send, steps } from '../../support/writes.ts'

const ORIGIN = { base: 'http://a.test', root: 'http://a.test/v1', vendor: 'calendar', host: 'a.test' }

/** Who looks: everyone, who brings every password, who may see all, and each user as one who may see what is their own. */
const viewsOf = ({ ids }: Records): Omit<View, 'single'>[] => [
  { origin: ORIGIN, caller: undefined },
  { origin: ORIGIN, caller: undefined, opens: async () => true },
  { origin: ORIGIN, caller: { id: ids.editor, role: 'editor' } },
  ...(['contributor', 'author', 'editor', 'administrator'] as const).map((login) => ({
    origin: ORIGIN,
    caller: { id: ids[login], role: 'author' as const },
  })),
]

type Answers = Map<string, string[]>

/** What each of them gets of every record, "" where nothing; the counts of terms are no part of what is compared. */
async function answersOf(calendar: Records): Promise<Answers> {
  const { db, documents } = calendar.store
  const { id, kind, status, author_id, password_hash } = posts
  const [records, named, pictures] = [
    await db.read.select({ id, kind, status, author_id, password_hash }).from(posts),
    await db.read.select({ id: terms.id, taxonomy: terms.taxonomy }).from(terms),
    await db.read.select({ id: media.id }).from(media),
  ]
  const answers: Answers = new Map()
  const add = (key: string, parts: Buffer[]) => {
    const text = Buffer.concat(parts).toString()
    answers.set(key, [...(answers.get(key) ?? []), text.replace(/"count":\d+/g, '')])
  }
  for (const view of viewsOf(calendar)) {
    const open = await Promise.all(records.map((post) => isOpen(post, view)))
    for (const single of [true, false]) {
      const asked = records.filter((_, at) => open[at] === single)
      const shown = asked.filter((post) => (post.status === 'trash' ? canEdit : canRead)(view.caller, post))
      const parts = await documents.posts(
        shown.map(({ id }) => id),
        { ...view, single },
      )
      if (parts.length !== shown.length)
        throw new Error(`${parts.length} answers for ${shown.length} records`)
      for (const post of asked) add(`${post.kind} ${post.id}`, parts[shown.indexOf(post)] ?? [])
    }
    const ofTerms = await documents.terms(
      named.map(({ id }) => id),
      { ...view, single: true },
    )
    for (const [at, { id, taxonomy }] of named.entries()) add(`${taxonomy} ${id}`, ofTerms[at]!)
  }
  // a picture is the same for all of them
  const ofPictures = await documents.media(
    pictures.map(({ id }) => id),
    { ...viewsOf(calendar)[0]!, single: true },
  )
  for (const [at, { id }] of pictures.entries()) add(`media ${id}`, ofPictures[at]!)
  return answers
}

const KINDS = ['event', 'series', 'venue', 'organizer', 'category', 'tag', 'media']

/** The records that differ, those that the changes name, and those that everyone sees, of what one write did. */
async function compare(calendar: Records, before: Answers, seq: number) {
  const after = await answersOf(calendar)
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  const rows = await calendar.store.db.read.select().from(changes).where(gt(changes.seq, seq))
  const differing = keys.filter((key) => before.get(key)?.join() !== after.get(key)?.join())
  // a row may also say that filters find a record otherwise, whose answer is as it was; counts are no part of what is compared
  // only pages show the text of a picture, not the answers of the records that have it
  const isDescribed = rows.some(({ kind, operation }) => kind === 'media' && operation === 'update')
  const isNamed = ({ kind, record_id, operation, touched }: (typeof rows)[number]) =>
    operation !== 'recount' &&
    (operation !== 'refresh' || (touched === 0 && !isDescribed) || differing.includes(`${kind} ${record_id}`))
  const named = new Set(rows.filter(isNamed).map((row) => `${row.kind} ${row.record_id}`))
  return {
    after,
    differing,
    named: [...named].filter((key) => KINDS.includes(key.split(' ')[0]!)).sort(),
    open: keys.filter((key) => before.get(key)?.[0] || after.get(key)?.[0]),
  }
}

/** Writes that give records to another author. */
const GIVING = ['change author', 'remove user']

/** Throws where a change is not named, or one is named that is none. */
async function hold(calendar: Records, written: Step[]) {
  let before = await answersOf(calendar)
  for (const step of written) {
    calendar.clock.now += 2_000
    const { seq } = calendar.store.changes.latest()
    const what = await send(calendar, step)
    const { after, differing, named, open } = await compare(calendar, before, seq)
    // which of the authors see a draft beside another draft is not followed
    const isFollowed = (key: string) => open.includes(key) && !GIVING.includes(step.what)
    const wanted = named.filter((key) => differing.includes(key) || isFollowed(key))
    if (differing.join() !== wanted.join())
      throw new Error(`${what}\nchanges: ${differing.join(', ')}\nnames: ${named.join(', ')}`)
    before = after
  }
}

t.test('the changes name exactly the records whose answers differ, after any write', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (written) => {
      const calendar = await openRecords(t)
      await hold(calendar, written)
      calendar.store.db.close()
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

t.test('of what a record shows of others nothing changes unnamed', async (t) => {
  const calendar = await openRecords(t)
  const { editor, clock, store, ids, callers } = calendar
  const make = async (kind: Kind, sent: object): Promise<number> => (await must(editor.create(kind, sent))).id
  const picture = await addPicture(calendar, 1)
  const venue = await make('venue', { venue: 'Hall', image: String(picture) })
  const organizer = await make('organizer', { organizer: 'Choir' })
  const parent = await make('category', { name: 'Arts' })
  const category = await make('category', { name: 'Music', parent })
  const tag = await make('tag', { name: 'late' })
  const links = { venue, organizer, categories: [category], tags: [tag] }
  const event = await make('event', { ...EVENT, ...links })
  const cases: [what: string, write: () => Promise<unknown>, named: string[]][] = [
    [
      'a venue is renamed',
      () => editor.change('venue', venue, { venue: 'House' }),
      [`event ${event}`, `venue ${venue}`],
    ],
    [
      'a venue gets a translation',
      () => editor.create('venue', { venue: 'Casa', image: '', i18n_language: 'ca', translation_of: venue }),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'the translation is trashed',
      () => editor.remove('venue', 4),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'a picture of the venue is deleted',
      () =>
        store.media.remove(picture, { caller: callers.editor, origin: 'http', address: '' }, (_tx, work) =>
          work(),
        ),
      [`event ${event}`, 'media 1', `venue ${venue}`],
    ],
    [
      'the venue is trashed',
      () => editor.remove('venue', venue),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'what nobody sees of it goes for good',
      () => editor.remove('venue', venue, `force=true`),
      [`venue ${venue}`],
    ],
    [
      'an organizer becomes a draft',
      () => editor.change('organizer', organizer, { status: 'draft' }),
      [`event ${event}`, `organizer ${organizer}`],
    ],
    [
      'a parent of a category is deleted',
      () => editor.remove('category', parent),
      [`category ${category}`, `category ${parent}`, `event ${event}`],
    ],
    [
      'a tag is renamed',
      () => editor.change('tag', tag, { name: 'early' }),
      [`event ${event}`, `tag ${tag}`],
    ],
    ['a tag is sent back as it is', () => editor.change('tag', tag, { name: 'early' }), []],
    [
      'a category is deleted',
      () => editor.remove('category', category),
      [`category ${category}`, `event ${event}`],
    ],
    ['only a count moves', () => editor.change('event', event, { status: 'draft' }), [`event ${event}`]],
    ['the author goes', () => store.users.remove(ids.editor, ids.administrator), []],
  ]
  let before = await answersOf(calendar)
  for (const [what, write, wanted] of cases) {
    clock.now += 2_000
    const { seq } = store.changes.latest()
    await write()
    const { after, differing, named } = await compare(calendar, before, seq)
    t.same(named, differing, what)
    if (wanted.length > 0) t.same(named, wanted.sort(), what)
    before = after
  }
})

/** Everyone, without a password, with a wrong one and with the right one; and users of roles that see different records. */
const readersOf = ({ ids }: Records): Omit<View, 'single'>[] => [
  { origin: ORIGIN, caller: undefined },
  { origin: ORIGIN, caller: undefined, opens: async () => false },
  { origin: ORIGIN, caller: undefined, opens: async () => true },
  ...(['contributor', 'author', 'editor'] as const).map((role) => ({
    origin: ORIGIN,
    caller: { id: ids[role], role },
  })),
]

/** Throws where a format of whole records gives other bytes than stored fragments do; gives how many were compared. */
async function compareAll(calendar: Records): Promise<number> {
  const { db, documents, records } = calendar.store
  const rows = await db.read.select().from(posts)
  let compared = 0
  const same = (what: string, given: Buffer[], wanted: Buffer[][]) => {
    const texts = wanted.map((parts) => Buffer.concat(parts).toString())
    given.forEach((bytes, at) => {
      if (bytes.toString() !== texts[at]) throw new Error(`${what}:\n${bytes}\nand not\n${texts[at]}`)
    })
    if (given.length !== wanted.length) throw new Error(`${what}: ${given.length} of ${wanted.length}`)
    compared += given.length
  }
  for (const view of readersOf(calendar)) {
    const shown = rows.filter((post) => (post.status === 'trash' ? canEdit : canRead)(view.caller, post))
    const open: number[] = []
    for (const post of shown) if (await isOpen(post, view)) open.push(post.id)
    // a single read of an event under a password is refused without it
    for (const [single, ids] of [[false, shown.map(({ id }) => id)], [true, open]] as const) // biome-ignore format: pairs
      same(
        JSON.stringify({ caller: view.caller, single }),
        (await records.posts(ids, view)).map((record) => recordV1(record, { origin: ORIGIN, single })),
        await documents.posts(ids, { ...view, single }),
      )
  }
  const ids = (await db.read.select().from(terms)).map(({ id }) => id)
  const view = { origin: ORIGIN, caller: undefined, single: false }
  same(
    'terms',
    (await records.terms(ids)).map((term) => termV1(term, ORIGIN)),
    await documents.terms(ids, view),
  )
  return compared
}

t.test(
  'whole records make the same bytes as stored fragments, for all of the demo and every view',
  async (t) => {
    const env = { DATABASE: join(t.testdir(), 'a.db'), TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' }
    const api = await build(t, { env })
    await fillWithDemo(api)
    await api.app.close()
    const calendar = await openRecords(t, { env })
    const { store, editor, author } = calendar
    const hall = await must(editor.create('venue', { venue: 'Hall', status: 'private', state: 'TX' }))
    const other = (await editor.list('venue', 'per_page=1')).body.venues[0]
    const [picture] = await store.db.read.select().from(media)
    const image = String(picture!.id)
    const choir = await must(author.create('organizer', { organizer: 'Choir', status: 'draft', image }))
    const links = { venue: [hall.id, other.id], organizer: choir.id, categories: 'Music', tags: 'Late' }
    for (const more of [
      { password: 'sesame', cost: '5', image },
      { status: 'draft' },
      { status: 'private' },
      {},
    ])
      await must(editor.create('event', { ...EVENT, ...links, ...more }))
    const music = (await editor.list('category', 'search=Music')).body.categories[0]
    const same = await must(editor.create('category', { name: music.name, parent: music.id }))
    await must(editor.create('event', { ...EVENT, categories: [same.id, music.id] }))
    const { id } = await must(editor.create('event', { ...EVENT, ...links }))
    await must(editor.remove('event', id))
    const compared = await compareAll(calendar)
    t.ok(compared > 1_000, `${compared} records`)
  },
)

t.test('whole records make the same bytes as stored fragments, whatever is written', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (written) => {
      const calendar = await openRecords(t)
      for (const step of written) await send(calendar, step)
      await compareAll(calendar)
      calendar.store.db.close()
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

t.test('a record has what other formats need, and nothing that is nobody’s business', async (t) => {
  const { store, editor, callers } = await openRecords(t, { env: { CURRENCY: 'EUR' } })
  const { records } = store
  const place = {
    venue: 'Hall',
    city: 'Vic',
    province: 'Osona',
    country: 'Spain',
    geo_lat: 41.9,
    geo_lng: 2.25,
  }
  const venue = await must(editor.create('venue', place))
  const event = await must(
    editor.create('event', {
      ...{ ...EVENT, venue: venue.id, timezone: 'Europe/Madrid', cost: '12.50', password: 'sesame' },
      ...{ organizer: { organizer: 'Choir', email: 'choir@a.test' }, categories: ['music', 'Arts'] },
    }),
  )
  const caller = callers.editor
  const [open] = await records.posts([event.id], { caller })
  t.match(open, {
    ...{ kind: 'event', closed: false, title: 'Concert', timezone: 'Europe/Madrid', all_day: false },
    ...{ start_date: '2026-12-01 20:00:00', utc_start_date: '2026-12-01 19:00:00', currency: 'EUR' },
    ...{ cost: { cost: '€12.50', cost_details: { values: ['12.50'] } }, image: null, translations: {} },
    venues: [
      { kind: 'venue', title: 'Hall', city: 'Vic', stateprovince: 'Osona', geo_lat: 41.9, geo_lng: 2.25 },
    ],
    organizers: [{ kind: 'organizer', title: 'Choir', email: 'choir@a.test' }],
    categories: [{ name: 'Arts' }, { name: 'music' }],
    tags: [],
  })
  t.notMatch(JSON.stringify(open), /password_hash|folded_title|untrashed/)
  const [closed] = await records.posts([event.id, 999], { caller: undefined })
  t.match(closed, {
    closed: true,
    title: 'Concert',
    venues: [],
    organizers: [],
    categories: [],
    cost: { cost: '' },
  })
  t.same(await records.posts([999], { caller }), [])
  t.same(await records.terms([999]), [])
})
