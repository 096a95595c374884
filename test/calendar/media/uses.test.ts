import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { build, EVENT, ROOT } from '../../support/app.ts'
import { draw, raw } from '../../support/pictures.ts'

t.test('a picture is used by the records that have it, and by those whose texts show it', async (t) => {
  const { editor, author, contributor, anonymous } = await build(t, { env: { MEDIA_DIR: t.testdir() } })
  const picture = async () => must(author.post('/media', await draw(400, 300), raw('stage.png')))
  const [shown, other] = [await picture(), await picture()]
  const uses = async (api = editor) => {
    const { uses, total } = await must(api.get(`/media/${shown.id}/uses`))
    t.equal(total, uses.length)
    return uses.map(({ kind, title, as }: Record<string, string>) => `${kind} ${title}: ${as}`)
  }
  t.same(await uses(), [])
  const { url } = shown.sizes.medium ?? shown
  const text = `<p><img src="${url}" alt="" /></p>`
  const event = await must(editor.post('/events', { ...EVENT, title: 'Concert', image: shown.id }))
  await must(editor.post('/events', { ...EVENT, title: 'Talk', description: text, image: other.id }))
  await must(editor.post('/events', { ...EVENT, title: 'Draft', excerpt: text, status: 'draft' }))
  await must(editor.post('/events', { ...EVENT, title: 'Locked', description: text, password: 'x' }))
  await must(editor.post('/events', { ...EVENT, title: 'Other', image: other.id }))
  await must(editor.post('/venues', { venue: 'Hall', image: shown.id }))
  const gone = await must(editor.post('/events', { ...EVENT, title: 'Gone', image: shown.id }))
  const series = { ...EVENT, title: 'Class', description: text, recurrence: { rrule: 'FREQ=DAILY;COUNT=1' } }
  await must(editor.post('/events', series))
  await must(editor.delete(`/events/${gone.id}`))
  const all = [
    ...['event Concert: image', 'event Talk: text', 'event Draft: text', 'event Locked: text'],
    ...['venue Hall: image', 'series Class: text', 'event Class: text'],
  ]
  t.same(await uses(), all, 'what is in the trash is read by nobody one by one')
  const open = all.filter((use) => !/Draft|Locked/.test(use))
  t.same(await uses(contributor), open)
  const [first] = (await must(editor.get(`/media/${shown.id}/uses`))).uses
  t.same(first, {
    ...{ id: event.id, kind: 'event', title: 'Concert', slug: 'concert', status: 'publish', language: 'en' },
    ...{ as: 'image', url: 'http://calendar.test/event/concert/' },
    rest_url: `http://calendar.test${ROOT}/events/${event.id}`,
  })
  t.equal(refusal(await anonymous.get(`/media/${shown.id}/uses`)), '401 rest_forbidden')
  t.equal(refusal(await editor.get('/media/999/uses')), '404 media-not-found')
})

t.test('a hundred uses are told, and all are counted', async (t) => {
  const { editor } = await build(t, { env: { MEDIA_DIR: t.testdir() } })
  const { id } = await must(editor.post('/media', await draw(40, 30), raw('stage.png')))
  t.same(await must(editor.get(`/media/${id}/uses`)), { uses: [], total: 0 }, 'without any record')
  const recurrence = { rrule: 'FREQ=DAILY;COUNT=101' }
  await must(editor.post('/events', { ...EVENT, title: 'Class', image: id, recurrence }))
  const { uses, total } = await must(editor.get(`/media/${id}/uses`))
  t.same([uses.length, total], [100, 102])
  t.match(uses[0], { kind: 'series', rest_url: /\/series\/1$/ })
})
