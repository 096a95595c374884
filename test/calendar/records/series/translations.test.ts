import t, { type Test } from 'tap'
import { must } from '../../../support/answers.ts'
import { type Api, build } from '../../../support/app.ts'
import { storedDates, WEEKLY } from '../../../support/series.ts'

/** A series in English with its translation into Catalan, both with all of their dates. */
async function pair(t: Test, more: object = {}) {
  const api = await build(t)
  const en = (await must(api.editor.post('/events', { ...WEEKLY, ...more }))).series as number
  const body = { ...WEEKLY, ...more, title: 'Cor', i18n_language: 'ca', translation_of: en }
  const ca = (await must(api.editor.post('/series', body))).id as number
  return { api, en, ca }
}

/** The dates of a series, each with the languages that it is shown in besides its own. */
async function linked({ app, anonymous }: Api, series: number): Promise<string> {
  const dates = storedDates({ app }, series).filter(({ status }) => status !== 'trash')
  const shown: string[] = []
  for (const { id, start } of dates) {
    const { translations } = await must(anonymous.get(`/events/${id}`))
    shown.push([start.slice(5, 13), ...Object.keys(translations)].join(' '))
  }
  return shown.join(', ')
}

const PAIRED = (language: string) =>
  ['01', '08', '15', '22'].map((day) => `12-${day} 20 ${language}`).join(', ')

t.test(
  'dates of a translated series that is moved alone leave their sets, and find them again',
  async (t) => {
    const { api, en, ca } = await pair(t)
    const { editor } = api
    t.equal(await linked(api, en), PAIRED('ca'))
    t.equal(await linked(api, ca), PAIRED('en'))
    await must(editor.patch(`/series/${en}`, { start_date: '2026-12-01 18:00:00' }))
    t.equal(await linked(api, en), '12-01 18, 12-08 18, 12-15 18, 12-22 18')
    t.equal(await linked(api, ca), '12-01 20, 12-08 20, 12-15 20, 12-22 20')
    t.same(
      (await must(editor.get(`/series/${en}`))).translations,
      { ca },
      'the series are translations as before',
    )
    await must(
      editor.patch(`/series/${en}`, { start_date: '2026-12-08 20:00:00', end_date: '2026-12-08 22:00:00' }),
    )
    t.equal(await linked(api, en), '12-08 20 ca, 12-15 20 ca, 12-22 20 ca, 12-29 20')
    t.equal(await linked(api, ca), '12-01 20, 12-08 20 en, 12-15 20 en, 12-22 20 en')
    await must(
      editor.patch(`/series/${ca}`, { start_date: '2026-12-08 20:00:00', end_date: '2026-12-08 22:00:00' }),
    )
    t.equal(await linked(api, en), '12-08 20 ca, 12-15 20 ca, 12-22 20 ca, 12-29 20 ca')
  },
)

t.test('what is begun with a later date alone is no translation, and its dates are none', async (t) => {
  const { api, en, ca } = await pair(t)
  const third = storedDates(api, en)[2]!
  const { series } = await must(api.editor.patch(`/events/${third.id}?apply_to=following`, { title: 'Band' }))
  t.equal(await linked(api, en), '12-01 20 ca, 12-08 20 ca')
  t.equal(await linked(api, series), '12-15 20, 12-22 20')
  t.equal(await linked(api, ca), '12-01 20 en, 12-08 20 en, 12-15 20, 12-22 20')
  t.same((await must(api.editor.get(`/series/${series}`))).translations, {})
})

t.test(
  'a series that is no translation any more takes its dates with it, and may change its language',
  async (t) => {
    const { api, en, ca } = await pair(t)
    const { editor } = api
    const [first] = storedDates(api, en)
    await must(editor.delete(`/events/${first!.id}`))
    await must(editor.patch(`/series/${ca}`, { translation_of: null }))
    t.equal(await linked(api, en), '12-08 20, 12-15 20, 12-22 20')
    t.equal(await linked(api, ca), '12-01 20, 12-08 20, 12-15 20, 12-22 20')
    await must(editor.patch(`/series/${ca}`, { i18n_language: 'en' }))
    t.equal(await linked(api, ca), '12-01 20, 12-08 20, 12-15 20, 12-22 20')
    await must(editor.patch(`/events/${first!.id}`, { status: 'publish' }))
    t.equal(await linked(api, en), '12-01 20, 12-08 20, 12-15 20, 12-22 20')
    await must(editor.patch(`/series/${ca}`, { i18n_language: 'es', translation_of: en }))
    t.equal(await linked(api, en), PAIRED('es'))
  },
)

t.test(
  'an event that repeats keeps its translation, which does not, until a series is there in its language',
  async (t) => {
    const api = await build(t)
    const { editor } = api
    const { recurrence, ...single } = WEEKLY
    const one = await must(editor.post('/events', single))
    const other = await must(
      editor.post('/events', { ...single, title: 'Cor', i18n_language: 'ca', translation_of: one.id }),
    )
    const { series } = await must(editor.patch(`/events/${one.id}`, { recurrence }))
    t.equal(await linked(api, series), '12-01 20 ca, 12-08 20, 12-15 20, 12-22 20')
    const body = { ...WEEKLY, title: 'Cor', i18n_language: 'ca', translation_of: series }
    const ca = await must(editor.post('/series', body))
    t.equal(await linked(api, ca.id), '12-01 20, 12-08 20 en, 12-15 20 en, 12-22 20 en')
    t.same((await must(editor.get(`/events/${one.id}`))).translations, { ca: other.id })
    await must(editor.patch(`/series/${series}`, { i18n_language: 'es' }))
    await must(editor.patch(`/series/${ca.id}`, { translation_of: null }))
    await must(editor.patch(`/series/${series}`, { i18n_language: 'ca' }))
    t.same((await must(editor.get(`/events/${one.id}`))).translations, {}, 'two of one language are no set')
  },
)
