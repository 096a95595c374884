import t from 'tap'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { must, refusal, type Told } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

/** The least that makes a record of every kind. */
const KINDS = {
  event: (name: string) => ({ ...EVENT, title: name }),
  venue: (name: string) => ({ venue: name }),
  organizer: (name: string) => ({ organizer: name }),
  category: (name: string) => ({ name }),
  tag: (name: string) => ({ name }),
}
type Kind = keyof typeof KINDS
const ALL = Object.keys(KINDS) as Kind[]
const BY_SLUG: Kind[] = ['event', 'venue', 'organizer']

const add = (records: Records, kind: Kind, name: string, more = {}) =>
  must(records.editor.create(kind, { ...KINDS[kind](name), ...more }))

for (const kind of ALL)
  t.test(`${kind}: a record has a language, and lists show one or all`, async (t) => {
    const records = await openRecords(t)
    const { editor, anonymous } = records
    const cases: [more: object, language: string][] = [
      [{}, 'en'],
      [{ i18n_language: 'ca' }, 'ca'],
      [{ i18n_language: null }, 'en'],
      [{ i18n_language: 'es' }, 'es'],
    ]
    const made: { id: number; language: string }[] = []
    for (const [more, language] of cases) {
      const label = JSON.stringify(more)
      const { id, language: got, translations } = await add(records, kind, `With ${label}`, more)
      t.strictSame([got, translations], [language, {}], label)
      made.push({ id, language })
    }
    const list = async (query: string) => {
      const { total, ...body } = (await anonymous.list(kind, `hide_empty=0&per_page=50${query}`)).body
      const [shown] = Object.values(body) as { id: number }[][]
      t.equal(total, shown!.length)
      return shown!.map(({ id }) => id).sort()
    }
    const of = (...languages: string[]) =>
      made.filter(({ language }) => languages.includes(language)).map(({ id }) => id)
    t.strictSame(await list(''), of('en', 'ca', 'es'))
    for (const language of ['en', 'ca', 'es'])
      t.strictSame(await list(`&i18n_language=${language}`), of(language))
    const { id } = made[0]!
    t.equal((await must(editor.change(kind, id, {}))).language, 'en')
    t.equal((await must(editor.change(kind, id, { i18n_language: 'ca' }))).language, 'ca')
    t.equal((await must(editor.change(kind, id, { i18n_language: null }))).language, 'ca')
  })

for (const kind of ALL)
  t.test(`${kind}: translations are linked, found by the selector, and parted`, async (t) => {
    const records = await openRecords(t)
    const { editor, anonymous } = records
    const en = await add(records, kind, 'English')
    const ca = await add(records, kind, 'Català', { i18n_language: 'ca', translation_of: en.id })
    const es = await add(records, kind, 'Español', { i18n_language: 'es', translation_of: String(ca.id) })
    t.strictSame(es.translations, { ca: ca.id, en: en.id }, 'shown by the answer')
    const read = async (id: number, query = '') => (await anonymous.read(kind, id, query)).body
    const links = async (...records: { id: number }[]) =>
      Promise.all(records.map(async ({ id }) => (await read(id)).translations))
    t.strictSame(await links(en, ca, es), [
      { ca: ca.id, es: es.id },
      { en: en.id, es: es.id },
      { ca: ca.id, en: en.id },
    ])
    for (const one of [en, ca, es]) {
      for (const other of [en, ca, es])
        t.equal((await read(one.id, `i18n_language=${other.language}`)).id, other.id)
      if (BY_SLUG.includes(kind))
        t.equal((await anonymous.read(kind, one.slug, 'i18n_language=es')).body.id, es.id)
    }
    const lone = await add(records, kind, 'Alone')
    t.equal((await read(lone.id, 'i18n_language=ca')).id, lone.id, 'else the record itself')

    const invalid = '400 rest_invalid_param translation_of'
    const other = kind === 'event' || kind === 'tag' ? 'venue' : 'event'
    const { id: stranger } = await add(records, other, 'Stranger')
    await add(records, other, 'Stranger 2')
    const cases: [id: number | undefined, sent: object, expected: string][] = [
      [undefined, { translation_of: en.id }, invalid],
      [undefined, { translation_of: en.id, i18n_language: 'ca' }, invalid],
      [undefined, { translation_of: ca.id, i18n_language: 'en' }, invalid],
      [undefined, { translation_of: 999, i18n_language: 'ca' }, invalid],
      [en.id, { translation_of: en.id }, invalid],
      [lone.id, { translation_of: es.id }, invalid],
      [lone.id, { translation_of: ca.id }, invalid],
      [lone.id, { translation_of: lone.id }, invalid],
      [lone.id, { translation_of: 0 }, invalid],
      [lone.id, { translation_of: 999 }, invalid],
      [en.id, { i18n_language: 'ca' }, '400 rest_invalid_param i18n_language'],
      [ca.id, { i18n_language: 'en' }, '400 rest_invalid_param i18n_language'],
      [ca.id, { translation_of: en.id, i18n_language: 'es' }, invalid],
    ]
    if (BY_SLUG.includes(kind))
      cases.push([undefined, { translation_of: stranger, i18n_language: 'ca' }, invalid])
    else {
      const term = await add(records, kind === 'tag' ? 'category' : 'tag', 'Foreign')
      cases.push([lone.id, { translation_of: term.id }, invalid])
    }
    const before = records.fingerprint()
    for (const [id, sent, expected] of cases) {
      const answer = await (id
        ? editor.change(kind, id, sent)
        : editor.create(kind, { ...KINDS[kind]('Refused'), ...sent }))
      t.equal(refusal(answer), expected, `${id} ${JSON.stringify(sent)}`)
    }
    t.equal(records.fingerprint(), before)

    for (const same of [{ translation_of: en.id }, { i18n_language: 'ca' }, {}])
      t.strictSame((await must(editor.change(kind, ca.id, same))).translations, {
        en: en.id,
        es: es.id,
      })
    t.strictSame((await must(editor.change(kind, en.id, { translation_of: null }))).translations, {})
    t.strictSame(await links(en, ca, es), [{}, { es: es.id }, { ca: ca.id }])
    const next = await add(records, kind, 'Encore', { i18n_language: 'ca', translation_of: en.id })
    t.strictSame(
      await links(en, next, ca),
      [{ ca: next.id }, { en: en.id }, { es: es.id }],
      'a new set, apart from the old one',
    )
    const moved = await must(editor.change(kind, ca.id, { translation_of: null, i18n_language: 'es' }))
    t.match(moved, { language: 'es', translations: {} }, 'alone it may have any language')
    const joined = { translation_of: next.id, i18n_language: 'es' }
    const all = { ca: next.id, en: en.id }
    t.strictSame((await must(editor.change(kind, lone.id, joined))).translations, all)
    t.strictSame((await must(editor.change(kind, lone.id, { description: 'Sola' }))).translations, all)
    await must(editor.remove(kind, next.id, 'force=true'))
    t.strictSame(await links(en, lone), [{ es: lone.id }, { en: en.id }])
  })

