import t from 'tap'
import { ApiError } from '../../../src/kernel/errors.ts'
import { must } from '../../support/answers.ts'
import { build } from '../../support/app.ts'
import { draw } from '../../support/pictures.ts'
import {
  buildSubmitting,
  EMAIL,
  NAME,
  NOTE,
  PAGE,
  pathOf,
  post,
  propose,
  send,
  submissionsOf,
  TYPED,
  withPicture,
} from '../../support/submissions.ts'
import { hiddenIn, solve } from '../../support/submit-form.ts'

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

t.test('one address corrects a few times an hour', async (t) => {
  const api = await buildSubmitting(t)
  const path = `${PAGE}${await propose(api)}/`
  for (let at = 0; at < 20; at++)
    t.equal((await post(api, { ...TYPED, title: `Title ${at}` }, path)).status, 303)
  t.match(await post(api, TYPED, path), { status: 429, text: /try again in 60 minutes/ })
})

t.test('the calendar leads there where it is on, and there is nothing where it is off', async (t) => {
  const on = await buildSubmitting(t)
  t.match((await on.anonymous.get('//ca/events/')).text, 'href="/ca/events/submit/">Proposa un esdeveniment')
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
