import t from 'tap'
import { openMirrorsOf } from '../../../../src/features/imports/mirror/plugin.ts'
import { must } from '../../../support/answers.ts'
import { build, EVENT } from '../../../support/app.ts'
import { buildSource, contentsOf, importer } from '../../../support/importing.ts'

const EVENTS = 300
const GOES_ON = new AbortController().signal

t.test('a mirror of hundreds of events that change meanwhile becomes what its source is', async (t) => {
  const source = await buildSource(t)
  const { post, patch, delete: remove } = source.administrator
  const venues: number[] = []
  for (let at = 0; at < 10; at++) venues.push((await must(post('/venues', { venue: `Venue ${at}` }))).id)
  const body = (at: number) => ({
    ...{ title: `Event ${at}`, description: `Text ${at}`, venue: venues[at % 10], tags: [`Tag ${at % 7}`] },
    ...{
      start_date: `2026-12-${String((at % 28) + 1).padStart(2, '0')} 20:00:00`,
      end_date: '2027-01-02 22:00:00',
    },
  })
  const ids: number[] = []
  for (let at = 0; at < EVENTS; at++) ids.push((await must(post('/events', body(at)))).id)

  const api = await build(t)
  const { pictures } = importer(t, api)
  const [mirror] = openMirrorsOf({
    ...{ store: api.app.store, pictures, clock: () => api.clock.now },
    config: { mirror: [{ address: source.root }], mirrorCredentials: undefined, downloadAllow: [] },
  })
  // the source goes on while its lists are read
  const looking = mirror!.poll(GOES_ON)
  for (const id of ids.slice(0, 40)) await must(patch(`/events/${id}`, { title: `Changed ${id}` }))
  for (const id of ids.slice(40, 45)) await must(remove(`/events/${id}`))
  for (let at = 0; at < 5; at++)
    await must(post('/events', { ...EVENT, title: `New ${at}`, venue: venues[at] }))
  await must(patch(`/venues/${venues[0]}`, { venue: 'Another name', city: 'Vic' }))
  await looking
  await mirror!.poll(GOES_ON)
  const whole = await contentsOf(source)
  t.same(await contentsOf(api), whole)
  t.equal((await api.anonymous.get('/events?start_date=2026-12-01&end_date=2027-02-01')).body.total, EVENTS)

  const before = await api.fingerprint()
  await mirror!.poll(GOES_ON)
  t.equal(await api.fingerprint(), before, 'a look where nothing changed writes nothing')
})
