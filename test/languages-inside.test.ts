import t from 'tap'
import { ROLES } from '../src/rules/roles.ts'
import { refusal } from './support/answers.ts'
import { type Answer, build, EVENT, ROOT } from './support/app.ts'
import { must } from './support/events.ts'

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
