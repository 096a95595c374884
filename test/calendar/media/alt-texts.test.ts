import { gt } from 'drizzle-orm'
import t from 'tap'
import { changes } from '../../../drizzle/tables.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { visit } from '../../support/pages.ts'
import { draw, multipart, raw } from '../../support/pictures.ts'
import { faults } from '../../support/validation.ts'

const upload = async (api: Api, who: 'author' | 'editor' = 'author') =>
  must(api[who].post('/media', await draw(20, 20), raw('stage.png')))

/** What the log says since a row of it. */
const told = async ({ app }: Api, seq: number) =>
  (await app.store.db.read.select().from(changes).where(gt(changes.seq, seq))).map(
    ({ kind, record_id, operation, by }) => [kind, record_id, operation, by],
  )
const latest = ({ app }: Api) => app.store.changes.latest().seq

t.test('texts are set by language, kept, and removed', async (t) => {
  const api = await build(t)
  const made = await upload(api)
  t.same(made.alt_texts, {})
  const path = `/media/${made.id}`
  const set = async (alt_texts: unknown) => (await must(api.author.patch(path, { alt_texts }))).alt_texts
  t.same(await set({ en: ' A <b>band</b> &amp; a\n choir ' }), { en: 'A band & a choir' }, 'as plain text')
  t.same(await set({ ca: 'Un grup', es: '' }), { en: 'A band & a choir', ca: 'Un grup' })
  t.same(await set({ en: 'x'.repeat(1000) }), { en: 'x'.repeat(1000), ca: 'Un grup' })
  t.same(await set({ en: '', ca: 'Una colla' }), { ca: 'Una colla' })
  t.same(await set({}), { ca: 'Una colla' })
  const { body } = await api.author.patch(path, {})
  t.strictSame(body, { ...made, alt_texts: { ca: 'Una colla' } }, 'and nothing else changes')
  t.same(faults('Media', body), [])
  t.strictSame((await api.author.get(path)).body, body)
  t.strictSame((await api.author.get('/media')).body.media, [body])
  t.same(await set({ en: 'A band', ca: null }), { en: 'A band' }, 'null removes one')
  t.same(await set(null), {}, 'and all')
})

t.test('texts come as JSON, as a form, and beside what answers show', async (t) => {
  const api = await build(t)
  const made = await upload(api)
  const path = `/media/${made.id}`
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  t.same((await must(api.author.patch(path, 'alt_texts[ca]=Un+grup', form))).alt_texts, { ca: 'Un grup' })
  const { payload, headers } = await multipart([['alt_texts[es]', 'Un grupo']])
  t.same((await must(api.author.patch(path, payload, { headers }))).alt_texts, {
    ...{ ca: 'Un grup', es: 'Un grupo' },
  })
  const whole = await api.author.patch(path, { ...made, alt_texts: { en: 'A band' }, caption: 'x' })
  t.equal(whole.headers['x-ignored-fields'], 'caption')
  t.same(whole.body.alt_texts, { en: 'A band', ca: 'Un grup', es: 'Un grupo' })
  const { status, body } = await api.author.send({
    method: 'POST',
    url: `/wp-json/tribe/events/v1${path}?_method=PATCH`,
    payload: { alt_texts: { es: '' } },
  })
  t.match([status, body.alt_texts], [200, { en: 'A band', ca: 'Un grup' }])
})

t.test('what is no text of a language of the site is refused, and changes nothing', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const before = await api.fingerprint()
  const cases: [unknown, RegExp][] = [
    ['A band', /^must be an object with texts by language\.$/],
    [['A band'], /^must be an object/],
    [{ fr: 'Un groupe' }, /^"fr" is no language of this calendar, which has en, ca, es\.$/],
    [{ en: 5 }, /^en must be a string, in quotes\.$/],
    [{ ca: 'x'.repeat(1001) }, /^ca must have at most 1000 characters\.$/],
    [{ ca: 'x'.repeat(10_001), fr: '' }, /^"fr" is no language .* ca must have at most 1000 characters\.$/],
  ]
  for (const [alt_texts, says] of cases) {
    const { status, body } = await api.author.patch(`/media/${id}`, { alt_texts })
    t.match([status, body.data?.params?.alt_texts], [400, says])
  }
  t.equal(refusal(await api.author.patch(`/media/${id}`, [])), '400 rest_invalid_json')
  t.equal(await api.fingerprint(), before)
})

t.test('who may set texts of own images, and of those of others', async (t) => {
  const api = await build(t)
  const alt_texts = { en: 'A band' }
  for (const asker of ['anonymous', ...ROLES] as const) {
    const { id: other } = await must(api.administrator.post('/media', await draw(20, 20), raw('other.png')))
    const code = asker === 'anonymous' ? 401 : 403
    const uploads = ['author', 'editor', 'administrator'].includes(asker)
    const changes = ['editor', 'administrator'].includes(asker)
    const before = await api.fingerprint()
    const foreign = await api[asker].patch(`/media/${other}`, { alt_texts })
    t.equal(foreign.status, changes ? 200 : code, `${asker} describes that of another`)
    if (!changes) t.equal(await api.fingerprint(), before, 'and changes nothing')
    const unknown = await api[asker].patch('/media/999', { alt_texts })
    t.equal(refusal(unknown), uploads ? '404 media-not-found' : `${code} rest_forbidden`)
    if (!uploads) continue
    const own = await must(api[asker].post('/media', await draw(20, 20), raw('own.png')))
    t.same((await must(api[asker].patch(`/media/${own.id}`, { alt_texts }))).alt_texts, alt_texts)
  }
  const { id } = await upload(api, 'editor')
  t.match((await api.author.patch(`/media/${id}`, { alt_texts })).body.message, 'change images of others')
})

