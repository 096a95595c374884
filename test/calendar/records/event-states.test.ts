import t from 'tap'
import { EVENT_STATES } from '../../../schemas/event-states.ts'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

const PLAIN = { event_status: 'scheduled', attendance_mode: 'offline', virtual_url: '' }
const LIVE = {
  event_status: 'moved_online',
  attendance_mode: 'online',
  virtual_url: 'https://live.example/a',
}
const only = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(PLAIN).map((name) => [name, record[name]]))

t.test('the states of an event are stored, kept, changed and cleared one by one', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const event = await must(editor.create('event', EVENT))
  t.strictSame(only(event), PLAIN)
  const steps: [sent: object, shown: object][] = [
    [LIVE, LIVE],
    [{ title: 'Renamed' }, LIVE],
    [{ event_status: 'cancelled' }, { ...LIVE, event_status: 'cancelled' }],
    [{ attendance_mode: 'mixed' }, { ...LIVE, event_status: 'cancelled', attendance_mode: 'mixed' }],
    [{ event_status: null }, { ...LIVE, event_status: 'scheduled', attendance_mode: 'mixed' }],
    [
      { event_status: 'postponed', virtual_url: '' },
      { event_status: 'postponed', attendance_mode: 'mixed', virtual_url: '' },
    ],
    [
      { virtual_url: ' HTTPS://live.example/b?c=1#d ' },
      { event_status: 'postponed', attendance_mode: 'mixed', virtual_url: 'HTTPS://live.example/b?c=1#d' },
    ],
    [{ event_status: null, attendance_mode: null, virtual_url: null }, PLAIN],
  ]
  for (const [sent, wanted] of steps) {
    t.strictSame(only(await must(editor.change('event', event.id, sent))), wanted, JSON.stringify(sent))
    const read = (await anonymous.read('event', event.id)).body
    t.strictSame(only(read), wanted)
    const { modified, modified_utc, ...rest } = await must(editor.change('event', event.slug, read))
    t.match(read, rest, 'what is shown is taken back')
  }
})

t.test('every value of a state is taken on create, and neither a venue nor a URL is asked for', async (t) => {
  const { editor } = await openRecords(t)
  for (const event_status of EVENT_STATES.event_status)
    for (const attendance_mode of EVENT_STATES.attendance_mode) {
      const event = await must(editor.create('event', { ...EVENT, event_status, attendance_mode }))
      t.match(event, { event_status, attendance_mode, virtual_url: '', venue: [], status: 'publish' })
    }
})

t.test('other values are refused with those that would do, and nothing is written', async (t) => {
  const api = await openRecords(t)
  const { editor } = api
  const { id } = await must(editor.create('event', { ...EVENT, ...LIVE }))
  const words = {
    event_status: 'must be one of scheduled, cancelled, postponed, moved_online, rescheduled.',
    attendance_mode: 'must be one of offline, online, mixed.',
  }
  const url = 'must be an absolute http or https URL with an ASCII host.'
  const cases: [sent: Record<string, unknown>, why: string | RegExp][] = [
    [{ event_status: 'canceled' }, words.event_status],
    [{ event_status: 'Cancelled' }, words.event_status],
    [{ event_status: 'EventCancelled' }, words.event_status],
    [{ event_status: '' }, words.event_status],
    [{ event_status: 'scheduled,cancelled' }, words.event_status],
    [{ attendance_mode: 'hybrid' }, words.attendance_mode],
    [{ event_status: 1 }, /must be/],
    [{ attendance_mode: ['online'] }, /must be/],
    [{ virtual_url: 'live.example' }, url],
    [{ virtual_url: 'ftp://live.example/a' }, url],
    [{ virtual_url: 'mailto:live@live.example' }, url],
    [{ virtual_url: 'javascript:alert(1)' }, url],
    [{ virtual_url: 'https://é.example' }, url],
    [{ virtual_url: 5 }, 'must be a string, in quotes.'],
    [{ virtual_url: `https://live.example/${'x'.repeat(2000)}` }, 'must have at most 2000 characters.'],
  ]
  const before = api.fingerprint()
  for (const [sent, why] of cases)
    for (const answer of [
      await editor.create('event', { ...EVENT, ...sent }),
      await editor.change('event', id, sent),
    ]) {
      const [name] = Object.keys(sent) as [string]
      t.equal(shown(answer), `400 rest_invalid_param ${name}`)
      t.match(answer.body.data.params[name], why)
    }
  t.equal(api.fingerprint(), before)
})

