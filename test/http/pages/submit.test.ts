import t from 'tap'
import { submissionMail } from '../../../src/formats/mail/submissions/submissions.ts'
import { likeness } from '../../../src/rules/text/similar.ts'
import { ApiError } from '../../../src/support/errors.ts'
import { type Answer, type Api, build } from '../../support/app.ts'
import { must } from '../../support/events.ts'
import { decoded, openMailServer } from '../../support/mail-server.ts'
import { draw } from '../../support/pictures.ts'
import {
  buildSubmitting,
  EMAIL,
  NAME,
  NOTE,
  propose,
  solve,
  submissionsOf,
} from '../../support/submissions.ts'

const TYPED = {
  ...{
    title: 'Lantern <walk>',
    description: 'Bring a lantern.\n\nAll & all.',
    venue: 'Old mill',
    city: 'Vic',
  },
  ...{ start_day: '2026-12-05', start_time: '18:00', end_day: '', end_time: '20:00' },
  ...{
    organizer: 'Friends',
    cost: '5',
    website: 'https://mill.example/',
    name: NAME,
    email: EMAIL,
    note: NOTE,
  },
}
const PAGE = '//events/submit/'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The value of a hidden field. */
const hiddenIn = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)![1]!
/** Opens the form, takes one's time, and sends it as a browser without script. */
async function send(api: Api, typed: Record<string, string>, page = PAGE): Promise<Answer> {
  const challenge = hiddenIn((await api.anonymous.get(page)).text, 'challenge')
  api.clock.now += 5_000
  return post(api, { challenge, nonce: '', reason: '', ...typed }, page)
}
const post = ({ anonymous }: Api, typed: Record<string, string>, page = PAGE) =>
  anonymous.post(page, new URLSearchParams(typed).toString(), { headers: FORM })
/** The same as a form with parts, and a picture. */
function withPicture(api: Api, typed: Record<string, string>, picture: Buffer, page = PAGE) {
  const part = (name: string, more = '') =>
    `--xx\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`
  const texts = Object.entries(typed).map(([name, value]) => `${part(name)}\r\n${value}\r\n`)
  const head = `${texts.join('')}${part('picture', '; filename="a.jpg"')}Content-Type: image/jpeg\r\n\r\n`
  const payload = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--xx--\r\n')])
  return api.anonymous.post(page, payload, {
    headers: { 'content-type': 'multipart/form-data; boundary=xx' },
  })
}
const pathOf = ({ headers }: Answer) => `/${headers.location!.replace('?new', '')}`

t.test(
  'the form works without script, and leads to a page where it is corrected and withdrawn',
  async (t) => {
    const api = await buildSubmitting(t)
    const { anonymous, editor } = api
    await must(editor.post('/categories', { name: 'Music' }))
    await must(editor.post('/venues', { venue: 'Town Hall' }))
    const empty = await anonymous.get(PAGE)
    t.match(empty, { status: 200, headers: { 'cache-control': 'no-store' } })
    t.match(empty.text, '<option value="Town Hall">')
    t.match(empty.text, '>Music</option>')
    t.ok(Buffer.byteLength(empty.text) < 60_000)
    const sent = await send(api, TYPED)
    t.match(sent, { status: 303, headers: { location: /^\/events\/submit\/[\w-]{32}\/\?new$/ } })
    const [row] = await submissionsOf(api)
    t.match(await must(editor.get(`/events/${row.event}`)), {
      ...{
        title: 'Lantern <walk>',
        start_date: '2026-12-05 18:00:00',
        end_date: '2026-12-05 20:00:00',
        status: 'pending',
      },
      description: '<p>Bring a lantern.</p>\n<p>All &amp; all.</p>',
      venue: { venue: 'Old mill', city: 'Vic', status: 'pending' },
    })
    const fresh = await anonymous.get(`/${sent.headers.location}`)
    t.match(fresh.text, 'Thank you! Your event has arrived.')
    t.match(fresh.text, `http://calendar.test${pathOf(sent).slice(1)}`)
    t.notMatch(fresh.text, 'by email')
    const path = pathOf(sent)
    const shown = (await anonymous.get(path)).text
    for (const value of ['Lantern &lt;walk&gt;', 'Old mill', '18:00', NAME, EMAIL, NOTE, '$5'])
      t.match(shown, value)
    t.match(shown, 'is waiting for the editors')
    t.match(shown, 'name="robots" content="noindex"')
    await must(editor.post(`/submissions/${row.id}/ask`, { reply: 'When does <it> end?' }))
    t.match((await anonymous.get(path)).text, 'When does &lt;it&gt; end?')
    t.match(await post(api, { ...TYPED, note: '', venue: 'New mill', all_day: 'yes', category: '1' }, path), {
      status: 303,
    })
    const [again] = await submissionsOf(api)
    t.match(again, { state: 'waiting', end_date: '2026-12-05 23:59:59', all_day: true })
    t.match(await must(editor.get(`/events/${row.event}`)), {
      venue: { venue: 'New mill' },
      categories: [{ name: 'Music' }],
    })
    t.match(
      (await must(editor.get('/venues?status=trash'))).venues,
      [{ venue: 'Old mill' }],
      'the one before is gone',
    )
    t.match((await anonymous.get(path)).text, 'checked')
    t.match(await post(api, { ...TYPED, title: '' }, path), { status: 400, text: /Please fill this in/ })
    t.match(await post(api, { withdraw: 'yes' }, path), { status: 303 })
    t.match((await submissionsOf(api))[0], { state: 'withdrawn' })
    t.match((await anonymous.get(path)).text, 'You have withdrawn this event')
    t.match((await must(editor.get('/events?status=trash'))).total, 1)
    const before = await api.fingerprint()
    for (const typed of [TYPED, { withdraw: 'yes' }]) t.equal((await post(api, typed, path)).status, 303)
    t.equal(await api.fingerprint(), before)
    t.match(await anonymous.get(`${PAGE}nonsense/`), {
      status: 404,
      text: /There is nothing at this address/,
    })
  },
)

