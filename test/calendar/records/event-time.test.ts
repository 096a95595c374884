import t, { type Test } from 'tap'
import { must, type Told } from '../../support/answers.ts'
import { openRecords, type Person } from '../../support/store.ts'

const open = (t: Test) => openRecords(t, { env: { TIMEZONE: 'America/New_York' } })

/** When an event takes place, as one text without the years; of a refusal the parameters at fault. */
const when = ({ status, body }: Told) => {
  if (status >= 300) return [status, body.code, ...Object.keys(body.data.params)].join(' ')
  const dates = [body.start_date, body.end_date, body.utc_start_date, body.utc_end_date]
  return [...dates.map((date) => date.slice(5)), body.timezone, body.timezone_abbr].join(' | ')
}
const create = async (editor: Person, sent: object) =>
  when(await editor.create('event', { title: 'x', ...sent }))
const START = '2027-06-01 20:00:00'
const END = '2027-06-01 22:00:00'
const times = { start_date: START, end_date: END }

t.test('a wall clock belongs to the zone of the event, an instant is converted to it', async (t) => {
  const { editor } = await open(t)
  const home = '06-01 20:00:00 | 06-01 22:00:00 | 06-02 00:00:00 | 06-02 02:00:00 | America/New_York | EDT'
  const madrid = '06-01 20:00:00 | 06-01 22:00:00 | 06-01 18:00:00 | 06-01 20:00:00 | Europe/Madrid | CEST'
  const nights = '11-21 00:00:00 | 11-22 00:00:00 | 11-21 05:00:00 | 11-22 05:00:00 | America/New_York | EST'
  const tokyo = '11-21 18:00:00 | 11-23 18:00:00 | 11-21 09:00:00 | 11-23 09:00:00 | Asia/Tokyo | JST'
  const moment = '06-01 00:00:00 | 06-01 00:00:00 | 06-01 00:00:00 | 06-01 00:00:00 | UTC | UTC'
  const cases: [start: string, end: string, timezone: string | undefined, shown: string][] = [
    [START, END, undefined, home],
    [START, END, '', home],
    [START, END, 'Europe/Madrid', madrid],
    [START, END, 'EUROPE/madrid', madrid],
    ['2027-06-01T20:00', '2027-06-01T22:00:00.5', 'Europe/Madrid', madrid],
    ['2027-06-01T18:00:00Z', '2027-06-01T20:00:00+00:00', 'Europe/Madrid', madrid],
    ['2027-06-01T14:00:00-0400', '2027-06-02T05:00+09:00', 'Europe/Madrid', madrid],
    ['1811872800', '1811880000', 'Europe/Madrid', madrid],
    ['2027-06-01T18:00:00Z', END, 'Europe/Madrid', madrid],
    ['today', 'tomorrow', undefined, nights],
    ['20270601T200000', 'June 1, 2027 at 10 pm', 'Europe/Madrid', madrid],
    ['now', '+2 days', 'Asia/Tokyo', tokyo],
    ['12/05/2027', END, undefined, '400 rest_invalid_param start_date'],
    ['2027-06-01', '2027-06-01', 'UTC', moment],
  ]
  for (const [start_date, end_date, timezone, shown] of cases)
    t.equal(
      await create(editor, { start_date, end_date, timezone }),
      shown,
      `${start_date} - ${end_date} ${timezone}`,
    )
})

t.test('zones keep the name of the tz database, offsets the form they were given in', async (t) => {
  const { editor } = await open(t)
  const cases: [given: string, stored: string, utc: string, abbreviation: string][] = [
    ['asia/kolkata', 'Asia/Kolkata', '2027-06-01 14:30:00', 'IST'],
    ['Asia/Calcutta', 'Asia/Calcutta', '2027-06-01 14:30:00', 'IST'],
    ['utc', 'UTC', START, 'UTC'],
    ['Z', 'Z', START, 'Z'],
    ['UTC+5.5', 'UTC+5.5', '2027-06-01 14:30:00', 'UTC+5.5'],
    ['UTC+5:30', 'UTC+5:30', '2027-06-01 14:30:00', 'UTC+5:30'],
    ['utc-3', 'UTC-3', '2027-06-01 23:00:00', 'UTC-3'],
    ['+05:30', '+05:30', '2027-06-01 14:30:00', 'GMT+0530'],
    ['-0500', '-0500', '2027-06-02 01:00:00', 'GMT-0500'],
    ['UTC+14', 'UTC+14', '2027-06-01 06:00:00', 'UTC+14'],
    ['-12:00', '-12:00', '2027-06-02 08:00:00', 'GMT-1200'],
    ['America/Sao_Paulo', 'America/Sao_Paulo', '2027-06-01 23:00:00', '-03'],
  ]
  for (const [timezone, stored, utc, abbreviation] of cases) {
    const { body } = await editor.create('event', { title: 'x', ...times, timezone })
    t.strictSame(
      [body.timezone, body.utc_start_date, body.timezone_abbr],
      [stored, utc, abbreviation],
      timezone,
    )
  }
})

