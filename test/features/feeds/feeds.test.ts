import { gunzipSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import t, { type Test } from 'tap'
import { FORMATS } from '../../../src/features/feeds/formats/formats.ts'
import { must } from '../../support/answers.ts'
import { type Answer, type Api, build, EVENT, ROOT } from '../../support/app.ts'
import { seed } from '../../support/seed.ts'

const XML = ['rss', 'atom']
const EXTENSIONS = FORMATS.map(({ extension }) => extension)
const typeOf = (extension: string) => FORMATS.find((one) => one.extension === extension)!.type

/** The texts and attributes of elements by name, from a parser that refuses what is not well-formed. */
function parse(xml: string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  const parser = new SaxesParser({ xmlns: true })
  const texts: string[] = []
  const note = (name: string, value: string) => {
    found[name] ??= []
    found[name].push(value)
  }
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    texts.push('')
    for (const { name: key, value } of Object.values(attributes)) note(`${name}@${key}`, value)
  })
  parser.on('text', (text) => {
    if (texts.length > 0) texts[texts.length - 1] += text
  })
  parser.on('closetag', ({ name }) => note(name, texts.pop()!.trim()))
  parser.write(xml).close()
  return found
}

/** The titles of the events in a feed, as its readers see them. */
function titlesOf(extension: string, { text }: Pick<Answer, 'text'>): string[] {
  if (XML.includes(extension)) return parse(text).title!.slice(1)
  if (extension === 'jsonfeed') return JSON.parse(text).items.map(({ title }: { title: string }) => title)
  if (extension === 'ics')
    return [...text.replaceAll('\r\n ', '').matchAll(/^SUMMARY(?:;[^:]*)?:(.*)\r$/gm)].map(([, title]) =>
      title!.replace(/\\(.)/g, '$1'),
    )
  const json = JSON.parse(text)
  return (json['@graph'] ?? (json.name ? [json] : json)).map(
    ({ name, title }: Record<string, string>) => name ?? title,
  )
}

/** One event after another, each with a member of its own. */
const add = async ({ editor }: Api, events: object[]) => {
  const made = []
  for (const [at, event] of events.entries())
    made.push(await must(editor.post('/events', { ...EVENT, title: `Event ${at}`, ...event })))
  return made
}

t.test('lists have the filters, the order and the refusals of JSON in every format', async (t) => {
  const api = await build(t)
  const { anonymous } = api
  const event = await seed(api)
  await add(api, [
    { title: 'Later', start_date: '2026-12-03 10:00:00', end_date: '2026-12-03 11:00:00', featured: true },
    { title: 'Past', start_date: '2020-12-03 10:00:00', end_date: '2020-12-03 11:00:00' },
    { title: 'Català', i18n_language: 'ca', start_date: '2026-12-04', end_date: '2026-12-04', all_day: true },
    { title: 'Hidden', hide_from_listings: true },
  ])
  const queries = [
    '',
    '?when=all&order=desc',
    '?categories=arts',
    '?tags=open-air',
    `?venue=${event.venue.id}`,
    `?organizer=${event.organizer[0].id}`,
    '?search=later',
    '?featured=true',
    '?i18n_language=ca',
    '?start_date=2026-12-03&end_date=2026-12-03',
    '?per_page=1&page=2',
    '?per_page=2',
    '?include=5,1',
    '?search=nothing',
  ]
  for (const extension of EXTENSIONS) {
    for (const query of queries) {
      const list = await anonymous.get(`/events${query}`)
      const feed = await anonymous.get(`/events.${extension}${query}`)
      const titles = list.body.events.map(({ title }: { title: string }) => title)
      t.equal(feed.headers['content-type'], typeOf(extension))
      t.same(titlesOf(extension, feed), titles, `${extension} ${query}`)
      t.equal(feed.headers['x-wp-total'], list.headers['x-wp-total'], `${extension} ${query}`)
    }
    for (const query of [
      '?page=0',
      '?categories=none',
      '?search=%20',
      '?status=draft',
      '?geoloc_lat=1',
      '?page=99',
    ]) {
      const { status, body } = await anonymous.get(`/events${query}`)
      const feed = await anonymous.get(`/events.${extension}${query}`)
      t.same([feed.status, feed.body], [status, body], `${extension} ${query}`)
    }
    const { headers } = await anonymous.get(`/events.${extension}?per_page=1&page=2&when=all`)
    const link = (page: number, rel: string) =>
      `<http://calendar.test${ROOT}/events.${extension}?when=all&per_page=1&page=${page}>; rel="${rel}"`
    t.equal(headers.link, `${link(3, 'next')}, ${link(1, 'prev')}`)
  }
})

