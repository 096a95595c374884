import { eq, ne } from 'drizzle-orm'
import fc from 'fast-check'
import { media, posts, terms } from '../../drizzle/tables.ts'
import { EVENT_STATES } from '../../schemas/event-states.ts'
import type { Role } from '../../src/rules/roles.ts'
import { type Api, EVENT } from './app.ts'

/** A write of any kind, by numbers that pick what it is about from what is there. */
export type Step = { what: What; who: Role; picks: number[] }
const WHATS = [
  ...(['create event', 'create venue', 'create organizer', 'create category', 'create tag'] as const),
  ...(['create event', 'create translation', 'change post', 'change post', 'change post'] as const),
  ...(['change links', 'change status', 'change status', 'change author', 'change term'] as const),
  ...(['change set', 'trash', 'trash', 'erase', 'delete term', 'add picture', 'change picture'] as const),
  ...(['describe picture', 'delete picture', 'remove user', 'time passes', 'inside'] as const),
  ...(['create series', 'repeat', 'change dates', 'change dates', 'delete dates'] as const),
]
type What = (typeof WHATS)[number]

export const steps = fc.array(
  fc.record({
    what: fc.constantFrom(...WHATS),
    who: fc.constantFrom<Role>('administrator', 'editor', 'editor', 'author', 'contributor'),
    picks: fc.array(fc.nat(1_000), { minLength: 8, maxLength: 8 }),
  }),
  { minLength: 25, maxLength: 60 },
)

const PATHS = {
  event: 'events',
  series: 'series',
  venue: 'venues',
  organizer: 'organizers',
  category: 'categories',
  tag: 'tags',
}
const NAMES = {
  event: 'title',
  series: 'title',
  venue: 'venue',
  organizer: 'organizer',
  category: 'name',
  tag: 'name',
}
const RANGES = ['this', 'following', 'all']
const STATUSES = ['publish', 'draft', 'private', 'pending', 'trash']
const LANGUAGES = ['en', 'ca', 'es']

/** A picture without files. */
export async function addPicture({ app, credentials }: Api, number: number): Promise<number> {
  const { store } = app
  const file = `${number}-${store.changes.latest().seq}.png`
  const loose = (await store.media.files.claim([file]))!
  const sized = { width: 9, height: 9, filesize: 9 }
  const picture = {
    ...sized,
    file,
    mime_type: 'image/png',
    extension: 'png',
    sizes: {},
    origin_url: null,
    loose,
  }
  const owner = number % 2 ? 'editor' : 'author'
  return store.media.create(picture, { id: credentials[owner].id, role: owner })
}