t.test('clocks that do not exist move forward, those that exist twice are the first', async (t) => {
  const { editor } = await open(t)
  const timezone = 'Europe/Madrid' // 02:00 becomes 03:00 on 28 March 2027, 03:00 becomes 02:00 on 31 October
  const cases: [start: string, end: string, shown: string][] = [
    [
      '2027-03-28 01:30',
      '2027-03-28 02:30',
      '03-28 01:30:00 | 03-28 03:30:00 | 03-28 00:30:00 | 03-28 01:30:00 | Europe/Madrid | CET',
    ],
    [
      '2027-03-28 02:30',
      '2027-03-28 04:00',
      '03-28 03:30:00 | 03-28 04:00:00 | 03-28 01:30:00 | 03-28 02:00:00 | Europe/Madrid | CEST',
    ],
    [
      '2027-03-28 02:30',
      '2027-03-28 03:00',
      '03-28 03:30:00 | 03-28 03:30:00 | 03-28 01:30:00 | 03-28 01:30:00 | Europe/Madrid | CEST',
    ],
    [
      '2027-03-28 02:30',
      '2027-03-28 02:30',
      '03-28 03:30:00 | 03-28 03:30:00 | 03-28 01:30:00 | 03-28 01:30:00 | Europe/Madrid | CEST',
    ],
    ['2027-03-28 02:30', '2027-03-28 02:00', '400 rest_invalid_param end_date'],
    [
      '2027-10-31 01:30',
      '2027-10-31 02:30',
      '10-31 01:30:00 | 10-31 02:30:00 | 10-30 23:30:00 | 10-31 00:30:00 | Europe/Madrid | CEST',
    ],
    [
      '2027-10-31 02:59:59',
      '2027-10-31 03:00',
      '10-31 02:59:59 | 10-31 03:00:00 | 10-31 00:59:59 | 10-31 02:00:00 | Europe/Madrid | CEST',
    ],
  ]
  for (const [start_date, end_date, shown] of cases)
    t.equal(await create(editor, { start_date, end_date, timezone }), shown, `${start_date} - ${end_date}`)
})

t.test('whole days reach from 00:00:00 to 23:59:59 of the zone of the event', async (t) => {
  const { editor } = await open(t)
  const cases: [sent: object, shown: string][] = [
    [
      { start_date: START, end_date: END },
      '06-01 00:00:00 | 06-01 23:59:59 | 06-01 04:00:00 | 06-02 03:59:59 | America/New_York | EDT',
    ],
    [
      { start_date: '2027-06-01', end_date: '2027-06-03' },
      '06-01 00:00:00 | 06-03 23:59:59 | 06-01 04:00:00 | 06-04 03:59:59 | America/New_York | EDT',
    ],
    [
      { start_date: END, end_date: START },
      '06-01 00:00:00 | 06-01 23:59:59 | 06-01 04:00:00 | 06-02 03:59:59 | America/New_York | EDT',
    ],
    [{ start_date: '2027-06-02', end_date: '2027-06-01' }, '400 rest_invalid_param end_date'],
    [
      { start_date: '2027-06-01T22:30:00Z', end_date: '2027-06-01T22:30:00Z', timezone: 'Europe/Madrid' },
      '06-02 00:00:00 | 06-02 23:59:59 | 06-01 22:00:00 | 06-02 21:59:59 | Europe/Madrid | CEST',
    ],
  ]
  for (const [sent, shown] of cases)
    t.equal(await create(editor, { ...sent, all_day: true }), shown, JSON.stringify(sent))
})

