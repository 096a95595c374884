import { join } from 'node:path'
import { EventSource } from 'eventsource'
import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import { build, EVENT, ROOT } from '../../../../test/support/app.ts'
import { openListeners } from '../../../../test/support/listening.ts'

t.test('the EventSource of browsers comes again by itself, and misses nothing', async (t) => {
  const pace = { poll: 1, beat: 10_000, retry: 1 }
  const api = await build(t, { pace, env: { DATABASE: join(t.testdir(), 'a.db') } })
  const { app, author } = api
  const { port } = await openListeners(t, api)
  const titles: string[] = []
  let heard = () => {}
  const source = new EventSource(`http://127.0.0.1:${port}${ROOT}/changes?kind=event`)
  t.teardown(() => source.close())
  const opened = new Promise((resolve) => source.addEventListener('changes', resolve, { once: true }))
  source.addEventListener('changes', ({ data }) => {
    for (const { record } of JSON.parse(data).changes) titles.push(record.title)
    heard()
  })
  const until = async (wanted: string[]) => {
    while (titles.length < wanted.length)
      await new Promise<void>((resolve) => {
        heard = resolve
      })
    t.same(titles, wanted)
  }
  await opened
  await must(author.post('/events', { ...EVENT, title: 'First' }))
  await until(['First'])
  const lost = new Promise((resolve) => source.addEventListener('error', resolve, { once: true }))
  app.server.closeAllConnections()
  await lost
  await must(author.post('/events', { ...EVENT, title: 'Second' }))
  await until(['First', 'Second'])
  t.equal(source.readyState, source.OPEN)
})
