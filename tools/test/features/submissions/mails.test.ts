import t from 'tap'
import { submissionMail } from '../../../../src/features/submissions/mail.ts'
import { withoutLinks } from '../../../../src/kernel/outbound/mail.ts'
import { must } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import {
  buildSubmitting,
  EMAIL,
  pathOf,
  propose,
  send,
  submissionsOf,
  TYPED,
} from '../../../../test/support/submissions.ts'
import { until } from '../../../../test/support/until.ts'
import { decoded, openMailServer } from '../../support/mail-server.ts'

const HOUR = 3_600_000
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'c@site.example', SITE_NAME: 'Town' }
const EDITORS = { ...MAIL, SUBMISSIONS_MAIL: 'events@town.example, anna@town.example' }

t.test('submitters are told by mail, with a link that the next question replaces', async (t) => {
  const server = await openMailServer(t)
  const env = { ...MAIL, SMTP_URL: `smtp://127.0.0.1:${server.port}` }
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
  await until(() => server.received.length >= 5)
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
  const api = await buildSubmitting(t, MAIL)
  for (let at = 0; at < 5; at++)
    await propose(api, {
      title: `Win at https://evil.example/${at} or evil.example now`,
      name: 'www.evil.example',
    })
  const mails = await api.app.store.mails.due(10)
  t.equal(mails.length, 3)
  t.match(mails[0], { subject: 'Received: Win at … or … now', text: /^Hello …,/ })
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
  t.end()
})

t.test('what looks like an address of a page is left out, and other texts stay', (t) => {
  for (const [text, left] of [
    ['Go to evil.example/win, now', 'Go to … now'],
    ['WWW.EVIL.EXAMPLE', '…'],
    ['(ftp://x)', '…'],
    ['càtedra.cat', '…'],
    ['Concert: 19.30 h, 5.5 € – St. Jordi, 3. Symphony...', undefined],
  ] as const)
    t.equal(withoutLinks(text), left ?? text)
  t.end()
})

/** The mails to editors that wait, by whom they are for. */
const editorsMails = async ({ app }: Api) =>
  (await app.store.mails.due(50)).filter(({ recipient }) => recipient.endsWith('@town.example'))
/** Looks at what is to be told by now, as the job of mail does each second. */
const look = ({ app: { store } }: Api, told: string[][]) =>
  store.submissions.notifyEditors(({ titles }) => {
    told.push(titles)
    return []
  })

t.test(
  'editors are told at once of what is proposed, and of the rest of the hour in the next mail',
  async (t) => {
    const server = await openMailServer(t)
    const api = await buildSubmitting(t, { ...EDITORS, SMTP_URL: `smtp://127.0.0.1:${server.port}` })
    const { app, editor, clock } = api
    const told = () => server.received.filter(({ to }) => to[0]!.endsWith('@town.example'))
    const wait = (mails: number) => until(() => told().length >= mails)
    await app.listen({ port: 0 })
    await propose(api, { title: 'Lantern walk\nat https://evil.example' })
    await wait(2)
    t.same(
      told()
        .map(({ to }) => to)
        .sort(),
      [['anna@town.example'], ['events@town.example']],
    )
    const first = decoded(told()[0]!.text)
    t.match(first, /^Subject: Proposed for Town\r$/m)
    t.match(first, /- Lantern walk at …\r\n\r\nWaiting for a decision: 1\.\r\n/)
    t.match(first, 'http://calendar.test/desk/#/submissions\r\n')
    t.notMatch(first, /zz|evil/i, 'neither who proposed it, nor links')
    await propose(api, { title: 'Second' })
    await propose(api, { title: 'Refused' })
    await propose(api, { title: 'Third' })
    const [, refused] = await submissionsOf(api)
    await must(editor.post(`/submissions/${refused.id}/refuse`, {}))
    clock.now += HOUR
    await wait(4)
    const next = decoded(told()[2]!.text)
    t.match(next, /Town:\r\n\r\n- Second\r\n- Third\r\n\r\nWaiting for a decision: 3\./)
    t.equal(told().length, 4)
    await app.close()
  },
)

t.test('what is proposed at once is one mail, and nothing is told twice', async (t) => {
  const api = await buildSubmitting(t, EDITORS)
  const { clock } = api
  const all = Array.from({ length: 25 }, (_, at) => propose(api, { title: `Number ${at}` }))
  await Promise.all(all)
  t.equal((await editorsMails(api)).length, 2, 'one for each address')
  const told: string[][] = []
  await look(api, told)
  t.same(told, [], 'within the hour')
  clock.now += HOUR
  await Promise.all([look(api, told), look(api, told)])
  t.same(
    told.map(({ length }) => length),
    [24],
    'of two processes one tells',
  )
  clock.now += HOUR
  await look(api, told)
  t.equal(told.length, 1, 'there is nothing new')
})

t.test(
  'a long list is cut, in the first language of the site, and without a desk there is no link',
  async (t) => {
    const api = await buildSubmitting(t, { ...EDITORS, LANGUAGES: 'ca,en', DESK: 'off' })
    const { clock } = api
    await propose(api, { title: 'Primer' })
    for (let at = 1; at <= 22; at++) await propose(api, { title: `Acte ${at}` })
    clock.now += HOUR
    await propose(api, { title: 'Darrer' })
    const mails = await editorsMails(api)
    t.equal(mails.length, 4)
    t.match(mails[2], {
      subject: 'Proposat per a Town',
      text: /- Acte 20\ni 3 més\n\nPendents de decisió: 24\.\n/,
    })
    t.notMatch(mails[2]!.text, /desk|Acte 21/)
  },
)