t.test(
  'what is created inside an event has its language; of terms of one name its language is taken',
  async (t) => {
    const { editor } = await openRecords(t)
    const inside = (name: string) => ({
      venue: { venue: `V ${name}` },
      organizer: { organizer: `O ${name}` },
      categories: [`C ${name}`],
      tags: [`T ${name}`],
    })
    const languages = async ({ venue, organizer, categories, tags }: Told['body']) => [
      venue.language,
      organizer[0].language,
      (await editor.read('category', categories[0].id)).body.language,
      (await editor.read('tag', tags[0].id)).body.language,
    ]
    const event = await must(editor.create('event', { ...EVENT, ...inside('1'), i18n_language: 'ca' }))
    t.strictSame(await languages(event), ['ca', 'ca', 'ca', 'ca'])
    const updated = await must(editor.change('event', event.id, inside('2')))
    t.strictSame(await languages(updated), ['ca', 'ca', 'ca', 'ca'])

    const terms: Record<string, number> = {}
    for (const i18n_language of ['en', 'ca', 'es'])
      terms[i18n_language] = (await must(editor.create('tag', { name: 'Òpera', i18n_language }))).id
    for (const i18n_language of ['en', 'ca', 'es']) {
      const { tags } = await must(
        editor.create('event', { ...EVENT, tags: ['opera bufa', 'Òpera'], i18n_language }),
      )
      t.ok(
        tags.some(({ id }: { id: number }) => id === terms[i18n_language]),
        i18n_language,
      )
    }
    const { tags } = await must(editor.create('event', { ...EVENT, tags: ['opera-2'] }))
    t.equal(tags[0].id, terms.ca, 'a slug means one term alone')
  },
)

t.test('a translation that the caller may not read is not told of', async (t) => {
  const api = await openRecords(t)
  const { editor } = api
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = (name: string) => (kind === 'event' ? { ...EVENT, title: name } : { [kind]: name })
    const own = { author: api.ids.author, i18n_language: 'ca' }
    const en = await must(editor.create(kind, least('English')))
    const ca = await must(
      editor.create(kind, { ...least('Català'), ...own, translation_of: en.id, status: 'private' }),
    )
    for (const who of ['anonymous', ...ROLES] as const) {
      const seen = ['author', 'editor', 'administrator'].includes(who)
      const read = async (query = '') => (await api[who].read(kind, en.id, query)).body
      t.strictSame((await read()).translations, seen ? { ca: ca.id } : {}, `${who} ${kind}`)
      t.equal((await read('i18n_language=ca')).id, seen ? ca.id : en.id)
      const list = (await api[who].list(kind, 'i18n_language=ca')).body
      t.equal(list.total, seen ? 1 : 0)
    }
    const hidden = await api.anonymous.read(kind, ca.id, 'i18n_language=en')
    t.equal(hidden.body.id, en.id, 'a hidden one leads to its translation')
    const private_ = await must(editor.create(kind, { ...least('Private'), status: 'private' }))
    const sent = { ...least('Mine'), translation_of: private_.id, i18n_language: 'es' }
    t.equal(refusal(await api.author.create(kind, sent)), '400 rest_invalid_param translation_of')

    await must(editor.remove(kind, ca.id))
    t.strictSame((await editor.read(kind, en.id)).body.translations, {}, 'nor one in the trash')
    t.equal((await editor.read(kind, en.id, 'i18n_language=ca')).body.id, en.id)
    await must(editor.change(kind, ca.id, { status: 'publish' }))
    t.strictSame((await api.anonymous.read(kind, en.id)).body.translations, { ca: ca.id })
  }
})

