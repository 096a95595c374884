import t from 'tap'
import { refusal } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

const by = (name: string) => ({ headers: { 'x-http-method-override': name } })

t.test('a POST stands for the method that it names, with all that goes with that', async (t) => {
  const { editor, author, anonymous, subscriber, app } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const path = `/events/${id}`
  t.match((await must(editor.post(`${path}?_method=PATCH`, { title: 'One' }))).title, 'One')
  const put = await editor.post(path, { title: 'Two' }, by('put'))
  t.match(put, { status: 200, body: { title: 'Two' } })
  t.equal(put.headers['x-ignored-fields'], undefined)
  t.equal(put.headers['x-ignored-parameters'], undefined)
  t.equal(refusal(await editor.post('/events', EVENT, by('PATCH'))), '405 rest_method_not_allowed')
  t.equal((await editor.post(`${path}?_method=PATCH`, { title: 'X' }, by('DELETE'))).body.status, 'publish')

  for (const client of [author, subscriber])
    t.equal(refusal(await client.post(`${path}?_method=DELETE`)), '403 rest_forbidden')
  t.equal(refusal(await anonymous.post(path, undefined, by('DELETE'))), '401 rest_forbidden')
  const stale = { headers: { ...by('DELETE').headers, 'if-match': '"old"' } }
  t.equal((await editor.post(path, undefined, stale)).status, 412)
  const foreign = { headers: { ...by('DELETE').headers, origin: 'https://evil.test' } }
  t.equal(refusal(await editor.post(path, undefined, foreign)), '403 rest_forbidden')
  t.equal(
    refusal(
      await editor.post(`${path}?_method=DELETE`, undefined, { headers: { origin: 'https://evil.test' } }),
    ),
    '403 rest_forbidden',
  )
  t.match(await must(editor.post(`${path}?_method=delete&force=1`)), { id })
  t.equal((await editor.get(path)).status, 404, 'it is gone')

  const { misses } = app.answers
  const list = await anonymous.post('/events?_method=GET', {})
  t.match(list, { status: 200, body: { events: [], total: 0 } })
  t.equal(list.headers['x-ignored-parameters'], undefined)
  t.equal(app.answers.misses, misses, 'what answers a POST is kept for no GET')
})

t.test('other methods stand for themselves, and a POST for nothing unknown', async (t) => {
  const { editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  const path = `/events/${id}`
  t.equal((await editor.get(`${path}?_method=DELETE`)).body.id, id)
  t.equal((await editor.get(path, undefined, by('DELETE'))).body.id, id)
  t.equal((await editor.patch(`${path}?_method=DELETE`, { title: 'Kept' })).body.title, 'Kept')
  t.equal((await must(editor.post(`${path}?_method=post`, { title: 'Posted' }))).title, 'Posted')
  const before = (await editor.get(path)).body
  const unknown = await editor.post(`${path}?_method=REMOVE`, { title: 'X' })
  t.equal(refusal(unknown), '400 rest_invalid_param _method')
  t.match(unknown.body.message, /GET, PUT, PATCH, DELETE/)
  t.equal(
    refusal(await editor.post(path, { title: 'X' }, by('TRACE'))),
    '400 rest_invalid_param X-HTTP-Method-Override',
  )
  t.same((await editor.get(path)).body, before)
})
