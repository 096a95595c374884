import t from 'tap'
import { ROLES } from '../../../src/rules/roles.ts'
import { refusal } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

/** The least that makes a record of every kind. */
const KINDS = {
  events: (name: string) => ({ ...EVENT, title: name }),
  venues: (name: string) => ({ venue: name }),
  organizers: (name: string) => ({ organizer: name }),
  categories: (name: string) => ({ name }),
  tags: (name: string) => ({ name }),
}
type Kind = keyof typeof KINDS
const ALL = Object.keys(KINDS) as Kind[]
const BY_SLUG = ALL.slice(0, 3)

const add = (api: Api, kind: Kind, name: string, more = {}) =>
  must(api.editor.post(`/${kind}`, { ...KINDS[kind](name), ...more }))
const ids = (answer: { body: Record<string, unknown> }, kind: Kind) =>
  (answer.body[kind] as { id: number }[]).map(({ id }) => id)

t.test('every endpoint takes the selector, and refuses languages that are not there', async (t) => {
  const api = await build(t)
  for (const [kind, least] of Object.entries(KINDS)) {
    const made = await add(api, kind as Kind, `${kind} kept`)
    const keys = BY_SLUG.includes(kind as Kind) ? [made.id, `by-slug/${made.slug}`] : [made.id]
    const requests: [method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, body?: object][] = [
      ['get', `/${kind}`],
      ['post', `/${kind}`, least('new')],
      ...keys.flatMap((key) =>
        (['get', 'put', 'patch', 'post'] as const).map((method): [typeof method, string] => [
          method,
          `/${kind}/${key}`,
        ]),
      ),
      ...keys.slice(-1).map((key): ['delete', string] => ['delete', `/${kind}/${key}`]),
    ]
    for (const [method, path, body] of requests) {
      const before = await api.fingerprint()
      for (const language of ['fr', 'EN', 'ca,es', '']) {
        const answer = await api.editor[method](`${path}?i18n_language=${language}`, body)
        t.equal(refusal(answer), '400 rest_invalid_param i18n_language', `${method} ${path} ${language}`)
      }
      t.equal(await api.fingerprint(), before)
      t.ok((await api.editor[method](`${path}?i18n_language=en`, body)).status < 300, `${method} ${path}`)
    }
  }
  for (const path of ['/', '/doc'])
    t.equal((await api.anonymous.get(`${path}?i18n_language=es`)).status, 200, path)
  t.equal(refusal(await api.anonymous.get('/?i18n_language=fr')), '400 rest_invalid_param i18n_language')
})

for (const kind of ALL)
  t.test(`${kind}: a record has a language, and lists show one or all`, async (t) => {
    const api = await build(t)
    const { editor, anonymous } = api
    const at = (root: string, more = {}) =>
      editor.post(`/${root}/${kind}`, { ...KINDS[kind](`In ${root} ${JSON.stringify(more)}`), ...more })
    const cases: [root: string, more: object, language: string][] = [
      [ROOT, {}, 'en'],
      [ROOT, { i18n_language: 'ca' }, 'ca'],
      [ROOT, { i18n_language: null }, 'en'],
      [`/ca${ROOT}`, {}, 'ca'],
      [`/ca${ROOT}`, { i18n_language: 'es' }, 'es'],
      [`/es${ROOT}`, { i18n_language: null }, 'es'],
      ['/es/wp-json/tribe/events/v1', {}, 'es'],
    ]
    const made: { id: number; language: string }[] = []
    for (const [root, more, language] of cases) {
      const { id, language: got, translations } = await must(at(root, more))
      t.strictSame([got, translations], [language, {}], `${root} ${JSON.stringify(more)}`)
      made.push({ id, language })
    }
    const list = async (root: string, query = '') =>
      ids(await anonymous.get(`/${root}/${kind}?hide_empty=0&per_page=50${query}`), kind).sort()
    const of = (...languages: string[]) =>
      made.filter(({ language }) => languages.includes(language)).map(({ id }) => id)
    t.strictSame(await list(ROOT), of('en', 'ca', 'es'))
    for (const language of ['en', 'ca', 'es']) {
      t.strictSame(await list(`/${language}${ROOT}`), of(language))
      t.strictSame(await list(ROOT, `&i18n_language=${language}`), of(language))
      t.strictSame(
        await list(`/ca${ROOT}`, `&i18n_language=${language}`),
        of(language),
        'the selector stands over the root',
      )
      t.equal(
        (await anonymous.get(`/${kind}?hide_empty=0&per_page=1&i18n_language=${language}`)).body.total,
        of(language).length,
      )
    }
    for (const { id, language } of made)
      t.match(
        (await anonymous.get(`//ca${ROOT}/${kind}/${id}`)).body,
        { id, language },
        'a root reads every record',
      )
    const changed = await must(editor.patch(`//es${ROOT}/${kind}/${made[0]!.id}`, {}))
    t.equal(changed.language, 'en', 'a root changes no language')
    t.equal((await must(editor.patch(`/${kind}/${made[0]!.id}`, { i18n_language: 'ca' }))).language, 'ca')
    t.equal((await must(editor.patch(`/${kind}/${made[0]!.id}`, { i18n_language: null }))).language, 'ca')
  })

