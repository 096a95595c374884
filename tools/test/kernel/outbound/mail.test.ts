import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { openPost, type PostOffice } from '../../../../src/kernel/outbound/mail.ts'
import { sendMails } from '../../../../src/kernel/outbound/mailing.ts'
import type { Later } from '../../../../src/kernel/tasks/jobs.ts'
import { type Api, build } from '../../../../test/support/app.ts'
import { until } from '../../../../test/support/until.ts'
import { CERTIFICATE, decoded, openMailServer, refusal } from '../../support/mail-server.ts'

const MINUTE = 60_000
const FROM = 'Calendar <calendar@site.example>'

const add = ({ app: { store } }: Api, subject = 'Welcome', recipient = 'ann@people.example') =>
  store.db.write((tx) =>
    store.mails.add(tx, { recipient, subject, text: 'Secret: é\n.\nhttps://x.example/#k' }),
  )

/** The job of an application, whose looks are taken by hand. */
function openJob(t: Test, { app }: Api, office: Partial<PostOffice>, store = app.store) {
  let look = () => {}
  let told = (_: number) => {}
  const wait: Later = (run, milliseconds) => {
    look = run
    told(milliseconds)
    return { clear: () => {} }
  }
  const counts = { sent: 0, put_off: 0, given_up: 0 }
  const lines: { text: string; details: object }[] = []
  const log = { error: (details: object, text: string) => lines.push({ text, details }) } as never
  const warn = (_kind: string, _log: object, details: object, text: string) =>
    void lines.push({ text, details })
  const post = openPost({ url: 'smtp://127.0.0.1:1', from: FROM, timeout: 5_000, ...office })
  const stop = sendMails({ store, post, counts, log, warnings: { warn } }, wait)
  t.teardown(stop)
  return {
    ...{ counts, lines, stop },
    /** Looks, and returns after how many milliseconds it would look again. */
    look: () =>
      new Promise<number>((resolve) => {
        told = resolve
        look()
      }),
    begin: () => look(),
  }
}

t.test('a service that listens sends the mail that waits, and tells how much waits', async (t) => {
  const server = await openMailServer(t)
  const api = await build(t, {
    env: {
      SMTP_URL: `smtp://me:pass%40word@127.0.0.1:${server.port}`,
      MAIL_FROM: FROM,
      METRICS_TOKEN: 'secret',
    },
  })
  const metrics = async () =>
    (await api.anonymous.get('//metrics', undefined, { headers: { authorization: 'Bearer secret' } })).text
  await add(api, 'Welcome\r\nBcc: eve@x.example')
  t.match((await api.anonymous.get('//health')).body, { mail: { waiting: 1 } })
  t.match(await metrics(), 'almanac_mails_waiting 1\n')
  await api.app.listen({ port: 0 })
  await until(() => api.app.store.mails.waiting() === 0)
  const [mail, ...others] = server.received
  t.match(mail, { from: 'calendar@site.example', to: ['ann@people.example'], user: 'me' })
  t.same(others, [])
  const text = decoded(mail!.text)
  t.match(text, /^From: Calendar <calendar@site\.example>\r$/m)
  t.match(text, /^Auto-Submitted: auto-generated\r$/m)
  t.match(text, /^Message-ID: <almanac\.1\.20261121090000@site\.example>\r$/m)
  t.match(text, 'Secret: é\r\n')
  t.notMatch(text, /^Bcc/m, 'a subject is one line')
  t.match(await metrics(), 'almanac_mails_total{outcome="sent"} 1\n')
  await api.app.close()
})

t.test('a mail that has HTML has both forms, and headers of its own', async (t) => {
  const api = await build(t)
  const server = await openMailServer(t)
  const job = openJob(t, api, { url: `smtp://127.0.0.1:${server.port}` })
  const mail = { recipient: 'ann@people.example', subject: 'Events', text: 'Song' }
  const more = { html: '<p>Song</p>', headers: { 'List-Id': '<events.site.example>' } }
  await api.app.store.db.write((tx) => api.app.store.mails.add(tx, { ...mail, ...more }))
  await job.look()
  t.match(server.received[0]!.text, /^List-ID: <events\.site\.example>\r$/m)
  t.match(
    server.received[0]!.text,
    /text\/plain[\s\S]*\r\nSong\r\n[\s\S]*text\/html[\s\S]*\r\n<p>Song<\/p>\r\n/,
  )
})

