import { eq, ne } from 'drizzle-orm'
import fc from 'fast-check'
import { media, posts, terms } from '../../drizzle/tables.ts'
import { EVENT_STATES } from '../../schemas/event-states.ts'
import type { Store } from '../../src/calendar/store.ts'
import { type Caller, ROLES, type Role } from '../../src/kernel/access/rights.ts'
import type { Told } from './answers.ts'
import type { Api } from './app.ts'
import { EVENT } from './given.ts'
import type { Kind, Person, Records } from './store.ts'

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

/** Writes of somebody, by requests or at the store. */
type Writes = {
  [Verb in 'create' | 'change' | 'remove']: (...sent: Parameters<Person[Verb]>) => Promise<Told>
}
/** A calendar, with those who write in it. */
type Written = Pick<Records, 'store' | 'clock' | 'ids'> & Record<Role, Writes>

/** The calendar of an application, where all write by requests. */
function byRequests({ app, clock, credentials, ...clients }: Api): Written {
  const pathOf = (kind: Kind, id: number | string, query = '') => `/${PATHS[kind]}/${id}?${query}`
  const by = (role: Role): Writes => ({
    create: (kind, sent) => clients[role].post(`/${PATHS[kind]}`, sent),
    change: (kind, id, sent, query) => clients[role].patch(pathOf(kind, id, query), sent),
    remove: (kind, id, query) => clients[role].delete(pathOf(kind, id, query)),
  })
  const ids = Object.fromEntries(ROLES.map((role) => [role, credentials[role].id])) as Record<Role, number>
  const people = Object.fromEntries(ROLES.map((role) => [role, by(role)])) as Record<Role, Writes>
  return { ...people, store: app.store, clock, ids }
}

export async function addPicture(of: Api | Written, number: number): Promise<number> {
  const { store, ids } = 'app' in of ? byRequests(of) : of
  const role = number % 2 ? 'editor' : 'author'
  return storePicture(store, { id: ids[role], role }, number)
}

/** A picture without files. */
export async function storePicture(store: Store, owner: NonNullable<Caller>, number = 1): Promise<number> {
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
  return store.media.create(picture, owner)
}

/** A write of a picture on no condition. */
const unguarded = <T>(_tx: unknown, work: () => Promise<T>) => work()

