import t from 'tap'
import {
  openMutex,
  openWriteThrough,
  type WriteThroughOptions,
} from '../../../../src/features/imports/mirror/write-through.ts'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { buildSource, importer } from '../../../support/importing.ts'
import { freePort } from '../../../support/ports.ts'

t.test('a write whose record can not be taken is told as written there', async (t) => {
  const source = await buildSource(t)
  await must(source.administrator.post('/venues', { venue: 'Hall' }))
  const api = await build(t)
  const { pictures, take } = importer(t, api)
  await take(source.root)
  const { store } = api.app
  const caller = { id: api.credentials.editor.id, role: 'editor' as const }
  const by = { origin: 'command' as const, address: 'test' }
  const passing = (more: Partial<WriteThroughOptions>) =>
    openWriteThrough({
      ...{ store, pictures, address: source.root, exclusively: openMutex() },
      poll: async () => {},
      web: {
        ...{ fetch, clock: () => api.clock.now, pause: async () => {}, userAgent: 'almanac-test' },
        authorization: source.credentials.editor.authorization,
      },
      ...more,
    })
  const write = { kind: 'venue' as const, verb: 'update' as const, id: 1, caller, by }

  const city = async (name: string) => {
    api.clock.now += 1_000
    const input = { body: { city: name }, given: {}, ignored: [], isLong: false }
    const images = { bring: async () => new Map(), discard: async () => {} }
    await store.write({ caller, by, language: 'en' }, input, images, (w, sent) =>
      store.venues.update(w, { id: 1 }, sent, false),
    )
  }
  const all = { translations: 'all' }
  const failing = passing({ poll: async () => Promise.reject(new Error('no look')) })
  t.equal(await failing({ ...write, body: { city: 'Vic' }, query: all }), 1)
  t.equal((await api.editor.get('/venues/1')).body.city, 'Vic', 'other records come with the next look')

  let edits = 0
  const raced = passing({ poll: () => city(`City ${++edits}`) })
  await t.rejects(raced({ ...write, body: { city: 'Olot' }, query: all }), {
    ...{ code: 'source_failed', status: 502, message: /written here meanwhile.*Do not send it again/ },
    data: { written: true, source_id: 1 },
  })
  t.equal((await source.administrator.get('/venues/1')).body.city, 'Olot')

  const address = `http://127.0.0.1:${await freePort()}`
  await t.rejects(passing({ address })({ ...write, body: {}, query: {} }), {
    ...{ code: 'source_failed', message: /can not be read.*Nothing was written/ },
  })
})