t.test('an update changes the dates that it names, and computes the rest anew', async (t) => {
  const { editor } = await open(t)
  const ny = 'America/New_York | EDT'
  const steps: [sent: object, shown: string, all_day: boolean][] = [
    [
      { start_date: '2027-06-01 21:00' },
      `06-01 21:00:00 | 06-01 22:00:00 | 06-02 01:00:00 | 06-02 02:00:00 | ${ny}`,
      false,
    ],
    [
      { end_date: '2027-06-01 23:00' },
      `06-01 21:00:00 | 06-01 23:00:00 | 06-02 01:00:00 | 06-02 03:00:00 | ${ny}`,
      false,
    ],
    [
      { start_date: '2027-06-02T02:00:00Z' },
      `06-01 22:00:00 | 06-01 23:00:00 | 06-02 02:00:00 | 06-02 03:00:00 | ${ny}`,
      false,
    ],
    [
      { timezone: 'Europe/Madrid' },
      '06-01 22:00:00 | 06-01 23:00:00 | 06-01 20:00:00 | 06-01 21:00:00 | Europe/Madrid | CEST',
      false,
    ],
    [
      { title: 'y' },
      '06-01 22:00:00 | 06-01 23:00:00 | 06-01 20:00:00 | 06-01 21:00:00 | Europe/Madrid | CEST',
      false,
    ],
    [
      { all_day: true },
      '06-01 00:00:00 | 06-01 23:59:59 | 05-31 22:00:00 | 06-01 21:59:59 | Europe/Madrid | CEST',
      true,
    ],
    [
      { timezone: 'UTC' },
      '06-01 00:00:00 | 06-01 23:59:59 | 06-01 00:00:00 | 06-01 23:59:59 | UTC | UTC',
      true,
    ],
    [{ title: 'z' }, '06-01 00:00:00 | 06-01 23:59:59 | 06-01 00:00:00 | 06-01 23:59:59 | UTC | UTC', true],
    [
      { end_date: '2027-06-02 10:00', all_day: true },
      '06-01 00:00:00 | 06-02 23:59:59 | 06-01 00:00:00 | 06-02 23:59:59 | UTC | UTC',
      true,
    ],
    [
      { end_date: '2027-06-02 10:00' },
      '06-01 00:00:00 | 06-02 10:00:00 | 06-01 00:00:00 | 06-02 10:00:00 | UTC | UTC',
      false,
    ],
    [
      { all_day: true, timezone: 'Asia/Tokyo' },
      '06-01 00:00:00 | 06-02 23:59:59 | 05-31 15:00:00 | 06-02 14:59:59 | Asia/Tokyo | JST',
      true,
    ],
    [
      { all_day: false },
      '06-01 00:00:00 | 06-02 23:59:59 | 05-31 15:00:00 | 06-02 14:59:59 | Asia/Tokyo | JST',
      false,
    ],
    [
      { start_date: START, end_date: END, timezone: null },
      `06-01 20:00:00 | 06-01 22:00:00 | 06-02 00:00:00 | 06-02 02:00:00 | ${ny}`,
      false,
    ],
    [{ end_date: START }, `06-01 20:00:00 | 06-01 20:00:00 | 06-02 00:00:00 | 06-02 00:00:00 | ${ny}`, false],
  ]
  for (const by of ['id', 'slug'] as const) {
    const { id, slug } = await must(editor.create('event', { title: 'x', ...times }))
    for (const [sent, shown, all_day] of steps) {
      const answer = await editor.change('event', by === 'id' ? id : slug, sent)
      t.equal(when(answer), shown, `${by} ${JSON.stringify(sent)}`)
      t.equal(answer.body.all_day, all_day)
    }
  }
})

t.test('an end before the start is refused, and nothing is changed', async (t) => {
  const { editor, fingerprint } = await open(t)
  const { id } = await must(editor.create('event', { title: 'x', ...times }))
  const before = fingerprint()
  const refused = '400 rest_invalid_param end_date'
  t.equal(await create(editor, { start_date: END, end_date: START }), refused)
  t.equal(
    await create(editor, { start_date: '2027-06-01T20:00:00Z', end_date: '2027-06-01T21:00:00+02:00' }),
    refused,
  )
  for (const sent of [
    { end_date: '2027-06-01 19:59:59' },
    { start_date: '2027-06-01 22:00:01' },
    { start_date: '+1 year', end_date: 'now' },
  ]) {
    t.equal(when(await editor.change('event', id, sent)), refused, JSON.stringify(sent))
    t.equal(when(await editor.change('event', 'x', sent)), refused)
  }
  t.equal(
    await create(editor, { start_date: END, end_date: START, author: 999 }),
    '400 rest_invalid_param author end_date',
  )
  t.equal(fingerprint(), before)
})

t.test('words count from the clock of the service, in the zone of the event', async (t) => {
  const { editor, clock } = await open(t)
  clock.now = Date.parse('2027-06-01T23:30:00Z')
  const shown = '06-02 00:00:00 | 06-02 09:30:00 | 06-01 15:00:00 | 06-02 00:30:00 | Asia/Tokyo | JST'
  t.equal(await create(editor, { start_date: 'today', end_date: '+1 hour', timezone: 'Asia/Tokyo' }), shown)
})