/** Does it; gives words for it. */
export async function send(of: Api | Written, { what, who, picks }: Step): Promise<string> {
  const calendar = 'app' in of ? byRequests(of) : of
  const { store, clock, ids } = calendar
  const { db, users: accounts, media: pictures } = store
  const [first, second, third, fourth, fifth] = picks as [number, number, number, number, number]
  const pick = <T>(items: readonly T[], number: number): T | undefined => items[number % items.length]
  const kept = await db.read.select().from(posts)
  const named = await db.read.select().from(terms)
  const images = (await db.read.select().from(media)).map(({ id }) => id)
  const idsOf = (kind: Kind) =>
    [...kept, ...named.map(({ id, taxonomy }) => ({ id, kind: taxonomy }))]
      .filter((record) => record.kind === kind)
      .map(({ id }) => id)
  const some = (kind: Kind) =>
    [second, third].slice(0, first % 3).flatMap((number) => pick(idsOf(kind), number) ?? [])
  const links = () => ({
    venue: some('venue'),
    organizer: some('organizer'),
    categories: some('category'),
    tags: some('tag'),
  })
  const [person, caller] = [calendar[who], { id: ids[who], role: who }]
  const said = ({ status, body }: Told, ...what: unknown[]) =>
    `${who}: ${JSON.stringify(what)} ${status} ${status < 300 ? '' : JSON.stringify(body)}`
  const change = async (kind: Kind, id: number | undefined, sent: object, query = '') =>
    id === undefined
      ? 'nothing to change'
      : said(await person.change(kind, id, sent, query), 'change', kind, id, query, sent)
  const remove = async (kind: Kind, id: number | undefined, query = '') =>
    id === undefined
      ? 'nothing to remove'
      : said(await person.remove(kind, id, query), 'remove', kind, id, query)
  const post = pick(kept, first)
  const term = pick(named, first)
  const changePost = (sent: object) => (post ? change(post.kind, post.id, sent) : 'nothing to change')
  const make = async (kind: Kind, more: object) => {
    const sent = {
      [NAMES[kind]]: `${kind} ${second % 9}`,
      ...((kind === 'event' || kind === 'series') && EVENT),
      ...(kind === 'series' && { recurrence: { rrule: `FREQ=WEEKLY;COUNT=${2 + (fourth % 3)}` } }),
      i18n_language: pick(LANGUAGES, third),
      ...more,
    }
    return said(await person.create(kind, sent), 'create', kind, sent)
  }
  /** A picture that they may change or delete, if the one that is picked is. */
  const ownPicture = async (verb: 'change' | 'delete') => {
    const id = pick(images, second) ?? 0
    return pictures.findOwn(id, caller, verb).then(
      () => id,
      () => undefined,
    )
  }
  const recurrence = second % 4 ? { rrule: `FREQ=DAILY;COUNT=${1 + (third % 4)}` } : null
  const image = fifth % 3 === 0 ? { image: pick(images.map(String), fourth) ?? null } : {}
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
    repeat: () => change('event', pick(idsOf('event'), first), { recurrence }),
    'change dates': () =>
      change(
        'event',
        pick(idsOf('event'), first),
        {
          ...(third % 3 && { title: `other ${fourth % 9}` }),
          ...(fifth % 3 === 0 && { status: pick(STATUSES, fourth) }),
          ...(fourth % 3 === 0 && links()),
        },
        `apply_to=${pick(RANGES, second)}`,
      ),
    'delete dates': () => remove('event', pick(idsOf('event'), first), `apply_to=${pick(RANGES, second)}`),
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
      changePost({
        ...(post && { [NAMES[post.kind]]: `other ${second % 9}` }),
        ...image,
        ...(fifth % 5 === 0 && { i18n_language: pick(LANGUAGES, third) }),
        ...(post?.kind === 'event' && states(fourth)),
        ...(post?.kind === 'event' && fourth % 4 === 0 && { password: fifth % 2 ? 'sesame' : null }),
      }),
    'change links': () => change('event', pick(idsOf('event'), fourth), links()),
    'change status': () => changePost({ status: pick(STATUSES, second), ...later }),
    'change author': () =>
      changePost({ author: ids[pick(['editor', 'author', 'contributor'] as const, second)!] }),
    'change term': () =>
      term
        ? change(term.taxonomy, term.id, {
            ...(second % 2 && { name: `${term.taxonomy} ${third % 9}` }),
            ...(second % 3 === 0 && { i18n_language: pick(LANGUAGES, third) }),
            ...(fourth % 3 === 0 && { description: `text ${fifth % 2}` }),
            ...(term.taxonomy === 'category' &&
              fifth % 3 === 0 && { parent: pick([0, ...idsOf('category')], fourth) }),
          })
        : 'nothing to change',
    'change set': () => {
      if (first % 3 !== 0)
        return changePost({
          translation_of: second % 3 ? (pick(idsOf(post?.kind ?? 'event'), third) ?? null) : null,
        })
      const translation_of = second % 3 && term ? pick(idsOf(term.taxonomy), third) : null
      return term ? change(term.taxonomy, term.id, { translation_of }) : 'no term'
    },
    trash: () => (post ? remove(post.kind, post.id) : 'nothing to trash'),
    erase: () => (post ? remove(post.kind, post.id, 'force=true') : 'nothing to erase'),
    'delete term': () => (term ? remove(term.taxonomy, term.id) : 'no term'),
    'add picture': async () => `picture ${await addPicture(calendar, second)}`,
    'change picture': () => changePost({ image: pick([null, ...images.map(String)], second) }),
    'describe picture': async () => {
      const id = await ownPicture('change')
      const texts = { [pick(LANGUAGES, third)!]: fourth % 3 ? `text ${fourth % 3}` : '' }
      if (id) await pictures.describe(id, { alt_texts: texts }, caller, unguarded)
      return `${who}: described picture ${id}`
    },
    'delete picture': async () => {
      const id = await ownPicture('delete')
      if (id) await pictures.remove(id, { caller, origin: 'http', address: '' }, unguarded)
      return `${who}: deleted picture ${id}`
    },
    'remove user': async () => {
      // one who took over a record and a picture of others, and whose own go to another in turn
      const id = (await accounts.add(`user-${clock.now}`, 'author'))!.id
      const given = post && post.author_id !== ids.editor ? await changePost({ author: id }) : ''
      await db.write(async (tx) => {
        const [row] = await tx.select().from(media).where(ne(media.author_id, ids.editor))
        if (row) await tx.update(media).set({ author_id: id }).where(eq(media.id, row.id))
      })
      await accounts.remove(id, ids.editor)
      return `${given}; user ${id} went`
    },
    'time passes': async () => {
      clock.now += (third % 50) * 86_400_000
      await store.schedule.publish()
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
