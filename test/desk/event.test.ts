import t from 'tap'
import {
  daysToCopy,
  duplicate,
  type EventForm,
  emptyForm,
  endingAt,
  fieldOf,
  hourFrom,
  toBody,
  toForm,
  withoutReason,
} from '../../desk/rules/event.ts'
import { must } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'

const FULL = {
  ...EVENT,
  ...{ excerpt: 'Loud & "late"', cost: '5', tags: ['late'], categories: ['Music'], featured: true },
  ...{ venue: { venue: 'Hall' }, organizer: [{ organizer: 'Band' }, { organizer: 'Club' }] },
}
/** Every name of a form. */
const namesOf = (form: EventForm) => Object.keys(form) as (keyof EventForm)[]

t.test('an event that is opened and sent as it stands comes out as it was', async (t) => {
  const { editor } = await build(t)
  for (const more of [{}, { all_day: true }, { status: 'draft' }]) {
    const {
      modified: _,
      modified_utc: __,
      ...before
    } = await must(editor.post('/events', { ...FULL, ...more }))
    const form = toForm(before)
    t.equal(form.excerpt, 'Loud & "late"')
    const after = await must(editor.patch(`/events/${before.id}`, toBody(form, namesOf(form))))
    t.match(after, before)
  }
})

t.test('an event of one day stays one when it ends at another time, also in the night', (t) => {
  const form = (start_time: string, end_day: string, end_time: string) => ({
    ...emptyForm('2026-12-04', 'Europe/Madrid', 'en'),
    ...{ start_time, end_day: `2026-12-${end_day}`, end_time },
  })
  for (const [start, day, end, next, ends] of [
    ['20:00', '04', '22:00', '23:30', '04'],
    ['20:00', '04', '22:00', '02:00', '05'],
    ['22:00', '05', '02:00', '03:00', '05'],
    ['22:00', '05', '02:00', '23:30', '04'],
    ['22:00', '05', '02:00', '00:00', '05'],
    // too long for a night: whoever types it is told that it ends before it begins
    ['20:00', '04', '22:00', '10:00', '04'],
    ['02:00', '04', '04:00', '05:00', '04'],
    // several days
    ['20:00', '06', '22:00', '02:00', '06'],
  ] as const)
    t.same(
      { end_day: `2026-12-${day}`, ...endingAt(form(start, day, end), next) },
      { end_day: `2026-12-${ends}`, end_time: next },
      `${start} to ${next}`,
    )
  t.end()
})

t.test('translations lack a reason that share the state, where another language has one', (t) => {
  const of = (event_status: string, event_status_reason = '') => ({ event_status, event_status_reason })
  const ill = of('cancelled', 'The singer is ill.')
  t.same(withoutReason(ill, [of('cancelled'), of('cancelled', 'Malalta.'), of('scheduled')]), [
    of('cancelled'),
  ])
  t.same(withoutReason(of('cancelled'), [of('cancelled'), ill]), [of('cancelled')])
  t.same(withoutReason(of('cancelled'), [of('cancelled'), of('postponed', 'Later.')]), [], 'nobody gives one')
  t.same(withoutReason(of('scheduled'), [of('scheduled')]), [])
  t.end()
})

t.test('only what was changed is sent, and dates together', async (t) => {
  const form = { ...emptyForm('2026-12-04', 'Europe/Madrid', 'en'), title: 'Jam', image: { id: 7, url: 'x' } }
  t.same(toBody(form, []), {})
  t.same(toBody(form, ['title', 'slug', 'image', 'language']), {
    title: 'Jam',
    image: 7,
    i18n_language: 'en',
  })
  t.same(toBody({ ...form, image: null }, ['image']), { image: '' })
  t.same(toBody(form, ['end_time']), {
    ...{ start_date: '2026-12-04 20:00:00', end_date: '2026-12-04 22:00:00' },
    ...{ all_day: false, timezone: 'Europe/Madrid' },
  })
  t.match(toBody({ ...form, all_day: true }, ['all_day']), {
    ...{ start_date: '2026-12-04 00:00:00', end_date: '2026-12-04 23:59:59', all_day: true },
  })
  const terms = [
    { id: 3, name: 'old' },
    { id: 0, name: 'new' },
  ]
  t.same(toBody({ ...form, tags: terms, venue: terms }, ['tags', 'venue']), {
    tags: [3, 'new'],
    venue: [3, 0],
  })
  t.same(toBody({ ...form, status: 'future', date: '2026-12-01T09:00' }, ['date']), {
    ...{ status: 'publish', date: '2026-12-01 09:00:00' },
  })
})

t.test('a scheduled event shows when, a picture its medium size, and other texts their HTML', async (t) => {
  const { administrator } = await build(t)
  const record = await must(
    administrator.post('/events', { ...FULL, date: '2030-01-01 10:00:00', excerpt: '<b>x</b>' }),
  )
  const form = toForm({ ...record, image: { id: 1, url: '/a.png', sizes: { medium: { url: '/b.png' } } } })
  t.match(form, { status: 'future', date: '2030-01-01T10:00', image: { id: 1, url: '/b.png' } })
  t.equal(form.excerpt, '<p><b>x</b></p>')
  t.equal(
    toForm({ ...record, image: { id: 1, url: '/a.png' }, excerpt: '<p>1 &lt; 2</p>' }).image!.url,
    '/a.png',
  )
  t.equal(toForm({ ...record, venue: [] }).venue.length, 0)
  const copy = duplicate(form, 7)
  t.match(copy, { status: 'draft', slug: '', date: '', event_status: 'scheduled', author: '' })
  t.not(copy.start_day, form.start_day)
  t.same([fieldOf('start_date'), fieldOf('title')], ['start_day', 'title'])
})

t.test('a copy is a week later, or on the first such weekday that is still to come', async (t) => {
  for (const [day, expected] of [
    ['2026-12-04', 7],
    ['2026-11-21', 7],
    ['2026-11-20', 7],
    ['2026-11-14', 14],
    ['2026-11-13', 14],
    ['2026-10-31', 28],
  ] as const)
    t.equal(daysToCopy(day, '2026-11-21'), expected, day)
})

t.test('an owner is sent by ID, and that an event is protected is not sent', async (t) => {
  const { editor } = await build(t)
  const form = toForm(await must(editor.post('/events', { ...EVENT, password: 'sesame' })))
  t.equal(form.protected, true)
  t.same(toBody({ ...form, author: '3' }, ['author', 'protected']), { author: 3 })
  t.same(toBody(emptyForm('2026-12-04', 'Europe/Madrid', 'en'), ['author', 'protected']), {})
  t.equal(duplicate(form, 7).protected, false)
})

t.test('an event that begins at a time of day lasts an hour, also into the next day', async (t) => {
  t.same(hourFrom('2026-11-25', '19:30'), { start_time: '19:30', end_day: '2026-11-25', end_time: '20:30' })
  t.same(hourFrom('2026-12-31', '23:30'), { start_time: '23:30', end_day: '2027-01-01', end_time: '00:30' })
  for (const wrong of [undefined, '', '24:00', '9:00', '19:30:00', 'noon'])
    t.same(hourFrom('2026-11-25', wrong), {}, String(wrong))
})
