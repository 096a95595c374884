import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

t.test('the filter of a webhook by states is a list of their values', async (t) => {
  const { administrator } = await build(t)
  const add = (event_status: unknown) =>
    administrator.post('/webhooks', { url: 'https://hooks.example/', filters: { event_status } })
  t.match(await must(add(['postponed', 'cancelled'])), {
    filters: { event_status: ['cancelled', 'postponed'] },
  })
  for (const given of [{ not: 'cancelled' }, 'any', [], true]) {
    const { status, body } = await add(given)
    t.equal(status, 400, JSON.stringify(given))
    t.match(body.data.params.filters, /^event_status must be one or more of scheduled, cancelled/)
  }
  t.equal((await add(null)).body.data.params.filters, 'event_status must not be null.')
})

t.test('links of a list repeat the states that were sent', async (t) => {
  const { anonymous, editor } = await build(t)
  for (const title of ['a', 'b'])
    await must(
      editor.post('/events', { ...EVENT, title, event_status: 'cancelled', attendance_mode: 'online' }),
    )
  const query = 'per_page=1&event_status=moved_online,cancelled&attendance_mode=online'
  const next = new URL((await anonymous.get(`/events?${query}`)).body.next_rest_url).searchParams
  t.same([next.get('event_status'), next.get('attendance_mode')], ['cancelled,moved_online', 'online'])
})
