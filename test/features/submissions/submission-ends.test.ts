import t from 'tap'
import { must } from '../../support/answers.ts'
import type { Answer } from '../../support/app.ts'
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
import { hiddenIn } from '../../support/submit-form.ts'

const DAY = 86_400_000

t.test(
  'who submitted is forgotten so many days after the last thing that happened, decided or not',
  async (t) => {
    const api = await buildSubmitting(t)
    const { app, editor, anonymous, clock } = api
    const forget = () => app.store.submissions.forget(90)
    const keys: Record<string, string> = {}
    for (const title of ['Left', 'Asked', 'Corrected', 'Decided']) {
      keys[title] = await propose(api, { title })
      clock.now += 1_000
    }
    const rowOf = async (title: string) =>
      (await submissionsOf(api)).find((row: { title: string }) => row.title === title)
    const isKnown = async () =>
      (await submissionsOf(api))
        .filter(({ email }: { email: string }) => email === EMAIL)
        .map(({ title }: { title: string }) => title)
    const start = clock.now
    clock.now = start + 10 * DAY
    t.equal((await post(api, { ...TYPED, title: 'Corrected' }, `${PAGE}${keys.Corrected}/`)).status, 303)
    clock.now = start + 20 * DAY
    const asked = await rowOf('Asked')
    await must(editor.post(`/submissions/${asked.id}/ask`, { reply: 'When?' }))
    clock.now = start + 30 * DAY
    await must(editor.post(`/submissions/${(await rowOf('Decided')).id}/refuse`, { reply: 'No' }))
    for (const title of ['Asked', 'Corrected']) t.equal((await rowOf(title)).decided_utc, undefined, title)

    clock.now = start + 90 * DAY - 5_000
    t.equal(await forget(), false)
    t.equal((await isKnown()).length, 4)
    clock.now = start + 90 * DAY
    t.equal(await forget(), false, 'there is no more')
    t.same(await isKnown(), ['Decided', 'Corrected', 'Asked'])
    t.equal((await anonymous.get(`${PAGE}${keys.Corrected}/`)).status, 200)
    clock.now = start + 100 * DAY
    await forget()
    t.same(await isKnown(), ['Decided', 'Asked'])
    clock.now = start + 110 * DAY
    await forget()
    t.same(await isKnown(), ['Decided'])
    clock.now = start + 120 * DAY
    await forget()
    t.same(await isKnown(), [])

    t.match(await rowOf('Decided'), { state: 'refused', reply: 'No', name: '', note: '' })
    for (const title of ['Left', 'Asked', 'Corrected']) {
      t.match(await rowOf(title), { state: 'waiting', name: '', email: '', note: '' }, title)
      t.equal((await anonymous.get(`${PAGE}${keys[title]}/`)).status, 404, 'the link has ended')
      t.equal((await post(api, TYPED, `${PAGE}${keys[title]}/`)).status, 404)
    }
    const left = await rowOf('Left')
    t.equal((await must(editor.get(`/events/${left.event}`))).status, 'pending')
    const before = await api.fingerprint()
    t.match(await editor.post(`/submissions/${left.id}/ask`, { reply: 'Who are you?' }), {
      status: 409,
      body: { code: 'submission_forgotten' },
    })
    t.equal(await api.fingerprint(), before)
    t.match(await must(editor.post(`/submissions/${left.id}/accept`, {})), { state: 'accepted' })
    t.match(await must(editor.post(`/submissions/${asked.id}/refuse`, {})), { state: 'refused' })
    for (const secret of [NAME, EMAIL, NOTE]) t.notMatch(JSON.stringify(await submissionsOf(api)), secret)
  },
)

