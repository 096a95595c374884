import { join } from 'node:path'
import t from 'tap'
import { must } from '../../../support/answers.ts'
import { build } from '../../../support/app.ts'
import { openListeners } from '../../../support/listening.ts'
import { addHook, buildHooks, openReceiver } from '../../../support/receiver.ts'
import { daysOf, etagsOf, storedDates, WEEKLY } from '../../../support/series.ts'

const LONG = { ...WEEKLY, recurrence: { rrule: 'FREQ=DAILY;COUNT=520' } }

t.test('who may not write others may change neither their series nor a date of one', async (t) => {
  const api = await build(t)
  const { author, contributor, editor, subscriber } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const [first] = storedDates(api, series)
  const before = await api.fingerprint()
  for (const client of [author, contributor, subscriber])
    for (const answer of [
      await client.patch(`/series/${series}`, { title: 'x' }),
      await client.delete(`/series/${series}`),
      await client.patch(`/events/${first!.id}`, { title: 'x' }),
      await client.patch(`/events/${first!.id}?apply_to=all`, { title: 'x' }),
      await client.delete(`/events/${first!.id}?apply_to=following`),
    ])
      t.equal(answer.status, 403)
  t.equal(await api.fingerprint(), before)
  await must(editor.patch(`/events/${first!.id}`, { author: api.credentials.author.id }))
  for (const range of ['all', 'following']) {
    t.equal((await author.patch(`/events/${first!.id}?apply_to=${range}`, { title: 'x' })).status, 403, range)
    t.equal((await author.patch(`/events/${first!.id}?apply_to=${range}`, { recurrence: null })).status, 403)
    t.equal((await author.delete(`/events/${first!.id}?apply_to=${range}`)).status, 403)
    t.equal((await author.delete(`/events/${first!.id}?apply_to=${range}&force=true`)).status, 403)
  }
  t.match(await must(author.patch(`/events/${first!.id}`, { title: 'Mine' })), {
    overrides: ['title', 'author'],
  })
  const sent = await must(contributor.post('/events', { ...WEEKLY, title: 'Wish' }))
  t.match(sent, { status: 'draft', slug: '' })
  t.match(await must(editor.patch(`/series/${sent.series}`, { status: 'publish' })), { slug: 'wish' })
  t.equal((await must(editor.get(`/events/${sent.id}`))).slug, 'wish-2026-12-01')
  t.match(await author.patch(`/events/${first!.id}?apply_to=this`, { author: api.credentials.editor.id }), {
    status: 403,
  })
  t.equal((await author.patch('/series/999', { title: 'x' })).status, 404)
})

t.test('a client that knows nothing of series has events to read, send back and delete', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(
    editor.post('/events', { ...WEEKLY, categories: 'Music', venue: { venue: 'Hall' }, cost: '5' }),
  )
  const ids = storedDates(api, series).map(({ id }) => id)
  const before = await etagsOf(editor, [ids[0]!, ids[2]!])
  const read = await must(editor.get(`/events/${ids[1]}`))
  const back = await editor.put(`/events/${ids[1]}`, read)
  t.equal(back.headers['x-ignored-fields'], undefined)
  const { modified, modified_utc, venue, json_ld, ...rest } = read
  t.match(back.body, rest)
  t.same(await etagsOf(editor, [ids[0]!, ids[2]!]), before)
  t.match(await must(editor.post(`/events/by-slug/choir-2026-12-08`, { ...read, title: 'Other' })), {
    overrides: ['title'],
  })
  t.equal((await editor.delete(`/events/${ids[1]}`)).status, 200)
  t.equal(daysOf(api, series), '12-01 12-15 12-22')
  const own = await must(editor.get(`/series/${series}`))
  t.same(own.venue, (await must(editor.get(`/events/${ids[0]}`))).venue)
  const same = await editor.put(`/series/${series}`, own)
  t.same([same.status, same.headers['x-ignored-fields']], [200, undefined])
  t.equal(daysOf(api, series), '12-01 12-15 12-22', 'what is read can be sent back')
})

t.test('a date of a series is changed on the condition of its own ETag', async (t) => {
  const api = await build(t)
  const { editor } = api
  const { series } = await must(editor.post('/events', WEEKLY))
  const ids = storedDates(api, series).map(({ id }) => id)
  const tags = await etagsOf(editor, ids)
  const headers = (id: number) => ({ headers: { 'if-match': tags[id]! } })
  t.equal((await editor.patch(`/events/${ids[0]}`, { title: 'One' }, headers(ids[0]!))).status, 200)
  t.equal(
    (await editor.patch(`/events/${ids[0]}?apply_to=all`, { title: 'x' }, headers(ids[0]!))).status,
    412,
  )
  t.equal(
    (await editor.patch(`/events/${ids[1]}?apply_to=all`, { title: 'Two' }, headers(ids[1]!))).status,
    200,
  )
  t.equal((await editor.delete(`/events/${ids[2]}?apply_to=all`, undefined, headers(ids[2]!))).status, 412)
  const { etag } = (await editor.get(`/series/${series}`)).headers
  t.equal((await editor.patch(`/series/${series}`, {}, { headers: { 'if-match': etag! } })).status, 200)
  t.equal(
    (await editor.delete(`/series/${series}`, undefined, { headers: { 'if-match': '"old"' } })).status,
    412,
  )
})

