import t from 'tap'
import type { Format } from '../../../src/features/feeds/formats/format.ts'
import { FORMATS } from '../../../src/features/feeds/formats/formats.ts'

const EVENT = { title: 'Concert', start_date: '2026-12-01 20:00:00', end_date: '2026-12-01 22:00:00' }

/** All that a format needs: one event a line. */
const toy: Format = {
  extension: 'txt',
  type: 'text/plain; charset=utf-8',
  open: ({ title }) => ({
    head: () => `${title}\n`,
    event: (event) => `${event.start_date} ${event.title}\n`,
    foot: () => '',
  }),
}

t.test('a format is a file and an entry of the list', async (t) => {
  const formats = FORMATS as Format[]
  formats.push(toy)
  t.teardown(() => void formats.pop())
  // what reads the list does so when it is loaded
  const { build } = await import('../../support/app.ts')
  const { documentOf } = await import('../../support/document.ts')
  const api = await build(t)
  t.equal((await api.editor.post('/events', EVENT)).status, 201)
  const get = (url: string, headers = {}) => api.app.inject({ url: `/calendar/events/v1${url}`, headers })
  const text = 'Almanac\n2026-12-01 20:00:00 Concert\n'
  t.match(await get('/events.txt'), { statusCode: 200, payload: text, headers: { 'content-type': toy.type } })
  t.match(await get('/events', { accept: 'text/plain' }), { payload: text })
  const { etag } = (await get('/events.txt')).headers
  t.match(await get('/events.txt', { 'if-none-match': etag }), { statusCode: 304 })
  t.match(JSON.stringify(documentOf(api.app).paths), /"text\/plain"/)
})