t.test('lists are filtered by one or several values of a state, also after it changes', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const ids: Record<string, number> = {}
  for (const [title, more] of Object.entries({
    plain: {},
    off: { event_status: 'cancelled' },
    later: { event_status: 'postponed', attendance_mode: 'mixed' },
    moved: { event_status: 'moved_online', attendance_mode: 'online' },
    stream: { attendance_mode: 'online', featured: true },
    hidden: { event_status: 'cancelled', hide_from_listings: true },
    draft: { event_status: 'cancelled', status: 'draft' },
    locked: { event_status: 'cancelled', password: 'sesame' },
  }))
    ids[title] = (await must(editor.create('event', { ...EVENT, title, ...more }))).id
  const cases: [query: string, titles: string][] = [
    ['event_status=scheduled', 'plain stream'],
    ['event_status=cancelled', 'off locked'],
    ['event_status=postponed,moved_online', 'later moved'],
    ['event_status=moved_online&event_status=postponed', 'later moved'],
    ['event_status[]=moved_online&event_status[]=postponed', 'later moved'],
    ['event_status=cancelled,%20scheduled,cancelled', 'plain off stream locked'],
    ['event_status=scheduled,cancelled,postponed,moved_online', 'plain off later moved stream locked'],
    ['attendance_mode=offline', 'plain off locked'],
    ['attendance_mode=online,mixed', 'later moved stream'],
    ['attendance_mode=online&event_status=scheduled', 'stream'],
    ['attendance_mode=online&featured=false', 'moved'],
    ['attendance_mode=mixed&search=later', 'later'],
    ['attendance_mode=online&when=past', ''],
    [`attendance_mode=online&include=${ids.plain},${ids.moved}`, 'moved'],
    [`event_status=cancelled&include=${ids.hidden},${ids.plain}`, 'hidden'],
  ]
  for (const [query, titles] of cases)
    t.equal(shown(await anonymous.list('event', `${query}`)), titles, query)
  t.equal(shown(await editor.list('event', 'event_status=cancelled')), 'off draft locked')

  await must(editor.change('event', ids.off!, { event_status: 'scheduled', attendance_mode: 'mixed' }))
  t.equal(shown(await anonymous.list('event', 'event_status=cancelled')), 'locked')
  t.equal(shown(await anonymous.list('event', 'event_status=scheduled')), 'plain off stream')
  t.equal(shown(await anonymous.list('event', 'attendance_mode=mixed,online')), 'off later moved stream')
  t.equal(shown(await anonymous.list('event', 'attendance_mode=offline')), 'plain locked')
})

t.test('a list says which values there are', async (t) => {
  const { anonymous } = await openRecords(t)
  for (const [query, param, why] of [
    [
      'event_status=any',
      'event_status',
      'must be one or more of scheduled, cancelled, postponed, moved_online, rescheduled, separated by commas.',
    ],
    [
      'attendance_mode=,',
      'attendance_mode',
      'must be one or more of offline, online, mixed, separated by commas.',
    ],
    [
      `attendance_mode=${Array(101).fill('online')}`,
      'attendance_mode',
      'must be at most 100 values, separated by commas.',
    ],
  ] as const) {
    const { status, body } = await anonymous.list('event', `${query}`)
    t.same([status, body.data.params], [400, { [param]: why }])
  }
})

t.test(
  'a password keeps the place online to those who have it, and not that an event is cancelled',
  async (t) => {
    const { anonymous, editor } = await openRecords(t)
    const { id } = await must(editor.create('event', { ...EVENT, ...LIVE, password: 'sesame' }))
    const [closed] = (await anonymous.list('event')).body.events
    t.strictSame(only(closed), { ...LIVE, virtual_url: '' })
    t.notMatch(JSON.stringify(closed), 'live.example')
    t.strictSame(only((await anonymous.read('event', id, 'password=sesame')).body), LIVE)
    t.strictSame(only((await editor.list('event')).body.events[0]), LIVE)
    t.equal(
      shown(await anonymous.list('event', 'event_status=moved_online&attendance_mode=online')),
      'Concert',
    )
  },
)
