import t, { type Test } from 'tap'
import { must, shown } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'

/** An application of its own, with what adds an event and what lists titles. */
async function open(t: Test) {
  const api = await openRecords(t)
  return {
    ...api,
    add: async (title: string, more = {}): Promise<number> =>
      (await must(api.editor.create('event', { ...EVENT, title, ...more }))).id,
    list: async (query: string) => shown(await api.anonymous.list('event', `${query}`)),
  }
}
type Cases = [query: string, titles: string][]

t.test('a search finds words and phrases in title, excerpt and description', async (t) => {
  const { add, list, editor } = await open(t)
  await add('Jazz-Matinée', { description: '<p>With <b>the</b> old   quartet</p>', slug: 'hidden-word' })
  await add('Rock', { excerpt: 'The quartet of old', venue: { venue: 'Jazz Cellar' }, tags: 'jazzy' })
  await add('Česká ÉTÉ', { description: '100% "real" music_live' })
  const cases: Cases = [
    ['jazz', 'Jazz-Matinée'],
    ['JAZZ MATINEE', 'Jazz-Matinée'],
    ['matinée', 'Jazz-Matinée'],
    ['uartet', 'Jazz-Matinée Rock'],
    ['old quartet', 'Jazz-Matinée Rock'],
    ['"old quartet"', 'Jazz-Matinée'],
    ['"quartet of"', 'Rock'],
    ['quartet -rock', 'Jazz-Matinée'],
    ['-quartet', 'Česká ÉTÉ'],
    ['quartet -"old quartet"', 'Rock'],
    ['jazz rock', ''],
    ['ceska été', 'Česká ÉTÉ'],
    ['100%', 'Česká ÉTÉ'],
    ['music_live', 'Česká ÉTÉ'],
    ['musicxlive', ''],
    ['%', 'Česká ÉTÉ'],
    ['strong', ''],
    ['cellar', ''],
    ['jazzy', ''],
    ['hidden-word', ''],
    ['""', '400 rest_invalid_param search'],
  ]
  for (const [search, titles] of cases)
    t.equal(await list(`search=${encodeURIComponent(search)}`), titles, search)

  await must(editor.change('event', 'hidden-word', { title: 'Blues', description: 'Alone' }))
  t.equal(await list('search=quartet'), 'Rock', 'what was replaced is not found any more')
  t.equal(await list('search=alone%20blues'), 'Blues')
  await must(editor.change('event', 'hidden-word', { description: '' }))
  t.equal(await list('search=alone'), '', 'nor is what was cleared')
  await must(editor.change('event', 'rock', { excerpt: null }))
  t.equal(await list('search=quartet'), '')
})

