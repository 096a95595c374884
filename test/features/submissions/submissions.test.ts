import t from 'tap'
import { readLines } from '../../../src/features/exports/lines.ts'
import { bitsAt } from '../../../src/features/submissions/proofs.ts'
import { PROVEN } from '../../../src/features/submissions/store.ts'
import { likeness } from '../../../src/kernel/text/search.ts'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'
import { MAIL } from '../../support/people.ts'
import { draw } from '../../support/pictures.ts'
import { addHook, openReceiver, type Receiver } from '../../support/receiver.ts'
import {
  buildSubmitting,
  EMAIL,
  NAME,
  NOTE,
  PAGE,
  PROPOSED,
  post,
  proof,
  propose,
  send,
  submissionsOf,
  TYPED,
  withPicture,
} from '../../support/submissions.ts'
import { hiddenIn, solve } from '../../support/submit-form.ts'

const DAY = 86_400_000

t.test('an event that is proposed waits with its place and organizer, for editors alone', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, editor, administrator, contributor } = api
  const sent = await anonymous.post('/submissions', { ...PROPOSED, ...(await proof(api)) })
  t.match(sent, {
    status: 201,
    body: { state: 'waiting', url: /^http:\/\/calendar\.test\/events\/submit\/[\w-]{32}\/$/ },
    headers: { 'cache-control': 'no-store' },
  })
  t.equal(sent.headers.location, sent.body.url)
  const [row] = await submissionsOf(api)
  t.match(row, {
    ...{ state: 'waiting', name: NAME, email: EMAIL, note: NOTE, reply: '', language: 'en', alike: [] },
    ...{ title: 'Lantern walk', start_date: '2026-12-05 18:00:00', created_utc: '2026-11-21 09:00:00' },
  })
  t.same(await must(editor.get(`/submissions/${row.id}`)), row)
  const event = await must(editor.get(`/events/${row.event}`))
  t.match(event, {
    ...{
      status: 'pending',
      title: 'Lantern walk',
      timezone: 'UTC',
      website: 'https://mill.example/walk',
      cost: '$5',
    },
    description: '<p>Bring a lantern &amp; &lt;b&gt;warm&lt;/b&gt; shoes.</p>\n<p>All are welcome.</p>',
    venue: { venue: 'Old mill', address: 'River street 3', city: 'Vic', status: 'pending' },
    organizer: [{ organizer: 'Friends of the mill', status: 'pending' }],
  })
  const author = await must(administrator.get(`/users/${event.author}`))
  t.match(author, { login: 'submissions', role: 'contributor', disabled: true })
  for (const client of [anonymous, contributor])
    for (const path of [`/events/${row.event}`, `/venues/${event.venue.id}`])
      t.equal((await client.get(path)).status, 403, path)
  t.same((await must(anonymous.get('/events?search=lantern'))).events, [])
  t.match((await must(administrator.get('/audit?code=submission_received'))).entries, [
    { subject: { kind: 'event', id: row.event }, details: { title: 'Lantern walk' } },
  ])
  const told = [
    await must(administrator.get('/audit')),
    await must(editor.get(`/events/${row.event}/revisions`)),
    await must(editor.get('/changes')),
    event,
    author,
  ]
  for (const secret of [NAME, EMAIL, NOTE]) t.notMatch(JSON.stringify(told), secret)
})

