import { gt } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, media, posts, terms } from '../../../drizzle/tables.ts'
import { canEdit, canRead } from '../../../src/rules/roles.ts'
import { isOpen, type View } from '../../../src/store/views/visible.ts'
import { type Api, build, EVENT, NOW } from '../../support/app.ts'
import { addPicture, type Step, send, steps } from '../../support/writes.ts'

const ORIGIN = { base: 'http://a.test', root: 'http://a.test/v1', vendor: 'calendar', host: 'a.test' }

/** Who looks: everyone, who brings every password, who may see all, and each user as one who may see what is their own. */
const viewsOf = ({ credentials }: Api): Omit<View, 'single'>[] => [
  { origin: ORIGIN, caller: undefined },
  { origin: ORIGIN, caller: undefined, opens: async () => true },
  { origin: ORIGIN, caller: { id: credentials.editor.id, role: 'editor' } },
  ...(['contributor', 'author', 'editor', 'administrator'] as const).map((login) => ({
    origin: ORIGIN,
    caller: { id: credentials[login].id, role: 'author' as const },
  })),
]

type Answers = Map<string, string[]>

/** What each of them gets of every record, "" where nothing; the counts of terms are no part of what is compared. */
async function answersOf(api: Api): Promise<Answers> {
  const { db, documents } = api.app.store
  const { read } = db
  const [records, named, pictures] = [
    await read.select().from(posts),
    await read.select().from(terms),
    await read.select().from(media),
  ]
  const answers: Answers = new Map()
  const add = async (key: string, json: Promise<Buffer[][]>) => {
    const text = (await json).map((parts) => Buffer.concat(parts).toString()).join('')
    answers.set(key, [...(answers.get(key) ?? []), text.replace(/"count":\d+/g, '')])
  }
  for (const view of viewsOf(api)) {
    for (const post of records) {
      const isShown = post.status === 'trash' ? canEdit(view.caller, post) : canRead(view.caller, post)
      const single = await isOpen(post, view)
      await add(`${post.kind} ${post.id}`, documents.posts(isShown ? [post.id] : [], { ...view, single }))
    }
    for (const { id, taxonomy } of named)
      await add(`${taxonomy} ${id}`, documents.terms([id], { ...view, single: true }))
    for (const { id } of pictures) await add(`media ${id}`, documents.media([id], { ...view, single: true }))
  }
  return answers
}

const KINDS = ['event', 'venue', 'organizer', 'category', 'tag', 'media']

/** The records that differ, those that the changes name, and those that everyone sees, of what one write did. */
async function compare(api: Api, before: Answers, seq: number) {
  const after = await answersOf(api)
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  const rows = await api.app.store.db.read.select().from(changes).where(gt(changes.seq, seq))
  const named = new Set(rows.map((row) => `${row.kind} ${row.record_id}`))
  return {
    after,
    differing: keys.filter((key) => before.get(key)?.join() !== after.get(key)?.join()),
    named: [...named].filter((key) => KINDS.includes(key.split(' ')[0]!)).sort(),
    open: keys.filter((key) => before.get(key)?.[0] || after.get(key)?.[0]),
  }
}

/** Writes that give records to another author. */
const GIVING = ['change author', 'remove user']

/** Throws where a change is not named, or one is named that is none. */
async function hold(api: Api, written: Step[]) {
  let before = await answersOf(api)
  for (const step of written) {
    api.clock.now += 2_000
    const { seq } = api.app.store.changes.latest()
    const what = await send(api, step)
    const { after, differing, named, open } = await compare(api, before, seq)
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
      const api = await build(t, { now: NOW })
      await hold(api, written)
      await api.app.close()
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

t.test('of what a record shows of others nothing changes unnamed', async (t) => {
  const api = await build(t)
  const { editor, administrator, clock, app } = api
  const make = async (path: string, body: object): Promise<number> => (await editor.post(path, body)).body.id
  const picture = await addPicture(api, 1)
  const venue = await make('/venues', { venue: 'Hall', image: String(picture) })
  const organizer = await make('/organizers', { organizer: 'Choir' })
  const parent = await make('/categories', { name: 'Arts' })
  const category = await make('/categories', { name: 'Music', parent })
  const tag = await make('/tags', { name: 'late' })
  const links = { venue, organizer, categories: [category], tags: [tag] }
  const event = await make('/events', { ...EVENT, ...links })
  const cases: [what: string, write: () => Promise<unknown>, named: string[]][] = [
    [
      'a venue is renamed',
      () => editor.patch(`/venues/${venue}`, { venue: 'House' }),
      [`event ${event}`, `venue ${venue}`],
    ],
    [
      'a venue gets a translation',
      () => editor.post('/venues', { venue: 'Casa', i18n_language: 'ca', translation_of: venue }),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'the translation is trashed',
      () => editor.delete('/venues/4'),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'a picture of the venue is deleted',
      () => editor.delete(`/media/${picture}`),
      [`event ${event}`, 'media 1', `venue ${venue}`],
    ],
    [
      'the venue is trashed',
      () => editor.delete(`/venues/${venue}`),
      [`event ${event}`, `venue ${venue}`, 'venue 4'],
    ],
    [
      'what nobody sees of it goes for good',
      () => editor.delete(`/venues/${venue}?force=true`),
      [`venue ${venue}`],
    ],
    [
      'an organizer becomes a draft',
      () => editor.patch(`/organizers/${organizer}`, { status: 'draft' }),
      [`event ${event}`, `organizer ${organizer}`],
    ],
    [
      'a parent of a category is deleted',
      () => editor.delete(`/categories/${parent}`),
      [`category ${category}`, `category ${parent}`, `event ${event}`],
    ],
    [
      'a tag is renamed',
      () => editor.patch(`/tags/${tag}`, { name: 'early' }),
      [`event ${event}`, `tag ${tag}`],
    ],
    ['a tag is sent back as it is', () => editor.patch(`/tags/${tag}`, { name: 'early' }), []],
    [
      'a category is deleted',
      () => editor.delete(`/categories/${category}`),
      [`category ${category}`, `event ${event}`],
    ],
    ['only a count moves', () => editor.patch(`/events/${event}`, { status: 'draft' }), [`event ${event}`]],
    [
      'the author goes',
      () =>
        administrator.delete(
          `/users/${api.credentials.editor.id}?reassign=${api.credentials.administrator.id}`,
        ),
      [],
    ],
  ]
  let before = await answersOf(api)
  for (const [what, write, wanted] of cases) {
    clock.now += 2_000
    const { seq } = app.store.changes.latest()
    await write()
    const { after, differing, named } = await compare(api, before, seq)
    t.same(named, differing, what)
    if (wanted.length > 0) t.same(named, wanted.sort(), what)
    before = after
  }
})
