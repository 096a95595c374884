import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FORMATS } from '../../src/features/feeds/formats/formats.ts'
import { must } from '../support/answers.ts'
import { type Api, build, ROOT } from '../support/app.ts'
import { openListeners } from '../support/listening.ts'
import { propose } from '../support/submissions.ts'
import {
  changeHidden,
  hideMuch,
  MORE,
  PAGES,
  POSTS,
  type Public,
  SECRET,
  SUGGESTED,
  seedPublic,
  TERMS,
  WORDPRESS,
} from './hidden.ts'

/** Times at which both calendars are written to, and at which they are read. */
const at = (hour: number) => Date.parse(`2026-11-21T${hour}:00:00Z`)

/** What may differ, as paths, and why. Everything else may not. */
const EXCEPTIONS: Record<string, (hidden: Record<string, number>) => string[]> = {
  'a single read of a hidden record by ID is 403, and not 404 (D30, R8, recorded exchanges)': (of) =>
    ['events', 'venues', 'organizers'].map((plural) => `${ROOT}/${plural}/${of[plural]}`),
  'so it is by slug (D7), also in other formats': (of) => [
    `${ROOT}/events/by-slug/${SECRET}-private`,
    `${ROOT}/events/${of.events}.ics`,
  ],
  'clients of WordPress are told the same by ID': (of) => [
    `/wp-json/wp/v2/tribe_events/${of.events}`,
    `/wp-json/tec/v1/venues/${of.venues}`,
  ],
  'a filter by the ID of a hidden event finds nothing, and that of no event is 400, for the same reason': (
    of,
  ) => ['venues', 'organizers', 'categories', 'tags'].map((plural) => `${ROOT}/${plural}?event=${of.events}`),
}

/** Every path of the document that can be read, with the IDs that everybody sees. */
function pathsOf({ ids }: Public): string[] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> }
  const templates = Object.keys(paths).filter((path) => 'get' in paths[path]!)
  return templates.flatMap((template) => {
    const kind = template.split('/')[1]! as keyof typeof ids
    const own = (ids[kind] ?? [1]).map((id) => template.replace('{id}', String(id)))
    const slug = { events: 'concert', venues: 'hall', organizers: 'troupe' }[kind as string] ?? ''
    const named = own.map((path) => path.replace('{slug}', slug).replace(/\{\w+_id\}/, '1'))
    return FORMATS.flatMap(({ extension }) => named.map((path) => path.replace('{format}', extension)))
  })
}

/** What is sealed or drawn by lot, and says nothing. */
const unsealed = (text: string) =>
  text
    .replace(/"(next_sync_token|challenge)":"[^"]+"/g, '"$1":"…"')
    .replace(/name="challenge" value="[^"]+"/, 'name="challenge"')

/** An answer as everybody gets it, with all its headers. */
async function answerOf({ app }: Api, url: string) {
  const { statusCode, headers, payload } = await app.inject({ url })
  const { 'x-request-id': _, ...own } = headers
  return { statusCode, headers: own, payload: unsealed(payload) }
}

/** Two calendars that differ in what is hidden, and in nothing else. */
async function twins(t: Test, listens = false) {
  const files = listens ? t.testdir() : undefined
  const open = async (name: string) => {
    const own: Record<string, string> = files ? { DATABASE: join(files, `${name}.db`) } : {}
    return build(t, { env: { ...own, MEDIA_DIR: join(t.testdirName, name), SUBMISSIONS: 'on' } })
  }
  const [plain, full] = [await open('plain'), await open('full')]
  const [seen, same] = [await seedPublic(plain), await seedPublic(full)]
  t.strictSame([same.ids, same.closed], [seen.ids, seen.closed])
  const { hidden, guarded: secret } = await hideMuch(full, same)
  await propose(full, { title: SECRET, venue: SECRET, organizer: SECRET, email: `${SECRET}@people.example` })
  const [event] = seen.ids.events
  for (const [api, rest, guarded] of [
    [plain, [], { description: 'Nothing' }],
    [full, [hidden.venues], secret],
  ] as const) {
    api.clock.now = at(12)
    await must(
      api.editor.patch(`/events/${event}`, { venue: [seen.ids.venues[0], ...rest], title: 'Concert' }),
    )
    await must(api.editor.patch(`/events/${seen.closed}`, guarded))
  }
  return { plain, full, seen, same, hidden }
}

