import t from 'tap'
import { refusal } from './support/answers.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

t.test('null for all_day is its default, on create and on update', async (t) => {
  const { editor } = await build(t)
  const { id } = await must(editor.post('/events', { ...EVENT, all_day: true }))
  t.match(await must(editor.patch(`/events/${id}`, { all_day: null })), { all_day: false })
  t.match(await must(editor.post('/events', { ...EVENT, all_day: null })), { all_day: false })
})

t.test('numbers out of every range are refused with the range', async (t) => {
  const { anonymous } = await build(t)
  const cases: [query: string, name: string, hint: string][] = [
    ['geoloc_lat=1e999&geoloc_lng=1', 'geoloc_lat', 'must be a number from -90 to 90.'],
    ['geoloc_lat=1&geoloc_lng=-1e999', 'geoloc_lng', 'must be a number from -180 to 180.'],
    ['geoloc_radius=0', 'geoloc_radius', 'must be a number above 0 to 20100.'],
    ['geoloc_radius=1e999', 'geoloc_radius', 'must be a number above 0 to 20100.'],
    ['per_page=1e999', 'per_page', 'must be a whole number, 1 or more.'],
    ['page=1.5', 'page', 'must be a whole number, 1 or more.'],
  ]
  for (const [query, name, hint] of cases) {
    const answer = await anonymous.get(`/events?${query}`)
    t.equal(refusal(answer), `400 rest_invalid_param ${name}`, query)
    t.equal(answer.body.data.params[name], hint)
  }
})
