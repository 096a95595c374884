import t from 'tap'
import { readConfig } from '../../../src/config.ts'
import { must } from '../../support/answers.ts'
import { build, countOf } from '../../support/app.ts'
import {
  ANNA,
  buildDigest,
  DAY,
  HOUR,
  linkIn,
  mailsOf,
  PAGE,
  post,
  publish,
  subscribe,
} from '../../support/digests.ts'
import { MAIL } from '../../support/people.ts'

const digestsOf = async (api: Awaited<ReturnType<typeof buildDigest>>, query = '') =>
  (await must(api.administrator.get(`/digests${query}`))).digests

t.test('a visitor subscribes, confirms by the link of a mail, changes the choice and ends it', async (t) => {
  const api = await buildDigest(t)
  const { anonymous } = api
  await publish(api, 'Concert', '2026-12-01 20:00:00', {
    categories: ['Music'],
    venue: { venue: 'Mill', city: 'Vic' },
  })
  await publish(api, 'Play', '2026-12-02 20:00:00', {
    categories: ['Theatre'],
    venue: { venue: 'Hall', city: 'Olot' },
  })
  const form = await anonymous.get(`${PAGE}?category=music&town=Vic&q=late`)
  t.equal(form.status, 200)
  t.match(form.text, /value="1" checked> Music/)
  t.match(form.text, '<option selected>Vic</option>')
  t.match(form.text, 'value="late"')
  const sent = await post(api, PAGE, {
    email: ANNA,
    every: 'week',
    category: ['1', '2', '99'],
    town: 'Vic',
    q: 'evil.example',
  })
  t.match(sent, { status: 303, headers: { location: '/events/digest/sent/', 'cache-control': 'no-store' } })
  t.match((await anonymous.get(`/${sent.headers.location}`)).text, 'within 3 days')
  const [mail] = await mailsOf(api)
  t.match(mail, { recipient: ANNA, subject: 'Please confirm: events of Town by email', headers: null })
  t.match(mail!.text, 'Once a week · Music · Theatre · Vic · “…”', 'nobody sends addresses to others')
  t.match(mail!.html, /<a href="http:\/\/calendar\.test\/events\/digest\/confirm\/[\w.-]+\/">Confirm/)
  const link = linkIn(mail!.text)
  t.match((await anonymous.get(link)).text, 'Once a week · Music · Theatre · Vic · “evil.example”')
  t.match(
    await digestsOf(api),
    [{ email: ANNA, confirmed_utc: undefined }],
    'following a link confirms nothing',
  )
  const done = await post(api, link)
  t.match(done, { status: 303, headers: { location: /^\/events\/digest\/1\.[\w-]{22}\/\?new$/ } })
  const own = `/${done.headers.location!.replace('?new', '')}`
  const page = await anonymous.get(`${own}?new`)
  t.match(page.text, 'You are subscribed.')
  t.match(page.headers, { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
  t.match(await anonymous.get(link), { status: 404, text: /This link has ended/ })
  t.match(await post(api, link), { status: 404, text: /This link has ended/ })
  const saved = await post(api, own, { save: 'yes', every: 'publication', town: 'Nowhere', q: 'jazz' })
  t.match(saved, { status: 303, headers: { location: /\?saved$/ } })
  t.match((await anonymous.get(`/${saved.headers.location}`)).text, 'Your choice is saved.')
  t.notMatch((await anonymous.get(own)).text, 'role="status"')
  t.match(await digestsOf(api), [
    {
      ...{ id: 1, email: ANNA, every: 'publication', language: 'en', q: 'jazz', town: undefined },
      ...{ categories: undefined, confirmed_utc: '2026-11-21 09:00:00' },
    },
  ])
  t.match(await post(api, own, { save: 'yes', q: 'x'.repeat(101) }), { status: 400, text: /too many words/ })
  t.match(await post(api, own), { status: 200, text: /You are unsubscribed/ })
  t.match(await anonymous.get(own), { status: 200, text: /You are unsubscribed/ })
  t.match(
    await post(api, own, { save: 'yes' }),
    { status: 200, text: /You are unsubscribed/ },
    'nothing is left to change',
  )
  t.equal(countOf(api, 'digests'), 0)
})

t.test(
  'a program ends a subscription with one request, as mails say (RFC 8058), and a second one changes nothing',
  async (t) => {
    const api = await buildDigest(t)
    const own = await subscribe(api)
    const oneClick = { 'List-Unsubscribe': 'One-Click' }
    t.equal((await api.anonymous.get(own)).status, 200)
    t.equal(countOf(api, 'digests'), 1, 'a GET ends nothing')
    t.equal((await post(api, own, oneClick)).status, 200)
    t.equal(countOf(api, 'digests'), 0)
    t.equal((await post(api, own, oneClick)).status, 200)
    t.equal((await post(api, own.replace('/1.', '/2.'), oneClick)).status, 404)
    t.equal((await api.anonymous.get(own.replace('/1.', '/2.'))).status, 404)
    t.equal((await api.anonymous.get(`${PAGE}confirm/1.x.y/`)).status, 404)
  },
)

t.test('nothing tells whether an address is known, and what is typed wrong is shown again', async (t) => {
  const api = await buildDigest(t)
  await subscribe(api)
  const [known, unknown] = [
    await post(api, PAGE, { email: ANNA.toUpperCase() }),
    await post(api, PAGE, { email: 'new@people.example' }),
  ]
  for (const answer of [known, unknown])
    t.match(answer, { status: 303, headers: { location: '/events/digest/sent/' }, text: '' })
  t.equal((await mailsOf(api)).length, 2)
  for (const [fields, problem] of [
    [{ email: '' }, 'Please fill this in.'],
    [{ email: 'a@b.example, c@d.example' }, 'Please enter one address'],
    [{ email: ANNA, q: 'a '.repeat(60) }, 'This search has too many words.'],
    [{ email: ANNA, reason: 'me' }, 'Leave this field empty'],
  ] as const) {
    const answer = await post(api, PAGE, fields)
    t.equal(answer.status, 400)
    t.match(answer.text, problem)
  }
  t.equal((await api.anonymous.post(PAGE)).status, 400, 'nothing at all')
  t.equal((await mailsOf(api)).length, 2)
})

t.test('nobody is sent many mails by who fills in the form, and a network may send few', async (t) => {
  const api = await buildDigest(t)
  for (let at = 0; at < 5; at++)
    t.equal((await post(api, PAGE, { email: 'zz+a@people.example' })).status, 303)
  t.equal((await mailsOf(api)).length, 3, 'to one mailbox')
  for (let at = 0; at < 5; at++)
    t.equal((await post(api, PAGE, { email: `a${at}@people.example` })).status, 303)
  const busy = await post(api, PAGE, { email: 'b@people.example' })
  t.match(busy, { status: 429, headers: { 'retry-after': '3600' }, text: /in 60 minutes/ })
  api.clock.now += HOUR
  t.equal((await post(api, PAGE, { email: 'b@people.example' })).status, 303)
})

t.test(
  'what is not confirmed is deleted after its link has ended, and what was chosen before stays',
  async (t) => {
    const api = await buildDigest(t)
    const { digests } = api.app.store
    await subscribe(api)
    await post(api, PAGE, { email: ANNA, every: 'publication' })
    await post(api, PAGE, { email: 'new@people.example' })
    const [renewed, fresh] = (await mailsOf(api)).map(({ text }) => linkIn(text))
    t.match((await api.anonymous.get(renewed!)).text, 'When something new is published')
    t.notOk(await digests.forget())
    api.clock.now += 3 * DAY
    for (const link of [renewed!, fresh!]) t.equal((await post(api, link)).status, 404)
    t.equal(countOf(api, 'mails'), 2)
    t.notOk(await digests.forget())
    t.match(await digestsOf(api), [{ email: ANNA, every: 'week' }])
    t.equal(countOf(api, 'digests'), 1)
    t.equal(countOf(api, 'mails'), 1, 'its mail is not tried any more')
    await post(api, PAGE, { email: ANNA, every: 'publication' })
    await post(api, linkIn((await mailsOf(api)).at(-1)!.text))
    t.match(await digestsOf(api), [
      { email: ANNA, every: 'publication', confirmed_utc: '2026-11-21 09:00:00' },
    ])
  },
)

t.test(
  'administrators see addresses, search and delete them, and nothing of an address is left',
  async (t) => {
    const api = await buildDigest(t)
    await subscribe(api, { every: 'publication' })
    await subscribe(api, { email: 'Pau_1@people.example' })
    await post(api, PAGE, { email: 'late@other.example' })
    t.match(
      (await digestsOf(api)).map(({ email }: { email: string }) => email),
      ['late@other.example', 'Pau_1@people.example', ANNA],
    )
    t.equal((await digestsOf(api, '?every=week')).length, 2)
    t.match(await digestsOf(api, '?search=PAU_1'), [{ id: 2 }])
    t.same(await digestsOf(api, '?search=%25'), [])
    for (const client of [api.editor, api.anonymous])
      t.ok([401, 403].includes((await client.get('/digests')).status))
    t.match(await must(api.administrator.delete('/digests/3')), { id: 3, email: 'late@other.example' })
    t.equal((await api.administrator.delete('/digests/3')).body.code, 'digest-not-found')
    t.equal((await api.administrator.get('/digests?page=3')).body.code, 'digest-archive-page-not-found')
    t.match(await must(api.administrator.get('/audit?code=record_deleted')), {
      entries: [{ details: { digest: '3' } }],
    })
    await must(api.administrator.delete('/digests/1'))
    await must(api.administrator.delete('/digests/2'))
    for (const table of ['digests', 'mails', 'audit', 'changes', 'tickets'])
      t.notMatch(
        JSON.stringify(api.app.store.db.rows(`select * from ${table}`)),
        /zzanna|pau_1|other\.example/i,
        table,
      )
  },
)

t.test(
  'pages are in the language of their address, and lead from the page of subscriptions if it is on',
  async (t) => {
    const api = await buildDigest(t, { LANGUAGES: 'en,ca' })
    t.match(
      (await api.anonymous.get('//ca/events/subscribe/?q=jazz')).text,
      'href="/ca/events/digest/?q=jazz"',
    )
    const own = await subscribe(api, {}, '//ca/events/digest/')
    t.match((await api.anonymous.get(own)).text, 'La vostra subscripció')
    t.match(own, /^\/\/?\/ca\/|^\/\/ca\//)
    const off = await build(t)
    t.notMatch((await off.anonymous.get('//events/subscribe/')).text, 'events/digest')
    t.equal((await off.anonymous.get(PAGE)).status, 404)
  },
)

t.test(
  'with many categories these are behind a line that opens, and one that is gone stays chosen',
  async (t) => {
    const api = await buildDigest(t)
    const names = Array.from({ length: 15 }, (_, at) => `Kind ${at}`)
    const { id } = await publish(api, 'All', '2026-12-01 20:00:00', {
      categories: names,
      venue: { venue: 'Mill', city: 'Vic' },
    })
    await publish(api, 'Other', '2026-12-01 20:00:00', { venue: { venue: 'Hall', city: 'Olot' } })
    t.match((await api.anonymous.get(PAGE)).text, '<details><summary>All 15 categories</summary>')
    t.match((await api.anonymous.get(`${PAGE}?category=kind-0`)).text, '<details open>')
    const own = await subscribe(api, { category: '1', town: 'Olot' })
    await must(api.editor.patch(`/events/${id}`, { categories: [] }))
    const [venue] = (await must(api.editor.get('/venues?search=Hall'))).venues
    await must(api.editor.patch(`/venues/${venue.id}`, { city: 'Berga' }))
    const { text } = await api.anonymous.get(own)
    t.match(text, /value="1" checked> Kind 0/)
    t.match(text, '<option selected>Olot</option>')
  },
)

t.test('without mail or pages the service does not start with it', async (t) => {
  const message = /DIGEST must be off, or set with SMTP_URL and PAGES=on; it is "on"\./
  t.throws(() => readConfig({ DIGEST: 'on' }), { message })
  t.throws(() => readConfig({ DIGEST: 'on', ...MAIL, PAGES: 'off' }), { message })
  t.equal(readConfig({ DIGEST: 'on', ...MAIL }).digest, true)
})
