import t from 'tap'
import { refusal } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

t.test('drafts are sent back as they are, and published as if they had never been', async (t) => {
  const { editor, clock } = await build(t)
  const draft = await must(editor.post('/events', { ...EVENT, status: 'draft' }))
  t.match(draft, { slug: '', date_utc: '0000-00-00 00:00:00' })
  clock.now += 3_600_000
  const { modified, modified_utc, ...same } = await must(editor.put(`/events/${draft.id}`, draft))
  t.match(same, { slug: '', date: draft.date, date_utc: draft.date_utc })
  const published = await must(editor.put(`/events/${draft.id}`, { ...draft, status: 'publish' }))
  t.match(published, { slug: 'concert', date: '2026-11-21 10:00:00' })
  t.equal(refusal(await editor.put(`/events/${draft.id}`, { slug: '' })), '400 rest_invalid_param slug')
  t.equal(refusal(await editor.post('/events', { ...EVENT, slug: '' })), '400 rest_invalid_param slug')
  t.match(await must(editor.post('/events', { ...draft, title: 'Copy' })), { slug: '', status: 'draft' })
})

t.test('a list of costs, a derived region and a moved date stay what they are', async (t) => {
  const { editor } = await build(t)
  const event = await must(editor.post('/events', { ...EVENT, cost: ['0$', '20$', '30$'] }))
  t.same((await must(editor.put(`/events/${event.id}`, event))).cost_details, event.cost_details)
  const moved = await must(editor.put(`/events/${event.id}`, { ...event, date: '2026-11-01 08:00:00' }))
  t.match(moved, { date: '2026-11-01 08:00:00', date_utc: '2026-11-01 08:00:00' })
  const venue = await must(editor.post('/venues', { venue: 'Hall', country: 'US', state: 'TX', zip: 77001 }))
  t.match(venue, { stateprovince: 'TX', zip: '77001' })
  const california = await must(editor.put(`/venues/${venue.id}`, { ...venue, state: 'CA' }))
  t.equal(california.stateprovince, 'CA', 'what was derived is derived again')
  t.equal(refusal(await editor.post('/venues', { venue: 'Hall', zip: 1.5 })), '400 rest_invalid_param zip')
})

t.test('links that a caller does not see are not unlinked by sending back the others', async (t) => {
  const { editor, author } = await build(t)
  const hidden = await must(editor.post('/venues', { venue: 'Hidden', status: 'private' }))
  const { id } = await must(author.post('/events', EVENT))
  await must(editor.patch(`/events/${id}`, { venue: [hidden.id] }))
  const seen = await must(author.get(`/events/${id}`))
  t.same(seen.venue, [])
  await must(author.put(`/events/${id}`, seen))
  t.equal((await must(editor.get(`/events/${id}`))).venue.id, hidden.id)
  await must(editor.put(`/events/${id}`, { venue: [] }))
  t.same((await must(editor.get(`/events/${id}`))).venue, [])
})

t.test('what is in the trash comes back from there under its slug', async (t) => {
  const { editor } = await build(t)
  for (const [kind, body] of [
    ['events', EVENT],
    ['venues', { venue: 'Hall' }],
    ['organizers', { organizer: 'Club' }],
  ] as const) {
    const made = await must(editor.post(`/${kind}`, body))
    await must(editor.delete(`/${kind}/${made.id}`))
    const [trashed] = (await must(editor.get(`/${kind}?status=trash&start_date=2020-01-01`)))[kind]
    t.match(trashed, { status: 'trash', slug: `${made.slug}__trashed` })
    t.equal((await editor.put(`/${kind}/${made.id}`, trashed)).status, 410)
    const restored = await must(editor.put(`/${kind}/${made.id}`, { ...trashed, status: 'publish' }))
    t.equal(restored.slug, made.slug)
  }
})

t.test('an event under a password, and records of every language, come back to their editor', async (t) => {
  const { editor } = await build(t)
  for (const language of ['ca', 'es'])
    for (const [kind, body] of [
      ['events', { ...EVENT, password: 'secret', description: 'Text', status: 'pending' }],
      ['organizers', { organizer: 'Club', email: 'a@b.test' }],
      ['categories', { name: 'Music &amp;amp; more' }],
    ] as const) {
      const made = await must(editor.post(`//${language}/calendar/events/v1/${kind}`, body))
      const path = `/${kind}/${made.id}`
      const { modified, modified_utc, json_ld, ...before } = await must(editor.get(path))
      await must(editor.put(path, { ...before, json_ld }))
      t.match(await must(editor.get(path)), before)
    }
})

t.test('images and terms are taken in every way in which they are shown', async (t) => {
  const { editor } = await build(t)
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  const { id } = await must(editor.post('/media', gif, { headers: { 'content-type': 'image/gif' } }))
  const { image } = await must(editor.post('/events', { ...EVENT, image: id }))
  for (const given of [image, { id }, { id: String(id) }, id])
    t.equal((await must(editor.post('/venues', { venue: 'V', image: given }))).image.id, id)
  t.notOk('image' in (await must(editor.post('/venues', { venue: 'V', image: false }))))
  const tag = await must(editor.post('/tags', { name: 'Jazz' }))
  for (const tags of [[tag], tag, [{ id: tag.id }], [{ id: String(tag.id) }], [{ id: tag.id }, 'jazz']])
    t.same(
      (await must(editor.post('/events', { ...EVENT, tags }))).tags.map((one: { id: number }) => one.id),
      [tag.id],
    )
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = `title=T&start_date=2026-12-01&end_date=2026-12-01&tags[0][id]=${tag.id}&image[id]=${id}`
  t.match(await must(editor.post('/events', form, { headers })), { tags: [{ id: tag.id }], image: { id } })
})