t.test('one event, and the events of a record, are found as the record is', async (t) => {
  const api = await build(t)
  const { anonymous, editor } = api
  const event = await seed(api)
  const draft = await must(editor.post('/events', { ...EVENT, title: 'Draft', status: 'draft' }))
  const trashed = await must(editor.post('/events', { ...EVENT, title: 'Trashed' }))
  await editor.delete(`/events/${trashed.id}`)
  await must(
    editor.post('/venues', { venue: 'Secret', status: 'private' }).then((answer) => {
      t.equal(answer.status, 201)
      return answer
    }),
  )
  for (const extension of EXTENSIONS) {
    for (const path of [
      `/events/${event.id}`,
      `/venues/${event.venue.id}`,
      `/organizers/${event.organizer[1].id}`,
      `/categories/${event.categories[0].id}`,
      `/categories/${event.categories[0].parent}`,
      `/tags/${event.tags[0].id}`,
    ])
      t.same(
        titlesOf(extension, await anonymous.get(`${path}.${extension}`)),
        ['Concert'],
        `${path}.${extension}`,
      )
    for (const path of [
      `/events/${draft.id}`,
      `/events/${trashed.id}`,
      '/events/999',
      '/venues/999',
      `/venues/${trashed.id + 1}`,
      '/organizers/999',
      '/categories/999',
      '/tags/999',
    ]) {
      const { status, body } = await anonymous.get(path)
      const feed = await anonymous.get(`${path}.${extension}`)
      t.ok(status >= 400)
      t.same([feed.status, feed.body], [status, body], `${path}.${extension}`)
    }
    t.same(titlesOf(extension, await editor.get(`/events/${draft.id}.${extension}`)), ['Draft'])
    const ignored = await anonymous.get(`/tags/${event.tags[0].id}.${extension}?tags=1&password=x`)
    t.equal(ignored.headers['x-ignored-parameters'], 'tags, password')
  }
  for (const path of ['/events.xml', '/events/1.xml', '/events/x.rss', '/events/1.5.rss', '/events.'])
    t.match(await anonymous.get(path), { status: 404, body: { code: 'rest_no_route' } }, path)
  t.match(await editor.post('/events.rss', EVENT), { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } })
})

t.test('Accept chooses the format, by its preferences, and JSON is the default', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const json = 'application/json; charset=utf-8'
  const cases: [accept: string | undefined, type: string][] = [
    [undefined, json],
    ['*/*', json],
    ['', json],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
    ['application/xml', json],
    ['nonsense', json],
    ['text/*', json],
    ['application/json, text/calendar;q=0.9', json],
    ['application/rss+xml;q=0', json],
    ['application/rss+xml;q=0.5, */*;q=0.6', json],
    ...FORMATS.map(({ type }): [string, string] => [type.split(';')[0]!, type]),
    ...FORMATS.map(({ type }): [string, string] => [type.toUpperCase(), type]),
    ['application/rss+xml, */*;q=0.1', typeOf('rss')],
    ['application/rss+xml;q=0.3, application/atom+xml;q=0.7', typeOf('atom')],
    ['application/ld+json;profile="a,b";q=0.9, application/json;q=0.2', typeOf('jsonld')],
  ]
  // twice and a third time, when the answer is kept
  for (const path of [
    '/events',
    `/events/${event.id}/`,
    `/venues/${event.venue.id}`,
    `/tags/${event.tags[0].id}`,
  ])
    for (const [accept, type] of cases)
      for (const _ of [1, 2, 3]) {
        const headers: Record<string, string> = accept === undefined ? {} : { accept }
        const answer = await api.anonymous.get(path, undefined, { headers })
        t.same([answer.status, answer.headers['content-type']], [200, type], `${path} ${accept}`)
        t.equal(answer.headers.vary, 'Authorization, Accept-Encoding, Accept')
      }
  const headers = { accept: 'application/rss+xml' }
  t.equal(
    (await api.anonymous.get('/events.atom', undefined, { headers })).headers['content-type'],
    typeOf('atom'),
  )
  t.equal((await api.anonymous.get('/venues', undefined, { headers })).headers['content-type'], json)
  t.equal((await api.editor.post('/events', EVENT, { headers })).headers['content-type'], json)
})