t.test('editors accept, ask back and refuse once', async (t) => {
  const api = await buildSubmitting(t)
  const { editor, anonymous, administrator } = api
  for (const title of ['First', 'Second', 'Third']) await propose(api, { title, venue: `${title} hall` })
  const [third, second, first] = await submissionsOf(api)
  t.match(await editor.post(`/submissions/${first.id}/accept`, { reply: 'Thank you' }), {
    status: 200,
    body: { state: 'accepted', reply: 'Thank you', decided_by: api.credentials.editor.id },
  })
  const shown = await must(anonymous.get(`/events/${first.event}`))
  t.match(shown, {
    status: 'publish',
    venue: { venue: 'First hall' },
    organizer: [{ organizer: PROPOSED.organizer }],
  })
  t.equal((await editor.post(`/submissions/${second.id}/ask`, { reply: ' ' })).status, 400)
  t.equal((await editor.post(`/submissions/${second.id}/ask`, { reply: null })).status, 400)
  const asked = await must(editor.post(`/submissions/${second.id}/ask`, { reply: 'At what time?' }))
  t.match(asked, { state: 'asked', reply: 'At what time?' })
  t.equal(asked.decided_utc, undefined)
  t.match(await must(editor.post(`/submissions/${second.id}/refuse`, {})), { state: 'refused', reply: '' })
  const [refused] = (await must(editor.get('/events?status=trash'))).events
  t.match(refused, { id: second.event, title: 'Second' })
  const trashed = (await must(editor.get('/venues?status=trash'))).venues
  t.match(trashed, [{ venue: 'Second hall' }])
  t.equal((await must(anonymous.get(`/organizers/${shown.organizer[0].id}`))).status, 'publish')
  for (const verb of ['accept', 'ask', 'refuse']) {
    const before = await api.fingerprint()
    t.match(await editor.post(`/submissions/${second.id}/${verb}`, { reply: 'Again' }), {
      status: 409,
      body: { code: 'submission_decided' },
    })
    t.match(await editor.post(`/submissions/99/${verb}`, { reply: 'Again' }), { status: 404 })
    t.equal(await api.fingerprint(), before)
  }
  await must(editor.delete(`/events/${third.event}`))
  await must(editor.post(`/submissions/${third.id}/refuse`, { reply: null }))
  t.same(
    (await submissionsOf(api, '&state=refused')).map(({ id }: { id: number }) => id),
    [third.id, second.id],
  )
  t.match(await must(editor.get('/submissions?state=waiting')), { submissions: [], total: 0 })
  t.match(await editor.get('/submissions?page=2'), {
    status: 404,
    body: { code: 'submission-archive-page-not-found' },
  })
  const codes = (await must(administrator.get('/audit?per_page=50'))).entries.map(
    ({ code }: { code: string }) => code,
  )
  for (const code of ['submission_accepted', 'submission_asked', 'submission_refused'])
    t.ok(codes.includes(code), code)
})

t.test('the preview of an event that waits shows the place that came with it', async (t) => {
  const api = await buildSubmitting(t)
  await propose(api)
  const [row] = await submissionsOf(api)
  const { url } = await must(api.editor.post(`/events/${row.event}/preview`))
  const { status, text } = await api.anonymous.get(`/${new URL(url).pathname}`)
  t.equal(status, 200)
  for (const word of ['Lantern walk', 'Old mill', 'River street 3', PROPOSED.organizer]) t.match(text, word)
  for (const secret of [NAME, EMAIL, NOTE]) t.notMatch(text, secret)
})

