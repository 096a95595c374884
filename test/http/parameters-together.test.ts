import t from 'tap'
import { refusal } from '../support/answers.ts'
import { build, EVENT } from '../support/app.ts'
import { must } from '../support/events.ts'

t.test('what is wrong with a body by itself and by what it names is told at once', async (t) => {
  const { editor, anonymous, author } = await build(t)
  const { id } = await must(author.post('/events', EVENT))
  const { id: hall } = await must(author.post('/venues', { venue: 'Hall' }))
  const { id: music } = await must(editor.post('/categories', { name: 'Music' }))
  const bad = { start_date: 'soon', venue: 999, organizer: [{ id: 998 }], author: 997, post_parent: 996 }
  const names = 'start_date author post_parent venue organizer'
  t.equal(refusal(await editor.post('/events', { ...EVENT, ...bad })), `400 rest_invalid_param ${names}`)
  t.equal(refusal(await editor.patch(`/events/${id}`, bad)), `400 rest_invalid_param ${names}`)
  t.equal(refusal(await anonymous.patch(`/events/${id}`, bad)), '400 rest_invalid_param start_date')
  t.equal(
    refusal(await editor.patch(`/events/${id}`, { end_date: '2020-01-01', venue: 999 })),
    '400 rest_invalid_param venue end_date',
  )
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, end_date: '2020-01-01', featured: 'x' })),
    '400 rest_invalid_param featured end_date',
  )
  t.equal(
    refusal(await editor.patch(`/venues/${hall}`, { website: 'bad', author: 99 })),
    '400 rest_invalid_param website author',
  )
  t.equal(
    refusal(await editor.post('/organizers', { organizer: 'O', website: 'bad', image: '99' })),
    '400 rest_invalid_param website image',
  )
  for (const answer of [
    editor.patch(`/categories/${music}`, { name: 5, parent: 99 }),
    editor.post('/categories', { name: 5, parent: 99 }),
    editor.patch('/categories/99', { name: 5, parent: 99 }),
  ])
    t.equal(refusal(await answer), '400 rest_invalid_param name parent')
  t.equal(
    refusal(await editor.post('/events', { featured: 'x', venue: 999 })).slice(0, 31),
    '400 rest_missing_callback_param',
  )
})

t.test('half a coordinate is refused by the name of the other half', async (t) => {
  const { editor } = await build(t)
  t.equal(refusal(await editor.post('/venues', { venue: 'V', geo_lat: 1 })), '400 rest_invalid_param geo_lng')
  t.equal(refusal(await editor.post('/venues', { venue: 'V', geo_lng: 1 })), '400 rest_invalid_param geo_lat')
  const { id } = await must(editor.post('/venues', { venue: 'V', geo_lat: 1, geo_lng: 2 }))
  t.equal(refusal(await editor.patch(`/venues/${id}`, { geo_lat: null })), '400 rest_invalid_param geo_lat')
  t.match(await must(editor.patch(`/venues/${id}`, { geo_lat: 3 })), { geo_lat: 3, geo_lng: 2 })
  t.equal(
    refusal(await editor.post('/events', { ...EVENT, venue: { venue: 'W', geo_lat: 1 } })),
    '400 rest_invalid_param venue',
  )
})

t.test('events can not belong to one another in a circle', async (t) => {
  const { editor } = await build(t)
  const make = async (post_parent: number) =>
    (await must(editor.post('/events', { ...EVENT, post_parent }))).id
  const a = await make(0)
  const b = await make(a)
  const c = await make(b)
  for (const below of [a, b, c])
    t.equal(
      refusal(await editor.patch(`/events/${a}`, { post_parent: below })),
      '400 rest_invalid_param post_parent',
    )
  t.match(await must(editor.patch(`/events/${c}`, { post_parent: a })), { post_parent: a })
  t.match(await must(editor.patch(`/events/${c}`, { post_parent: a })), { post_parent: a })
})

t.test('venues and organizers are renamed by a slug, which null makes anew', async (t) => {
  const { editor } = await build(t)
  for (const kind of ['venue', 'organizer'] as const) {
    const { id, slug } = await must(editor.post(`/${kind}s`, { [kind]: 'Old name' }))
    t.match(await must(editor.patch(`/${kind}s/by-slug/${slug}`, { slug: 'New One' })), {
      id,
      slug: 'new-one',
    })
    t.match(await must(editor.get(`/${kind}s/by-slug/new-one`)), { id })
    t.match(await must(editor.patch(`/${kind}s/${id}`, { slug: null })), { slug: 'old-name' })
    t.equal(refusal(await editor.patch(`/${kind}s/${id}`, { slug: '' })), `400 rest_invalid_param slug`)
    t.match(await must(editor.post(`/${kind}s`, { [kind]: 'Other', slug: 'mine' })), { slug: 'mine' })
  }
})
