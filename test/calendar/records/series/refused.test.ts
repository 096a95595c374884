import t from 'tap'
import { must } from '../../../support/answers.ts'
import { type Answer, build } from '../../../support/app.ts'
import { documentOf } from '../../../support/document.ts'
import { storedDates, WEEKLY } from '../../../support/series.ts'

/** What is wrong with a recurrence, and the part that is told. */
const WRONG: [recurrence: unknown, part: string, told: RegExp, more?: object][] = [
  [{ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'recurrence.rrule', /must give a date/],
  [{ rrule: 'FREQ=DAILY;COUNT=1501' }, 'recurrence.rrule.COUNT', /1500/],
  [{ rrule: 'FREQ=DAILY;BYHOUR=0,6,12,20' }, 'recurrence.rrule', /at most 1500 dates/],
  [{ rrule: 'FREQ=WEEKLY;COUNT=3;UNTIL=20270101T000000' }, 'recurrence.rrule.COUNT', /UNTIL/],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=1TU' }, 'recurrence.rrule.BYDAY', /./],
  [{ rrule: 'FREQ=HOURLY' }, 'recurrence.rrule.FREQ', /DAILY/],
  [{ rrule: 'every Tuesday' }, 'recurrence.rrule', /FREQ=WEEKLY/],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=FR' }, 'start_date', /2026-12-04 20:00:00/],
  [
    { rrule: 'FREQ=WEEKLY;COUNT=2', exdate: ['2026-12-01 20:00:00', '2026-12-08 20:00:00'] },
    'recurrence.exdate',
    /must leave/,
  ],
  [{ rdate: ['20261224T170000Z'] }, 'recurrence.rdate[0]', /2026-12-24 18:00:00/],
  [{ rdate: ['2026-12-24'] }, 'recurrence.rdate[0]', /must have a time/],
  [{ rdate: ['Christmas'] }, 'recurrence.rdate[0]', /2027-05-14 20:00:00/],
  [
    { rrule: 'FREQ=YEARLY;INTERVAL=9999;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYSETPOS=5' },
    'recurrence.rrule',
    /must give a date/,
  ],
  [{}, 'recurrence', /rrule, or dates/],
  ['FREQ=DAILY', 'recurrence', /must be an object/],
  [{ rrule: 7 }, 'recurrence', /rrule must be a string/],
  [{ rrule: 'FREQ=DAILY;COUNT=2', rdate: { a: 1 } }, 'recurrence', /rdate must be a list/],
  [{ rule: 'FREQ=DAILY;COUNT=2' }, 'recurrence', /must not have "rule"/],
]

t.test('a recurrence that can not be meant is refused by its part, and nothing is written', async (t) => {
  const { editor, fingerprint } = await build(t)
  const { recurrence: _, ...single } = WEEKLY
  const event = await must(editor.post('/events', single))
  const series = await must(editor.post('/series', { ...WEEKLY, title: 'Band' }))
  const before = await fingerprint()
  const told = ({ status, body }: Answer) => [status, body.code, body.data?.params]
  for (const [recurrence, part, message] of WRONG) {
    for (const answer of [
      await editor.post('/events', { ...WEEKLY, recurrence }),
      await editor.post('/series', { ...WEEKLY, recurrence }),
      await editor.patch(`/events/${event.id}`, { recurrence }),
      await editor.patch(`/series/${series.id}`, { recurrence }),
    ])
      t.match(told(answer), [400, 'rest_invalid_param', { [part]: message }], JSON.stringify(recurrence))
  }
  t.match(told(await editor.post('/series', { ...WEEKLY, recurrence: null })), [400])
  t.match(told(await editor.post('/series', { ...WEEKLY, recurrence: undefined })), [400])
  t.match(told(await editor.patch(`/series/${series.id}`, { recurrence: null })), [
    400,
    'rest_invalid_param',
    { recurrence: /must be a recurrence/ },
  ])
  t.match(
    told(
      await editor.patch(`/series/${series.id}`, {
        start_date: '2026-12-02 20:00:00',
        end_date: '2026-12-02 21:00:00',
        recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU' },
      }),
    ),
    [400, 'rest_invalid_param', { start_date: /2026-12-08/ }],
  )
  t.match(told(await editor.post('/events', { ...WEEKLY, venue: 99 })), [
    400,
    'rest_invalid_param',
    { venue: /99/ },
  ])
  t.match(
    told(await editor.post('/series', { ...WEEKLY, recurrence: { rrule: 'FREQ=HOURLY' }, title: '' })),
    [400, 'rest_invalid_param'],
  )
  t.match(told(await editor.post('/events', { ...WEEKLY, post_parent: event.id })), [
    400,
    'rest_invalid_param',
    { post_parent: /must not be sent/ },
  ])
  const short = { end_date: '2026-12-01 19:00:00' }
  for (const answer of [
    await editor.post('/events', { ...WEEKLY, ...short }),
    await editor.patch(`/events/${event.id}`, { ...short, recurrence: WEEKLY.recurrence }),
    await editor.patch(`/series/${series.id}`, short),
  ])
    t.match(told(answer), [400, 'rest_invalid_param', { end_date: /must not lie before/ }])
  t.match(told(await editor.post('/events', { ...WEEKLY, status: 'trash' })), [
    ...[400, 'rest_invalid_param', { status: /must not be trash/ }],
  ])
  t.equal(await fingerprint(), before)
})

t.test('what is to be done to dates is refused where there are none, or one is not enough', async (t) => {
  const api = await build(t)
  const { editor, fingerprint } = api
  const { recurrence, ...single } = WEEKLY
  const event = await must(editor.post('/events', single))
  const made = await must(editor.post('/events', WEEKLY))
  const [date] = storedDates(api, made.series)
  const before = await fingerprint()
  for (const range of ['following', 'all'])
    for (const answer of [
      await editor.patch(`/events/${event.id}?apply_to=${range}`, { title: 'x' }),
      await editor.delete(`/events/${event.id}?apply_to=${range}`),
      await editor.delete(`/events/${event.id}?force=true&apply_to=${range}`),
    ])
      t.match(answer, { status: 400, body: { data: { params: { apply_to: /must be this/ } } } })
  t.match(await editor.patch(`/events/${event.id}?apply_to=some`, {}), { status: 400 })
  for (const [body, name, told] of [
    [{ recurrence }, 'recurrence', /apply_to=following/],
    [{ post_parent: event.id }, 'post_parent', /must be \d+, the series/],
    [{ i18n_language: 'ca' }, 'i18n_language', /must be en/],
    [{ translation_of: event.id }, 'translation_of', /\/series\/\d+/],
    [{ overrides: { a: 1 } }, 'overrides', /list of names/],
    [{ overrides: Array(101).fill('title') }, 'overrides', /./],
    [{ overrides: 'title,'.repeat(101) }, 'overrides', /./],
  ] as const)
    t.match(await editor.patch(`/events/${date!.id}`, body), {
      status: 400,
      body: { data: { params: { [name]: told } } },
    })
  t.match(await editor.patch(`/events/${date!.id}`, { recurrence, start_date: 'never' }), {
    status: 400,
    body: { data: { params: { recurrence: /apply_to/, start_date: /./ } } },
  })
  t.match(
    await editor.patch(`/events/${date!.id}?apply_to=all`, {
      start_date: '2026-12-02 20:00:00',
      end_date: '2026-12-02 22:00:00',
      recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU' },
    }),
    { status: 400 },
  )
  t.equal(await fingerprint(), before)
  const sent = { post_parent: made.series, i18n_language: 'en', translation_of: null, apply_to: 'all' }
  t.match(
    await must(editor.patch(`/events/${date!.id}`, { ...sent, title: 'One' })),
    { overrides: ['title'] },
    'apply_to is of the address',
  )
})

t.test('a rule may be as long as the document says', async (t) => {
  const { app, editor } = await build(t)
  const longest = Number(documentOf(app).components.schemas.RecurrenceInput!.properties!.rrule!.maxLength)
  const days = Array.from({ length: 366 }, (_, at) => at + 1).join()
  const rule = `FREQ=YEARLY;BYHOUR=20;COUNT=2;BYYEARDAY=${days}`
  const filled = `${rule},${'366,'.repeat(longest)}`.slice(0, longest - 1)
  const sent = (text: string) => editor.post('/series', { ...WEEKLY, recurrence: { rrule: text } })
  await must(sent(`${filled.slice(0, filled.lastIndexOf(',')).padEnd(longest)}`))
  t.match((await sent(rule.padEnd(longest + 1))).body.data.params, {
    'recurrence.rrule': `must have at most ${longest} characters.`,
  })
})