for (const kind of ALL)
  t.test(`${kind}: translations are linked, found by the selector, and parted`, async (t) => {
    const api = await build(t)
    const { editor, anonymous } = api
    const en = await add(api, kind, 'English')
    const ca = await add(api, kind, 'Català', { i18n_language: 'ca', translation_of: en.id })
    const es = await must(
      editor.post(`//es${ROOT}/${kind}`, { ...KINDS[kind]('Español'), translation_of: String(ca.id) }),
    )
    t.strictSame(es.translations, { ca: ca.id, en: en.id }, 'shown by the answer')
    const read = async (id: number, query = '') => (await anonymous.get(`/${kind}/${id}${query}`)).body
    const links = async (...records: { id: number }[]) =>
      Promise.all(records.map(async ({ id }) => (await read(id)).translations))
    t.strictSame(await links(en, ca, es), [
      { ca: ca.id, es: es.id },
      { en: en.id, es: es.id },
      { ca: ca.id, en: en.id },
    ])
    for (const one of [en, ca, es]) {
      for (const other of [en, ca, es])
        t.equal((await read(one.id, `?i18n_language=${other.language}`)).id, other.id)
      if (BY_SLUG.includes(kind))
        t.equal((await anonymous.get(`/${kind}/by-slug/${one.slug}?i18n_language=es`)).body.id, es.id)
    }
    const lone = await add(api, kind, 'Alone')
    t.equal((await read(lone.id, '?i18n_language=ca')).id, lone.id, 'else the record itself')

    const invalid = '400 rest_invalid_param translation_of'
    const other = kind === 'events' || kind === 'tags' ? 'venues' : 'events'
    const { id: stranger } = await add(api, other, 'Stranger')
    await add(api, other, 'Stranger 2')
    const cases: [path: string, sent: object, expected: string][] = [
      [`/${kind}`, { translation_of: en.id }, invalid],
      [`/${kind}`, { translation_of: en.id, i18n_language: 'ca' }, invalid],
      [`/${kind}`, { translation_of: ca.id, i18n_language: 'en' }, invalid],
      [`/${kind}`, { translation_of: 999, i18n_language: 'ca' }, invalid],
      [`/${kind}/${en.id}`, { translation_of: en.id }, invalid],
      [`/${kind}/${lone.id}`, { translation_of: es.id }, invalid],
      [`/${kind}/${ca.id}`, { i18n_language: 'en' }, '400 rest_invalid_param i18n_language'],
      [`/${kind}/${ca.id}`, { translation_of: en.id, i18n_language: 'es' }, invalid],
      ...(BY_SLUG.includes(kind) && other !== kind
        ? [
            [`/${kind}`, { translation_of: stranger, i18n_language: 'ca' }, invalid] as [
              string,
              object,
              string,
            ],
          ]
        : []),
    ]
    const before = await api.fingerprint()
    for (const [path, sent, expected] of cases) {
      const body = path.endsWith(kind) ? { ...KINDS[kind]('Refused'), ...sent } : sent
      t.equal(refusal(await editor.post(path, body)), expected, `${path} ${JSON.stringify(sent)}`)
    }
    t.equal(await api.fingerprint(), before)

    for (const same of [{ translation_of: en.id }, { i18n_language: 'ca' }, {}])
      t.strictSame((await must(editor.patch(`/${kind}/${ca.id}`, same))).translations, {
        en: en.id,
        es: es.id,
      })
    t.strictSame((await must(editor.patch(`/${kind}/${en.id}`, { translation_of: null }))).translations, {})
    t.strictSame(await links(en, ca, es), [{}, { es: es.id }, { ca: ca.id }])
    const next = await add(api, kind, 'Encore', { i18n_language: 'ca', translation_of: en.id })
    t.strictSame(
      await links(en, next, ca),
      [{ ca: next.id }, { en: en.id }, { es: es.id }],
      'a new set, apart from the old one',
    )
    const moved = await must(editor.patch(`/${kind}/${ca.id}`, { translation_of: null, i18n_language: 'es' }))
    t.match(moved, { language: 'es', translations: {} }, 'alone it may have any language')
    await must(editor.delete(`/${kind}/${next.id}?force=true`))
    t.strictSame(await links(en), [{}])
  })

