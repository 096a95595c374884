import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import { EMAIL, PROPOSED } from '../../../../test/support/submissions.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)
const HOUR = 3_600_000

t.test('nodes tell editors of submissions in one mail, and decide and forget once', async (t) => {
  const { one, two, as } = await openPair(t, postgres, {
    ...{ SUBMISSIONS: 'on', SUBMISSIONS_MAIL: 'events@town.example' },
    ...{ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'c@site.example' },
  })
  const [visitor, editor] = [as('subscriber'), as('editor')]
  const propose = ({ anonymous }: typeof one, title: string) =>
    must(anonymous.post('/submissions', { ...PROPOSED, title }, visitor))
  const mails = async () => {
    await follow(one)
    const due = await one.app.store.mails.due(50)
    return due.filter(({ recipient }) => recipient === 'events@town.example').map(({ text }) => text)
  }
  await propose(one, 'First')
  await Promise.all([propose(one, 'Second'), propose(two, 'Third')])
  t.match(await mails(), [/- First\n/])
  t.equal((await mails()).length, 1)
  for (const { clock } of [one, two]) clock.now += HOUR
  const told: string[][] = []
  await Promise.all(
    [one, two].map(({ app }) =>
      app.store.submissions.notifyEditors(({ titles }) => {
        told.push(titles.toSorted())
        return []
      }),
    ),
  )
  t.same(told, [['Second', 'Third']])

  const { submissions } = await must(two.anonymous.get('/submissions', undefined, editor))
  const id = submissions.find(({ title }: { title: string }) => title === 'First').id
  const decided = await Promise.all([
    one.anonymous.post(`/submissions/${id}/accept`, {}, editor),
    two.anonymous.post(`/submissions/${id}/refuse`, {}, editor),
  ])
  t.same(decided.map(({ status }) => status).sort(), [200, 409])
  for (const { clock } of [one, two]) clock.now += 91 * 24 * HOUR
  await one.app.store.submissions.forget(90)
  await follow(two)
  const { rows } = await two.app.store.submissions.list({ page: 1, per_page: 10 })
  t.equal(rows.length, 3)
  t.notMatch(JSON.stringify(rows), EMAIL)
})
