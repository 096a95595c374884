import t, { type Test } from 'tap'
import { must } from '../../../support/answers.ts'
import { type Api, build } from '../../../support/app.ts'
import { daysOf, storedDates, WEEKLY } from '../../../support/series.ts'

const ALL = 'translations=all'
const TIMES = { start_date: '2026-12-01 18:00:00', end_date: '2026-12-01 19:00:00' }

/** A series in English with translations into Catalan and Spanish. */
async function three(t: Test) {
  const api = await build(t)
  const en = (await must(api.editor.post('/events', WEEKLY))).series as number
  const add = async (title: string, i18n_language: string): Promise<number> =>
    (await must(api.editor.post('/series', { title, i18n_language, translation_of: en }))).id
  return { api, en, ca: await add('Cor', 'ca'), es: await add('Coro', 'es') }
}

/** The dates of a series, each with the languages that it is shown in besides its own, and its title. */
async function linked({ app, anonymous }: Api, series: number): Promise<string> {
  const dates = storedDates({ app }, series).filter(({ status }) => status !== 'trash')
  const shown: string[] = []
  for (const { id } of dates) {
    const { start_date, translations, title } = await must(anonymous.get(`/events/${id}`))
    shown.push([start_date.slice(5, 13), title, ...Object.keys(translations)].join(' '))
  }
  return shown.join(', ')
}
const at = (days: string[], hour: number, title: string, others: string) =>
  days.map((day) => `12-${day} ${hour} ${title} ${others}`).join(', ')
const DAYS = ['01', '08', '15', '22']
const setsOf = ({ app }: Api, series: number) =>
  app.store.db
    .rows<[number]>('select translation_group from posts where parent_id = ? order by id', series)
    .flat()

t.test('a series is moved with its translations, and the sets of its dates stay', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const sets = setsOf(api, en)
  await must(editor.patch(`/series/${en}?${ALL}`, { ...TIMES, title: 'Choir at six' }))
  t.equal(await linked(api, en), at(DAYS, 18, 'Choir at six', 'ca es'))
  t.equal(await linked(api, ca), at(DAYS, 18, 'Cor', 'en es'))
  t.equal(await linked(api, es), at(DAYS, 18, 'Coro', 'ca en'))
  t.same([setsOf(api, en), setsOf(api, ca)], [sets, sets])
  await must(
    editor.patch(`/series/${en}?${ALL}`, {
      start_date: '2026-12-08 18:00:00',
      end_date: '2026-12-08 19:00:00',
    }),
  )
  t.equal(await linked(api, es), at(['08', '15', '22', '29'], 18, 'Coro', 'ca en'))
  t.same(setsOf(api, es), sets)
  await must(
    editor.patch(`/series/${ca}?${ALL}`, {
      recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2', rdate: ['2026-12-24 18:00:00'] },
    }),
  )
  for (const [series, title, others] of [
    [en, 'Choir at six', 'ca es'],
    [ca, 'Cor', 'en es'],
    [es, 'Coro', 'ca en'],
  ] as const)
    t.equal(await linked(api, series), at(['08', '15', '24'], 18, title, others))
})

t.test('translations that have drifted apart are brought together by sending their facts', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  await must(editor.patch(`/series/${en}`, TIMES))
  await must(editor.patch(`/series/${es}`, TIMES))
  t.equal(await linked(api, en), at(DAYS, 18, 'Choir', 'es'))
  const { recurrence } = await must(
    editor.patch(`/series/${ca}`, { ...TIMES, recurrence: { rrule: 'FREQ=DAILY;COUNT=4' } }),
  )
  t.match(recurrence, { rrule: 'FREQ=DAILY;COUNT=4' })
  await must(editor.patch(`/series/${en}?${ALL}`, { ...TIMES, recurrence: WEEKLY.recurrence }))
  t.equal(await linked(api, ca), at(DAYS, 18, 'Cor', 'en es'))
  t.equal(await linked(api, en), at(DAYS, 18, 'Choir', 'ca es'))
})