t.test('categories and tags match by ID, slug or name: any within, all between', async (t) => {
  const { add, list } = await open(t)
  await add('music', { categories: ['Live Music'], tags: ['Free Entry'] })
  await add('both', { categories: ['Live Music', 'Sport'], tags: ['late'] })
  await add('sport', { categories: ['Sport'], tags: ['late', 'Free Entry'] })
  await add('none')

  const other = await open(t)
  const ids: Record<string, number> = {}
  for (const [name, parent] of [
    ['Live Music', 0],
    ['Opera', 'Live Music'],
    ['Buffa', 'Opera'],
    ['42', 0],
  ] as const)
    ids[name] = (await must(other.editor.create('category', { name, parent: ids[parent] ?? 0 }))).id
  await other.add('buffa', { categories: [ids.Buffa] })
  await other.add('number', { categories: [ids['42']] })

  const cases: Cases = [
    ['categories=live-music', 'music both'],
    ['categories=Live%20Music', 'music both'],
    ['categories=LIVE%20m%C3%BAsic', 'music both'],
    ['categories=1', 'music both'],
    ['categories=1,sport', 'music both sport'],
    ['categories[]=1&categories[]=sport', 'music both sport'],
    ['categories=sport&categories=1', 'music both sport'],
    ['tags=late', 'both sport'],
    ['tags=free-entry,%20late', 'music both sport'],
    ['categories=1&tags=late', 'both'],
    ['categories=sport&tags=Free%20Entry', 'sport'],
    ['categories=1,none', '400 rest_invalid_param categories'],
    ['categories=late', '400 rest_invalid_param categories'],
    ['tags=999', '400 rest_invalid_param tags'],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  const nested: Cases = [
    ['categories=live-music', 'buffa'],
    [`categories=${ids.Opera}`, 'buffa'],
    ['categories=buffa', 'buffa'],
    ['categories=42', 'number'],
  ]
  for (const [query, titles] of nested) t.equal(await other.list(query), titles, query)
})

t.test('venue and organizer keep events linked to any of them', async (t) => {
  const { add, list, editor } = await open(t)
  const { id: hall } = await must(editor.create('venue', { venue: 'Hall' }))
  const { id: park } = await must(editor.create('venue', { venue: 'Park' }))
  const { id: us } = await must(editor.create('organizer', { organizer: 'Us' }))
  const { id: them } = await must(editor.create('organizer', { organizer: 'Them' }))
  await add('first', { venue: hall, organizer: us })
  await add('second', { venue: park, organizer: [us, them] })
  await add('third', { venue: [hall, park] })
  await add('fourth')
  const cases: Cases = [
    [`venue=${hall}`, 'first third'],
    [`venue=${park}`, 'second third'],
    [`venue=${hall},${park}`, 'first second third'],
    [`organizer=${us}`, 'first second'],
    [`organizer[]=${them}`, 'second'],
    [`venue=${hall}&organizer=${us}`, 'first'],
    [`venue=${hall}&organizer=${them}`, ''],
    [`venue=${us}`, '400 rest_invalid_param venue'],
    [`organizer=${us},${hall}`, '400 rest_invalid_param organizer'],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  await must(editor.change('venue', park, { status: 'draft' }))
  t.equal(await list(`venue=${park}`), '', 'a venue that the caller may not see leads to nothing')
  t.equal(shown(await editor.list('event', `venue=${park}`)), 'second third')
})

t.test('flags, parents and hidden events', async (t) => {
  const { add, list, editor } = await open(t)
  const parent = await add('plain')
  await add('starred', { featured: true, post_parent: parent })
  await add('sold', { ticketed: true, featured: true, post_parent: parent })
  const secret = await add('hidden', { hide_from_listings: true, post_parent: parent })
  const past = await add('past', { start_date: '2001-01-01', end_date: '2001-01-02' })
  const draft = await add('draft', { status: 'draft', post_parent: parent })
  const cases: Cases = [
    ['', 'plain starred sold'],
    ['featured=true', 'starred sold'],
    ['featured=0', 'plain'],
    ['ticketed=1', 'sold'],
    ['ticketed=FALSE', 'plain starred'],
    ['ticketed=false&featured=true', 'starred'],
    [`post_parent=${parent}`, 'starred sold'],
    [`post_parent=${parent + 1}`, ''],
    ['post_parent=0', '400 rest_invalid_param post_parent'],
    ['post_parent=999', '400 rest_invalid_param post_parent'],
    [`include=${past},${secret},${parent}`, 'past plain hidden'],
    [`include=${past}&start_date=2026-01-01&ends_before=2030-01-01`, 'past'],
    [`include=${past},${secret}&search=hid`, 'hidden'],
    [`include=${draft},999`, ''],
    [`include=${past}&status=publish`, 'past'],
    [`include=${past},${secret},${parent}&per_page=2&page=2`, 'hidden'],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  t.equal(shown(await editor.list('event', `include=${draft}`)), 'draft')
  t.equal(shown(await editor.list('event')), 'plain starred sold draft', 'hidden from editors as well')
  await must(editor.change('event', parent, { status: 'private' }))
  t.equal(await list(`post_parent=${parent}`), '', 'a parent that the caller may not see leads to nothing')
  t.equal(shown(await editor.list('event', `post_parent=${parent}`)), 'starred sold draft')
})

t.test('places: with or without coordinates, or within a distance', async (t) => {
  const venue = (name: string, geo_lat?: number, geo_lng?: number) => ({
    venue: { venue: name, geo_lat, geo_lng },
  })
  const { add, list, editor, anonymous } = await open(t)
  await add('Barcelona', venue('BCN', 41.3874, 2.1686))
  await add('Girona', venue('GRO', 41.9794, 2.8214))
  await add('Suva', venue('SUV', -18.1248, 179.9))
  await add('Nowhere', venue('No place'))
  await add('Homeless')
  const cases: Cases = [
    ['geoloc=true', 'Barcelona Girona Suva'],
    ['geoloc=false', 'Nowhere Homeless'],
    ['geoloc_lat=41.4&geoloc_lng=2.2', 'Barcelona'],
    ['geoloc_lat=41.4&geoloc_lng=2.2&geoloc_radius=1', ''],
    ['geoloc_lat=41.4&geoloc_lng=2.2&geoloc_radius=84.5', 'Barcelona Girona'],
    ['geoloc_lat=41.4&geoloc_lng=2.2&geoloc_radius=80', 'Barcelona'],
    ['geoloc_lat=-18.1248&geoloc_lng=-179.9', 'Suva'],
    ['geoloc_lat=0&geoloc_lng=0&geoloc_radius=20100', 'Barcelona Girona Suva'],
    ['geoloc=false&geoloc_lat=41.4&geoloc_lng=2.2', ''],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  const { venues } = (await anonymous.list('venue', 'search=BCN')).body
  await must(editor.change('venue', venues[0].id, { status: 'private' }))
  t.equal(await list('geoloc_lat=41.4&geoloc_lng=2.2'), '', 'where a private venue lies is not found out')
  t.equal(await list('geoloc=true'), 'Girona Suva')
  t.equal(shown(await editor.list('event', 'geoloc_lat=41.4&geoloc_lng=2.2')), 'Barcelona')
})

t.test('a town has what happens at its venues, whatever other languages call it', async (t) => {
  const { add, list, editor, anonymous } = await open(t)
  const hall = await must(editor.create('venue', { venue: 'Hall', city: 'Lleida' }))
  const { id } = await must(
    editor.create('venue', { venue: 'Sala', city: 'Lérida', i18n_language: 'es', translation_of: hall.id }),
  )
  await add('Concert', { venue: { id: hall.id } })
  await add('Concierto', { venue: { id } })
  await add('Fair', { venue: { venue: 'Lleida market', city: 'Lleida de Baix' } })
  await add('Walk', { venue: { venue: 'Park', city: 'lleidà' } })
  await add('Nowhere')
  const cases: Cases = [
    ['town=Lleida', 'Concert Concierto Walk'],
    ['town=%20LÉRIDA', 'Concert Concierto'],
    ['town=lleida+de+baix', 'Fair'],
    [`town=lleida&venue=${hall.id}`, 'Concert'],
    [`town=lleida+de+baix&venue=${hall.id}`, ''],
    ['town=Lleid', ''],
    ['town=%26%26', ''],
  ]
  for (const [query, titles] of cases) t.equal(await list(query), titles, query)
  const [park] = (await anonymous.list('venue', 'search=Park')).body.venues
  await must(editor.change('venue', park.id, { city: 'Lleida' }))
  await must(editor.change('venue', id, { status: 'private' }))
  t.equal(await list('town=lleida'), 'Concert Walk', 'what is at a private venue is not found out')
  t.equal(shown(await editor.list('event', 'town=lleida')), 'Concert Concierto Walk')
})

t.test('statuses come one by one, as a list, or as any', async (t) => {
  const { add, list, editor, subscriber, author } = await open(t)
  for (const status of ['publish', 'draft', 'pending', 'private', 'trash']) await add(status, { status })
  await add('future', { date: '2026-11-25' })
  const all = 'publish draft pending private future'
  const cases: Cases = [
    ['', all],
    ['status=any', all],
    ['status=draft', 'draft'],
    ['status=draft,%20private', 'draft private'],
    ['status[]=future&status[]=publish', 'publish future'],
    ['status=trash', 'trash'],
    ['status=trash,publish', 'publish trash'],
    ['status=publish,future,draft,pending,private', all],
    ['status=draft,secret', '400 rest_invalid_param status'],
    ['status=Draft', '400 rest_invalid_param status'],
  ]
  for (const [query, titles] of cases) t.equal(shown(await editor.list('event', `${query}`)), titles, query)
  for (const status of ['draft', 'any', 'publish,draft', 'trash', 'publish,publish', 'private']) {
    t.equal(await list(`status=${status}`), '400 rest_invalid_param status', status)
    t.equal(shown(await subscriber.list('event', `status=${status}`)), '400 rest_invalid_param status')
    t.equal(
      shown(await author.list('event', `status=${status}`)),
      status.includes('publish') || status === 'any' ? 'publish' : '',
    )
  }
  t.equal(await list('status=publish'), 'publish')
  t.equal(await list('status=publish,'), 'publish')
})