t.test('ical=1 asks for iCalendar, as WordPress clients do, also at the public addresses', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  await add(api, [{ title: 'Other', i18n_language: 'ca' }])
  const all = ['Concert', 'Other']
  const cases: [path: string, titles: string[]][] = [
    [`${ROOT}/events?ical=1`, all],
    [`${ROOT}/events/?search=other&outlook-ical=1`, ['Other']],
    [`${ROOT}/events?ical=1&search=other&outlook-ical=1`, ['Other']],
    [`${ROOT}/events/${event.id}?ical=true`, ['Concert']],
    ['/events/?ical=1', ['Concert']],
    ['/events/?ical=1&i18n_language=any', all],
    ['/ca/events/?ical=1', ['Other']],
    ['/events?ical=1&search=other&i18n_language=ca', ['Other']],
    ['/ca/events?search=other&ical=1', ['Other']],
    [`/event/${event.slug}/?ical=1`, ['Concert']],
    [`/event/${event.slug}?outlook-ical=1`, ['Concert']],
    ['/events/category/arts/?ical=1', ['Concert']],
    ['/events/tag/open-air/?ical=1', ['Concert']],
    ['/venue/hall/?ical=1', ['Concert']],
    ['/organizer/choir/?ical=1', ['Concert']],
  ]
  for (const [path, titles] of cases)
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await api.anonymous.send({ method, url: path })
      t.same([answer.status, answer.headers['content-type']], [200, typeOf('ics')], `${method} ${path}`)
      t.equal(answer.headers['x-ignored-parameters'], undefined, path)
      if (method === 'GET') t.same(titlesOf('ics', answer), titles, path)
    }
  for (const path of ['/event/none/', '/events/category/none/', '/events/tag/none/', '/venue/none/'])
    t.equal((await api.anonymous.get(`/${path}?ical=1`)).status, 404, path)
  for (const path of [
    `${ROOT}/events?ical=0`,
    `${ROOT}/venues?ical=1`,
    '/-ical/events',
    '/-site/-ical/events',
  ])
    t.not((await api.anonymous.get(`/${path}`)).headers['content-type'], typeOf('ics'), path)
})

t.test('responses link to the calendar with the same events', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  const linked = async (path: string) => (await api.anonymous.get(path)).headers.link
  const calendar = (path: string) =>
    `<webcal://calendar.test${ROOT}${path}>; rel="alternate"; type="text/calendar"`
  t.equal(
    await linked('/events/?categories=arts&page=1&per_page=5&_fields=total'),
    calendar('/events.ics?categories=arts'),
  )
  t.equal(await linked(`/events/${event.id}`), calendar(`/events/${event.id}.ics`))
  t.equal(await linked(`/tags/${event.tags[0].id}`), calendar(`/tags/${event.tags[0].id}.ics`))
  await add(api, [{}])
  t.match(await linked('/events?per_page=1'), /rel="next", <webcal:/)
  const { body } = await api.anonymous.get('/changes')
  for (const path of ['/changes', `/changes?sync_token=${body.next_sync_token}`, '/changes?kind=event'])
    t.equal(await linked(path), undefined, 'changes have no calendar, and a token goes nowhere')
  for (const path of ['/venues', '/events/999', `/events?search=${'x'.repeat(1_500)}`, '/events.rss'])
    t.equal(await linked(path), undefined, path.slice(0, 40))
})

