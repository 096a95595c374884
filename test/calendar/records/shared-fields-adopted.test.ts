import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { storedDates, WEEKLY } from '../../support/series.ts'

const RICH = {
  ...{ title: 'Concert', start_date: '2027-05-14 20:00:00', end_date: '2027-05-14 22:00:00' },
  ...{ timezone: 'Europe/London', cost: '10', website: 'https://cor.test/', featured: true, ticketed: true },
  ...{
    event_status: 'postponed',
    attendance_mode: 'mixed',
    virtual_url: 'https://live.test/',
    status: 'private',
  },
}
const TAKEN = [
  'start_date',
  'end_date',
  'timezone',
  'all_day',
  'cost',
  'website',
  'featured',
  'ticketed',
].concat([
  'event_status',
  'attendance_mode',
  'virtual_url',
  'status',
  'show_map',
  'sticky',
  'hide_from_listings',
])

t.test('a translation of an event takes the facts that it does not send', async (t) => {
  const { editor } = await build(t)
  const hall = await must(editor.post('/venues', { venue: 'Hall' }))
  const sala = await must(
    editor.post('/venues', { venue: 'Sala', i18n_language: 'ca', translation_of: hall.id }),
  )
  const choir = await must(editor.post('/organizers', { organizer: 'Choir' }))
  const festival = await must(editor.post('/events', { ...EVENT, title: 'Festival' }))
  const body = { ...RICH, venue: hall.id, organizer: choir.id, post_parent: festival.id, description: 'Long' }
  const one = await must(editor.post('/events', { ...body, categories: 'Music' }))
  const sent = { title: 'Concert al parc', i18n_language: 'ca', translation_of: one.id }
  const other = await must(editor.post('/events', sent))
  for (const name of TAKEN) t.same(other[name], one[name], name)
  t.match(other, { venue: { id: sala.id }, organizer: [{ id: choir.id }], post_parent: festival.id })
  t.match(other, {
    description: '',
    categories: [{ name: 'Music' }],
    slug: 'concert-al-parc',
    translations: { en: one.id },
  })
  const fest = await must(
    editor.post('/events', { title: 'Fest', i18n_language: 'es', translation_of: festival.id }),
  )
  const spanish = {
    ...sent,
    i18n_language: 'es',
    start_date: '2027-05-14 19:00:00',
    end_date: null,
    status: 'draft',
    venue: [],
  }
  t.match(await must(editor.post('/events', spanish)), {
    ...{ start_date: spanish.start_date, end_date: one.end_date, status: 'draft', venue: [] },
    post_parent: fest.id,
  })
  await must(editor.delete(`/events/${other.id}?force=true`))
  const below = `//ca${ROOT}/events`
  t.match(await must(editor.post(below, { title: 'Concert', translation_of: one.id })), {
    venue: { id: sala.id },
  })
})

t.test('terms are taken and shared in the language of each, and changed alone', async (t) => {
  const api = await build(t)
  const { editor } = api
  const term = (kind: string, name: string, more: object = {}) =>
    must(editor.post(`/${kind}`, { name, ...more })).then(({ id }) => id as number)
  const music = await term('categories', 'Music')
  const musica = await term('categories', 'Música', { i18n_language: 'ca', translation_of: music })
  const free = await term('tags', 'open-air')
  const sent = { ...EVENT, categories: [music], tags: [free] }
  const ids = async (id: number) => {
    const { categories, tags } = await must(editor.get(`/events/${id}`))
    return [categories, tags].map((all: { id: number }[]) => all.map(({ id }) => id))
  }
  const translated = { title: 'Concert', i18n_language: 'ca' }
  const one = await must(editor.post('/events', sent))
  const other = await must(editor.post('/events', { ...translated, translation_of: one.id }))
  t.same(await ids(other.id), [[musica], [free]])
  await must(editor.patch(`/events/${one.id}`, { tags: [], categories: [] }))
  t.same(await ids(other.id), [[musica], [free]], 'a change is of one record')
  await must(editor.patch(`/events/${one.id}?translations=all`, { categories: [music], tags: 'Late' }))
  const [, [late]] = (await ids(one.id)) as [number[], number[]]
  t.same(await ids(other.id), [[musica], [late]])
  const own = { ...translated, i18n_language: 'es', translation_of: one.id, categories: [], tags: 'Tarde' }
  t.match(await must(editor.post('/events', own)), { categories: [], tags: [{ name: 'Tarde' }] })

  const series = await must(editor.post('/series', { ...WEEKLY, categories: [music] }))
  const [first] = storedDates(api, series.id)
  await must(editor.patch(`/events/${first!.id}`, { tags: [free] }))
  const serie = await must(editor.post('/series', { ...translated, translation_of: series.id }))
  const dates = storedDates(api, serie.id)
  t.same(await Promise.all(dates.slice(0, 2).map(({ id }) => ids(id))), [
    [[musica], [free]],
    [[musica], []],
  ])
})

t.test(
  'of a scheduled event its translation takes the date of publication too, and of a deleted one no status',
  async (t) => {
    const { editor } = await build(t)
    const one = await must(editor.post('/events', { ...EVENT, date: '2026-12-24 12:00:00' }))
    const sent = { title: 'Concert', i18n_language: 'ca', translation_of: one.id }
    t.match(await must(editor.post('/events', sent)), { status: 'future', date: '2026-12-24 12:00:00' })
    await must(editor.delete(`/events/${one.id}`))
    t.match(await must(editor.post('/events', { ...sent, i18n_language: 'es' })), { status: 'publish' })
    const soon = await must(editor.post('/events', { ...EVENT, date: '2026-12-24 12:00:00' }))
    const own = { ...sent, translation_of: soon.id, date: '2026-11-01 12:00:00' }
    t.match(await must(editor.post('/events', own)), { status: 'publish', date: '2026-11-01 12:00:00' })
  },
)

