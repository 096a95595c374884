import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

const LATER = { status: 'publish', date: '2027-05-01 10:00:00' }

t.test('a record comes back from the trash as it was', async (t) => {
  const { editor } = await build(t)
  for (const [plural, body] of [
    ['events', { ...EVENT, title: 'Fair' }],
    ['series', { ...EVENT, title: 'Class', recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } }],
    ['venues', { venue: 'Hall' }],
    ['organizers', { organizer: 'Club' }],
  ] as const)
    for (const given of [{ status: 'publish' }, { status: 'draft' }, { status: 'private' }, LATER]) {
      const { status, slug, id } = await must(editor.post(`/${plural}`, { ...body, ...given }))
      await must(editor.delete(`/${plural}/${id}`))
      const restored = await must(editor.post(`/${plural}/${id}/restore`))
      t.same([restored.id, restored.status, restored.slug], [id, status, slug], `${plural} ${status}`)
      t.match(await must(editor.get(`/${plural}/${id}`)), restored)
    }
})

t.test('the dates of a series come back with it, and one date by itself', async (t) => {
  const { editor, anonymous } = await build(t)
  const dates = async () => (await must(anonymous.get(`/events?series=${series}`))).total
  const body = { ...EVENT, title: 'Class', recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }
  const { series, id } = await must(editor.post('/events', body))
  await must(editor.delete(`/series/${series}`))
  t.equal(await dates(), 0)
  await must(editor.post(`/series/${series}/restore`))
  t.equal(await dates(), 3)
  await must(editor.delete(`/events/${id}`))
  t.equal(await dates(), 2)
  t.match(await must(editor.post(`/events/${id}/restore`)), { id, status: 'publish', series })
  t.equal(await dates(), 3)
})

t.test('what is not in the trash stays as it is, whatever is sent', async (t) => {
  const { editor } = await build(t)
  const made = await must(editor.post('/events', { ...EVENT, title: 'Fair' }))
  const restored = await must(editor.post(`/events/${made.id}/restore`, { title: 'Other' }))
  t.same(restored, made)
  const trashed = await must(editor.post('/events', { ...EVENT, title: 'Made there', status: 'trash' }))
  t.equal((await must(editor.post(`/events/${trashed.id}/restore`))).status, 'draft')
})

t.test('a record is restored by who may change it, and on a condition', async (t) => {
  const { editor, author, contributor, administrator, credentials } = await build(t)
  const { id } = await must(editor.post('/events', { ...EVENT, author: credentials.contributor.id }))
  await must(editor.delete(`/events/${id}`))
  t.equal(refusal(await author.post(`/events/${id}/restore`)), '403 rest_forbidden')
  t.equal(refusal(await editor.post('/events/999/restore')), '404 rest-event-not-found')
  const on = (etag: string) => ({ headers: { 'if-match': etag } })
  t.equal(
    refusal(await editor.post(`/events/${id}/restore`, undefined, on('"x"'))),
    '412 rest_precondition_failed',
  )
  const pattern = { title: 'Choir', start_date: '2026-12-01 20:00', end_date: '2026-12-01 21:00' }
  for (const [plural, body] of [
    ['series', { ...pattern, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2' } }],
    ['venues', { venue: 'Hall' }],
    ['organizers', { organizer: 'Choir' }],
  ] as const) {
    const other = await must(administrator.post(`/${plural}`, body))
    await must(administrator.delete(`/${plural}/${other.id}`))
    t.equal(
      refusal(await administrator.post(`/${plural}/${other.id}/restore`, undefined, on('"x"'))),
      '412 rest_precondition_failed',
      plural,
    )
  }
  const own = await must(contributor.post(`/events/${id}/restore`))
  t.equal(own.status, 'pending', 'who may not publish hands it in')
  await must(administrator.delete(`/events/${id}`))
  const { headers } = await editor.get(`/events/${id}`)
  await must(editor.post(`/events/${id}/restore`, undefined, on(String(headers.etag))))
})
