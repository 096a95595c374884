import fc from 'fast-check'
import t from 'tap'
import { loadDemo } from '../../../demo/load.ts'
import { media, posts, terms } from '../../../drizzle/tables.ts'
import { recordV1 } from '../../../src/formats/v1/posts.ts'
import { termV1 } from '../../../src/formats/v1/terms.ts'
import { canEdit, canRead } from '../../../src/rules/roles.ts'
import { isOpen, type View } from '../../../src/store/views/visible.ts'
import { type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { send, steps } from '../../support/writes.ts'

const ORIGIN = { base: 'http://a.test', root: 'http://a.test/v1', vendor: 'calendar', host: 'a.test' }

/** Everyone, without a password, with a wrong one and with the right one; and users of roles that see different records. */
const viewsOf = ({ credentials }: Api): Omit<View, 'single'>[] => [
  { origin: ORIGIN, caller: undefined },
  { origin: ORIGIN, caller: undefined, opens: async () => false },
  { origin: ORIGIN, caller: undefined, opens: async () => true },
  ...(['contributor', 'author', 'editor'] as const).map((role) => ({
    origin: ORIGIN,
    caller: { id: credentials[role].id, role },
  })),
]

/** Throws where a format of whole records gives other bytes than stored fragments do; gives how many were compared. */
async function compareAll(api: Api): Promise<number> {
  const { db, documents, records } = api.app.store
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
  for (const view of viewsOf(api)) {
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
    const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', CURRENCY: 'EUR' } })
    const { app, editor, author, credentials, clock } = api
    const { authorization } = credentials.administrator
    await loadDemo(app, { root: ROOT, authorization, now: clock.now, zone: 'Europe/Madrid' })
    const hall = await must(editor.post('/venues', { venue: 'Hall', status: 'private', state: 'TX' }))
    const other = (await editor.get('/venues?per_page=1')).body.venues[0]
    const [picture] = await app.store.db.read.select().from(media)
    const image = String(picture!.id)
    const choir = await must(author.post('/organizers', { organizer: 'Choir', status: 'draft', image }))
    const links = { venue: [hall.id, other.id], organizer: choir.id, categories: 'Music', tags: 'Late' }
    for (const more of [
      { password: 'sesame', cost: '5', image },
      { status: 'draft' },
      { status: 'private' },
      {},
    ])
      await must(editor.post('/events', { ...EVENT, ...links, ...more }))
    const music = (await editor.get('/categories?search=Music')).body.categories[0]
    const same = await must(editor.post('/categories', { name: music.name, parent: music.id }))
    await must(editor.post('/events', { ...EVENT, categories: [same.id, music.id] }))
    const { id } = await must(editor.post('/events', { ...EVENT, ...links }))
    await must(editor.delete(`/events/${id}`))
    const compared = await compareAll(api)
    t.ok(compared > 1_000, `${compared} records`)
  },
)

t.test('whole records make the same bytes as stored fragments, whatever is written', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (written) => {
      const api = await build(t)
      for (const step of written) await send(api, step)
      await compareAll(api)
      await api.app.close()
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

t.test('a record has what other formats need, and nothing that is nobody’s business', async (t) => {
  const { app, editor, credentials } = await build(t, { env: { CURRENCY: 'EUR' } })
  const { records } = app.store
  const place = {
    venue: 'Hall',
    city: 'Vic',
    province: 'Osona',
    country: 'Spain',
    geo_lat: 41.9,
    geo_lng: 2.25,
  }
  const venue = await must(editor.post('/venues', place))
  const event = await must(
    editor.post('/events', {
      ...{ ...EVENT, venue: venue.id, timezone: 'Europe/Madrid', cost: '12.50', password: 'sesame' },
      ...{ organizer: { organizer: 'Choir', email: 'choir@a.test' }, categories: ['music', 'Arts'] },
    }),
  )
  const caller = { id: credentials.editor.id, role: 'editor' as const }
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
  t.notMatch(JSON.stringify(open), /password_hash|folded_title|untrashed_slug/)
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