t.test('without a server no mail is sent, and none is told of', async (t) => {
  const { app, anonymous } = await build(t)
  t.notMatch((await anonymous.get('//health')).body, { mail: {} })
  await app.listen({ port: 0 })
  await app.close()
})

t.test('what is refused for now is tried again, later each time, and given up after two days', async (t) => {
  const api = await build(t)
  const server = await openMailServer(t, { onRcptTo: (_to, _session, done) => done(refusal(450)) })
  const job = openJob(t, api, { url: `smtp://127.0.0.1:${server.port}` })
  await add(api)
  const began = api.clock.now
  let tries = 0
  while (api.app.store.mails.waiting() > 0) {
    t.equal(await job.look(), 1_000, 'others may be taken')
    tries++
    t.equal(await job.look(), 1_000, 'it is not its time yet')
    const [mail] = api.app.store.db.rows<[number]>('select tries from mails')
    if (mail) t.same(mail, [tries])
    const [next] = api.app.store.db.rows<[string]>('select next_utc from mails')
    if (next) api.clock.now = Date.parse(`${next[0]}Z`)
  }
  const hours = (api.clock.now - began) / (60 * MINUTE)
  t.ok(hours > 40 && hours <= 48, `${hours}`)
  t.same(job.counts, { sent: 0, put_off: 8, given_up: 1 })
  t.match(job.lines.at(-1), { text: 'a mail was given up', details: { mail: 1, tries: 9, status: 450 } })
  t.notMatch(JSON.stringify(job.lines), /people\.example|Secret|Welcome/)
})

t.test(
  'a recipient or a mail that is refused for good is given up at once, and others are sent',
  async (t) => {
    const api = await build(t)
    const server = await openMailServer(t, {
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('no') ? refusal(550, address) : null),
    })
    const job = openJob(t, api, { url: `smtp://127.0.0.1:${server.port}` })
    await add(api, 'One', 'nobody@people.example')
    await add(api, 'Two')
    await add(api, 'Three', 'a@b.example, eve@c.example')
    await job.look()
    t.same(job.counts, { sent: 1, put_off: 0, given_up: 2 }, 'what is no address is sent to nobody')
    t.same(
      server.received.map(({ to }) => to),
      [['ann@people.example']],
    )
    t.notMatch(JSON.stringify(job.lines), /nobody/)
  },
)

t.test('a server that is away, or refuses this service, is asked by one mail at a time', async (t) => {
  const api = await build(t)
  const closed = await openMailServer(t)
  await closed.close()
  await add(api, 'One')
  await add(api, 'Two')
  const away = openJob(t, api, { url: `smtp://127.0.0.1:${closed.port}` })
  t.equal(await away.look(), 30_000)
  t.same(away.counts, { sent: 0, put_off: 1, given_up: 0 })
  t.match(away.lines, [{ details: { mail: 1, status: undefined, reason: /ECONNREFUSED/ } }])
  const server = await openMailServer(t, { onAuth: (_auth, _session, done) => done(refusal(535, 'wrong')) })
  const refused = openJob(t, api, { url: `smtp://me:secretword@127.0.0.1:${server.port}` })
  t.equal(await refused.look(), 30_000)
  t.match(refused.lines, [{ details: { mail: 2, code: 'EAUTH', status: 535 } }])
  t.notMatch(JSON.stringify(refused.lines), /secretword/)
  api.clock.now += MINUTE
  const busy = await openMailServer(t, { onRcptTo: (_to, _session, done) => done(refusal(421)) })
  t.equal(await openJob(t, api, { url: `smtp://127.0.0.1:${busy.port}` }).look(), 30_000)
})

t.test('a server that says nothing, or nothing to an end, is given up after a while', async (t) => {
  const api = await build(t)
  const silent = await openSilent(t)
  await add(api)
  const job = openJob(t, api, { url: `smtp://127.0.0.1:${silent.port}`, timeout: 50 })
  t.equal(await job.look(), 30_000)
  t.same(job.counts, { sent: 0, put_off: 1, given_up: 0 })
})