t.test('what is wrong is said at the field, and what was typed stays', async (t) => {
  const api = await buildSubmitting(t)
  const before = await api.fingerprint()
  for (const [field, values, told] of [
    ['title', ['', '<b></b>'], 'Please fill this in.'],
    ['name', [''], 'Please fill this in.'],
    ['start_day', [''], 'Please fill this in.'],
    ['start_time', [''], 'Please fill this in.'],
    ['start_day', ['soon', '2026-02-31'], 'This cannot be read.'],
    ['end_day', ['later'], 'This cannot be read.'],
    ['start_time', ['evening'], 'This cannot be read.'],
    ['end_time', ['late'], 'This cannot be read.'],
    ['end_day', ['2026-12-04'], 'The end is before the beginning.'],
    ['email', ['anna', 'a@b.example, c@d.example'], 'Please enter one address'],
    ['website', ['javascript:alert(1)'], 'Please enter an address that begins'],
    ['note', ['x'.repeat(5_000)], 'This cannot be read.'],
  ] as const)
    for (const value of values) {
      const { status, text } = await send(api, { ...TYPED, [field]: value })
      t.equal(status, 400, `${field}: ${value}`)
      const at = new RegExp(
        `id="${field}"[^>]*aria-describedby="[^"]*${field}-problem"[^>]*aria-invalid="true"`,
      )
      t.match(text, at, `${field}: ${value}`)
      t.match(text, told, `${field}: ${value}`)
      t.match(text, 'Old mill')
    }
  t.equal(await api.fingerprint(), before)
  t.equal((await api.anonymous.post(PAGE)).status, 400, 'a form without anything')
  t.match((await send(api, { ...TYPED, title: '' }, '//ca/events/submit/')).text, 'Ompliu aquest camp.')
})

t.test('programs that fill in everything, at once, or twice, are kept out', async (t) => {
  const api = await buildSubmitting(t)
  const challengeOf = async () => hiddenIn((await api.anonymous.get(PAGE)).text, 'challenge')
  const challenge = await challengeOf()
  const quick = await post(api, { ...TYPED, challenge })
  t.match(quick, { status: 400, text: /That was very quick/ })
  t.equal(hiddenIn(quick.text, 'challenge'), challenge, 'it may be sent again')
  t.match(await send(api, { ...TYPED, reason: '1' }), { status: 400, text: /Leave this field empty/ })
  t.match(await post(api, { ...TYPED, challenge: 'forged' }), { status: 400, text: /open for very long/ })
  t.equal((await submissionsOf(api)).length, 0)
  t.equal((await post(api, { ...TYPED, challenge })).status, 303)
  const twice = await post(api, { ...TYPED, challenge })
  t.match(twice, { status: 400, text: /was sent before/ })
  t.not(hiddenIn(twice.text, 'challenge'), challenge)
  t.equal((await send(api, TYPED)).status, 303)
  t.match(await send(api, TYPED), {
    status: 429,
    headers: { 'retry-after': /^\d+$/ },
    text: /Please try again in 60 minutes/,
  })
  const fresh = await challengeOf()
  api.clock.now += 5_000
  t.equal(
    (await post(api, { ...TYPED, challenge: fresh, nonce: solve(fresh, 16) })).status,
    303,
    'with a proof',
  )
  t.equal((await submissionsOf(api)).length, 3)
})

