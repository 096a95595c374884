import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Answer, build, EVENT } from '../../support/app.ts'
import { storedDates, WEEKLY } from '../../support/series.ts'
import { addPicture } from '../../support/writes.ts'

const ALL = 'translations=all'
const told = (answer: Answer) => answer.headers['x-translations-differ']

t.test(
  'who may edit a record is told in which facts its translations differ, on reads and writes',
  async (t) => {
    const api = await build(t)
    const { editor, anonymous, subscriber, author } = api
    const made = await editor.post('/events', { ...EVENT, title: 'Concert', venue: { venue: 'Hall' } })
    const { id, slug, venue } = made.body
    t.equal(told(made), undefined)
    const sent = { title: 'Concert', i18n_language: 'ca', translation_of: id, start_date: '2026-12-01 18:00' }
    const ca = await editor.post('/events', sent)
    t.equal(told(ca), 'en: start_date')
    const es = await editor.post('/events', {
      ...sent,
      i18n_language: 'es',
      venue: [],
      status: 'draft',
      cost: 5,
    })
    t.equal(told(es), 'ca: venue, cost, status; en: start_date, venue, cost, status')
    const all = 'ca: start_date; es: start_date, venue, cost, status'
    const read = await editor.get(`/events/${id}`)
    t.equal(told(read), all)
    t.equal(told(await editor.get(`/events/by-slug/${slug}?_fields=id`)), all)
    t.match(
      await editor.get(`/events/${id}`, undefined, { headers: { 'if-none-match': read.headers.etag! } }),
      { status: 304 },
    )
    for (const client of [anonymous, subscriber, author])
      t.equal(told(await client.get(`/events/${id}`)), undefined)
    t.equal(
      told(await editor.get(`/events/${id}?i18n_language=ca`)),
      'en: start_date; es: venue, cost, status',
    )
    const sala = await must(
      editor.post('/venues', { venue: 'Sala', i18n_language: 'ca', translation_of: venue.id }),
    )
    t.equal(told(await editor.get(`/events/${id}`)), all, 'a venue of the other language is the same')
    const { start_date, cost } = read.body
    t.equal(told(await editor.patch(`/events/${id}?${ALL}`, { start_date, cost })), 'es: venue, status')
    await must(editor.delete(`/events/${es.body.id}`))
    t.equal(told(await editor.patch(`/events/${id}`, {})), undefined)
    t.equal(told(await editor.get(`/venues/${sala.id}`)), undefined)
    t.equal(
      told(await editor.patch(`/venues/${sala.id}`, { city: 'Vic' })),
      undefined,
      'names of places may differ',
    )
    t.equal(told(await editor.patch(`/venues/${sala.id}`, { phone: '1' })), 'en: phone')
    const term = await editor.post('/categories', { name: 'Jazz' })
    t.equal(told(term), undefined)
    t.match(
      (await anonymous.send({ url: '/calendar/events/v1/events', headers: { origin: 'https://a.test' } }))
        .headers,
      {
        'access-control-expose-headers': /X-Translations-Differ/,
      },
    )
  },
)

t.test('nothing is told of what the caller may not see', async (t) => {
  const api = await build(t)
  const { editor, author } = api
  const { id } = await must(author.post('/events', EVENT))
  const sent = {
    title: 'Concert',
    i18n_language: 'ca',
    translation_of: id,
    cost: 5,
    author: api.credentials.editor.id,
  }
  const ca = await must(editor.post('/events', { ...sent, password: 'x' }))
  t.equal(told(await author.get(`/events/${id}`)), undefined)
  await must(editor.patch(`/events/${ca.id}`, { password: '', status: 'private' }))
  t.equal(told(await author.get(`/events/${id}`)), undefined)
  await must(
    editor.patch(`/events/${ca.id}`, { status: 'publish', venue: { venue: 'Hidden', status: 'draft' } }),
  )
  t.equal(told(await author.get(`/events/${id}`)), 'ca: cost')
  t.equal(told(await editor.get(`/events/${id}`)), 'ca: venue, cost')
})

t.test('pictures are facts', async (t) => {
  const api = await build(t)
  const { editor } = api
  const image = await addPicture(api, 1)
  const one = await must(editor.post('/events', { ...EVENT, image }))
  const sent = { title: 'Concert', i18n_language: 'ca', translation_of: one.id }
  const other = await must(editor.post('/events', sent))
  t.equal(other.image.id, image)
  t.equal(told(await editor.patch(`/events/${one.id}`, { image: '' })), 'ca: image')
  t.equal(told(await editor.patch(`/events/${one.id}?${ALL}`, { image: '' })), undefined)
  t.equal((await must(editor.get(`/events/${other.id}`))).image, false)
})

t.test('series and their dates tell of their facts, rules among them', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const ca = await must(editor.post('/series', { title: 'Cor', i18n_language: 'ca', translation_of: series }))
  const [first] = storedDates(api, series)
  t.equal(told(await editor.get(`/series/${series}`)), undefined)
  t.equal(told(await editor.patch(`/events/${first!.id}`, { event_status: 'cancelled' })), 'ca: event_status')
  const moved = { start_date: '2026-12-01 18:00', end_date: '2026-12-01 19:00' }
  t.equal(told(await editor.patch(`/series/${series}`, moved)), 'ca: start_date, end_date')
  await must(editor.delete(`/events/${first!.id}`))
  t.equal(told(await editor.get(`/series/${ca.id}`)), 'en: start_date, end_date, recurrence')
})