t.test('nobody learns of what is hidden by anything that everybody gets', async (t) => {
  const { plain, full, seen, same, hidden } = await twins(t)
  full.clock.now = at(13)
  await changeHidden(full, hidden)
  for (const api of [plain, full]) {
    api.clock.now = at(14)
    await must(api.editor.patch(`/venues/${seen.ids.venues[0]}`, { venue: 'The hall' }))
    api.clock.now = at(15)
  }
  full.clock.now = at(16)
  await changeHidden(full, { ...hidden, translation: (await again(full, seen)).id })
  for (const api of [plain, full]) api.clock.now = at(18)

  const paths = [...new Set([...pathsOf(seen), ...MORE])].map((path) => ROOT + path)
  const posts = [
    ['tribe_events', [...seen.ids.events, seen.closed]],
    ['tribe_venue', seen.ids.venues],
    ['tribe_organizer', seen.ids.organizers],
  ] as const
  const single = posts.flatMap(([name, ids]) => ids.map((id) => `/wp-json/wp/v2/${name}/${id}?_embed=1`))
  const compared = [
    ...paths,
    ...PAGES,
    '/events/submit/',
    '/ca/events/submit/',
    ...SUGGESTED,
    ...WORDPRESS,
    ...single,
  ]
  const statuses = new Map<number, number>()
  for (const url of compared) {
    // the first is made, and the third is kept from the second
    for (let time = 0; time < 3; time++) {
      const [one, other] = [await answerOf(plain, url), await answerOf(full, url)]
      t.strictSame(other, one, url)
      // refusals repeat what was asked for
      if (!url.includes(SECRET)) t.notMatch(other.payload, SECRET)
      statuses.set(one.statusCode, (statuses.get(one.statusCode) ?? 0) + 1)
    }
  }
  for (const name of [...POSTS, ...TERMS, 'media'])
    t.equal((await answerOf(full, `/wp-json/wp/v2/${name}`)).statusCode, 200, name)
  t.ok(compared.length > 500, `${compared.length} addresses`)
  t.ok(statuses.get(200)! > compared.length, 'many of them show something')

  // who followed before anything was hidden
  for (const [at, token] of seen.tokens.entries()) {
    let [one, other] = [token, same.tokens[at]!]
    for (let more = true; more; ) {
      const ask = (token: string) => `${ROOT}/changes?per_page=2&sync_token=${token}`
      const [first, second] = [await plain.app.inject(ask(one)), await full.app.inject(ask(other))]
      // links repeat what was asked for
      const { 'x-request-id': _, link, ...headers } = first.headers
      t.match(second.headers, headers)
      t.equal(unsealed(second.payload), unsealed(first.payload))
      one = first.json().next_sync_token
      other = second.json().next_sync_token
      t.equal(other.length, one.length, 'tokens are of one length')
      more = first.json().has_more
    }
  }

  for (const [why, urls] of Object.entries(EXCEPTIONS))
    for (const url of urls(hidden)) {
      const [one, other] = [await answerOf(plain, url), await answerOf(full, url)]
      t.not(other.statusCode, one.statusCode, `${why}: ${url}`)
      t.notMatch(other.payload.replaceAll(url, ''), new RegExp(`${SECRET} |"total":[1-9]`))
    }
})

/** A translation that few see, of what everybody sees. */
const again = async ({ editor }: Api, { ids }: Public): Promise<{ id: number }> =>
  must(
    editor.post('/events', {
      title: SECRET,
      start_date: '2026-12-01',
      end_date: '2026-12-01',
      status: 'draft',
      i18n_language: 'ca',
      translation_of: ids.events[0],
    }),
  )

t.test('a count of a term is of all published events, as clients know it', async (t) => {
  const { full, seen } = await twins(t)
  const [, music] = seen.ids.categories
  await must(full.editor.patch(`/events/${seen.closed}`, { categories: [music] }))
  t.match((await full.anonymous.get(`/categories/${music}`)).body, { count: 2 })
  t.match(
    (await full.anonymous.get(`/events?categories=${music}`)).body,
    { total: 1 },
    'but no filter finds it',
  )
})

t.test('who listens hears nothing of what is hidden, and its tokens tell nothing', async (t) => {
  const { full, seen, hidden } = await twins(t, true)
  const { begin } = await openListeners(t, full)
  const { told } = await begin()
  full.clock.now = at(13)
  await changeHidden(full, hidden)
  await must(full.editor.patch(`/venues/${seen.ids.venues[0]}`, { venue: 'The hall' }))
  const event = seen.ids.events[0]
  t.same(await told(), [`update venue ${seen.ids.venues[0]}`, `update event ${event}`])
})
