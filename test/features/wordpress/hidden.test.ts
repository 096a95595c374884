import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

const WP = '//wp-json/wp/v2'
const TEC = '//wp-json/tec/v1'

t.test('venues and organizers that are not published are read by those who may', async (t) => {
  const api = await build(t)
  for (const status of ['draft', 'pending', 'private']) {
    const venue = await must(api.editor.post('/venues', { venue: 'SECRET', status }))
    const organizer = await must(api.editor.post('/organizers', { organizer: 'SECRET', status }))
    for (const path of [
      `${WP}/tribe_venue/${venue.id}`,
      `${WP}/tribe_organizer/${organizer.id}`,
      `${TEC}/venues/${venue.id}`,
      `${TEC}/organizers/${organizer.id}`,
      `//?rest_route=/wp/v2/tribe_venue/${venue.id}`,
    ])
      for (const query of ['', '_embed', 'context=edit', '_fields=title', 'i18n_language=ca']) {
        const url = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
        for (const [who, expected] of [
          ['anonymous', query === 'context=edit' ? 401 : 403],
          ['subscriber', 403],
          ['editor', 200],
        ] as const) {
          const { status: told, text } = await api[who].get(url)
          t.equal(told, expected, `${who} ${url}`)
          if (who !== 'editor') t.notMatch(text, 'SECRET', `${who} ${url}`)
        }
      }
  }
})

t.test('a hidden event shows no terms to who may not read it', async (t) => {
  const { editor, anonymous, subscriber } = await build(t)
  const shown = await must(editor.post('/events', { ...EVENT, categories: ['Music'], tags: ['Late'] }))
  const hidden: number[] = []
  for (const more of [{ status: 'draft' }, { status: 'private' }, { password: 'open' }])
    hidden.push(
      (await must(editor.post('/events', { ...EVENT, ...more, categories: ['Music'], tags: ['Late'] }))).id,
    )
  for (const base of ['tags', 'tribe_events_cat', 'categories']) {
    const path = `${WP}/${base}`
    t.equal((await anonymous.get(`${path}?post=${shown.id}`)).body.length, 1, base)
    t.equal((await anonymous.get(`${path}?post=9999`)).body.code, 'rest_invalid_param')
    for (const id of hidden) {
      for (const client of [anonymous, subscriber])
        t.same((await client.get(`${path}?post=${id}`)).body, [], `${path} ${id}`)
      t.equal((await editor.get(`${path}?post=${id}`)).body.length, 1, 'who may read it sees them')
    }
  }
})

t.test('what is not public is not shown, by no parameter', async (t) => {
  const api = await build(t)
  const { id: image } = await must(
    api.editor.post('/media', await draw(400, 300), raw('stage.png', 'image/png')),
  )
  const secret = { ...EVENT, description: 'SECRET', categories: ['SECRET'], image }
  const hidden: number[] = []
  for (const status of ['draft', 'private', 'pending', 'future'])
    hidden.push(
      (
        await must(
          api.editor.post('/events', {
            ...secret,
            title: `SECRET ${status}`,
            slug: `hid-${status}`,
            status,
            ...(status === 'future' && { date: '2026-12-24 00:00:00' }),
          }),
        )
      ).id,
    )
  const locked = await must(
    api.editor.post('/events', { ...secret, categories: [], title: 'Locked', password: 'open' }),
  )
  const trashed = await must(api.editor.post('/events', { ...secret, categories: [], title: 'SECRET trash' }))
  await must(api.editor.delete(`/events/${trashed.id}`))
  hidden.push(trashed.id)
  for (const who of ['anonymous', 'subscriber'] as const) {
    const client = api[who]
    for (const path of [
      `${WP}/tribe_events?per_page=100&_embed`,
      `${WP}/tribe_events?include=${hidden}&_embed`,
      `${WP}/tribe_events?slug=hid-draft`,
      `${WP}/tribe_events?search=SECRET`,
      `${WP}/search?search=SECRET`,
      `${WP}/media`,
      `${WP}/media?search=stage`,
      `${WP}/media?slug=stage`,
      `${WP}/media?include=${image}`,
      `${WP}/tribe_events_cat`,
      `${WP}/tribe_events_cat?include=1,2,3`,
      '//?rest_route=/wp/v2/tribe_events',
    ]) {
      const { status, text } = await client.get(path)
      t.equal(status, 200, path)
      t.notMatch(text, 'SECRET', `${who} ${path}`)
      t.notMatch(text, 'stage', `${who} ${path}`)
      for (const id of hidden) t.notMatch(text, `"id":${id},`, `${who} ${path}`)
    }
    for (const id of hidden) t.not((await client.get(`${WP}/tribe_events/${id}?_embed`)).status, 200)
    t.equal((await client.get(`${WP}/media/${image}`)).status, 404)
    t.equal((await client.get(`${WP}/tribe_events/${locked.id}`)).status, 403)
  }
  const [shown] = (await api.anonymous.get(`${WP}/tribe_events?include=${locked.id}`)).body
  t.match(shown, { featured_media: 0, content: { rendered: '', protected: true }, tribe_events_cat: [] })
  const open = await api.anonymous.get(`${WP}/tribe_events/${locked.id}?password=open`)
  t.match(open.body, { featured_media: image })
  t.equal(open.headers['cache-control'], 'no-store')
  const paged = await api.anonymous.get(`${WP}/tribe_events?per_page=1&password=open&page=1`)
  t.notMatch(paged.headers.link ?? '', 'open')
  t.match((await api.editor.get(`${WP}/tribe_events?status=any&per_page=100`)).body, { length: 5 })
})
