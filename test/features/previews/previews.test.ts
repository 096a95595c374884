import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { attributesOf, textsOf } from '../../support/pages.ts'

const preview = async ({ editor }: Pick<Api, 'editor'>, id: number) =>
  (await must(editor.post(`/events/${id}/preview`))) as { url: string; expires_utc: string }
const open = ({ anonymous }: Api, url: string) =>
  anonymous.send({ method: 'GET', url: url.replace('http://calendar.test', '') })

t.test('a draft is shown as its page will look, for an hour and to whoever has the address', async (t) => {
  const api = await build(t, { env: { TIMEZONE: 'Europe/Madrid', LANGUAGES: 'en,ca' } })
  const { editor, clock } = api
  const draft = await must(
    editor.post('/events', {
      ...EVENT,
      ...{ title: 'Draft', status: 'draft', description: '<p>Soon.</p>', password: 'x', tags: ['new'] },
      venue: { venue: 'Hall' },
    }),
  )
  const made = await editor.post(`/events/${draft.id}/preview`)
  t.match(made, { status: 201, headers: { location: made.body.url, 'cache-control': 'no-store' } })
  t.equal(made.body.expires_utc, '2026-11-21 10:00:00')
  const page = await open(api, made.body.url)
  t.match(page, {
    status: 200,
    headers: {
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': /frame-ancestors 'self'/,
    },
  })
  t.same(page.headers.etag, undefined)
  t.same(textsOf(page.text, 'h1'), ['Draft'])
  for (const part of [
    '<p>Soon.</p>',
    '<a href="/venue/hall/">Hall</a>',
    '<base target="_blank">',
    '<meta name="robots" content="noindex">',
  ])
    t.match(page.text, part)
  t.match(page.text, /Preview: the page as visitors will see it\. This address works until 11:00\sAM\./u)
  t.notMatch(page.text, 'type="password"', 'who made it may edit it, so no password is asked for')
  const catalan = await must(
    editor.post('/events', { ...EVENT, title: 'Esborrany', status: 'draft', i18n_language: 'ca' }),
  )
  t.match((await open(api, (await preview(api, catalan.id)).url)).text, 'fins a les 11:00')
  clock.now += 3_600_000
  const over = await open(api, made.body.url)
  t.match(over, { status: 404, headers: { 'cache-control': 'no-store' } })
  t.same(textsOf(over.text, 'h1'), ['This preview has ended'])
})

t.test('a preview shows what is stored when it is looked at, and ends with the event', async (t) => {
  const api = await build(t)
  const { id, slug } = await must(api.editor.post('/events', { ...EVENT, title: 'Fair' }))
  const { url } = await preview(api, id)
  await must(api.editor.patch(`/events/${id}`, { title: 'Big fair' }))
  t.same(textsOf((await open(api, url)).text, 'h1'), ['Big fair'])
  t.same(attributesOf((await open(api, `/event/${slug}/`)).text, 'base', 'target'), [])
  await must(api.editor.delete(`/events/${id}`))
  t.equal((await open(api, url)).status, 404)
  t.equal(refusal(await api.editor.post(`/events/${id}/preview`)), '403 event-no-longer-available')
  await must(api.editor.delete(`/events/${id}?force=true`))
  t.equal((await open(api, url)).status, 404)
  t.equal(refusal(await api.editor.post(`/events/${id}/preview`)), '404 rest-event-not-found')
})

t.test('a preview ends when who made it may not edit the event any more', async (t) => {
  const api = await build(t)
  const { administrator, contributor, editor } = api
  const user = api.credentials.contributor.id
  const draft = await must(contributor.post('/events', { ...EVENT, title: 'Own', status: 'draft' }))
  const { url } = await preview({ editor: contributor }, draft.id)
  t.equal((await open(api, url)).status, 200)
  await must(administrator.patch(`/users/${user}`, { disabled: true }))
  t.equal((await open(api, url)).status, 404)
  await must(administrator.patch(`/users/${user}`, { disabled: false, role: 'subscriber' }))
  t.equal((await open(api, url)).status, 404)
  await must(administrator.delete(`/users/${user}?reassign=${api.credentials.editor.id}`))
  t.equal((await open(api, url)).status, 404)
  const others = await must(editor.post('/events', { ...EVENT, title: 'Other', status: 'draft' }))
  t.equal(refusal(await api.author.post(`/events/${others.id}/preview`)), '403 rest_forbidden')
})

t.test('nobody can make the address of a preview', async (t) => {
  const api = await build(t)
  const one = await must(api.editor.post('/events', { ...EVENT, title: 'One', status: 'draft' }))
  await must(api.editor.post('/events', { ...EVENT, title: 'Two', status: 'draft' }))
  const { url } = await preview(api, one.id)
  const key = url.split('/').at(-1)!
  for (const wrong of [
    key.replace(/^\w+/, (id) => (Number.parseInt(id, 36) + 1).toString(36)),
    `${key}A`,
    key.slice(0, -1),
    'x',
  ])
    t.equal((await open(api, `/preview/${wrong}`)).status, 404, wrong)
})

t.test('without pages there is no preview', async (t) => {
  const api = await build(t, { env: { PAGES: 'off' } })
  const { id } = await must(api.editor.post('/events', EVENT))
  t.equal(refusal(await api.editor.post(`/events/${id}/preview`)), '404 rest_no_route')
})