/** Texts that break what is written without care. */
const HOSTILE = [
  ']]>',
  '<!-- & -->',
  '"quoted" \'text\'',
  'a < b & c > d',
  '😀 𝔘',
  '&amp;&#0;&lt;',
  '\u0085\u2028',
]

t.test('hostile texts are well-formed and come back as they were', async (t) => {
  const api = await build(t)
  for (const [at, text] of HOSTILE.entries())
    await must(
      api.editor.post('/events', {
        ...EVENT,
        title: `T${at} ${text}`,
        description: `<p>${text}</p>`,
        venue: { venue: `V${at} ${text}`, address: text },
        organizer: { organizer: `O${at} ${text}` },
        tags: [`t${at} ${text}`],
      }),
    )
  const { body } = await api.anonymous.get('/events')
  const titles = body.events.map(({ title }: { title: string }) => title)
  for (const extension of EXTENSIONS) {
    const feed = await api.anonymous.get(`/events.${extension}`)
    t.same(titlesOf(extension, feed), titles, extension)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML and iCalendar must not contain
    t.notMatch(feed.text, /[\0-\u0008\u000b\u000c\u000e-\u001f]/, extension)
  }
})

const SECRET = {
  description: '<p>zzsecret</p>',
  excerpt: 'zzsecret',
  cost: 'zzsecret',
  website: 'https://zzsecret.test',
  virtual_url: 'https://zzsecret.test/room',
  venue: { venue: 'zzsecret' },
  organizer: { organizer: 'zzsecret' },
  tags: ['zzsecret'],
}

t.test('feeds show what the caller may see: nothing protected, private or unpublished', async (t) => {
  const api = await build(t)
  const [closed] = await add(api, [
    { ...SECRET, title: 'Closed', password: 'sesame' },
    { title: 'Private', status: 'private' },
    { title: 'Draft', status: 'draft' },
    { title: 'Pending', status: 'pending' },
    { title: 'Future', status: 'future', date: '2027-01-01 00:00:00' },
  ])
  const drafts = await must(api.editor.get('/venues?search=zzsecret'))
  t.equal(drafts.total, 1)
  for (const extension of [...EXTENSIONS, 'fullcalendar.json']) {
    const feed = await api.anonymous.get(`/events.${extension}?password=sesame`)
    t.same(titlesOf(extension, feed), ['Closed'], extension)
    t.notMatch(feed.text, /zzsecret|sesame/, extension)
    t.same(titlesOf(extension, await api.subscriber.get(`/events.${extension}`)), ['Closed'])
    const whole = await api.editor.get(`/events.${extension}`)
    t.match(whole.text, /zzsecret/, extension)
    t.match(whole.headers['cache-control'], /private/)
    t.same(
      titlesOf(extension, whole)
        .map((title) => title.replace('Private: ', ''))
        .sort(),
      ['Closed', 'Draft', 'Future', 'Pending', 'Private'].sort(),
    )
    t.same(titlesOf(extension, await api.editor.get(`/events.${extension}?status=draft`)), ['Draft'])
    if (extension === 'fullcalendar.json') continue
    const path = `/events/${closed.id}.${extension}`
    t.match(await api.anonymous.get(path), { status: 403, body: { code: 'event-password-protected' } })
    t.match(await api.anonymous.get(`${path}?password=wrong`), { status: 403 })
    const opened = await api.anonymous.get(`${path}?password=sesame`)
    t.match(opened, { status: 200, headers: { 'cache-control': 'no-store' } })
    t.match(opened.text, /zzsecret/)
    t.notMatch(opened.text, /sesame/, 'no feed says its password')
  }
})

