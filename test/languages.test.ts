import t from 'tap'
import { refusal } from './support/answers.ts'
import { type Api, build, EVENT, ROOT } from './support/app.ts'
import { must } from './support/events.ts'

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
