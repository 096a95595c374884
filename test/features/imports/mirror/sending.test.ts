import t from 'tap'
import '../../../../src/features.ts' // which declares the errors
import { createServer } from 'node:http'
import { bodyFor, openSender } from '../../../../src/features/imports/mirror/source-requests.ts'
import { openMutex } from '../../../../src/features/imports/mirror/write-through.ts'
import { freePort, listenOn } from '../../../support/ports.ts'

const SOURCE = 'https://old.example'
const send = (timeoutMs?: number, authorization?: string) =>
  openSender(SOURCE, { fetch, userAgent: 'almanac-test', authorization, ...(timeoutMs && { timeoutMs }) })

t.test('a source that is down took nothing, and of one that falls silent nobody knows', async (t) => {
  const server = createServer(({ url }, response) => {
    if (url === '/half')
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy())
  })
  const url = `http://127.0.0.1:${await listenOn(t, server)}/events`
  await t.rejects(send(20)({ method: 'POST', url, body: {} }), {
    ...{ code: 'outcome_unknown', status: 503, message: /did not answer in time/ },
  })
  const half = url.replace('events', 'half')
  await t.rejects(send()({ method: 'POST', url: half }), { code: 'outcome_unknown', message: /broke off/ })
  await t.rejects(send()({ method: 'DELETE', url: `http://127.0.0.1:${await freePort()}/events/1` }), {
    ...{ code: 'source_failed', status: 502, message: /can not be reached \(ECONNREFUSED\)\. Nothing was/ },
    data: { source: SOURCE },
  })
})

t.test('a write that waits too long for its turn is not made, and holds up nobody', async (t) => {
  // timers of the service let a process end
  const alive = setInterval(() => {}, 60_000)
  t.teardown(() => clearInterval(alive))
  const inTurn = openMutex()
  let end = () => {}
  const first = inTurn(() => new Promise<void>((resolve) => (end = resolve)))
  const done: string[] = []
  await t.rejects(
    inTurn(async () => done.push('second'), 1, 'Too much.'),
    { code: 'rest_not_ready', message: /^Too much\. Nothing was written/, data: { retry_after: 10 } },
  )
  const third = inTurn(async () => done.push('third'), 60_000)
  end()
  await Promise.all([first, third])
  t.same(done, ['third'])
})

t.test(
  'what a body refers to has the IDs of the source, and texts are sent as they were checked',
  async (t) => {
    const there = {
      record: async (_kind: string, id: number) => id + 100,
      term: async (_taxonomy: string, key: number | string) => (key === 9 ? undefined : key),
      picture: async (id: number) => `${SOURCE}/${id}.png`,
    }
    const event = {
      ...{ title: 'A < B & C', description: '<p>Text</p>', excerpt: null, sticky: true, post_parent: 0 },
      ...{ venue: null, organizer: [{ id: 1 }, { create: { organizer: 'X & Y', image: { id: 3 } } }] },
      ...{ categories: [2, 9, 'New'], tags: null, image: { url: `${SOURCE}/a.png` }, cost: ['5 & up'] },
      ...{ translation_of: 7, start_date: 'tomorrow', status: null },
    }
    t.same(await bodyFor('event', event, there), {
      ...{ title: 'A &lt; B &amp; C', description: '<p>Text</p>', excerpt: '', sticky: true, post_parent: 0 },
      ...{ venue: [], organizer: [{ id: 101 }, { organizer: 'X &amp; Y', image: `${SOURCE}/3.png` }] },
      ...{ categories: [2, 'New'], tags: [], image: `${SOURCE}/a.png`, cost: ['5 &amp; up'] },
      ...{ translation_of: 107, start_date: 'tomorrow', status: null },
    })
    t.same(await bodyFor('category', { name: 'Jazz', parent: 1, post_parent: 4 }, there), {
      ...{ name: 'Jazz', parent: 101, post_parent: 104 },
    })
    t.same(await bodyFor('venue', { venue: 'Hall', image: null, i18n_language: 'ca' }, there), {
      ...{ venue: 'Hall', image: '', i18n_language: 'ca' },
    })
  },
)