t.test('the dates of translations are translations of one another', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  const one = await must(editor.post('/series', WEEKLY))
  const body = { ...WEEKLY, title: 'Cor', i18n_language: 'ca', translation_of: one.id }
  const other = await must(editor.post('/series', { ...body, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5' } }))
  t.equal(other.recurrence.text, 'cada dimarts, 5 vegades')
  const [own, theirs] = [storedDates(api, one.id), storedDates(api, other.id)]
  for (const [at, { id }] of own.entries()) {
    const { translations } = await must(anonymous.get(`/events/${id}`))
    t.match(translations, { ca: theirs[at]!.id })
  }
  t.equal((await must(anonymous.get(`/events/${own[0]!.id}?i18n_language=ca`))).title, 'Cor')
  t.equal((await must(anonymous.get(`/series/${one.id}?i18n_language=ca`))).title, 'Cor')
  await must(editor.patch(`/series/${one.id}`, { recurrence: { rrule: 'FREQ=WEEKLY;COUNT=5' } }))
  const last = storedDates(api, one.id).at(-1)!
  t.match(await must(anonymous.get(`/events/${last.id}`)), { translations: { ca: theirs[4]!.id } })
  const third = await must(editor.post('/series', { ...body, title: 'Coro', i18n_language: 'es' }))
  const set = (await must(anonymous.get(`/events/${own[1]!.id}`))).translations
  t.same(Object.keys(set).sort(), ['ca', 'es'])
  t.equal(set.es, storedDates(api, third.id)[1]!.id)
  const free = await must(editor.post('/series', { ...WEEKLY, title: 'Free' }))
  await must(editor.patch(`/series/${free.id}`, { i18n_language: 'es' }))
  t.equal((await must(anonymous.get(`/events/${storedDates(api, free.id)[0]!.id}`))).language, 'es')
  await must(editor.patch(`/series/${third.id}`, { translation_of: null, i18n_language: 'ca' }))
  t.equal(storedDates(api, third.id).length, 4)
})

t.test(
  'an edit of hundreds of dates is told of each once, in pages; series are told to who asks',
  async (t) => {
    const api = await build(t, { fresh: true })
    const { editor, anonymous } = api
    const follow = async (token: string) => {
      const told: string[] = []
      for (let next = token, more = true; more; ) {
        const page = await must(anonymous.get(`/changes?sync_token=${next}&per_page=200`))
        t.ok(page.changes.length <= 200)
        told.push(
          ...page.changes.map(
            (one: { operation: string; kind: string; id: number }) =>
              `${one.operation} ${one.kind} ${one.id}`,
          ),
        )
        next = page.next_sync_token
        more = page.has_more
      }
      return told
    }
    const start = async (query: string) => (await must(anonymous.get(`/changes?${query}`))).next_sync_token
    const [usual, series] = [await start(''), await start('kind=series')]
    const { series: id } = await must(editor.post('/events', LONG))
    const ids = storedDates(api, id).map(({ id }) => id)
    t.same((await follow(usual)).sort(), ids.map((id) => `create event ${id}`).sort())
    t.same(await follow(series), [`create series ${id}`])
    const token = await start('kind=series,event&search=chorus')
    await must(editor.patch(`/series/${id}`, { title: 'Chorus' }))
    const told = await follow(token)
    t.equal(told.length, 521)
    t.equal(new Set(told).size, 521)
    t.match(await anonymous.get('/changes?kind=series&featured=true'), { status: 400 })
    const before = await start('')
    await must(editor.delete(`/series/${id}`))
    t.same((await follow(before)).sort(), ids.map((id) => `delete event ${id}`).sort())
  },
)

t.test('a listener and a webhook are told of a series and its dates', async (t) => {
  const api = await buildHooks(t, { DATABASE: join(t.testdir(), 'a.db') })
  const { editor } = api
  const receiver = await openReceiver(t)
  const hook = await addHook(api, receiver, { kinds: ['series', 'event'] })
  t.ok(hook)
  const { begin } = await openListeners(t, api)
  const heard = await begin('?kind=series,event')
  const { id } = await must(editor.post('/series', WEEKLY))
  const dates = storedDates(api, id).map(({ id }) => id)
  const all = [`create series ${id}`, ...dates.map((id) => `create event ${id}`)]
  t.same((await heard.told()).sort(), all.sort())
  await api.app.hooks.drain()
  t.same(
    receiver.got.map(({ type, data }) => `${type} ${data.id}`).sort(),
    [...dates.map((id) => `event.created ${id}`), `series.created ${id}`].sort(),
  )
})

t.test('reads go on while a long series is written to a file', async (t) => {
  const api = await build(t, { env: { DATABASE: join(t.testdir(), 'almanac.db') } })
  const { editor, anonymous } = api
  let reads = 0
  const writing = editor.post('/series', LONG).then(() => 'written')
  while ((await Promise.race([writing, new Promise(setImmediate)])) !== 'written') {
    const { total } = await must(anonymous.get('/events'))
    if (total === 0) reads++
    else t.equal(total, 520, 'all or nothing is seen')
  }
  t.ok(reads > 2, `${reads} reads`)
  const dates = storedDates(api, 1)
  await must(editor.delete(`/events/${dates[2]!.id}?force=true&apply_to=following`))
  t.equal(storedDates(api, 1).length, 2)
  await must(editor.delete(`/events/${dates[0]!.id}?force=true&apply_to=all`))
  t.same(storedDates(api, 1), [])
})