t.test('a picture comes with the form, and nobody sees it before the event', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, editor, clock } = api
  const challenge = async () => hiddenIn((await anonymous.get(PAGE)).text, 'challenge')
  const first = await challenge()
  clock.now += 5_000
  const bad = await withPicture(api, { ...TYPED, challenge: first }, Buffer.from('no picture'))
  t.match(bad, { status: 400, text: /picture-problem/ })
  const large = await withPicture(api, { ...TYPED, challenge: first }, Buffer.alloc(5 * 2 ** 20 + 10))
  t.match(large, { status: 400, text: /choose a smaller/ })
  t.equal((await withPicture(api, TYPED, Buffer.alloc(7 * 2 ** 20))).status, 413)
  t.same((await must(editor.get('/media'))).media, [])
  const sent = await withPicture(api, { ...TYPED, challenge: first }, await draw(60, 40, 'jpeg'))
  t.equal(sent.status, 303)
  const [row] = await submissionsOf(api)
  const { image } = await must(editor.get(`/events/${row.event}`))
  t.match(image, { width: 60, height: 40 })
  t.same((await must(anonymous.get('/media'))).media, [])
  t.match(
    await withPicture(api, { ...TYPED, challenge: first }, await draw(60, 40, 'jpeg')),
    { status: 400, text: /was sent before/ },
    'its files are deleted again',
  )
  t.match(await withPicture(api, TYPED, Buffer.from('no picture'), pathOf(sent)), { status: 400 })
  const none = await withPicture(api, { ...TYPED, title: 'Without' }, Buffer.alloc(0), pathOf(sent))
  t.equal(none.status, 303)
  t.equal((await must(editor.get(`/events/${row.event}`))).image.id, image.id, 'it stays')
  await must(editor.post(`/submissions/${row.id}/accept`, {}))
  t.equal((await must(anonymous.get('/media'))).media.length, 1)
  t.match((await anonymous.get(pathOf(sent))).text, 'Your event is published.')
  t.match((await anonymous.get(pathOf(sent))).text, /href="\/event\/without\/">To the event/)
})

t.test('what fails for other reasons is a page of an error, and an event may have no end', async (t) => {
  const api = await buildSubmitting(t)
  const { submissions } = api.app.store
  const { receive } = submissions
  for (const [error, status] of [
    [new ApiError('insufficient_storage', 'The disk is full.'), 507],
    [new Error('broken'), 500],
  ] as const) {
    submissions.receive = () => Promise.reject(error)
    t.match(await send(api, TYPED), { status, text: /Something went wrong/ })
  }
  submissions.receive = receive
  t.equal((await send(api, { ...TYPED, end_time: '' })).status, 303)
  t.match((await submissionsOf(api))[0], { end_date: '2026-12-05 18:00:00' })
})

t.test('what editors took over, published or threw away themselves can no longer be corrected', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, editor, administrator, credentials } = api
  const change: ((id: number) => Promise<Answer>)[] = [
    (id) => editor.patch(`/events/${id}`, { status: 'publish' }),
    (id) => editor.patch(`/events/${id}`, { author: credentials.editor.id }),
    (id) => editor.delete(`/events/${id}`),
  ]
  for (const [at, make] of change.entries()) {
    const path = `${PAGE}${await propose(api, { title: `Number ${at}` })}/`
    const [row] = await submissionsOf(api)
    await must(make(row.event))
    t.match((await anonymous.get(path)).text, 'The editors are working on this event.')
    t.match(await post(api, { ...TYPED, title: 'Changed' }, path), { status: 303 })
    t.notMatch((await must(administrator.get(`/events?status=any,trash&search=changed`))).events, [{}])
  }
})