t.test('a change of all dates is one in all languages, also of what a date has of its own', async (t) => {
  const { api, en, ca } = await three(t)
  const { editor } = api
  const [, second] = storedDates(api, en)
  const [, theirs] = storedDates(api, ca)
  await must(
    editor.patch(`/events/${second!.id}?${ALL}`, {
      cost: '5',
      start_date: '2026-12-09 20:00',
      end_date: '2026-12-09 22:00',
    }),
  )
  t.match(await must(editor.get(`/events/${theirs!.id}`)), {
    ...{ cost: '$5', start_date: '2026-12-09 20:00:00', overrides: ['start_date', 'cost'] },
    translations: { en: second!.id },
  })
  await must(editor.patch(`/events/${second!.id}?apply_to=all&${ALL}`, { cost: '7' }))
  t.match(await must(editor.get(`/events/${theirs!.id}`)), { cost: '$7', overrides: ['start_date'] })
  await must(editor.patch(`/events/${second!.id}?${ALL}`, { overrides: [] }))
  t.match(await must(editor.get(`/events/${theirs!.id}`)), {
    start_date: '2026-12-08 20:00:00',
    overrides: [],
  })
  await must(
    editor.patch(`/events/${second!.id}?apply_to=all&${ALL}`, {
      start_date: '2026-12-08 18:00',
      title: 'Six',
    }),
  )
  t.equal(await linked(api, ca), at(DAYS, 18, 'Cor', 'en es'))
  t.equal(await linked(api, en), at(DAYS, 18, 'Six', 'ca es'))
  const { start_date, end_date } = { start_date: '2026-12-08 18:00', end_date: '2026-12-08 19:00' }
  const rule = { rrule: 'FREQ=WEEKLY;COUNT=3' }
  await must(
    editor.patch(`/events/${second!.id}?apply_to=all&${ALL}`, { start_date, end_date, recurrence: rule }),
  )
  t.same([daysOf(api, en), daysOf(api, ca)], ['12-01 12-08 12-15', '12-01 12-08 12-15'])
  await must(editor.patch(`/events/${second!.id}`, { cost: '9' }))
  await must(editor.patch(`/events/${second!.id}?${ALL}`, { overrides: ['title'] }))
  t.match(await must(editor.get(`/events/${theirs!.id}`)), { cost: '$7' })
})

t.test(
  'translated series are divided at the same date, and those that begin there are translations',
  async (t) => {
    const { api, en, ca, es } = await three(t)
    const { editor } = api
    const third = storedDates(api, en)[2]!
    const sent = { title: 'Band', start_date: '2026-12-15 18:00', end_date: '2026-12-15 19:00' }
    const { series } = await must(editor.patch(`/events/${third.id}?apply_to=following&${ALL}`, sent))
    t.equal(await linked(api, en), at(['01', '08'], 20, 'Choir', 'ca es'))
    t.equal(await linked(api, ca), at(['01', '08'], 20, 'Cor', 'en es'))
    t.equal(await linked(api, series), at(['15', '22'], 18, 'Band', 'ca es'))
    const begun = (await must(editor.get(`/series/${series}`))).translations
    t.same(Object.keys(begun), ['ca', 'es'])
    t.equal(await linked(api, begun.ca), at(['15', '22'], 18, 'Cor', 'en es'))
    t.same((await must(editor.get(`/series/${es}`))).translations, { ca, en })
    const four = { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=4' } }
    await must(editor.patch(`/events/${third.id}?apply_to=following&${ALL}`, four))
    t.equal(
      await linked(api, begun.es),
      '12-15 18 Coro ca en, 12-22 18 Coro ca en, 12-29 18 Coro ca en, 01-05 18 Coro ca en',
    )
  },
)

t.test('dates are cancelled and come back in all languages, and series end in all', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const days = () => [en, ca, es].map((series) => daysOf(api, series))
  const [first, second, third] = storedDates(api, en)
  await must(editor.delete(`/events/${first!.id}?${ALL}`))
  t.same(days(), Array(3).fill('12-08 12-15 12-22'))
  await must(editor.patch(`/events/${first!.id}?${ALL}`, { status: 'publish' }))
  t.same(days(), Array(3).fill('12-01 12-08 12-15 12-22'))
  t.equal(await linked(api, ca), at(DAYS, 20, 'Cor', 'en es'))
  await must(editor.delete(`/events/${third!.id}?apply_to=following&${ALL}`))
  t.same(days(), Array(3).fill('12-01 12-08'))
  await must(editor.patch(`/events/${second!.id}?${ALL}`, { recurrence: null, cost: '5' }))
  t.same(days(), Array(3).fill('12-01'))
  const single = await must(editor.get(`/events/${second!.id}`))
  t.same([single.series, Object.keys(single.translations)], [undefined, ['ca', 'es']])
  t.match(await must(editor.get(`/events/${single.translations.ca}`)), { cost: '$5', title: 'Cor' })
  await must(editor.delete(`/events/${first!.id}?apply_to=all&${ALL}`))
  t.same([days(), (await must(editor.get('/series'))).total], [['', '', ''], 0])
  await must(editor.patch(`/series/${ca}?${ALL}`, { status: 'publish' }))
  t.same(days(), Array(3).fill('12-01'))
  await must(editor.delete(`/series/${ca}?${ALL}`))
  t.same(days(), ['', '', ''])
  await must(editor.delete(`/series/${ca}?${ALL}&force=true`))
  t.equal((await editor.get(`/series/${en}`)).status, 404)
})