t.test('a feed that did not change is 304, and HEAD has no body', async (t) => {
  const api = await build(t)
  const event = await seed(api)
  for (const extension of [...EXTENSIONS, 'fullcalendar.json'])
    for (const path of [
      `/events.${extension}`,
      ...(extension.includes('.') ? [] : [`/events/${event.id}.${extension}`]),
    ]) {
      const first = await api.anonymous.get(path)
      const ask = (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') =>
        api.anonymous.send({ method, url: ROOT + path, headers })
      const etag = first.headers.etag!
      t.match(await ask({ 'if-none-match': etag }), { status: 304, text: '' }, path)
      t.match(await ask({ 'if-none-match': `W/${etag}` }), { status: 304, text: '' }, path)
      t.match(await ask({ 'if-none-match': '"other"' }), { status: 200, text: first.text }, path)
      const head = await ask({}, 'HEAD')
      t.match(head, {
        status: 200,
        text: '',
        headers: { etag, 'content-length': String(Buffer.byteLength(first.text)) },
      })
    }
})

/** Events by the store, faster than by requests; more than are made as a whole. */
const MANY = 260

async function addMany(api: Api) {
  for (let at = 0; at < MANY; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, more) =>
        must(api.editor.post('/events', { ...EVENT, title: `Event ${String(at + more).padStart(3, '0')}` })),
      ),
    )
}

async function expectMany(t: Test, api: Api, extension: string) {
  const url = `${ROOT}/events.${extension}?orderby=title`
  const ask = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    api.app.inject({ method, url, headers })
  const zipped = await ask({ 'accept-encoding': 'gzip' })
  const first = await ask()
  const titles = titlesOf(extension, { text: first.payload })
  t.equal(new Set(titles).size, MANY, extension)
  const etag = String(first.headers.etag)
  t.match(etag, /^W\/"/)
  t.equal((await ask()).headers.etag, etag)
  t.match(await ask({ 'if-none-match': etag }), { statusCode: 304, payload: '' })
  t.match(await ask({ 'if-none-match': etag.slice(2) }), { statusCode: 304 })
  t.match(await ask({ 'if-none-match': etag }, 'HEAD'), { statusCode: 304, payload: '' })
  t.match(await ask({}, 'HEAD'), { statusCode: 200, payload: '', headers: { etag } })
  t.equal(zipped.headers.etag, etag)
  t.equal(gunzipSync(zipped.rawPayload).toString(), first.payload)
  t.match(await ask({ 'if-none-match': String(zipped.headers.etag), 'accept-encoding': 'gzip' }), {
    statusCode: 304,
  })
}

t.test('many events are sent as they are read, with an ETag that changes with what is shown', async (t) => {
  const api = await build(t)
  await addMany(api)
  for (const extension of EXTENSIONS) await expectMany(t, api, extension)
  const etag = async (query = '', client = api.anonymous) =>
    (await client.send({ method: 'HEAD', url: `${ROOT}/events.rss${query}` })).headers.etag
  const before = await etag()
  await must(api.editor.post('/venues', { venue: 'Elsewhere' }))
  t.equal(await etag(), before, 'what no event shows changes nothing')
  t.not(await etag('', api.editor), before, 'another caller may see more')
  t.not(await etag('?when=upcoming'), before, 'another address')
  await must(api.editor.patch('/events/7', { title: 'Renamed' }))
  const renamed = await etag()
  t.not(renamed, before)
  const { id } = await must(api.editor.post('/tags', { name: 'late' })).catch(() =>
    must(api.administrator.post('/tags', { name: 'late' })),
  )
  await must(api.editor.patch('/events/7', { tags: [id] }))
  const tagged = await etag()
  await must(api.administrator.patch(`/tags/${id}`, { name: 'Late night' }))
  t.not(await etag(), tagged, 'a tag that an event shows')
  const last = await etag()
  await must(api.editor.delete('/events/9'))
  t.not(await etag(), last, 'an event less')
})

t.test('what is deleted or hidden while a feed is sent is left out', async (t) => {
  const api = await build(t)
  await addMany(api)
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const response = await fetch(`${origin}${ROOT}/events.jsonfeed?orderby=title`)
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = decoder.decode((await reader.read()).value, { stream: true })
  // nothing more is read by the service before what it wrote has been taken
  await must(api.editor.patch('/events/260', { status: 'draft', title: 'zzsecret' }))
  await must(api.editor.delete('/events/259?force=true'))
  await must(api.editor.patch('/events/258', { password: 'sesame', description: 'zzsecret' }))
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  t.notMatch(text, /zzsecret/)
  t.equal(new Set(titlesOf('jsonfeed', { text })).size, JSON.parse(text).items.length)
})
