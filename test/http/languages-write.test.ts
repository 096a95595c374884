import t from 'tap'
import { refusal } from '../support/answers.ts'
import { type Api, build, EVENT, ROOT } from '../support/app.ts'
import { must } from '../support/events.ts'

const KINDS = {
  events: (title: string) => ({ ...EVENT, title }),
  venues: (venue: string) => ({ venue }),
  organizers: (organizer: string) => ({ organizer }),
  categories: (name: string) => ({ name }),
  tags: (name: string) => ({ name }),
}
const NAMES = { events: 'title', venues: 'venue', organizers: 'organizer', categories: 'name', tags: 'name' }
type Kind = keyof typeof KINDS

/** An English record and its Catalan twin. */
async function twins({ editor }: Api, kind: Kind) {
  const en = await must(editor.post(`/${kind}`, KINDS[kind]('English')))
  const ca = await must(
    editor.post(`/${kind}`, { ...KINDS[kind]('Català'), i18n_language: 'ca', translation_of: en.id }),
  )
  return { en, ca }
}

for (const kind of Object.keys(KINDS) as Kind[])
  t.test(`${kind}: a write changes what a read of the same address and language shows`, async (t) => {
    const api = await build(t)
    const { editor, anonymous } = api
    const { en, ca } = await twins(api, kind)
    const rename = { [NAMES[kind]]: 'Renamed' }
    const keys = [`${en.id}`, ...('slug' in en && en.author ? [`by-slug/${en.slug}`] : [])]
    for (const key of keys)
      for (const path of [`/${kind}/${key}?i18n_language=ca`, `//ca${ROOT}/${kind}/${key}`]) {
        t.equal((await anonymous.get(path)).body.id, ca.id, path)
        for (const method of ['patch', 'put', 'post'] as const)
          t.match(
            await must(editor[method](path, rename)),
            { id: ca.id, language: 'ca', [NAMES[kind]]: 'Renamed' },
            `${method} ${path}`,
          )
      }
    t.match(await must(editor.get(`/${kind}/${en.id}`)), { language: 'en', [NAMES[kind]]: 'English' })
    t.equal(
      (await must(editor.patch(`//ca${ROOT}/${kind}/${en.id}?i18n_language=en`, rename))).id,
      en.id,
      'the parameter stands over the root',
    )
    t.equal((await must(editor.patch(`/${kind}/${ca.id}`, rename))).id, ca.id, 'without a language, itself')
    t.equal((await must(editor.delete(`/${kind}/${en.id}?i18n_language=ca`))).id, ca.id)
    t.match(await must(editor.get(`/${kind}/${en.id}`)), { id: en.id, language: 'en' })
    t.match(
      await must(editor.delete(`//ca${ROOT}/${kind}/${en.id}?force=1`)),
      { id: en.id },
      'once the twin is in the trash, reads and writes are of the record itself',
    )
    const gone = await editor.patch(`/${kind}/999?i18n_language=ca`, rename)
    t.equal(gone.status, 404)
  })

for (const kind of Object.keys(KINDS) as Kind[])
  t.test(`${kind}: only the body changes the language of a record`, async (t) => {
    const api = await build(t)
    const { editor } = api
    const { id } = await must(editor.post(`/${kind}`, KINDS[kind]('Alone')))
    const language = async (path: string, body: object) => (await must(editor.patch(path, body))).language
    t.equal(await language(`/${kind}/${id}?i18n_language=ca`, {}), 'en')
    t.equal(await language(`//ca${ROOT}/${kind}/${id}`, {}), 'en')
    t.equal(await language(`/${kind}/${id}?i18n_language=es`, { i18n_language: 'ca' }), 'ca')
    t.equal((await must(editor.post(`/${kind}?i18n_language=es`, KINDS[kind]('New')))).language, 'es')
  })

t.test('rights and conditions are those of the record that is addressed', async (t) => {
  const api = await build(t)
  const { editor, author, anonymous } = api
  const own = await must(author.post('/events', { ...EVENT, title: 'Own' }))
  const other = await must(
    editor.post('/events', { ...EVENT, title: 'Other', i18n_language: 'ca', translation_of: own.id }),
  )
  const path = `/events/${own.id}?i18n_language=ca`
  t.equal(refusal(await author.patch(path, { title: 'X' })), '403 rest_forbidden')
  t.equal(refusal(await author.delete(path)), '403 rest_forbidden')
  t.equal((await must(author.patch(`/events/${own.id}`, { title: 'Mine' }))).id, own.id)

  const { headers } = await editor.get(path)
  const when = { headers: { 'if-match': headers.etag! } }
  t.equal((await must(editor.patch(path, { title: 'Third' }, when))).id, other.id)
  t.equal((await editor.patch(path, { title: 'Fourth' }, when)).status, 412)
  const fresh = { headers: { 'if-match': (await editor.get(path)).headers.etag! } }
  t.equal((await must(editor.delete(path, undefined, fresh))).id, other.id)

  await must(editor.patch(`/events/${other.id}`, { status: 'draft' }))
  t.equal((await anonymous.get(path)).body.id, own.id, 'who may not read the twin is shown the record')
  t.equal((await must(author.patch(path, { title: 'Mine again' }))).id, own.id)
})
