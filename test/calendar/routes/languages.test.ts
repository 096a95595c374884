import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Answer, build, EVENT, ROOT } from '../../support/app.ts'
import { LEAST } from '../../support/given.ts'

t.test('every endpoint takes the selector, and refuses languages that are not there', async (t) => {
  const api = await build(t)
  for (const [kind, least] of Object.entries(LEAST)) {
    const made = await must(api.editor.post(`/${kind}`, least(`${kind} kept`)))
    const keys = ['categories', 'tags'].includes(kind) ? [made.id] : [made.id, `by-slug/${made.slug}`]
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

for (const kind of ['events', 'tags'] as const)
  t.test(`${kind}: a language root writes and lists its language, and reads all`, async (t) => {
    const { editor, anonymous } = await build(t)
    const cases: [root: string, more: object, language: string][] = [
      [ROOT, {}, 'en'],
      [`/ca${ROOT}`, {}, 'ca'],
      [`/ca${ROOT}`, { i18n_language: 'es' }, 'es'],
      [`/es${ROOT}`, { i18n_language: null }, 'es'],
      ['/es/wp-json/tribe/events/v1', {}, 'es'],
    ]
    const made: { id: number; language: string }[] = []
    for (const [root, more, language] of cases) {
      const sent = { ...LEAST[kind](`In ${root} ${JSON.stringify(more)}`), ...more }
      const { id, language: got } = await must(editor.post(`/${root}/${kind}`, sent))
      t.equal(got, language, `${root} ${JSON.stringify(more)}`)
      made.push({ id, language })
    }
    const list = async (root: string, query = '') =>
      (await anonymous.get(`/${root}/${kind}?hide_empty=0${query}`)).body[kind]
        .map(({ id }: { id: number }) => id)
        .sort()
    const of = (...languages: string[]) =>
      made.filter(({ language }) => languages.includes(language)).map(({ id }) => id)
    t.strictSame(await list(ROOT), of('en', 'ca', 'es'))
    for (const language of ['en', 'ca', 'es']) {
      t.strictSame(await list(`/${language}${ROOT}`), of(language))
      const selected = await list(`/ca${ROOT}`, `&i18n_language=${language}`)
      t.strictSame(selected, of(language), 'the selector stands over the root')
    }
    for (const { id, language } of made)
      t.match((await anonymous.get(`//ca${ROOT}/${kind}/${id}`)).body, { id, language })
    const changed = await must(editor.patch(`//es${ROOT}/${kind}/${made[0]!.id}`, {}))
    t.equal(changed.language, 'en', 'a root changes no language')
  })

t.test('what is created inside an event has its language, which is that of the root', async (t) => {
  const { editor, anonymous } = await build(t)
  const inside = (name: string) => ({ venue: { venue: `V ${name}` }, tags: [`T ${name}`] })
  const languages = async ({ venue, tags: [tag] }: Answer['body']) => [
    venue.language,
    (await editor.get(`/tags/${tag.id}`)).body.language,
  ]
  const path = `//es${ROOT}/events`
  const made = await must(editor.post(path, { ...EVENT, ...inside('1') }))
  t.strictSame(await languages(made), ['es', 'es'])
  const { id } = await must(editor.post('/events', { ...EVENT, i18n_language: 'ca' }))
  const updated = await must(editor.patch(`${path}/${id}`, inside('2')))
  t.strictSame(await languages(updated), ['ca', 'ca'], 'the event’s, not the root’s')
  const page = (await anonymous.get(`//ca${ROOT}/events?per_page=1`)).body
  t.match(page, { total: 1, events: [{ id }] })
  t.match((await anonymous.get('/events?i18n_language=en')).body.rest_url, /i18n_language=en/)
})

t.test('filters take any translation, and mean the one in the language of the list', async (t) => {
  const { editor, anonymous } = await build(t)
  const made = async (kind: string, names: [string, string], field: string) => {
    const first = await must(editor.post(`/${kind}`, { [field]: names[0] }))
    const other = { [field]: names[1], i18n_language: 'ca', translation_of: first.id }
    return [first.id, (await must(editor.post(`/${kind}`, other))).id] as [number, number]
  }
  const links = {
    categories: await made('categories', ['Music', 'Música'], 'name'),
    tags: await made('tags', ['Free', 'Gratis'], 'name'),
    venue: await made('venues', ['Hall', 'Sala'], 'venue'),
    organizer: await made('organizers', ['Choir', 'Cor'], 'organizer'),
  }
  const of = (at: 0 | 1) => Object.fromEntries(Object.entries(links).map(([name, ids]) => [name, [ids[at]]]))
  const en = await must(editor.post('/events', { ...EVENT, title: 'Concert', ...of(0) }))
  const ca = await must(editor.post('/events', { ...EVENT, title: 'Recital', i18n_language: 'ca', ...of(1) }))
  const list = async (path: string) => {
    const { body } = await anonymous.get(path)
    return (body.events ?? body).map(({ id }: { id: number }) => id)
  }
  for (const [name, [first, other]] of Object.entries(links)) {
    for (const key of [first, other]) {
      t.same(await list(`/events?${name}=${key}&i18n_language=ca`), [ca.id], `${name} ${key}`)
      t.same(await list(`/events?${name}=${key}&i18n_language=en`), [en.id], `${name} ${key}`)
      t.same(await list(`//ca${ROOT}/events?${name}=${key}`), [ca.id], `${name} ${key}`)
      // there is none in Spanish, and the event is in none
      t.same(await list(`/events?${name}=${key}&i18n_language=es`), [], `${name} ${key}`)
    }
    t.same(await list(`/events?${name}=${first}`), [en.id], `${name} without a language`)
    t.same(await list(`/events?${name}=${other}`), [ca.id], `${name} without a language`)
  }
  for (const slug of ['music', 'musica']) {
    t.same(await list(`/events?categories=${slug}&i18n_language=ca`), [ca.id], slug)
    t.same(await list(`/events?categories=${slug}&i18n_language=en`), [en.id], slug)
  }
  const below = '//wp-json/wp/v2/tribe_events'
  t.same(
    await list(`${below}?tribe_events_cat=${links.categories[1]}`),
    [en.id],
    'lists there are of the first',
  )
  const jazz = { name: 'Jazz', i18n_language: 'ca', parent: links.categories[1] }
  const { id: below_it } = await must(editor.post('/categories', jazz))
  const more = { ...EVENT, title: 'Jazz', i18n_language: 'ca', categories: [below_it] }
  const { id } = await must(editor.post('/events', more))
  t.same(await list(`/events?categories=music&i18n_language=ca`), [ca.id, id], 'those below the translation')
})
