import t from 'tap'
import { even, openRandom, type Random } from '../../../bench/seed/random.ts'
import { must } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { datesIn, printSpans, recurrenceIn, spanOf } from '../../support/icalendar.ts'

const WEEKLY = {
  title: 'Rehearsal',
  start_date: '2026-12-01 19:30:00',
  end_date: '2026-12-01 21:00:00',
  timezone: 'Europe/Madrid',
  recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=TU;COUNT=12' },
}

/** What editors do to a date of a series; some of it is refused because of what was done before. */
const EDITS: ((random: Random) => [method: 'patch' | 'delete', range: string, body?: object])[] = [
  (random) => ['patch', '', { title: `Title ${even(random, 9)}` }],
  (random) => [
    'patch',
    '',
    { start_date: `2027-0${1 + even(random, 9)}-15 18:00:00`, end_date: `2027-12-15 19:00:00` },
  ],
  () => ['patch', '', { overrides: [] }],
  () => ['delete', ''],
  (random) => ['patch', '?apply_to=all', { cost: String(even(random, 50)) }],
  (random) => ['patch', '?apply_to=following', { title: `Later ${even(random, 9)}` }],
  (random) => [
    'patch',
    '?apply_to=all',
    { recurrence: { rrule: `FREQ=WEEKLY;BYDAY=TU,TH;COUNT=${2 + even(random, 9)}` } },
  ],
  () => ['delete', '?apply_to=following'],
]

t.test(
  'whatever was done to series, their calendar has the dates of the list, and can be sent back',
  async (t) => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = openRandom(seed)
      const api = await build(t)
      const { anonymous, editor } = api
      await must(editor.post('/events', WEEKLY))
      for (let edit = 0; edit < 6; edit++) {
        const { events } = (await editor.get('/events?when=all&per_page=50')).body
        if (events.length === 0) break
        const [method, range, body] = EDITS[even(random, EDITS.length)]!(random)
        const { id } = events[even(random, events.length)]
        await editor[method](`/events/${id}${range}`, body)
        const list = (await anonymous.get('/events?when=all&per_page=50')).body.events
        const { text } = await anonymous.get('/events.ics?when=all')
        t.same(
          printSpans(datesIn(text)),
          printSpans(list.map(spanOf)),
          `${seed} ${method} ${range} ${JSON.stringify(body)}`,
        )
      }
      for (const { id } of (await anonymous.get('/series')).body.series) {
        const { text } = await anonymous.get(`/series/${id}.ics`)
        const { start, rrule, rdate, exdate } = recurrenceIn(text)
        const end_date = `${start.slice(0, 10)} 23:00:00`
        const sent = { ...WEEKLY, start_date: start, end_date, recurrence: { rrule, rdate, exdate } }
        const { series } = await must(editor.post('/events', sent))
        const datesOf = async (id: number) =>
          (await anonymous.get(`/events?series=${id}&when=all&per_page=50`)).body.events
            .map(({ recurrence_id }: { recurrence_id: string }) => recurrence_id)
            .sort()
        t.same(await datesOf(series), await datesOf(id), `${seed}: what is read is the same series`)
      }
    }
  },
)