t.test(
  'an event shows the translations of its venue and organizers, and keeps its own password',
  async (t) => {
    const { editor, anonymous } = await openRecords(t)
    const hall = await must(editor.create('venue', { venue: 'Hall' }))
    const sala = await must(
      editor.create('venue', { venue: 'Sala', i18n_language: 'ca', translation_of: hall.id }),
    )
    const en = await must(editor.create('event', { ...EVENT, venue: hall.id, password: 'open' }))
    t.match(en.venue, { id: hall.id, language: 'en', translations: { ca: sala.id } })
    const more = { title: 'Concert en català', i18n_language: 'ca', translation_of: en.id }
    const ca = await must(editor.create('event', { ...EVENT, ...more, venue: sala.id }))
    t.match(ca, { venue: { id: sala.id, translations: { en: hall.id } }, translations: { en: en.id } })
    t.equal((await anonymous.read('event', en.id, 'i18n_language=ca')).body.id, ca.id)
    t.equal(refusal(await anonymous.read('event', ca.id, 'i18n_language=en')), '403 event-password-protected')
    t.equal((await anonymous.read('event', ca.id, 'i18n_language=en&password=open')).body.id, en.id)
    const page = (await anonymous.list('event', 'per_page=1&i18n_language=ca')).body
    t.match(page, { total: 1, events: [{ id: ca.id }] })
  },
)

t.test('a venue inside an event is a translation where it says so', async (t) => {
  const api = await openRecords(t)
  const hall = await must(api.editor.create('venue', { venue: 'Hall' }))
  const venue = { venue: 'Sala', translation_of: hall.id }
  const event = await must(api.editor.create('event', { ...EVENT, venue, i18n_language: 'ca' }))
  t.match(event.venue, { language: 'ca', translations: { en: hall.id } })
  const before = api.fingerprint()
  const another = { ...venue, venue: 'Another' }
  for (const i18n_language of ['en', 'ca']) {
    const answer = await api.editor.create('event', { ...EVENT, venue: another, i18n_language })
    t.equal(refusal(answer), '400 rest_invalid_param venue', i18n_language)
  }
  t.equal(api.fingerprint(), before)
})

t.test('only who may edit a record adds a translation to it', async (t) => {
  const api = await openRecords(t)
  const { editor, author, contributor, anonymous } = api
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = (name: string) => (kind === 'event' ? { ...EVENT, title: name } : { [kind]: name })
    const theirs = await must(editor.create(kind, least('Original')))
    const own = await must(author.create(kind, least('Own')))
    const before = api.fingerprint()
    for (const client of [author, contributor]) {
      const sent = { ...least('Impostor'), translation_of: theirs.id, i18n_language: 'ca' }
      t.equal(refusal(await client.create(kind, sent)), '403 rest_forbidden')
      const venue = { venue: 'Inside', translation_of: theirs.id }
      const inside = { ...EVENT, i18n_language: 'ca', venue }
      if (kind === 'venue') t.equal(refusal(await client.create('event', inside)), '403 rest_forbidden')
    }
    const moved = { translation_of: theirs.id, i18n_language: 'ca' }
    t.equal(refusal(await author.change(kind, own.id, moved)), '403 rest_forbidden')
    t.equal(api.fingerprint(), before, 'nothing was written')
    t.equal((await anonymous.read(kind, theirs.id, 'i18n_language=ca')).body.id, theirs.id)

    const draft = { ...least('Esborrany'), status: 'draft', i18n_language: 'ca' }
    const unseen = await must(contributor.create(kind, draft))
    t.equal(
      refusal(await contributor.change(kind, unseen.id, { translation_of: theirs.id })),
      '403 rest_forbidden',
    )
    const twin = { ...least('Traducció'), translation_of: theirs.id, i18n_language: 'ca' }
    const given = await must(editor.create(kind, { ...twin, author: api.ids.author }))
    t.strictSame(given.translations, { en: theirs.id }, 'no draft of others stands in the way')
    const again = { translation_of: theirs.id, excerpt: 'Nou' }
    t.strictSame(
      (await must(author.change(kind, given.id, again))).translations,
      { en: theirs.id },
      'a link that is there may be sent again',
    )
  }
})