t.test(
  'what is created inside an event has its language; of terms of one name its language is taken',
  async (t) => {
    const { editor } = await build(t)
    const inside = (name: string) => ({
      venue: { venue: `V ${name}` },
      organizer: { organizer: `O ${name}` },
      categories: [`C ${name}`],
      tags: [`T ${name}`],
    })
    const languages = async ({ venue, organizer, categories, tags }: Answer['body']) => [
      venue.language,
      organizer[0].language,
      (await editor.get(`/categories/${categories[0].id}`)).body.language,
      (await editor.get(`/tags/${tags[0].id}`)).body.language,
    ]
    const event = await must(editor.post('/events', { ...EVENT, ...inside('1'), i18n_language: 'ca' }))
    t.strictSame(await languages(event), ['ca', 'ca', 'ca', 'ca'])
    const path = `//es${ROOT}/events`
    t.strictSame(await languages(await must(editor.post(path, { ...EVENT, ...inside('2') }))), [
      'es',
      'es',
      'es',
      'es',
    ])
    const updated = await must(editor.patch(`${path}/${event.id}`, inside('3')))
    t.strictSame(await languages(updated), ['ca', 'ca', 'ca', 'ca'], 'the event’s, not the root’s')

    const terms: Record<string, number> = {}
    for (const i18n_language of ['en', 'ca', 'es'])
      terms[i18n_language] = (await must(editor.post('/tags', { name: 'Òpera', i18n_language }))).id
    for (const i18n_language of ['en', 'ca', 'es']) {
      const { tags } = await must(
        editor.post('/events', { ...EVENT, tags: ['opera bufa', 'Òpera'], i18n_language }),
      )
      t.ok(
        tags.some(({ id }: { id: number }) => id === terms[i18n_language]),
        i18n_language,
      )
    }
    const { tags } = await must(editor.post('/events', { ...EVENT, tags: ['opera-2'] }))
    t.equal(tags[0].id, terms.ca, 'a slug means one term alone')
  },
)

t.test('a translation that the caller may not read is not told of', async (t) => {
  const api = await build(t)
  const { editor } = api
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = (name: string) => (kind === 'event' ? { ...EVENT, title: name } : { [kind]: name })
    const own = { author: api.credentials.author.id, i18n_language: 'ca' }
    const en = await must(editor.post(`/${kind}s`, least('English')))
    const ca = await must(
      editor.post(`/${kind}s`, { ...least('Català'), ...own, translation_of: en.id, status: 'private' }),
    )
    for (const who of ['anonymous', ...ROLES] as const) {
      const seen = ['author', 'editor', 'administrator'].includes(who)
      const path = `/${kind}s/${en.id}`
      t.strictSame((await api[who].get(path)).body.translations, seen ? { ca: ca.id } : {}, `${who} ${kind}`)
      t.equal((await api[who].get(`${path}?i18n_language=ca`)).body.id, seen ? ca.id : en.id)
      const list = (await api[who].get(`/${kind}s?i18n_language=ca`)).body
      t.equal(list.total, seen ? 1 : 0)
    }
    const hidden = await api.anonymous.get(`/${kind}s/${ca.id}?i18n_language=en`)
    t.equal(hidden.body.id, en.id, 'a hidden one leads to its translation')
    const private_ = await must(editor.post(`/${kind}s`, { ...least('Private'), status: 'private' }))
    const sent = { ...least('Mine'), translation_of: private_.id, i18n_language: 'es' }
    t.equal(refusal(await api.author.post(`/${kind}s`, sent)), '400 rest_invalid_param translation_of')

    await must(editor.delete(`/${kind}s/${ca.id}`))
    t.strictSame((await editor.get(`/${kind}s/${en.id}`)).body.translations, {}, 'nor one in the trash')
    t.equal((await editor.get(`/${kind}s/${en.id}?i18n_language=ca`)).body.id, en.id)
    await must(editor.patch(`/${kind}s/${ca.id}`, { status: 'publish' }))
    t.strictSame((await api.anonymous.get(`/${kind}s/${en.id}`)).body.translations, { ca: ca.id })
  }
})