t.test(
  'of decisions, corrections and withdrawals at once, one is made and the others are told',
  async (t) => {
    const api = await buildSubmitting(t)
    const { editor, administrator } = api
    const picture = await draw(60, 40, 'jpeg')
    const codes = async () =>
      (await must(administrator.get('/audit?per_page=50'))).entries
        .map(({ code }: { code: string }) => code)
        .filter((code: string) => /^submission_[^r]|^submission_refused/.test(code))
    const count = async () => (await codes()).length
    for (const [title, second] of Object.entries({
      'Accept twice': (id: number) => editor.post(`/submissions/${id}/accept`, {}),
      'Refuse meanwhile': (id: number) => administrator.post(`/submissions/${id}/refuse`, {}),
      'Withdraw meanwhile': (_: number, path: string) => post(api, { withdraw: 'yes' }, path),
      'Correct meanwhile': (_: number, path: string) => post(api, { ...TYPED, title: 'Other' }, path),
    })) {
      const before = await count()
      const path = `${PAGE}${await propose(api, { title })}/`
      const [row] = await submissionsOf(api)
      const answers = await Promise.all<Answer>([
        editor.post(`/submissions/${row.id}/accept`, {}),
        second(row.id, path),
      ])
      const [after] = await submissionsOf(api)
      const event = async () => (await api.app.store.posts.byId('event', row.event))!
      const { status } = await event()
      const statuses = answers.map((answer) => answer.status)
      t.equal(await count(), before + 1, title)
      if (after.state === 'accepted') t.equal(status, 'publish', title)
      else t.equal(status, 'trash', title)
      if (statuses[1] !== 303) t.same(statuses.sort(), [200, 409], title)
      t.equal((await post(api, { ...TYPED, title: 'Too late' }, path)).status, 303)
      t.equal((await post(api, { withdraw: 'yes' }, path)).status, 303)
      t.equal((await withPicture(api, TYPED, picture, path)).status, 303)
      t.same((await must(editor.get('/media'))).media, [], 'nothing is left of a picture that came too late')
      t.not((await event()).title, 'Too late', title)
      t.equal(await count(), before + 1, title)
    }
  },
)

t.test('what was changed since an editor looked at it is not decided', async (t) => {
  const api = await buildSubmitting(t)
  const { editor, clock } = api
  const path = `${PAGE}${await propose(api)}/`
  const [{ id, event, modified_utc: seen }] = await submissionsOf(api)
  clock.now += 60_000
  t.equal((await post(api, { ...TYPED, title: 'Buy this' }, path)).status, 303)
  const before = await api.fingerprint()
  for (const verb of ['accept', 'ask', 'refuse'])
    t.match(await editor.post(`/submissions/${id}/${verb}`, { reply: 'Well', seen }), {
      status: 409,
      body: { code: 'submission_changed' },
    })
  t.equal(await api.fingerprint(), before)
  const [now] = await submissionsOf(api)
  t.match(now, { state: 'waiting', title: 'Buy this', modified_utc: '2026-11-21 09:01:00' })
  await must(editor.post(`/submissions/${id}/accept`, { seen: now.modified_utc }))
  t.equal((await must(editor.get(`/events/${event}`))).status, 'publish')
})

t.test('a submission goes with its event, and one whose event is in the trash can be accepted', async (t) => {
  const api = await buildSubmitting(t)
  const { editor, anonymous } = api
  const key = await propose(api, { title: 'Gone' })
  const [gone] = await submissionsOf(api)
  await must(editor.delete(`/events/${gone.event}?force=true`))
  t.same(await submissionsOf(api), [])
  t.equal((await editor.get(`/submissions/${gone.id}`)).status, 404)
  t.equal((await anonymous.get(`${PAGE}${key}/`)).status, 404)
  t.equal((await post(api, TYPED, `${PAGE}${key}/`)).status, 404)
  t.equal((await post(api, { withdraw: 'yes' }, `${PAGE}${key}/`)).status, 404)
  await propose(api, { title: 'Back' })
  const [back] = await submissionsOf(api)
  await must(editor.delete(`/events/${back.event}`))
  await must(editor.post(`/submissions/${back.id}/accept`, {}))
  t.equal((await must(anonymous.get(`/events/${back.event}`))).status, 'publish')
})

t.test('many forms that are sent at once get in no more than one after the other', async (t) => {
  const api = await buildSubmitting(t)
  const challenges = []
  for (let at = 0; at < 6; at++) challenges.push(hiddenIn((await api.anonymous.get(PAGE)).text, 'challenge'))
  api.clock.now += 5_000
  const sent = await Promise.all(challenges.map((challenge) => post(api, { ...TYPED, challenge })))
  t.same(sent.map(({ status }) => status).sort(), [303, 303, 429, 429, 429, 429])
  api.clock.now += 3_600_000
  t.equal((await send(api, { ...TYPED, end_day: '2026-12-04' })).status, 400)
  const again = [await send(api, TYPED), await send(api, TYPED), await send(api, TYPED)]
  t.same(
    again.map(({ status }) => status),
    [303, 303, 429],
    'what was refused does not count',
  )
  t.match(pathOf(again[0]!), /submit/)
})
