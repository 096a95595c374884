import t from 'tap'
import { type Api, build, type Client, EVENT } from '../../support/app.ts'
import { must, shown } from '../../support/events.ts'

const ask = async (client: Client, q: string, more = '') => {
  const answer = await client.get(`/events?q=${encodeURIComponent(q)}${more}`)
  return [shown(answer), answer.headers['x-search-corrections'] ?? ''].join(' | ')
}
const add = ({ editor }: Api, title: string, more: object = {}) =>
  must(editor.post('/events', { ...EVENT, title, ...more }))

t.test('a word that occurs nowhere is taken as its nearest, and the answer says so', async (t) => {
  const api = await build(t)
  const { id, venue } = await add(api, 'Concert', { venue: { venue: 'Auditori', city: 'Palafrugell' } })
  await add(api, 'Concerts 20261')
  await add(api, 'Concerts again')
  await add(api, 'Café')
  await add(api, '音楽会東京')
  for (const [q, found] of [
    ['concert', 'Concert Concerts 20261 Concerts again | '],
    ['concert ', 'Concert Concerts 20261 Concerts again | '],
    ['"concert"', 'Concert | '],
    ['concret', 'Concert Concerts 20261 Concerts again | concret=concert'],
    ['concret auditori', 'Concert | concret=concert'],
    ['concertz again', 'Concerts again | concertz=concerts'],
    ['palafurgell', 'Concert | palafurgell=palafrugell'],
    ['palafurgel auditory', 'Concert | palafurgel=palafrugell, auditory=auditori'],
    ['palfrugel', 'Concert | palfrugel=palafrugell'],
    ['plfrgell', ' | '],
    ['cafz', ' | '],
    ['caff', ' | '],
    ['20262', ' | '],
    ['"concret"', ' | '],
    ['-concret café', 'Café | '],
    ['音楽界東京', ' | '],
    ['concret zzzzz', ' | concret=concert'],
  ] as const)
    t.equal(await ask(api.anonymous, q), found, q)
  t.equal(await ask(api.anonymous, 'concret', `&venue=${venue.id}`), 'Concert | concret=concert')
  t.equal(
    await ask(api.anonymous, 'concerts', `&venue=${venue.id}`),
    ' | ',
    'a word that occurs stands, whatever the filters',
  )
  t.equal(await ask(api.anonymous, 'concret', `&include=${id}`), 'Concert | concret=concert')
})

t.test(
  'of words with as few errors it is the one of most events, then that with the same first letter, then the first',
  async (t) => {
    const api = await build(t)
    for (const title of ['Violin', 'Violit', 'Violis', 'Violir', 'Niolip']) await add(api, title)
    t.equal(await ask(api.anonymous, 'violip'), 'Violin | violip=violin')
    await add(api, 'Violir again')
    t.equal(await ask(api.anonymous, 'violip'), 'Violir Violir again | violip=violir')
    t.equal(await ask(api.anonymous, 'niolin'), 'Niolip | niolin=niolip')
  },
)

t.test('corrections come with feeds, in kept answers, and are readable for other origins', async (t) => {
  const api = await build(t, { fresh: true })
  await add(api, 'Concert')
  for (const path of ['/events?q=concret', '/events.ics?q=concret', '/events.fullcalendar.json?q=concret'])
    for (const time of ['made', 'made and kept', 'kept'])
      t.equal(
        (await api.anonymous.get(path)).headers['x-search-corrections'],
        'concret=concert',
        `${path} ${time}`,
      )
  t.equal(api.app.answers.hits, 3)
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
  await add(api, 'Concret')
  const now = await api.anonymous.get('/events?q=concret', undefined, known)
  t.match([now.status, shown(now), now.headers['x-search-corrections']], [200, 'Concret', undefined])
})

t.test('no correction tells of what the caller does not see', async (t) => {
  const api = await build(t)
  const { anonymous, editor, author } = api
  const venue = await must(editor.post('/venues', { venue: 'Zanzibar', status: 'draft' }))
  await add(api, 'Shown', { venue: venue.id })
  const hidden = await add(api, 'Xylophones', { hide_from_listings: true })
  const draft = await add(api, 'Marimbas', { status: 'draft' })
  const locked = await add(api, 'Locked', {
    ...{ password: 'x', description: 'Kalimbas', categories: ['Vibraphones'] },
    venue: { venue: 'Timpanist' },
  })
  await add(api, 'Bassoon', { i18n_language: 'ca' })
  for (const [q, found] of [
    ['xylophonez', ' | '],
    ['marimbaz', ' | '],
    ['kalimbaz', ' | '],
    ['zanzibor', ' | '],
    ['zanzibar', ' | '],
    ['vibraphonez', ' | '],
    ['timpanizt', ' | '],
    ['timpanist', ' | '],
    ['lockad', 'Locked | '],
  ] as const)
    t.equal(await ask(anonymous, q), q === 'lockad' ? 'Locked | lockad=locked' : found, q)
  t.equal(await ask(author, 'marimbaz'), ' | ', 'an author sees no drafts of others')
  t.equal(await ask(editor, 'zanzibor'), 'Shown | zanzibor=zanzibar')
  t.equal(await ask(editor, 'timpanizt'), 'Locked | timpanizt=timpanist')
  t.equal(await ask(anonymous, 'bassoom', '&i18n_language=en'), ' | ')
  t.equal(await ask(anonymous, 'bassoom', '&i18n_language=ca'), 'Bassoon | bassoom=bassoon')
  // what a word means does not depend on a draft that has it
  await add(api, 'Marimbal')
  t.equal(await ask(anonymous, 'marimbas'), 'Marimbal | marimbas=marimbal')
  t.equal(await ask(editor, 'marimbas'), 'Marimbas | ')
  await must(editor.patch(`/events/${draft.id}`, { status: 'publish' }))
  t.equal(await ask(anonymous, 'marimbas'), 'Marimbas | ')
  await must(editor.patch(`/events/${hidden.id}`, { hide_from_listings: false }))
  t.equal(await ask(anonymous, 'xylophonez'), 'Xylophones | xylophonez=xylophones')
  await must(editor.patch(`/events/${locked.id}`, { password: null }))
  t.equal(await ask(anonymous, 'timpanizt'), 'Locked | timpanizt=timpanist')
  await must(editor.patch(`/venues/${venue.id}`, { status: 'publish' }))
  t.equal(await ask(anonymous, 'zanzibor'), 'Shown | zanzibor=zanzibar')
})
