import t from 'tap'
import { must, shown } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

t.test('corrections come with feeds, in kept answers, and are readable for other origins', async (t) => {
  const api = await build(t, { fresh: true })
  await must(api.editor.post('/events', { ...EVENT, title: 'Concert' }))
  for (const path of ['/events?q=concret', '/events.ics?q=concret', '/events.fullcalendar.json?q=concret'])
    for (const time of ['made', 'made and kept', 'kept'])
      t.equal(
        (await api.anonymous.get(path)).headers['x-search-corrections'],
        'concret=concert',
        `${path} ${time}`,
      )
  t.equal(api.app.cacheCounts.hits, 3)
  const { headers } = await api.anonymous.send({
    url: '/calendar/events/v1/events?q=concret',
    headers: { origin: 'https://a.test' },
  })
  t.match(headers['access-control-expose-headers'], /X-Search-Corrections/)
  const known = { headers: { 'if-none-match': headers.etag! } }
  t.match(await api.anonymous.get('/events?q=concret', undefined, known), {
    status: 304,
    headers: { 'x-search-corrections': 'concret=concert' },
  })
  await must(api.editor.post('/events', { ...EVENT, title: 'Concret' }))
  const now = await api.anonymous.get('/events?q=concret', undefined, known)
  t.match([now.status, shown(now), now.headers['x-search-corrections']], [200, 'Concret', undefined])
})
