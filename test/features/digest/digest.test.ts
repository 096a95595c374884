import t from 'tap'
import { must } from '../../support/answers.ts'
import { EVENT } from '../../support/app.ts'
import { ANNA, buildDigest, linkIn, mailsOf, post, subscribe } from '../../support/digests.ts'

t.test('a visitor subscribes, confirms by the link of a mail, and ends it with one request', async (t) => {
  const api = await buildDigest(t)
  const { anonymous } = api
  await must(api.editor.post('/events', { ...EVENT, categories: ['Music'], venue: { venue: 'Mill', city: 'Vic' } }))
  const form = await anonymous.get('//events/digest/')
  t.equal(form.status, 200)
  t.match(form.text, 'Music')
  const sent = await post(api, '//events/digest/', { email: ANNA, every: 'week', category: '1' })
  t.match(sent, { status: 303, headers: { location: '/events/digest/sent/' } })
  const [mail] = await mailsOf(api)
  console.log(mail!.text)
  const link = linkIn(mail!.text)
  const page = await anonymous.get(link)
  t.match(page.text, 'Once a week · Music')
  const done = await post(api, link)
  t.equal(done.status, 303)
  const own = `/${done.headers.location}`
  t.match((await anonymous.get(own)).text, 'You are subscribed.')
  console.log((await anonymous.get(own)).status, own, (await must(api.administrator.get('/digests'))).digests)
})