t.test('a place that is known is taken, and one of the same name elsewhere is another', async (t) => {
  const api = await buildSubmitting(t)
  const { editor } = api
  const hall = await must(editor.post('/venues', { venue: 'Town Hall', city: 'Vic' }))
  const host = await must(editor.post('/organizers', { organizer: 'Choir' }))
  const category = await must(editor.post('/categories', { name: 'Music' }))
  await must(editor.post('/venues', { venue: 'Secret hall', status: 'draft' }))
  const hidden = await must(editor.post('/events', { ...EVENT, status: 'draft', categories: ['Zzsecret'] }))
  const placeOf = async (more: object) => {
    await propose(api, {
      organizer: 'choir',
      categories: [category.id, hidden.categories[0].id, 99],
      ...more,
    })
    const [row] = await submissionsOf(api)
    return must(editor.get(`/events/${row.event}`))
  }
  const known = await placeOf({ venue: 'town hall', address: '', city: '' })
  t.match(known, { venue: { id: hall.id }, organizer: [{ id: host.id }], categories: [{ id: category.id }] })
  t.equal(known.categories.length, 1, 'what visitors do not see is not taken')
  const other = await placeOf({ venue: 'Town Hall', address: '', city: 'Manlleu' })
  t.not(other.venue.id, hall.id)
  t.equal(
    (await placeOf({ venue: 'Town Hall', address: '', city: 'Manlleu' })).venue.id,
    other.venue.id,
    'the same',
  )
  const draft = await placeOf({ venue: 'Secret hall', address: null, city: null })
  t.equal(draft.venue.status, 'pending', 'a draft of another is not told')
  t.same((await placeOf({ venue: '', organizer: '' })).venue, [])
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/refuse`, {}))
  t.equal((await must(editor.get(`/venues/${other.venue.id}`))).status, 'pending', 'others have it')
})

t.test(
  'events on the same day with a similar title, or at the same place, are named beside it',
  async (t) => {
    const api = await buildSubmitting(t)
    const { editor } = api
    const mill = await must(
      editor.post('/venues', { venue: 'Old mill', address: 'River street 3', city: 'Vic' }),
    )
    const on = (title: string, day: string, more: object = {}) =>
      must(
        editor.post('/events', {
          ...EVENT,
          title,
          start_date: `${day} 19:00`,
          end_date: `${day} 21:00`,
          ...more,
        }),
      )
    const same = await on('The Lantern Walk', '2026-12-05', { venue: mill.id })
    const other = await on('Walk through town', '2026-12-05', { venue: mill.id, status: 'draft' })
    await on('Lantern walk', '2026-12-06')
    await on('Chess evening', '2026-12-05', { venue: mill.id })
    await propose(api)
    const [row] = await submissionsOf(api)
    t.match(row.alike, [
      { id: same.id, title: 'The Lantern Walk', status: 'publish', venue: 'Old mill' },
      { id: other.id, status: 'draft' },
    ])
    t.equal(row.alike.length, 2)
    t.equal(likeness('…', '!'), 0, 'without words there is nothing in common')
  },
)

t.test('without a proof of work, or with one that was used, nothing is taken', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, clock } = api
  const fresh = await proof(api)
  await must(anonymous.post('/submissions', { ...PROPOSED, ...fresh }))
  const before = await api.fingerprint()
  const late = await proof(api)
  for (const [what, body] of Object.entries({
    none: {},
    used: fresh,
    unsolved: { ...late, nonce: 'x' },
    'without a nonce': { challenge: late.challenge },
    forged: { challenge: `1${late.challenge.slice(1)}`, nonce: late.nonce },
    short: { challenge: 'x', nonce: 'y' },
  }))
    t.match(
      await anonymous.post('/submissions', { ...PROPOSED, ...body }),
      { status: 403, body: { code: 'submission_proof_required' } },
      what,
    )
  clock.now += DAY
  t.equal((await anonymous.post('/submissions', { ...PROPOSED, ...late })).status, 403, 'too late')
  t.equal(await api.fingerprint(), before)
})

t.test('one address sends a few an hour and a day', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, clock } = api
  const send = async () => anonymous.post('/submissions', { ...PROPOSED, ...(await proof(api)) })
  for (let at = 0; at < 6; at++) t.equal((await send()).status, 201)
  const before = await api.fingerprint()
  t.match(await send(), {
    status: 429,
    body: { code: 'rest_rate_limited' },
    headers: { 'retry-after': '3600' },
  })
  t.equal(await api.fingerprint(), before)
  clock.now += 3_600_000
  t.equal((await send()).status, 201)
})

t.test('what is counted waits for the first of its times, and comes back if it was in vain', async (t) => {
  const { app, clock } = await buildSubmitting(t)
  const { consumeQuotas: spend } = app.store.submissions
  const take = (what: string, quota = { hour: 2, day: 3 }) =>
    spend({ counted: [{ what, quota }], mailed: [] })
  const waits = []
  for (const minutes of [0, 10, 10, 50, 60, 22 * 60]) {
    clock.now += minutes * 60_000
    waits.push((await take('one')).wait / 60)
  }
  t.same(waits, [0, 0, 40, 0, 21 * 60 + 50, 0])
  const first = await take('three')
  clock.now += 1
  const second = await take('three')
  t.match(await take('three'), { wait: 3_600 })
  await first.release!()
  t.match(await take('three'), { wait: 0 }, 'it was not done after all')
  clock.now += DAY
  await take('three')
  await second.release!()
  t.match(await take('three'), { wait: 0 }, 'of long ago')
  t.match(await take('three'), { wait: 3_600 })
  t.notMatch(JSON.stringify(app.store.db.rows('select * from tickets')), /three/, 'nobody reads what it was')
})

const from = (remoteAddress: string) => ({ remoteAddress })

t.test('of two that spend one challenge at once, one does', async (t) => {
  const { app } = await buildSubmitting(t)
  const { challenges, consumeQuotas: spend } = app.store.submissions
  const { challenge } = await challenges.issue()
  const once = () => spend({ challenge, counted: [PROVEN], mailed: [] })
  const both = await Promise.allSettled([once(), once()])
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

t.test('a challenge that is given back can be spent again, once', async (t) => {
  const { app } = await buildSubmitting(t)
  const { challenges, consumeQuotas: spend } = app.store.submissions
  const { challenge } = await challenges.issue()
  const once = () => spend({ challenge, counted: [PROVEN], mailed: [] })
  const { release } = await once()
  await release!()
  await once()
  await t.rejects(once(), { code: 'submission_proof_required' })
})

t.test('wider networks have limits, too, and others are not refused', async (t) => {
  const api = await buildSubmitting(t)
  const send = async (address: string) =>
    (await api.anonymous.post('/submissions', { ...PROPOSED, ...(await proof(api)) }, from(address))).status
  for (let at = 0; at < 30; at++)
    if ((await send(`2001:db8:1:${at % 5}::${at}`)) !== 201) t.fail(`number ${at}`)
  t.equal(await send('2001:db8:1:9::1'), 429, 'another /64 of the /48')
  t.equal(await send('2001:db8:2:9::1'), 201, 'another /48')
  t.equal(await send('198.51.100.7'), 201)
})

t.test(
  'while many come without a proof, each address has one a day, and nobody is refused for others',
  async (t) => {
    const api = await buildSubmitting(t)
    const send = async (address: string) => {
      const challenge = hiddenIn((await api.anonymous.get(PAGE)).text, 'challenge')
      api.clock.now += 5_000
      const form = new URLSearchParams({ ...TYPED, challenge, nonce: '', reason: '' }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await api.anonymous.post(PAGE, form, { headers, ...from(address) })).status
    }
    t.same([await send('198.51.100.7'), await send('198.51.100.7')], [303, 303])
    for (let at = 0; at < 18; at++) t.equal(await send(`203.0.${at}.1`), 303)
    t.equal(await send('192.0.2.1'), 303, 'others go on')
    t.equal(await send('192.0.2.1'), 429, 'with one a day')
    t.equal(await send('192.0.2.2'), 303)
    api.clock.now += 3_600_000
    t.equal(await send('192.0.2.1'), 303, 'once fewer come, there are two')
  },
)

t.test('a proof is dearer while much is proposed, and nobody is refused', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, app, clock } = api
  const cheap = await must(anonymous.get('/submissions/challenge'))
  t.equal(cheap.bits, 16)
  for (let at = 0; at < 60; at++) await app.store.submissions.consumeQuotas({ counted: [PROVEN], mailed: [] })
  const dear = await must(anonymous.get('/submissions/challenge'))
  t.equal(dear.bits, 18)
  t.match(await anonymous.get(PAGE), { body: / data-bits="18"/ })
  const send = (proven: object) => anonymous.post('/submissions', { ...PROPOSED, ...proven })
  t.match(await send({ challenge: cheap.challenge, nonce: solve(cheap.challenge, 16, 17) }), {
    status: 403,
    body: { code: 'submission_proof_required', message: /18 bits/ },
  })
  const sent = await post(api, {
    ...TYPED,
    challenge: cheap.challenge,
    nonce: solve(cheap.challenge, 16, 17),
  })
  t.equal(sent.status, 400, 'within three seconds')
  clock.now += 5_000
  const late = await post(api, {
    ...TYPED,
    challenge: cheap.challenge,
    nonce: solve(cheap.challenge, 16, 17),
  })
  t.equal(late.status, 400, 'the form is shown again, with another challenge')
  t.not(hiddenIn(late.text, 'challenge'), cheap.challenge)
  t.match(late.text, / data-bits="18"/)
  t.equal((await send({ challenge: dear.challenge, nonce: solve(dear.challenge, 18) })).status, 201)
  clock.now += 3_600_000
  t.equal((await must(anonymous.get('/submissions/challenge'))).bits, 16)
  t.same([59, 60, 119, 120, 240, 480, 100_000].map(bitsAt), [16, 18, 18, 20, 22, 24, 24])
})

t.test(
  'a picture is not looked at for a challenge that was used, and once it was, what it cost is spent',
  async (t) => {
    const api = await buildSubmitting(t)
    const picture = await draw(600, 400, 'jpeg')
    // its header is that of a picture, so that only who processes it sees that it is none
    const damaged = picture.subarray(0, picture.length - 200)
    const challenge = async () => hiddenIn((await api.anonymous.get(PAGE)).text, 'challenge')
    const [used, spent] = [await challenge(), await challenge()]
    api.clock.now += 5_000
    t.equal((await withPicture(api, { ...TYPED, challenge: used }, picture)).status, 303)
    const old = await withPicture(api, { ...TYPED, challenge: used }, damaged)
    t.match(old, { status: 400, body: /This form was open for very long/ })
    t.notMatch(old.text, /picture-problem/)
    const bad = await withPicture(api, { ...TYPED, challenge: spent }, damaged)
    t.match(bad, { status: 400, body: /picture-problem/ })
    t.not(hiddenIn(bad.text, 'challenge'), spent, 'with another challenge')
    t.match(await withPicture(api, { ...TYPED, challenge: spent }, picture), {
      status: 400,
      body: /This form was open for very long/,
    })
    t.equal((await send(api, TYPED)).status, 429, 'it counts as sent')
  },
)

t.test('mails to one mailbox are few, whatever tag its address has, and all together are', async (t) => {
  const api = await buildSubmitting(t, MAIL)
  const mailed = async () =>
    (await api.app.store.mails.due(99)).filter(({ recipient }) => /people/.test(recipient)).length
  for (const email of [
    'anna@people.example',
    'anna+1@people.example',
    'Anna+x+2@people.example',
    'anna+3@people.example',
  ])
    await propose(api, { email })
  t.equal(await mailed(), 3)
  await propose(api, { email: 'berta@people.example' })
  t.equal(await mailed(), 4)
  const all = { what: 'mails about submissions', quota: { hour: 60, day: 400 } }
  for (let at = 0; at < 56; at++)
    await api.app.store.submissions.consumeQuotas({ counted: [all], mailed: [] })
  await propose(api, { email: 'carla@people.example' })
  t.equal(await mailed(), 4, 'then mail stops')
  t.equal((await submissionsOf(api)).length, 6, 'and what is proposed is taken')
})

t.test('values that are none are refused by their names', async (t) => {
  const api = await buildSubmitting(t)
  const before = await api.fingerprint()
  for (const [name, values] of Object.entries({
    title: ['', '<b></b>', 7, 'x'.repeat(201)],
    start_date: ['soon', '2026-13-01'],
    end_date: ['2026-12-04'],
    email: ['anna', 'a@b, c@d.example', 'a@b..example', `${'x'.repeat(250)}@d.example`, 7],
    website: ['javascript:alert(1)', 'mailto:a@b.example'],
    categories: [['music'], 'x'],
    note: ['x'.repeat(4_001)],
    i18n_language: ['xx'],
  }))
    for (const value of values) {
      const { status, body } = await api.subscriber.post('/submissions', { ...PROPOSED, [name]: value })
      t.equal(status, 400, `${name}: ${value}`)
      if (body.code !== 'empty_content') t.match(Object.keys(body.data.params), [name], `${name}: ${value}`)
    }
  t.match(await api.subscriber.post('/submissions', { title: 'Alone' }), {
    status: 400,
    body: { code: 'rest_missing_callback_param' },
  })
  t.equal(await api.fingerprint(), before)
})

t.test('a person may have the login of the submissions, and their user may be removed', async (t) => {
  const api = await buildSubmitting(t)
  const { administrator, editor } = api
  await must(administrator.post('/users', { login: 'submissions', role: 'author' }))
  await propose(api)
  const [row] = await submissionsOf(api)
  const { author } = await must(editor.get(`/events/${row.event}`))
  t.match(await must(administrator.get(`/users/${author}`)), { login: 'submissions-2', disabled: true })
  await must(administrator.delete(`/users/${author}?reassign=${api.credentials.editor.id}`))
  await must(editor.post(`/submissions/${row.id}/accept`, {}))
  t.equal((await must(editor.get(`/events/${row.event}`))).status, 'publish')
})

t.test('webhooks are told of the event as of any other, and nothing tells who proposed it', async (t) => {
  const api = await buildSubmitting(t, { DOWNLOAD_ALLOW: '127.0.0.1' })
  const { app, editor } = api
  const [all, pending] = [await openReceiver(t), await openReceiver(t)]
  const events = { kinds: ['event'] }
  await addHook(api, all, events)
  await addHook(api, pending, { ...events, filters: { status: ['pending'] } })
  const told = ({ got }: Receiver) => got.splice(0).map(({ type, text }) => [type, text] as const)
  const names = (messages: readonly (readonly [string, string])[]) => messages.map(([type]) => type)
  await propose(api)
  await app.hooks.drain()
  const first = [told(all), told(pending)]
  t.same(first.map(names), [[], ['event.created']])
  const [row] = await submissionsOf(api)
  await must(editor.post(`/submissions/${row.id}/accept`, {}))
  await app.hooks.drain()
  const second = [told(all), told(pending)]
  t.same(second.map(names), [['event.created'], ['event.deleted']])
  const lines: unknown[] = []
  await readLines(app.store.db, (line) => void lines.push(line))
  t.ok(lines.length > 3)
  for (const secret of [NAME, EMAIL, NOTE]) t.notMatch(JSON.stringify([first, second, lines]), secret)
})

t.test('while the setting is off there is nothing, for nobody', async (t) => {
  const api = await build(t)
  const nothing = await api.anonymous.get('/nonsense')
  for (const client of [api.anonymous, api.administrator])
    for (const [method, path] of [
      ['post', '/submissions'],
      ['get', '/submissions'],
      ['get', '/submissions/challenge'],
      ['get', '/submissions/1'],
      ['post', '/submissions/1/accept'],
    ] as const) {
      const { status, body } = await client[method](path, method === 'post' ? PROPOSED : undefined)
      t.same({ status, body }, { status: 404, body: nothing.body }, `${method} ${path}`)
    }
})