t.test('nobody overwrites texts that they have not seen', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const path = `/media/${id}`
  const { etag } = (await api.author.get(path)).headers
  const match = (tag: string) => ({ headers: { 'if-match': tag } })
  const first = await api.author.patch(path, { alt_texts: { en: 'One' } }, match(etag!))
  t.equal(first.status, 200)
  t.not(first.headers.etag, etag)
  t.equal(first.headers.etag, (await api.author.get(path)).headers.etag)
  const late = await api.editor.patch(path, { alt_texts: { en: 'Late' } }, match(etag!))
  t.equal(refusal(late), '412 rest_precondition_failed')
  t.equal(late.headers.etag, first.headers.etag)
  t.same((await api.author.get(path)).body.alt_texts, { en: 'One' })
  // in one transaction: the second one finds that the first has written
  const both = await Promise.all(
    ['Two', 'Three'].map((en) => api.editor.patch(path, { alt_texts: { en } }, match(first.headers.etag!))),
  )
  t.same(both.map(({ status }) => status).sort(), [200, 412])
  t.equal((await api.editor.patch(path, { alt_texts: { en: 'Any' } }, match('*'))).status, 200)
})

t.test('a text is a change of the image, and of the records whose pages show it', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const image = String(id)
  const event = await must(api.editor.post('/events', { ...EVENT, image, venue: { venue: 'Hall', image } }))
  await must(api.editor.post('/events', { ...EVENT, title: 'Other' }))
  const { body } = await api.anonymous.get('/changes')
  const seq = latest(api)
  await must(api.author.patch(`/media/${id}`, { alt_texts: { en: 'A band' } }))
  t.same(await told(api, seq), [
    ['media', id, 'update', api.credentials.author.id],
    ['event', event.id, 'refresh', api.credentials.author.id],
    ['venue', event.venue.id, 'refresh', api.credentials.author.id],
  ])
  const next = await must(api.anonymous.get(`/changes?sync_token=${body.next_sync_token}`))
  t.same(
    next.changes.map((change: { kind: string; id: number }) => `${change.kind} ${change.id}`),
    [`event ${event.id}`, `venue ${event.venue.id}`],
  )
  const after = latest(api)
  await must(api.author.patch(`/media/${id}`, { alt_texts: { en: 'A band', ca: '' } }))
  t.same(await told(api, after), [], 'the same text is no change')
})

t.test('pages of records have the text in their language, or in another one', async (t) => {
  const api = await build(t)
  const { id } = await upload(api)
  const image = String(id)
  const DAY = { start_date: '2026-11-28 20:00:00', end_date: '2026-11-28 22:00:00', featured: true }
  await must(
    api.editor.post('/events', {
      ...{ ...EVENT, ...DAY, slug: 'one', image },
      venue: { venue: 'Hall', image },
      organizer: { organizer: 'Choir', image },
    }),
  )
  await must(api.editor.post('/events', { ...EVENT, ...DAY, slug: 'un', image, i18n_language: 'ca' }))
  /** The attributes of the picture of a page that tell what it shows, and its text for previews. */
  const shown = async (path: string) => {
    const { text } = await visit(api, path)
    const [, alt] = /<img [^>]*height="20"( alt="[^"]*"(?: lang="\w+")?)/.exec(text)!
    return [alt, /<meta property="og:image:alt" content="([^"]*)">/.exec(text)?.[1]]
  }
  const pages = ['/event/one/', '/event/un/', '/venue/hall/', '/ca/organizer/choir/']
  for (const path of pages) t.same(await shown(path), [' alt=""', undefined], path)
  const set = (alt_texts: object) => must(api.author.patch(`/media/${id}`, { alt_texts }))

  await set({ es: 'Un grupo' })
  for (const path of pages) t.same(await shown(path), [' alt="Un grupo" lang="es"', 'Un grupo'], path)
  await set({ en: 'A band', ca: 'Un grup' })
  t.same(await shown('/event/one/'), [' alt="A band"', 'A band'])
  t.same(await shown('/event/un/'), [' alt="Un grup"', 'Un grup'])
  t.same(await shown('/venue/hall/'), [' alt="A band"', 'A band'])
  t.same(await shown('/ca/organizer/choir/'), [' alt="Un grup"', 'Un grup'])
  t.same(await shown('/ca/event/one/'), [' alt="Un grup"', 'Un grup'], 'on a Catalan page')
  await set({ ca: '' })
  t.same(await shown('/ca/event/one/'), [' alt="A band" lang="en"', 'A band'])
  t.same(await shown('/event/un/'), [' alt="A band" lang="en"', 'A band'], 'the first language of the site')
  for (const path of ['/', '/events/']) t.same(await shown(path), [' alt=""', 'A band'], path)

  const { alt_texts } = await set({ en: '<img src=x onerror=alert(1)>&lt;b>A 1 < 2 "onload="alert(1)" \'' })
  t.equal(alt_texts.en, 'A 1 < 2 "onload="alert(1)" \'', 'markup is removed')
  const escaped = 'A 1 &lt; 2 &quot;onload=&quot;alert(1)&quot; &#39;'
  for (const path of ['/event/one/', '/venue/hall/'])
    t.same(await shown(path), [` alt="${escaped}"`, escaped], path)
})
