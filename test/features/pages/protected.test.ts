import t from 'tap'
import { loggerOf } from '../../../src/run/serve.ts'
import { must } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { BROWSER, visit } from '../../support/pages.ts'

const SECRET = {
  ...EVENT,
  title: 'Members only',
  slug: 'members',
  password: 'open & sesame',
  description: '<p>A walled garden</p>',
  excerpt: '<p>A walled gate</p>',
  cost: '99 €',
  venue: { venue: 'The cellar' },
  organizer: { organizer: 'The guild' },
  categories: ['Mystery'],
}
const TOLD = /walled|99\D|cellar|guild|<li[^>]*>.*mystery/i

/** Sends the form of a protected event as a browser does. */
const send = ({ anonymous }: Api, password: string, more: object = {}, path = '/event/members/') =>
  anonymous.post(`/${path}`, new URLSearchParams({ password }).toString(), {
    headers: {
      ...BROWSER.headers,
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://calendar.test',
      ...more,
    },
  })

t.test('a protected event shows its title and time, and asks for its password', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', SECRET))
  for (const path of [
    '/event/members/',
    '/event/members/?password=open%20%26%20sesame',
    '/',
    '/events/?search=members',
  ]) {
    const { status, text } = await visit(api, path)
    t.equal(status, 200, path)
    t.match(text, 'Members only')
    t.notMatch(text.split('<div id="results">').at(-1), TOLD, path)
    t.notMatch(text, /walled|cellar|guild/i, path)
  }
  const { text } = await visit(api, '/event/members/')
  t.match(text, '<form class="password" method="post" action="/event/members/">')
  t.notMatch(text, 'ld+json')
  t.notMatch(text, '.ics">Calendar file')
  t.match((await visit(api, '/')).text, '<span class="note">Protected</span>')
})

t.test('the right password shows the event, and is kept nowhere', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', SECRET))
  const { status, text, headers } = await send(api, SECRET.password)
  t.equal(status, 200)
  t.match(text, 'A walled garden')
  t.match(text, 'The cellar')
  t.same([headers['cache-control'], headers['set-cookie'], headers.etag], ['no-store', undefined, undefined])
  t.equal(headers['referrer-policy'], 'same-origin', 'browsers send the origin of the form')
  t.notMatch(text, 'sesame')
  t.notMatch(text, 'ld+json', 'addresses of other services do not get what is protected')
  t.notMatch(text, 'calendar.google.com')
  t.notMatch((await visit(api, '/event/members/')).text, TOLD, 'others still need it')
})

t.test('a password is in no line of the log', async (t) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const api = await build(t, { logger: { ...loggerOf('trace', false), stream } })
  await must(api.editor.post('/events', SECRET))
  lines.length = 0
  t.equal((await send(api, SECRET.password)).status, 200)
  t.equal((await send(api, 'a wrong & sesame')).status, 403)
  t.match(lines.join(''), '/event/members/')
  t.notMatch(lines.join(''), /sesame|members\/\?/)
})

t.test('other pages, feeds and the site map tell no more of a protected event', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', SECRET))
  const day = SECRET.start_date.slice(0, 10)
  for (const path of [
    `/events/month/${day.slice(0, 7)}/`,
    `/events/day/${day}/`,
    '/embed/',
    `/embed/?view=month&month=${day.slice(0, 7)}`,
    '/sitemap-event-1.xml',
    '/sitemap-venue-1.xml',
    '/sitemap-organizer-1.xml',
    '/sitemap-category-1.xml',
    ...['ics', 'rss', 'atom', 'jsonfeed', 'jsonld'].map((format) => `/calendar/events/v1/events.${format}`),
  ]) {
    const { text } = await visit(api, path)
    t.notMatch(text, /walled|99 ?€|sesame/i, path)
    t.notMatch(text.replace(/<select.*?<\/select>|<nav class="topics".*?<\/nav>/gs, ''), /mystery"/i, path)
  }
  t.notMatch((await visit(api, '/sitemap.xml')).text, 'sitemap-event')
})

t.test('a wrong password is told, and many are refused', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/events', SECRET))
  const wrong = await send(api, 'x'.repeat(1_000))
  t.equal(wrong.status, 403)
  t.match(wrong.text, '<p class="problem" id="problem" role="alert">This password is wrong.')
  t.match(wrong.text, 'aria-invalid="true" aria-describedby="problem"')
  t.notMatch(wrong.text, TOLD)
  let last = wrong
  // most are such as no password can be: they count like others, and cost no hash
  for (let time = 0; time < 61 && last.status === 403; time++)
    last = await send(api, time % 10 === 0 ? `no ${time}` : `no\n${time}`)
  t.equal(last.status, 429)
  t.match(last.headers['retry-after'], /^\d+$/)
  t.match(last.text, 'Too many passwords were tried.')
  t.notMatch(last.text, TOLD)
})

t.test('a form of another kind leads to the page', async (t) => {
  const api = await build(t, { fresh: true })
  await must(api.editor.post('/events', SECRET))
  await must(api.editor.post('/events', { ...EVENT, slug: 'open' }))
  for (const [password, path] of [
    ['', '/event/members/'],
    ['x', '/event/open/'],
  ] as const) {
    const { status, headers } = await send(api, password, {}, path)
    t.same([status, headers.location], [303, path])
  }
  const json = { 'content-type': 'application/json' }
  t.equal((await api.anonymous.post('//event/members/', '{"password":1}', { headers: json })).status, 303)
  t.equal((await api.anonymous.post('//event/members/')).status, 303)
  const catalan = await send(api, 'x', {}, '/ca/event/members/')
  t.match(catalan.text, 'La contrasenya no és correcta')
  t.equal((await send(api, 'x', {}, '/event/none/')).status, 404)
  t.equal((await send(api, 'x', { origin: 'https://other.test' })).status, 403)
})

t.test('what goes wrong while a password is checked is an error', async (t) => {
  const api = await build(t, { fresh: true })
  await must(api.editor.post('/events', SECRET))
  const { eventPasswords } = api.app.guesses
  const { check } = eventPasswords
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // one password is checked at a time: the first one holds back all others, until more have come than may wait
  eventPasswords.check = async (request) => {
    await held
    return check(request)
  }
  const sent = Array.from({ length: 40 }, () => send(api, 'x'))
  const { status, text, headers } = await Promise.race(sent)
  t.equal(status, 503)
  t.match(headers['retry-after'], /^\d$/)
  t.match(text, 'Many people are here right now')
  release()
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  t.equal(statuses.filter((one) => one === 503).length, 9)
  t.equal(statuses.filter((one) => one === 403).length, 31, 'the others are checked one after the other')
})
