import t from 'tap'
import { build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

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
