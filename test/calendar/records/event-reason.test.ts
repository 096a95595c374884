import t from 'tap'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { WEEKLY } from '../../support/series.ts'
import { openRecords } from '../../support/store.ts'

const ILL = { event_status: 'cancelled', event_status_reason: 'The singer is ill.' }
const FRIDAY = { start_date: '2026-12-04 20:00:00', end_date: '2026-12-04 22:00:00' }
const SATURDAY = { start_date: '2026-12-05 18:00:00', end_date: '2026-12-05 20:00:00' }
const SUNDAY = { start_date: '2026-12-06 18:00:00', end_date: '2026-12-06 20:00:00' }

t.test('the reason of a state is plain text, kept until another one is sent', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const { id, ...event } = await must(editor.create('event', EVENT))
  t.equal(event.event_status_reason, '')
  for (const [sent, reason] of [
    [
      { event_status_reason: ' The <b>singer</b> is ill &amp; the band too. ' },
      'The singer is ill & the band too.',
    ],
    [{ event_status: 'cancelled' }, 'The singer is ill & the band too.'],
    [{ event_status: 'scheduled' }, 'The singer is ill & the band too.'],
    [{ event_status_reason: 'x'.repeat(1000) }, 'x'.repeat(1000)],
    [{ event_status_reason: null }, ''],
    [ILL, ILL.event_status_reason],
    [{ event_status_reason: '' }, ''],
  ] as const) {
    t.equal((await must(editor.change('event', id, sent))).event_status_reason, reason)
    t.equal((await anonymous.read('event', id)).body.event_status_reason, reason)
  }
  t.match(await must(editor.create('event', { ...EVENT, ...ILL })), ILL)
})

t.test('a reason that is too long, or no text, is refused, and nothing is written', async (t) => {
  const api = await openRecords(t)
  const { id } = await must(api.editor.create('event', { ...EVENT, ...ILL }))
  const before = api.fingerprint()
  for (const event_status_reason of ['x'.repeat(1001), 5, ['x']])
    for (const answer of [
      await api.editor.create('event', { ...EVENT, event_status_reason }),
      await api.editor.change('event', id, { event_status_reason }),
    ])
      t.equal(shown(answer), '400 rest_invalid_param event_status_reason')
  t.equal(api.fingerprint(), before)
})

t.test('a password keeps the reason to those who have it, and each language has its own', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const { id } = await must(editor.create('event', { ...EVENT, ...ILL, password: 'sesame' }))
  t.match((await anonymous.list('event')).body.events, [
    { event_status: 'cancelled', event_status_reason: '' },
  ])
  t.match((await anonymous.read('event', id, 'password=sesame')).body, ILL)
  const other = { title: 'Concert', i18n_language: 'ca', translation_of: id }
  const made = await must(editor.create('event', other))
  t.match(made, { event_status: 'cancelled', event_status_reason: '' })
  await must(editor.change('event', made.id, { event_status_reason: 'Està malalt.' }, 'translations=all'))
  t.match(await must(editor.read('event', id)), ILL)
})

t.test('a rescheduled event tells the first date that it had, until its state is another one', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const zone = { timezone: 'Europe/Madrid' }
  const { id } = await must(
    editor.create('event', { ...EVENT, ...FRIDAY, ...zone, previous_start_date: 'x' }),
  )
  const steps: [sent: object, former: string][] = [
    [{ title: 'Concert' }, ''],
    [{ ...FRIDAY, start_date: '2026-12-04 19:00:00' }, ''],
    [FRIDAY, ''],
    [{ event_status: 'postponed' }, ''],
    [{ event_status: 'rescheduled', ...SATURDAY }, FRIDAY.start_date],
    [{ title: 'Late concert' }, FRIDAY.start_date],
    [SUNDAY, FRIDAY.start_date],
    [{ timezone: 'Europe/London' }, '2026-12-04 19:00:00'],
    [{ ...SUNDAY, ...zone }, FRIDAY.start_date],
    [FRIDAY, ''],
    [SATURDAY, FRIDAY.start_date],
    [{ event_status: 'scheduled' }, ''],
    [{ event_status: 'rescheduled' }, ''],
    [SUNDAY, SATURDAY.start_date],
  ]
  for (const [sent, former] of steps) {
    const written = await must(editor.change('event', id, sent))
    t.equal(written.previous_start_date, former, JSON.stringify(sent))
    t.equal((await anonymous.read('event', id)).body.previous_start_date, former)
  }
  const put = await editor.change('event', id, {
    ...SUNDAY,
    title: 'A',
    previous_start_date: '2026-01-01 00:00:00',
  })
  t.equal(put.body.previous_start_date, SATURDAY.start_date, 'nobody else sets it')
})

t.test('a date of a series has a reason and a former date of its own', async (t) => {
  const { editor } = await openRecords(t)
  const { series } = await must(editor.create('event', WEEKLY))
  const datesNow = async () => (await must(editor.list('event', `series=${series}`))).events
  const [first, second] = await datesNow()
  const moved = { event_status: 'rescheduled', event_status_reason: 'The hall is flooded.' }
  const day = { start_date: '2026-12-09 20:00:00', end_date: '2026-12-09 22:00:00' }
  const own = await must(editor.change('event', second.id, { ...moved, ...day }))
  t.match(own, { ...moved, previous_start_date: '2026-12-08 20:00:00' })
  t.match(own.overrides, ['start_date', 'event_status', 'event_status_reason'])
  await must(
    editor.change('event', first.id, { event_status_reason: 'Come early.', cost: '5' }, 'apply_to=all'),
  )
  t.match(
    (await datesNow()).map((date: Record<string, string>) => [
      date.event_status_reason,
      date.previous_start_date,
    ]),
    [
      ['Come early.', ''],
      [moved.event_status_reason, '2026-12-08 20:00:00'],
      ['Come early.', ''],
      ['Come early.', ''],
    ],
  )

  // all of them move by a day, and each tells its own former date
  const later = { start_date: '2026-12-02 20:00:00', end_date: '2026-12-02 22:00:00' }
  await must(editor.change('event', first.id, { event_status: 'rescheduled', ...later }, 'apply_to=all'))
  const days = (await datesNow()).map(({ previous_start_date: at }: Record<string, string>) =>
    at!.slice(5, 10),
  )
  t.same(days, ['12-01', '12-08', '12-15', '12-22'])
  t.match(await must(editor.read('series', series)), { previous_start_date: '2026-12-01 20:00:00' })
  const back = await must(editor.change('event', second.id, { event_status: 'scheduled' }))
  t.equal(back.previous_start_date, '')

  // the series that begins with one of them was never at another date
  const next = await must(
    editor.change('event', (await datesNow())[2].id, { title: 'Choir II' }, 'apply_to=following'),
  )
  t.match(await must(editor.read('series', next.series)), { previous_start_date: '' })
  t.equal(next.previous_start_date, '2026-12-15 20:00:00')
})
