import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, type Client, EVENT, NOW } from '../../support/app.ts'

const NAMES = { events: 'title', venues: 'venue', organizers: 'organizer', categories: 'name', tags: 'name' }
/** Where it is four in the morning. */
const ZONE = { env: { TIMEZONE: 'America/New_York' } }

const make = (editor: Client, plural: string, name: string) =>
  must(
    editor.post(`/${plural}`, {
      ...(plural === 'events' && EVENT),
      [NAMES[plural as keyof typeof NAMES]]: name,
    }),
  )

t.test('links have the time in UTC, so that they mean the same later on', async (t) => {
  const { clock, editor, anonymous } = await build(t, ZONE)
  for (const plural of Object.keys(NAMES)) {
    clock.now = NOW
    for (const name of ['a', 'b', 'c']) await make(editor, plural, name)
    for (const [given, carried] of [
      ['modified_after=2026-11-21%2001:00', { modified_after: '2026-11-21T06:00:00Z' }],
      ['modified_after=-30%20minutes', { modified_after: '2026-11-21T08:30:00Z' }],
      ['modified_before=2026-11-21T10:00:01%2B01:00', { modified_before: '2026-11-21T09:00:01Z' }],
    ] as const) {
      const first = (await anonymous.get(`/${plural}?per_page=2&hide_empty=0&${given}`)).body
      t.equal(first.total, 3)
      const { searchParams, pathname } = new URL(first.next_rest_url)
      t.match(Object.fromEntries(searchParams), carried)
      clock.now += 86_400_000
      t.equal((await anonymous.get(`/${pathname}?${searchParams}`)).body[plural].length, 1)
      clock.now -= 86_400_000
    }
  }
})

t.test(
  'a filter relative to now is answered anew each time, one of a fixed time from the cache',
  async (t) => {
    const { clock, editor, anonymous, app } = await build(t, ZONE)
    for (const plural of Object.keys(NAMES)) {
      await make(editor, plural, 'a')
      const total = async (query: string) =>
        (await anonymous.get(`/${plural}?hide_empty=0&${query}`)).body.total
      for (let times = 0; times < 3; times++) t.equal(await total('modified_after=-5%20minutes'), 1)
      clock.now += 600_000
      t.equal(await total('modified_after=-5%20minutes'), 0)
      const { hits } = app.cacheCounts
      for (let times = 0; times < 3; times++) t.equal(await total('modified_after=2026-11-21T00:00:00Z'), 1)
      t.ok(app.cacheCounts.hits > hits, plural)
    }
  },
)

t.test('changes since a token are not limited by the last change', async (t) => {
  const { anonymous } = await build(t)
  for (const name of ['modified_after', 'modified_before']) {
    const { status, body } = await anonymous.get(`/changes?${name}=2026-11-21`)
    const why = 'does not exist here: `sync_token` says since when.'
    t.same([status, body.data.params], [400, { [name]: why }])
  }
})
