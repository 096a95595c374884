import { decodeHTML } from 'entities'
import t from 'tap'
import { loggerOf } from '../../../src/run/serve.ts'
import { must } from '../../support/answers.ts'
import { type Answer, build, EVENT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'
import {
  buildSubmitting,
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
import { hiddenIn } from '../../support/submit-form.ts'

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

t.test(
  'a correction leaves alone what editors wrote meanwhile and the submitter did not touch',
  async (t) => {
    const api = await buildSubmitting(t)
    const { editor } = api
    const categories = []
    for (const name of ['Music', 'Outdoors'])
      categories.push((await must(editor.post('/categories', { name }))).id)
    const sent = await send(api, { ...TYPED, category: String(categories[0]) })
    const [{ event: id }] = await submissionsOf(api)
    const host = await must(editor.post('/organizers', { organizer: 'Town' }))
    const { organizer } = await must(editor.get(`/events/${id}`))
    const description = '<p>Bring a <strong>lantern</strong>.</p>\n<p>All &amp; all.</p>'
    await must(
      editor.patch(`/events/${id}`, {
        ...{ description, categories, organizer: [organizer[0].id, host.id] },
      }),
    )
    const shown = { ...TYPED, category: String(categories[0]), cost: '$5', end_day: '2026-12-05' }
    const lines = { ...shown, description: 'Bring a lantern.\r\n\r\nAll & all.' }
    t.equal((await post(api, { ...lines, start_time: '18:30', city: 'Manlleu' }, pathOf(sent))).status, 303)
    const after = await must(editor.get(`/events/${id}`))
    t.match(after, {
      ...{ start_date: '2026-12-05 18:30:00', end_date: '2026-12-05 20:00:00', cost: '$5' },
      ...{ description, venue: { venue: 'Old mill', city: 'Manlleu' } },
    })
    t.equal(after.categories.length, 2)
    t.equal(after.organizer.length, 2)
    await post(api, { ...lines, description: 'Another.', category: '' }, pathOf(sent))
    t.match(await must(editor.get(`/events/${id}`)), { description: '<p>Another.</p>', categories: [] })
  },
)

t.test('a form that was open while editors wrote undoes nothing', async (t) => {
  const api = await buildSubmitting(t)
  const { anonymous, editor } = api
  const path = pathOf(await send(api, TYPED))
  const [{ event: id }] = await submissionsOf(api)
  const wasIn = ({ text }: Answer) => decodeHTML(hiddenIn(text, 'was'))
  const shown = wasIn(await anonymous.get(path))
  t.match(JSON.parse(shown), { title: 'Lantern <walk>', note: NOTE })
  await must(editor.patch(`/events/${id}`, { title: 'Walk with lanterns', website: null }))
  const typed = { ...TYPED, cost: '$5', end_day: '2026-12-05', city: 'Manlleu', was: shown }
  const wrong = await post(api, { ...typed, name: '' }, path)
  t.same([wrong.status, wasIn(wrong)], [400, shown])
  t.equal((await post(api, typed, path)).status, 303)
  t.match(await must(editor.get(`/events/${id}`)), {
    ...{ title: 'Walk with lanterns', website: '', venue: { city: 'Manlleu' } },
  })
  for (const [at, was] of ['', 'null', '[', '{"title":{"toString":1}}', '7'].entries()) {
    t.equal((await post(api, { ...typed, title: `Title ${at}`, was }, path)).status, 303, was)
    t.equal((await must(editor.get(`/events/${id}`))).title, `Title ${at}`, was)
  }
})

t.test(
  'a picture goes with the next one, and when it is taken back, unless another record has it',
  async (t) => {
    const api = await buildSubmitting(t)
    const { anonymous, editor, clock } = api
    const picture = await draw(60, 40, 'jpeg')
    const challenge = hiddenIn((await anonymous.get(PAGE)).text, 'challenge')
    clock.now += 5_000
    const path = pathOf(await withPicture(api, { ...TYPED, challenge }, picture))
    const [row] = await submissionsOf(api)
    const imageOf = async () => (await must(editor.get(`/events/${row.event}?status=any`))).image
    const first = await imageOf()
    const isThere = async (url: string) => (await anonymous.get(`/${new URL(url).pathname}`)).status === 200
    t.ok(await isThere(first.url))
    t.equal((await withPicture(api, TYPED, picture, path)).status, 303)
    const second = await imageOf()
    t.not(second.id, first.id)
    t.equal((await editor.get(`/media/${first.id}`)).status, 404)
    t.notOk(await isThere(first.url))
    await must(editor.post('/events', { ...EVENT, image: second.id }))
    t.equal((await withPicture(api, TYPED, picture, path)).status, 303)
    t.equal((await editor.get(`/media/${second.id}`)).status, 200, 'an editor took it for another event')
    const own = await must(editor.post('/media', picture, raw('a.jpg', 'image/jpeg')))
    await must(editor.patch(`/events/${row.event}`, { image: own.id }))
    t.equal((await withPicture(api, TYPED, picture, path)).status, 303)
    t.equal((await editor.get(`/media/${own.id}`)).status, 200, 'it is not of the submitter')
    const last = await imageOf()
    t.equal((await post(api, { withdraw: 'yes' }, path)).status, 303)
    t.equal((await editor.get(`/media/${last.id}`)).status, 404)
    t.notOk(await isThere(last.url))
  },
)

t.test('no line of the log has the key of a submission or a preview', async (t) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const logger = { ...loggerOf('trace', false), stream }
  const api = await build(t, { fresh: true, env: { SUBMISSIONS: 'on' }, logger })
  const key = await propose(api)
  const [row] = await submissionsOf(api)
  const { url } = await must(api.editor.post(`/events/${row.event}/preview`))
  const preview = new URL(url).pathname
  for (const path of [`${PAGE}${key}/?new`, `//ca/events/submit/${key}/`, `/${preview}`])
    t.equal((await api.anonymous.get(path)).status, 200)
  await post(api, TYPED, `${PAGE}${key}/`)
  const log = lines.join('')
  t.match(log, '"path":"/events/submit/…/"')
  t.match(log, '"path":"/ca/events/submit/…/"')
  t.match(log, '"path":"/preview/…')
  for (const secret of [key, preview.split('/')[2]!]) t.notOk(log.includes(secret))
})
