import type { ServerResponse } from 'node:http'
import t from 'tap'
import { must } from '../../../support/answers.ts'
import type { Api } from '../../../support/app.ts'
import { EVENT } from '../../../support/given.ts'
import { buildSource, follow, forwarding } from '../../../support/importing.ts'
import { openReference, tribeEvent } from '../../../support/sites.ts'

const BODIES = {
  events: EVENT,
  series: { ...EVENT, recurrence: { rrule: 'FREQ=WEEKLY;COUNT=2' } },
  ...{ venues: { venue: 'Hall' }, organizers: { organizer: 'Choir' } },
  ...{ categories: { name: 'Music' }, tags: { name: 'New' } },
}
const hasSlugs = (plural: string) => plural !== 'categories' && plural !== 'tags'

t.test('what the source refuses is 409 with its reason, and nothing is written', async (t) => {
  const source = await buildSource(t, { LANGUAGES: 'en' })
  for (const [plural, body] of Object.entries(BODIES))
    await must(source.administrator.post(`/${plural}`, body))
  const { editor } = source.credentials
  const api = await forwarding(t, source.root, editor.authorization, { LANGUAGES: 'en,ca' })
  await follow(api)
  const { administrator } = api
  const refused = async (what: string, answer: ReturnType<Api['editor']['get']>, status: number) => {
    t.match(
      await answer,
      { status: 409, body: { code: 'source_refused', data: { source: source.root, source_status: status } } },
      what,
    )
  }
  const before = await api.fingerprint()
  const records: [plural: string, id: number, slug: string][] = []
  for (const [plural, body] of Object.entries(BODIES)) {
    const query = hasSlugs(plural) ? '' : '?hide_empty=false'
    const { [plural]: list } = (await administrator.get(`/${plural}${query}`)).body
    const { id, slug } = list.find(({ series }: { series?: number }) => !series)
    records.push([plural, id, slug])
    const other = { i18n_language: 'ca' }
    await refused(`a new one of ${plural}`, administrator.post(`/${plural}`, { ...body, ...other }), 400)
    for (const path of [`/${plural}/${id}`, ...(hasSlugs(plural) ? [`/${plural}/by-slug/${slug}`] : [])])
      for (const method of ['patch', 'put', 'post'] as const)
        await refused(`${method} ${path}`, administrator[method](path, other), 400)
  }
  t.equal(await api.fingerprint(), before)
  for (const [plural, id, slug] of records) {
    // IDs are the same here, as there was nothing before
    await must(source.administrator.delete(`/${plural}/${id}?force=true`))
    await refused(`delete ${plural}`, administrator.delete(`/${plural}/${id}`), 404)
    if (hasSlugs(plural))
      await refused(`delete ${slug}`, administrator.delete(`/${plural}/by-slug/${slug}`), 404)
  }
  t.equal(await api.fingerprint(), before)
})

/** Answers the next write. */
const html = (status: number) => (_request: unknown, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'text/html', location: '/' }).end('<h1>Hello</h1>')
const json = (status: number, body: object) => (_request: unknown, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

t.test('a site with The Events Calendar takes writes, and what it answers is told', async (t) => {
  const site = await openReference(t)
  site.lists.events = [tribeEvent(1, { title: 'One' })]
  site.lists.venues = []
  const api = await forwarding(t, site.root, 'Bearer login:password')
  await follow(api)
  const { administrator } = api
  site.lists.events = [tribeEvent(1, { title: 'First' })]
  t.match(await administrator.patch('/events/1', { title: 'First' }), {
    status: 200,
    body: { title: 'First' },
  })
  const before = await api.fingerprint()
  for (const [what, answer, status, code] of [
    ['credentials', json(401, { code: 'no', message: 'No.' }), 502, 'source_failed'],
    ['overload', html(503), 502, 'source_failed'],
    ['a failure', json(500, {}), 503, 'outcome_unknown'],
    ['another address', html(302), 502, 'source_failed'],
    ['a page', html(200), 502, 'source_failed'],
    ['a connection that ends', (request: { destroy(): void }) => request.destroy(), 503, 'outcome_unknown'],
  ] as const) {
    site.instead.push(answer as never)
    const told = await administrator.patch('/events/1', { title: 'Second' })
    t.match({ status: told.status, code: told.body.code }, { status, code }, what)
    t.equal(told.body.data.source, site.root, what)
  }
  t.equal(await api.fingerprint(), before)

  for (const [path, body] of [
    ['/series', BODIES.series],
    ['/events/1/restore', {}],
    ['/events/1?translations=all', { title: 'Second' }],
  ] as const)
    t.match(await administrator.post(path, body), {
      status: 403,
      body: { code: 'calendar_is_mirror', message: /That is no Almanac/ },
    })
  t.equal(await api.fingerprint(), before)
  site.instead.push(json(201, tribeEvent(9, { status: 'odd', series: 5 })))
  t.match(await administrator.post('/events', EVENT), {
    status: 502,
    body: { code: 'source_failed', message: /its status is odd/, data: { written: true, source_id: 9 } },
  })
  site.lists.events = []
  site.instead.push(json(200, tribeEvent(1)))
  t.match(await administrator.delete('/events/1?force=true'), { status: 200, body: { title: 'First' } })
  t.match(await administrator.get('/events/1'), { status: 403, body: { code: 'event-no-longer-available' } })
})