/** A server that takes connections and never says a word. */
async function openSilent(t: Test) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}

t.test(
  'a certificate must be right, from the start or by STARTTLS, which is required of other machines',
  async (t) => {
    const api = await build(t)
    const direct = await openMailServer(t, { secure: true })
    const later = await openMailServer(t)
    const plain = await openMailServer(t, { disabledCommands: ['STARTTLS'] })
    const at = (scheme: string, { port }: { port: number }, more = '') =>
      `${scheme}://localhost:${port}${more}`
    const ours = { tls: { ca: CERTIFICATE } }
    const send = async (office: Partial<PostOffice>) => {
      const { send, close } = openPost({ url: '', from: FROM, ...office })
      const posted = await send({ id: 'a', recipient: 'ann@people.example', subject: 'Hello', text: 'Hello' })
      await close()
      return posted
    }
    for (const url of [
      at('smtps', direct),
      at('smtp', later, '?starttls=required'),
      at('smtp', later, '?starttls=offered'),
    ]) {
      t.match(await send({ url }), { outcome: 'failed', isAway: true }, `${url} with a certificate of nobody`)
      t.same(await send({ url, ...ours }), { outcome: 'sent' }, url)
    }
    t.ok([...direct.received, ...later.received].every(({ secure }) => secure))
    t.match(await send({ url: at('smtp', plain, '?starttls=required') }), { outcome: 'failed', isAway: true })
    t.same(await send({ url: at('smtp', plain, '?starttls=offered') }), { outcome: 'sent' })
    t.same(await send({ url: at('smtp', later) }), { outcome: 'sent' }, 'to this machine, as it is')
    t.equal(later.received.at(-1)!.secure, false)
    t.equal(api.app.store.mails.waiting(), 0)
  },
)

t.test(
  'a mail that is under way at a stop is sent again later, under the same name, and none is lost',
  async (t) => {
    const api = await build(t)
    const silent = await openSilent(t)
    await add(api, 'One')
    await add(api, 'Two')
    const stopped = openJob(t, api, { url: `smtp://127.0.0.1:${silent.port}` })
    stopped.begin()
    await until(() => silent.sockets.size > 0)
    await stopped.stop()
    t.same(stopped.counts, { sent: 0, put_off: 0, given_up: 0 })
    const server = await openMailServer(t)
    const next = openJob(t, api, { url: `smtp://127.0.0.1:${server.port}` })
    await next.look()
    t.equal(server.received.length, 2)
    await add(api, 'Three')
    await add(api, 'Four')
    let taken = (_: unknown) => {}
    const slow = await openMailServer(t, {
      onData(stream, _session, done) {
        stream.resume().on('end', () => taken(done))
      },
    })
    const ending = openJob(t, api, { url: `smtp://127.0.0.1:${slow.port}` })
    const done = new Promise((resolve) => {
      taken = resolve
    })
    ending.begin()
    const accept = (await done) as () => void
    const end = ending.stop()
    accept()
    await end
    t.same(ending.counts, { sent: 1, put_off: 0, given_up: 0 }, 'the one under way ended, and no other began')
    t.equal(api.app.store.mails.waiting(), 1)
  },
)

t.test('only the node that leads and has what others did sends mail', async (t) => {
  const api = await build(t)
  await add(api)
  const server = await openMailServer(t)
  const { store } = api.app
  const office = { url: `smtp://127.0.0.1:${server.port}` }
  for (const db of [{ leads: () => false }, { fresh: async () => 1 }])
    t.equal(await openJob(t, api, office, { ...store, db: { ...store.db, ...db } }).look(), 1_000)
  let looks = 0
  const leads = () => looks++ === 0
  await openJob(t, api, office, { ...store, db: { ...store.db, leads } }).look()
  t.same(server.received, [])
  const broken = { ...store, mails: { ...store.mails, due: () => Promise.reject(new Error('gone')) } }
  const failing = openJob(t, api, office, broken)
  t.equal(await failing.look(), 30_000)
  t.match(failing.lines, [{ text: 'mail that waits could not be looked at' }])
  await openJob(t, api, office, { ...store, db: { ...store.db, fresh: async () => 0 } }).look()
  t.equal(server.received.length, 1)
})