t.test(
  'an event shows the translations of its venue and organizers, and keeps its own password',
  async (t) => {
    const { editor, anonymous } = await build(t)
    const hall = await must(editor.post('/venues', { venue: 'Hall' }))
    const sala = await must(
      editor.post('/venues', { venue: 'Sala', i18n_language: 'ca', translation_of: hall.id }),
    )
    const en = await must(editor.post('/events', { ...EVENT, venue: hall.id, password: 'open' }))
    t.match(en.venue, { id: hall.id, language: 'en', translations: { ca: sala.id } })
    const more = { title: 'Concert en català', i18n_language: 'ca', translation_of: en.id }
    const ca = await must(editor.post('/events', { ...EVENT, ...more, venue: sala.id }))
    t.match(ca, { venue: { id: sala.id, translations: { en: hall.id } }, translations: { en: en.id } })
    t.equal((await anonymous.get(`/events/${en.id}?i18n_language=ca`)).body.id, ca.id)
    t.equal(refusal(await anonymous.get(`/events/${ca.id}?i18n_language=en`)), '403 event-password-protected')
    t.equal((await anonymous.get(`/events/${ca.id}?i18n_language=en&password=open`)).body.id, en.id)
    const page = (await anonymous.get(`//ca${ROOT}/events?per_page=1`)).body
    t.match(page, { total: 1, events: [{ id: ca.id }] })
    t.match((await anonymous.get('/events?i18n_language=en')).body.rest_url, /i18n_language=en/)
  },
)

t.test('a venue inside an event is a translation where it says so', async (t) => {
  const api = await build(t)
  const hall = await must(api.editor.post('/venues', { venue: 'Hall' }))
  const venue = { venue: 'Sala', translation_of: hall.id }
  const event = await must(api.editor.post('/events', { ...EVENT, venue, i18n_language: 'ca' }))
  t.match(event.venue, { language: 'ca', translations: { en: hall.id } })
  const before = await api.fingerprint()
  const another = { ...venue, venue: 'Another' }
  for (const i18n_language of ['en', 'ca']) {
    const answer = await api.editor.post('/events', { ...EVENT, venue: another, i18n_language })
    t.equal(refusal(answer), '400 rest_invalid_param venue', i18n_language)
  }
  t.equal(await api.fingerprint(), before)
})

t.test('only who may edit a record adds a translation to it', async (t) => {
  const api = await build(t)
  const { editor, author, contributor, anonymous } = api
  for (const kind of ['event', 'venue', 'organizer'] as const) {
    const least = (name: string) => (kind === 'event' ? { ...EVENT, title: name } : { [kind]: name })
    const theirs = await must(editor.post(`/${kind}s`, least('Original')))
    const own = await must(author.post(`/${kind}s`, least('Own')))
    const before = await api.fingerprint()
    for (const client of [author, contributor]) {
      const sent = { ...least('Impostor'), translation_of: theirs.id, i18n_language: 'ca' }
      t.equal(refusal(await client.post(`/${kind}s`, sent)), '403 rest_forbidden')
      const venue = { venue: 'Inside', translation_of: theirs.id }
      const inside = { ...EVENT, i18n_language: 'ca', venue }
      if (kind === 'venue') t.equal(refusal(await client.post('/events', inside)), '403 rest_forbidden')
    }
    const moved = { translation_of: theirs.id, i18n_language: 'ca' }
    t.equal(refusal(await author.patch(`/${kind}s/${own.id}`, moved)), '403 rest_forbidden')
    t.equal(await api.fingerprint(), before, 'nothing was written')
    t.equal((await anonymous.get(`/${kind}s/${theirs.id}?i18n_language=ca`)).body.id, theirs.id)

    const draft = { ...least('Esborrany'), status: 'draft', i18n_language: 'ca' }
    const unseen = await must(contributor.post(`/${kind}s`, draft))
    t.equal(
      refusal(await contributor.patch(`/${kind}s/${unseen.id}`, { translation_of: theirs.id })),
      '403 rest_forbidden',
    )
    const twin = { ...least('Traducció'), translation_of: theirs.id, i18n_language: 'ca' }
    const given = await must(editor.post(`/${kind}s`, { ...twin, author: api.credentials.author.id }))
    t.strictSame(given.translations, { en: theirs.id }, 'no draft of others stands in the way')
    const again = { translation_of: theirs.id, excerpt: 'Nou' }
    t.strictSame(
      (await must(author.patch(`/${kind}s/${given.id}`, again))).translations,
      { en: theirs.id },
      'a link that is there may be sent again',
    )
  }
})