t.test('one address corrects a few times an hour', async (t) => {
  const api = await buildSubmitting(t)
  const path = `${PAGE}${await propose(api)}/`
  for (let at = 0; at < 20; at++)
    t.equal((await post(api, { ...TYPED, title: `Title ${at}` }, path)).status, 303)
  t.match(await post(api, TYPED, path), { status: 429, text: /try again in 60 minutes/ })
})

t.test('submitters are told by mail, with a link that the next question replaces', async (t) => {
  const server = await openMailServer(t)
  const env = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'c@site.example', SITE_NAME: 'Town' }
  const api = await buildSubmitting(t, env)
  const { anonymous, editor, app } = api
  const sent = await send(api, TYPED, '//ca/events/submit/')
  t.match((await anonymous.get(`/${sent.headers.location}`)).text, 'També us l’hem enviada per correu')
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/ask`, { reply: 'Quan?' }))
  t.equal((await anonymous.get(pathOf(sent))).status, 404, 'the key before has ended')
  await must(editor.post(`/submissions/${row.id}/accept`, {}))
  await propose(api, { title: 'Other' })
  const [other] = await submissionsOf(api)
  await must(editor.post(`/submissions/${other.id}/refuse`, { reply: 'No room {name}' }))
  await app.listen({ port: 0 })
  while (server.received.length < 5) await new Promise((resolve) => setTimeout(resolve, 10))
  const [received, asked, accepted, , refused] = server.received.map(({ text }) => decoded(text))
  t.match(received, `http://calendar.test${pathOf(sent).slice(1)}`)
  t.match(asked, /Quan\?[\s\S]*http:\/\/calendar\.test\/ca\/events\/submit\/[\w-]{32}\//)
  const [link] = /\/\/calendar\.test(\S+)/.exec(asked!)!.slice(1)
  t.match((await anonymous.get(`/${link}`)).text, 's’ha publicat')
  t.match(accepted, /http:\/\/calendar\.test\/event\/\d+\//)
  t.match(refused, 'No room {name}')
  t.ok(server.received.every(({ to }) => to.join() === EMAIL))
  await app.close()
})

t.test('nobody is sent many mails, or addresses of pages, by who fills in the form', async (t) => {
  const api = await buildSubmitting(t, { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'c@site.example' })
  for (let at = 0; at < 5; at++)
    await propose(api, { title: `Win at https://evil.example/${at} now`, name: 'www.evil.example' })
  const mails = await api.app.store.mails.due(10)
  t.equal(mails.length, 3)
  t.match(mails[0], { subject: 'Received: Win at … now', text: /^Hello …,/ })
  t.notMatch(JSON.stringify(mails), 'evil')
  api.clock.now += 3_600_000
  await propose(api, { email: EMAIL.toUpperCase() })
  t.equal((await api.app.store.mails.due(10)).length, 4)
})

t.test('mails are in English where the service has no words of a language', (t) => {
  const news = {
    what: 'refused',
    recipient: EMAIL,
    site: 'Town',
    name: 'Anna',
    title: 'A {name}',
    reply: '',
    link: undefined,
  } as const
  const { subject, text } = submissionMail({ ...news, language: 'de' })
  t.equal(subject, 'Not published: A {name}')
  t.equal(
    text,
    'Hello Anna,\n\nthe editors of Town do not publish “A {name}”.\n\nIf you did not propose this, you need not do anything.\n',
  )
  t.equal(likeness('…', '!'), 0)
  t.end()
})

t.test('the calendar leads there where it is on, and there is nothing where it is off', async (t) => {
  const on = await buildSubmitting(t)
  t.match((await on.anonymous.get('//ca/events/')).text, 'href="/ca/events/submit/">Proposeu un acte')
  const off = await build(t)
  t.notMatch((await off.anonymous.get('//events/')).text, 'submit')
  for (const path of [PAGE, `${PAGE}x/`]) t.equal((await off.anonymous.get(path)).status, 404)
  const apiOnly = await buildSubmitting(t, { PAGES: 'off' })
  const { body } = await apiOnly.subscriber.post('/submissions', {
    ...{ title: 'A', start_date: '2026-12-05', end_date: '2026-12-05', name: NAME, email: EMAIL },
  })
  t.same(body, { state: 'waiting' })
  const mirror = await buildSubmitting(t, { MIRROR: 'https://old.example' })
  t.equal((await send(mirror, TYPED)).status, 403, 'a mirror takes none')
})