/** Does it; gives words for it. */
export async function send(api: Api, { what, who, picks }: Step): Promise<string> {
  const { db, users: accounts } = api.app.store
  const [first, second, third, fourth, fifth] = picks as [number, number, number, number, number]
  const pick = <T>(items: readonly T[], number: number): T | undefined => items[number % items.length]
  const kept = await db.read.select().from(posts)
  const named = await db.read.select().from(terms)
  const pictures = (await db.read.select().from(media)).map(({ id }) => String(id))
  const idsOf = (kind: keyof typeof PATHS) =>
    [...kept, ...named.map(({ id, taxonomy }) => ({ id, kind: taxonomy }))]
      .filter((record) => record.kind === kind)
      .map(({ id }) => id)
  const some = (kind: keyof typeof PATHS) =>
    [second, third].slice(0, first % 3).flatMap((number) => pick(idsOf(kind), number) ?? [])
  const links = () => ({
    venue: some('venue'),
    organizer: some('organizer'),
    categories: some('category'),
    tags: some('tag'),
  })
  const ask = async (method: 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const { status, text } = await api[who][method](path, body)
    return `${who}: ${method} ${path} ${JSON.stringify(body)} ${status} ${status < 300 ? '' : text}`
  }
  const post = pick(kept, first)
  const term = pick(named, first)
  const change = (body: object) =>
    post ? ask('patch', `/${PATHS[post.kind]}/${post.id}`, body) : 'nothing to change'
  const make = (kind: keyof typeof PATHS, body: object) =>
    ask('post', `/${PATHS[kind]}`, {
      [NAMES[kind]]: `${kind} ${second % 9}`,
      ...((kind === 'event' || kind === 'series') && EVENT),
      ...(kind === 'series' && { recurrence: { rrule: `FREQ=WEEKLY;COUNT=${2 + (fourth % 3)}` } }),
      i18n_language: pick(LANGUAGES, third),
      ...body,
    })
  const recurrence = second % 4 ? { rrule: `FREQ=DAILY;COUNT=${1 + (third % 4)}` } : null
  const image = fifth % 3 === 0 ? { image: pick(pictures, fourth) ?? null } : {}
  const status = fourth % 3 === 0 ? { status: pick(STATUSES, fifth) } : {}
  const later = second % 4 === 0 ? { date: '2026-12-30 10:00:00' } : {}
  const states = (number: number) => ({
    ...(number % 2 && { event_status: pick(EVENT_STATES.event_status, number) }),
    ...(number % 3 && { attendance_mode: pick(EVENT_STATES.attendance_mode, number) }),
    ...(number % 5 === 0 && { virtual_url: number % 2 ? 'https://stream.test/live' : '' }),
  })
  const doings: Record<What, () => Promise<string> | string> = {
    'create event': () =>
      make('event', {
        ...links(),
        ...image,
        ...status,
        ...later,
        ...(fifth % 4 === 0 && { password: 'sesame' }),
        ...states(third),
        ...(fourth % 4 === 0 && { post_parent: pick(idsOf('event'), third) ?? 0 }),
      }),
    'create series': () =>
      make('series', { ...links(), ...image, ...status, ...(fifth % 5 === 0 && { password: 'sesame' }) }),
    repeat: () => ask('patch', `/events/${pick(idsOf('event'), first)}`, { recurrence }),
    'change dates': () =>
      ask('patch', `/events/${pick(idsOf('event'), first)}?apply_to=${pick(RANGES, second)}`, {
        ...(third % 3 && { title: `other ${fourth % 9}` }),
        ...(fifth % 3 === 0 && { status: pick(STATUSES, fourth) }),
        ...(fourth % 3 === 0 && links()),
      }),
    'delete dates': () =>
      ask('delete', `/events/${pick(idsOf('event'), first)}?apply_to=${pick(RANGES, second)}`),
    'create venue': () => make('venue', { ...image, ...status }),
    'create organizer': () => make('organizer', { ...image, ...status }),
    'create category': () => make('category', { parent: pick([0, ...idsOf('category')], fourth) }),
    'create tag': () => make('tag', {}),
    'create translation': () => {
      const original = first % 3 === 0 ? term && { ...term, kind: term.taxonomy } : post
      return original
        ? make(original.kind, { ...status, translation_of: original.id })
        : 'nothing to translate'
    },
    'change post': () =>
      post
        ? change({
            [NAMES[post.kind]]: `other ${second % 9}`,
            ...image,
            ...(fifth % 5 === 0 && { i18n_language: pick(LANGUAGES, third) }),
            ...(post.kind === 'event' && states(fourth)),
            ...(post.kind === 'event' && fourth % 4 === 0 && { password: fifth % 2 ? 'sesame' : null }),
          })
        : 'nothing to change',
    'change links': () => {
      const event = pick(idsOf('event'), fourth)
      return event ? ask('patch', `/events/${event}`, links()) : 'nothing to link'
    },
    'change status': () => change({ status: pick(STATUSES, second), ...later }),
    'change author': () =>
      change({ author: api.credentials[pick(['editor', 'author', 'contributor'] as const, second)!].id }),
    'change term': () =>
      term
        ? ask('patch', `/${PATHS[term.taxonomy]}/${term.id}`, {
            ...(second % 2 && { name: `${term.taxonomy} ${third % 9}` }),
            ...(second % 3 === 0 && { i18n_language: pick(LANGUAGES, third) }),
            ...(fourth % 3 === 0 && { description: `text ${fifth % 2}` }),
            ...(term.taxonomy === 'category' &&
              fifth % 3 === 0 && { parent: pick([0, ...idsOf('category')], fourth) }),
          })
        : 'nothing to change',
    'change set': () => {
      if (first % 3 !== 0)
        return change({
          translation_of: second % 3 ? (pick(idsOf(post?.kind ?? 'event'), third) ?? null) : null,
        })
      const translation_of = second % 3 && term ? pick(idsOf(term.taxonomy), third) : null
      return term ? ask('patch', `/${PATHS[term.taxonomy]}/${term.id}`, { translation_of }) : 'no term'
    },
    trash: () => (post ? ask('delete', `/${PATHS[post.kind]}/${post.id}`) : 'nothing to trash'),
    erase: () => (post ? ask('delete', `/${PATHS[post.kind]}/${post.id}?force=true`) : 'nothing to erase'),
    'delete term': () => (term ? ask('delete', `/${PATHS[term.taxonomy]}/${term.id}`) : 'no term'),
    'add picture': async () => `picture ${await addPicture(api, second)}`,
    'change picture': () => change({ image: pick([null, ...pictures], second) }),
    'describe picture': () => {
      const id = pick(pictures, second)
      const texts = { [pick(LANGUAGES, third)!]: fourth % 3 ? `text ${fourth % 3}` : '' }
      return id ? ask('patch', `/media/${id}`, { alt_texts: texts }) : 'no picture'
    },
    'delete picture': () => {
      const id = pick(pictures, second)
      return id ? ask('delete', `/media/${id}`) : 'no picture'
    },
    'remove user': async () => {
      // one who took over a record and a picture of others, and whose own go to another in turn
      const { editor } = api.credentials
      const id = (await accounts.add(`user-${api.clock.now}`, 'author'))!.id
      const given = post && post.author_id !== editor.id ? await change({ author: id }) : ''
      await db.write(async (tx) => {
        const [row] = await tx.select().from(media).where(ne(media.author_id, editor.id))
        if (row) await tx.update(media).set({ author_id: id }).where(eq(media.id, row.id))
      })
      await accounts.remove(id, editor.id)
      return `${given}; user ${id} went`
    },
    'time passes': async () => {
      api.clock.now += (third % 50) * 86_400_000
      await api.anonymous.get('/events')
      return 'time passed'
    },
    inside: () =>
      make('event', {
        venue: { venue: `venue ${third % 9}`, ...(fourth % 2 && { city: 'Vic' }) },
        organizer: { organizer: `organizer ${third % 9}` },
        categories: [`category ${fourth % 9}`],
      }),
  }
  return doings[what]()
}
