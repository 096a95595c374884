import t from 'tap'
import { must, shown } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT } from '../../support/app.ts'

const at = (day: string, more: object) => ({
  ...EVENT,
  start_date: `2026-12-${day} 18:00:00`,
  end_date: `2026-12-${day} 19:00:00`,
  ...more,
})
const add = (api: Api, day: string, title: string, rrule?: string, more = {}) =>
  must(api.editor.post('/events', at(day, { title, ...(rrule && { recurrence: { rrule } }), ...more })))
/** The titles and days of a list, with how many dates each event stands for. */
const listed = ({ body }: Answer) =>
  body.events.map((event: { title: string; start_date: string; occurrences?: number }) =>
    [event.title, event.start_date.slice(5, 10), event.occurrences].filter(Boolean).join(' '),
  )
const ONE = '/events?expand=false'

t.test('each series is listed once, with the number of its dates', async (t) => {
  const api = await build(t)
  await add(api, '02', 'Talk')
  await add(api, '01', 'Yoga', 'FREQ=DAILY;COUNT=20')
  const choir = await add(api, '03', 'Choir', 'FREQ=WEEKLY;COUNT=4', { categories: ['Music'] })
  const get = async (query: string) => listed(await api.anonymous.get(`${ONE}${query}`))
  t.same(await get(''), ['Yoga 12-01 20', 'Talk 12-02', 'Choir 12-03 4'])
  t.equal((await api.anonymous.get(ONE)).body.total, 3)
  t.same(await get('&per_page=1&page=2'), ['Talk 12-02'])
  t.same(await get('&start_date=2026-12-10'), ['Yoga 12-10 11', 'Choir 12-10 3'], 'within the window')
  t.same(
    await get('&starts_after=2026-12-10T18:00:00&strict_dates=true'),
    ['Yoga 12-11 10', 'Choir 12-17 2'],
    'to the second',
  )
  t.same(await get('&order=desc'), ['Choir 12-24 4', 'Yoga 12-20 20', 'Talk 12-02'], 'back in time the last')
  t.same(await get('&orderby=end&order=desc'), ['Choir 12-24 4', 'Yoga 12-20 20', 'Talk 12-02'])
  t.same(await get('&orderby=title'), ['Choir 12-03 4', 'Talk 12-02', 'Yoga 12-01 20'])
  t.same(await get('&orderby=title&order=desc'), ['Yoga 12-01 20', 'Talk 12-02', 'Choir 12-03 4'])
  t.same(await get('&categories=music&search=choir'), ['Choir 12-03 4'])
  t.same(await get(`&series=${choir.series}`), ['Choir 12-03 4'])
  const ids = (await api.anonymous.get(`/events?series=${choir.series}`)).body.events.map(
    ({ id }: { id: number }) => id,
  )
  t.same(await get(`&include=${ids.slice(1)}`), ['Choir 12-10 3'], 'of those that are named')
  t.same(await get('&_fields=events.title,events.occurrences,events.start_date'), await get(''))
  t.match((await api.anonymous.get(`${ONE}&per_page=1`)).body.next_rest_url, 'expand=false')
})

t.test('without it every date is listed, and none says how many there are', async (t) => {
  const api = await build(t)
  await add(api, '01', 'Yoga', 'FREQ=DAILY;COUNT=3')
  for (const path of ['/events', '/events?expand=true'])
    t.same(listed(await api.anonymous.get(path)), ['Yoga 12-01', 'Yoga 12-02', 'Yoga 12-03'], path)
  t.equal(
    (await api.anonymous.get('/changes?kind=event&expand=false')).status,
    400,
    'changes are told of each',
  )
  t.equal(shown(await api.anonymous.get('/events?expand=perhaps')), '400 rest_invalid_param expand')
})

t.test('the list follows what is written', async (t) => {
  const api = await build(t)
  const talk = await add(api, '09', 'Talk')
  const first = await add(api, '01', 'Yoga', 'FREQ=DAILY;COUNT=5')
  const get = async () => listed(await api.anonymous.get(ONE))
  t.same(await get(), ['Yoga 12-01 5', 'Talk 12-09'])
  await must(api.editor.patch(`/events/${talk.id}`, { title: 'Debate' }))
  t.same(await get(), ['Yoga 12-01 5', 'Debate 12-09'])
  await must(api.editor.delete(`/events/${first.id}`))
  t.same(await get(), ['Yoga 12-02 4', 'Debate 12-09'], 'the next one stands for the series')
  await add(api, '04', 'Play')
  t.same(await get(), ['Yoga 12-02 4', 'Play 12-04', 'Debate 12-09'])
  const [second] = (await api.anonymous.get('/events')).body.events
  await must(
    api.editor.patch(`/events/${second.id}`, {
      title: 'Late yoga',
      start_date: '2026-12-08 20:00:00',
      end_date: '2026-12-08 21:00:00',
    }),
  )
  t.same(await get(), ['Yoga 12-03 4', 'Play 12-04', 'Debate 12-09'])
  await must(api.editor.delete(`/events/${talk.id}?force=true`))
  await add(api, '06', 'Choir', 'FREQ=WEEKLY;COUNT=2')
  t.same(await get(), ['Yoga 12-03 4', 'Play 12-04', 'Choir 12-06 2'])
})

t.test('an event below another one is no date of a series', async (t) => {
  const api = await build(t)
  const festival = await add(api, '01', 'Festival')
  await add(api, '02', 'Concert', undefined, { post_parent: festival.id })
  await add(api, '03', 'Dance', undefined, { post_parent: festival.id })
  t.same(listed(await api.anonymous.get(ONE)), ['Festival 12-01', 'Concert 12-02', 'Dance 12-03'])
})
