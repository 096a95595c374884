import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'

/** One event, venue and category in English and in Catalan, and events in Catalan alone. */
async function seed({ editor }: Api) {
  const make = async (path: string, first: object, second: object) => {
    const { id } = await must(editor.post(path, first))
    await must(editor.post(path, { ...second, i18n_language: 'ca', translation_of: id }))
  }
  await make('/events', { ...EVENT, title: 'Fair' }, { ...EVENT, title: 'Fira' })
  await make('/venues', { venue: 'Hall' }, { venue: 'Sala' })
  await make('/organizers', { organizer: 'Choir' }, { organizer: 'Cor' })
  await make('/categories', { name: 'Music' }, { name: 'Música' })
  await must(editor.post('/events', { ...EVENT, title: 'Només', i18n_language: 'ca' }))
}

const ADDRESSES: [path: string, one: number, all: number][] = [
  ['/?rest_route=/tribe/events/v1/events', 1, 3],
  ['/?rest_route=/tribe/events/v1/venues', 1, 2],
  ['/?rest_route=/tribe/events/v1/organizers', 1, 2],
  ['/?rest_route=/tribe/events/v1/categories&hide_empty=false', 1, 2],
  ['/?rest_route=/tribe/events/v1/events.ics', 1, 3],
  ['/?rest_route=/tribe/events/v1/events&ical=1', 1, 3],
  ['/?rest_route=/wp/v2/tribe_events', 1, 3],
  ['/?rest_route=/wp/v2/tribe_venue', 1, 2],
  ['/?rest_route=/wp/v2/tribe_events_cat', 1, 2],
  ['/?rest_route=/wp/v2/search&subtype=tribe_organizer', 1, 2],
  ['/?rest_route=/tec/v1/events', 1, 3],
  ['/?rest_route=/tec/v1/categories', 1, 2],
  ['/?ical=1', 1, 3],
  ['/events/?ical=1', 1, 3],
  ['/events/list/?ical=1', 1, 3],
  ['/?rest_route=/tribe/events/v1/events.rss', 1, 3],
]

/** How many records an answer has. */
function countOf({ body, text }: Answer): number {
  if (typeof body === 'string') return text.split(/BEGIN:VEVENT|<item>/).length - 1
  return Array.isArray(body) ? body.length : body.total
}

t.test('visitors get lists without a language in the first one', async (t) => {
  const api = await build(t)
  await seed(api)
  const count = async (path: string, client = api.anonymous) => countOf(await client.get(`/${path}`))
  for (const [path, one, all] of ADDRESSES) {
    const and = path.includes('?') ? '&' : '?'
    t.equal(await count(path), one, path)
    t.equal(await count(`${path}${and}i18n_language=any`), all, path)
    t.equal(await count(`${path}${and}i18n_language=ca`), all - 1, path)
    t.equal(await count(path, api.subscriber), all, `${path} signed in`)
    if (path.startsWith('/?')) t.equal(await count(`/ca${path}`), all - 1, path)
  }
  t.equal(await count(`${ROOT}/events`), 3, 'at the mount of our own API')
  const refused = await api.anonymous.get('//?rest_route=/tribe/events/v1/events&i18n_language=fr')
  t.equal(refused.body.data.params.i18n_language.length > 0, true)
  t.equal((await api.anonymous.get('/events?i18n_language=any')).status, 400)
  t.equal((await api.anonymous.get('//ca/?rest_route=/tribe/events/v1/events&i18n_language=any')).status, 400)
})

t.test('records that are named are listed in any language', async (t) => {
  const api = await build(t)
  await seed(api)
  for (const path of [
    '/tribe/events/v1/events&include=2',
    '/wp/v2/tribe_events&include=2',
    '/wp/v2/tribe_events&slug=fira',
  ])
    t.equal(countOf(await api.anonymous.get(`//?rest_route=${path}`)), 1, path)
  t.equal(countOf(await api.anonymous.get('//?rest_route=/wp/v2/tribe_events_cat&slug=musica')), 1)
})

t.test('all languages are listed if the operator says so', async (t) => {
  const api = await build(t, { env: { COMPAT_LANGUAGES: 'all' } })
  await seed(api)
  for (const [path, , all] of ADDRESSES) t.equal(countOf(await api.anonymous.get(`/${path}`)), all, path)
})

t.test('pages of all languages follow each other', async (t) => {
  const { anonymous, ...api } = await build(t)
  await seed({ anonymous, ...api })
  const titles: string[] = []
  let next: string | undefined = '/wp-json/tribe/events/v1/events?per_page=1&i18n_language=any'
  while (next !== undefined) {
    const { body }: Answer = await anonymous.get(
      `//?rest_route=${next.replace('/wp-json', '').replace('?', '&')}`,
    )
    titles.push(...body.events.map(({ title }: { title: string }) => title))
    next = body.next_rest_url?.slice('http://calendar.test'.length)
  }
  t.same(titles.sort(), ['Fair', 'Fira', 'Només'])
  const first = (await anonymous.get('//?rest_route=/tribe/events/v1/events&per_page=1')).body
  t.equal(first.next_rest_url, undefined)
})

t.test('a record is read in its own language, whatever lists show', async (t) => {
  const api = await build(t)
  await seed(api)
  for (const [id, title] of [
    [1, 'Fair'],
    [2, 'Fira'],
  ] as const) {
    t.equal((await api.anonymous.get(`//wp-json/tribe/events/v1/events/${id}`)).body.title, title)
    t.equal((await api.anonymous.get(`//wp-json/tec/v1/events/${id}`)).body.title.rendered, title)
  }
  t.ok((await api.anonymous.get('//wp-json/tribe/events/v1/changes')).text.includes('Fira'))
})