t.test('an ending for one and all dates, and a permanent one, are those of all languages', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor } = api
  const [, second, third] = storedDates(api, en)
  await must(editor.patch(`/events/${third!.id}?apply_to=following&${ALL}`, { recurrence: null }))
  t.same(
    [en, ca, es].map((series) => daysOf(api, series)),
    Array(3).fill('12-01 12-08 12-15'),
  )
  await must(editor.delete(`/events/${third!.id}?apply_to=following&${ALL}&force=true`))
  t.same(
    [en, ca, es].map((series) => daysOf(api, series)),
    Array(3).fill('12-01 12-08'),
  )
  await must(editor.delete(`/events/${second!.id}?${ALL}&force=true`))
  t.same(
    [en, ca, es].map((series) => storedDates(api, series).length),
    [1, 1, 1],
  )
  await must(editor.delete(`/events/${storedDates(api, en)[0]!.id}?apply_to=all&${ALL}&force=true`))
  t.equal((await must(editor.get('/series?status=publish,trash'))).total, 0)
})

t.test('an event that begins to repeat does so in all languages', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { recurrence, ...single } = WEEKLY
  const one = await must(editor.post('/events', single))
  const sent = { title: 'Cor', i18n_language: 'ca', translation_of: one.id }
  const other = await must(editor.post('/events', sent))
  const gone = await must(editor.post('/events', { ...sent, i18n_language: 'es' }))
  await must(editor.delete(`/events/${gone.id}`))
  const { series } = await must(editor.patch(`/events/${one.id}?${ALL}`, { recurrence }))
  const { ca } = (await must(editor.get(`/series/${series}`))).translations
  t.equal(await linked(api, series), at(DAYS, 20, 'Choir', 'ca'))
  t.equal(await linked(api, ca), at(DAYS, 20, 'Cor', 'en'))
  t.equal(storedDates(api, ca)[0]!.id, other.id)
  const alone = await must(editor.post('/events', single))
  const repeated = await must(editor.patch(`/events/${alone.id}?${ALL}`, { recurrence }))
  t.same((await must(editor.get(`/series/${repeated.series}`))).translations, {})
})

t.test('series and dates that the caller may not edit stay, and are no longer of the set', async (t) => {
  const { api, en, ca, es } = await three(t)
  const { editor, author } = api
  const own = { author: api.credentials.author.id }
  await must(editor.patch(`/series/${en}`, own))
  await must(editor.patch(`/series/${ca}`, own))
  await must(author.patch(`/series/${en}?${ALL}`, TIMES))
  t.equal(await linked(api, en), at(DAYS, 18, 'Choir', 'ca'))
  t.equal(await linked(api, ca), at(DAYS, 18, 'Cor', 'en'))
  t.equal(await linked(api, es), at(DAYS, 20, 'Coro', '').replaceAll(/ (?=,|$)/g, ''))
  await must(editor.delete(`/series/${ca}`))
  const [first] = storedDates(api, en)
  const before = storedDates(api, es)
  await must(author.delete(`/events/${first!.id}?${ALL}`))
  await must(author.patch(`/events/${first!.id}?${ALL}`, { status: 'publish', cost: '5' }))
  t.same(storedDates(api, es), before)
  t.equal(daysOf(api, ca), '', 'a date of a series in the trash comes back with it alone')
  t.equal((await author.patch(`/series/${es}?${ALL}`, TIMES)).status, 403)
  t.equal((await author.patch(`/series/999?${ALL}`, TIMES)).status, 404)
  await must(editor.patch(`/series/${es}?${ALL}`, { cost: '9' }))
  t.equal((await must(editor.get(`/series/${en}`))).cost, '$9')
})