t.test('what a caller may not edit gives no facts, nor do venues that they may not see', async (t) => {
  const api = await build(t)
  const { editor, author, contributor } = api
  const theirs = await must(editor.post('/events', { ...EVENT, venue: { venue: 'Hidden', status: 'draft' } }))
  const before = await api.fingerprint()
  const sent = { title: 'Concert', i18n_language: 'ca', translation_of: theirs.id }
  for (const client of [author, contributor])
    t.equal(refusal(await client.post('/events', sent)), '403 rest_forbidden')
  t.equal(refusal(await author.post('/events', { ...sent, ...EVENT })), '403 rest_forbidden')
  t.equal(
    refusal(await author.post('/events', { ...sent, translation_of: 999 })),
    '400 rest_invalid_param translation_of',
  )
  for (const translation_of of [null, undefined, 0, 'x'])
    t.match(await editor.post('/events', { ...sent, translation_of }), { status: 400 })
  t.equal(refusal(await author.post('/series', { ...sent })), '400 rest_invalid_param translation_of')
  t.equal(await api.fingerprint(), before)
  await must(editor.patch(`/events/${theirs.id}`, { author: api.credentials.author.id }))
  t.match(await must(author.post('/events', sent)), { venue: [], start_date: theirs.start_date })
})

t.test('venues and organizers take facts as well', async (t) => {
  const { editor } = await build(t)
  const place = {
    address: 'Main Street 1',
    city: 'Vic',
    state: 'Oregon',
    zip: '08500',
    phone: '1',
    geo_lat: 1,
    geo_lng: 2,
  }
  const hall = await must(
    editor.post('/venues', { venue: 'Hall', ...place, show_map: false, website: 'https://h.test/' }),
  )
  const sent = { venue: 'Sala', i18n_language: 'ca', translation_of: hall.id, city: 'Vich' }
  const sala = await must(editor.post('/venues', sent))
  for (const name of ['address', 'zip', 'phone', 'geo_lat', 'geo_lng', 'show_map', 'website', 'state'])
    t.same(sala[name], hall[name], name)
  t.match(sala, { city: 'Vich', venue: 'Sala' })
  const moved = await must(editor.patch(`/venues/${sala.id}`, { state: 'Idaho' }))
  t.equal(moved.stateprovince, 'Idaho', 'what is derived is not taken')
  const choir = await must(
    editor.post('/organizers', { organizer: 'Choir', phone: '2', email: 'a@cor.test', status: 'draft' }),
  )
  const cor = { organizer: 'Cor', i18n_language: 'ca', translation_of: choir.id }
  t.match(await must(editor.post('/organizers', cor)), { phone: '2', email: 'a@cor.test', status: 'draft' })
})

t.test(
  'a translation of a series takes its rule and its dates, with the facts of single dates',
  async (t) => {
    const api = await build(t)
    const { editor, author } = api
    const { series } = await must(editor.post('/events', WEEKLY))
    const [first, second, third, fourth] = storedDates(api, series)
    await must(editor.delete(`/events/${first!.id}`))
    await must(editor.patch(`/events/${second!.id}`, { event_status: 'cancelled', title: 'Off' }))
    await must(editor.patch(`/events/${third!.id}`, { end_date: '2026-12-15 23:00:00' }))
    const sent = { title: 'Cor', i18n_language: 'ca', translation_of: series }
    t.equal(refusal(await author.post('/series', sent)), '403 rest_forbidden')
    t.equal(refusal(await editor.post('/series', { ...sent, venue: 99 })), '400 rest_invalid_param venue')
    const made = await must(editor.post('/series', sent))
    t.match(made.recurrence, { rrule: 'FREQ=WEEKLY;COUNT=4', exdate: ['2026-12-01 20:00:00'] })
    const dates = storedDates(api, made.id)
    t.same(
      dates.map(({ title, overrides }) => [title, ...overrides]),
      [['Cor', 'event_status'], ['Cor', 'end_date'], ['Cor']],
    )
    t.match(await must(editor.get(`/events/${dates[0]!.id}`)), {
      ...{ event_status: 'cancelled', translations: { en: second!.id } },
    })
    t.match(await must(editor.get(`/events/${fourth!.id}`)), { translations: { ca: dates[2]!.id } })
    const shifted = { ...sent, i18n_language: 'es', start_date: '2026-12-01 18:00:00' }
    const spanish = await must(editor.post('/series', shifted))
    t.match(spanish, { start_date: '2026-12-01 18:00:00', end_date: '2026-12-01 22:00:00' })
    const both = await must(editor.post('/events', { ...WEEKLY, title: 'Band' }))
    const { recurrence } = WEEKLY
    const other = { title: 'Banda', i18n_language: 'ca', translation_of: both.series, recurrence }
    t.match(await must(editor.post('/events', other)), { translations: { en: both.id } })
    t.match(await editor.post('/series', { title: 'x' }), {
      status: 400,
      body: { code: 'rest_missing_callback_param' },
    })
  },
)
