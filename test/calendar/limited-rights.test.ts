import t from 'tap'
import { must } from '../support/answers.ts'
import { EVENT } from '../support/given.ts'
import {
  buildLimited,
  changes,
  isInside,
  type Known,
  LIMITED,
  lists,
  makeAt,
  opens,
  PLACES,
  STATUSES,
} from './limited.ts'

t.test('limits are kept for each role, owner, status and place of an event', async (t) => {
  const api = await buildLimited(t)
  const known: Known[] = []
  for (const owner of [...LIMITED, 'administrator'] as const)
    for (const status of STATUSES)
      for (const place of PLACES) known.push(await makeAt(api, owner, status, place))
  for (const owner of ['editor', 'administrator'] as const)
    for (const place of PLACES) known.push(await makeAt(api, owner, 'publish', place, { password: 'x' }))

  for (const role of LIMITED) {
    const client = api[role]
    const wants = (some: Known[]) => some.map(({ id }) => id).sort((a, b) => a - b)
    const idsOf = async (path: string) => {
      const pages = [await must(client.get(path))]
      while (pages.length < pages[0].total_pages)
        pages.push(await must(client.get(`${path}&page=${pages.length + 1}`)))
      return wants(pages.flatMap(({ events }) => events))
    }
    const seen = known.filter((one) => lists(role, one))
    const all = 'per_page=50&status='
    for (const [status, some] of [
      ['any', seen.filter(({ status }) => status !== 'trash')],
      ['trash', seen.filter(({ status }) => status === 'trash')],
      ['draft,private', seen.filter(({ status }) => status === 'draft' || status === 'private')],
    ] as const) {
      t.strictSame(await idsOf(`/events?${all}${status}`), wants(some), `${role} lists ${status}`)
      for (const [filter, fits] of [
        [`categories=${api.ids.theatre}`, ({ place }: Known) => place !== 'jazz'],
        [`venue=${api.ids.hall}`, ({ place }: Known) => place === 'hall'],
        ['search=zither', () => true],
        ['q=zither', () => true],
      ] as const) {
        const found = some.filter((one) => fits(one) && (!one.closed || opens(role, one)))
        t.strictSame(await idsOf(`/events?${all}${status}&${filter}`), wants(found), `${role} ${filter}`)
      }
    }
    const told = (await must(client.get('/changes?kind=event&per_page=100'))).changes
    t.strictSame(
      wants(told),
      wants(seen.filter(({ status }) => status !== 'trash')),
      `${role} is told of what they see`,
    )

    for (const one of known) {
      const what = `${role}: ${one.status} of ${one.owner}, ${one.place}${one.closed ? ', closed' : ''}`
      const mayRead = one.status !== 'trash' && lists(role, one) && (!one.closed || opens(role, one))
      const mayChange = changes(role, one)
      const before = await api.fingerprint()
      for (const key of [`${one.id}`, `by-slug/${one.slug}`]) {
        t.equal((await client.get(`/events/${key}`)).status, mayRead ? 200 : 403, `${what}: read ${key}`)
        const expected = mayChange ? (one.status === 'trash' ? 410 : 200) : 403
        t.equal((await client.patch(`/events/${key}`, {})).status, expected, `${what}: patch ${key}`)
      }
      const history = await client.get(`/events/${one.id}/revisions`)
      t.equal(history.status, mayChange ? 200 : 403, `${what}: history`)
      t.equal((await client.get(`/events/${one.id}.ics`)).status, mayRead ? 200 : 403, `${what}: feed`)
      if (mayChange) continue
      for (const path of ['', '?force=true', '?translations=all'])
        t.equal((await client.delete(`/events/${one.id}${path}`)).status, 403, `${what}: delete ${path}`)
      t.equal((await client.post(`/events/${one.id}/restore`)).status, 403, `${what}: restore`)
      t.equal(await api.fingerprint(), before, `${what} changes nothing`)
    }
    const embedded = await client.get(`/events/${known.find(({ status }) => status === 'publish')!.id}`)
    t.equal(embedded.status, 200)
  }
  t.ok(known.some(({ place }) => isInside(place)))
})

t.test('an event is made within the limits, and stays there', async (t) => {
  const { editor, administrator, ids, at, fingerprint } = await buildLimited(t)
  const before = await fingerprint()
  for (const more of [
    {},
    at('elsewhere'),
    { venue: { venue: 'New' } },
    { recurrence: { rrule: 'FREQ=DAILY;COUNT=2' } },
  ]) {
    const refused = await editor.post('/events', { ...EVENT, ...more })
    t.match(refused, {
      status: 403,
      body: { code: 'rest_forbidden', message: 'Your rights are limited to "Music", "Hall":' },
    })
  }
  t.equal(await fingerprint(), before, 'nothing was written')

  const { id } = await must(editor.post('/events', { ...EVENT, ...at('jazz') }))
  const series = { ...EVENT, ...at('hall'), recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }
  const date = await must(editor.post('/events', series))
  const own = await must(editor.get(`/series/${date.post_parent ?? date.series?.id}`))
  const made = await fingerprint()
  const out = at('elsewhere')
  for (const [path, body] of [
    [`/events/${id}`, out],
    [`/events/${id}`, { categories: [] }],
    [`/events/${id}`, { ...out, status: 'trash' }],
    [`/events/${date.id}`, out],
    [`/events/${date.id}?apply_to=all`, out],
    [`/events/${date.id}?apply_to=following`, out],
    [`/series/${own.id}`, out],
  ] as const)
    t.match(await editor.patch(path, body), { status: 403 }, `${path} ${JSON.stringify(body)}`)
  t.match(
    (await editor.post('/batch', { operations: [{ method: 'PATCH', path: `/events/${id}`, body: out }] }))
      .body,
    { results: [{ status: 403 }] },
  )
  t.equal(
    (await editor.put('/events/by-external/feed/1', { ...EVENT, ...out })).status,
    403,
    'by what another system calls it',
  )
  t.equal(await fingerprint(), made, 'nothing was changed')
  await must(editor.patch(`/events/${id}`, { ...at('hall'), tags: ['New tag'] }))
  await must(editor.put('/events/by-external/feed/1', { ...EVENT, ...at('jazz') }))

  // a date that alone is within does not open its series
  const other = await must(
    administrator.post('/events', { ...EVENT, ...out, recurrence: { rrule: 'FREQ=DAILY;COUNT=3' } }),
  )
  await must(administrator.patch(`/events/${other.id}`, { categories: [ids.jazz] }))
  await must(editor.patch(`/events/${other.id}`, { title: 'Mine' }))
  for (const [path, body] of [
    [`/events/${other.id}?apply_to=all`, { title: 'All' }],
    [`/events/${other.id}?apply_to=following`, { title: 'All' }],
    [`/events/${other.id}`, { overrides: [] }],
  ] as const)
    t.equal((await editor.patch(path, body)).status, 403, path)
  t.equal((await editor.delete(`/events/${other.id}?apply_to=all`)).status, 403)
})

t.test(
  'what was is not brought back beyond the limits, and translations outside are left alone',
  async (t) => {
    const { editor, administrator, at } = await buildLimited(t)
    const { id } = await must(administrator.post('/events', { ...EVENT, ...at('elsewhere') }))
    const other = await must(
      administrator.post('/events', { title: 'Concert', translation_of: id, i18n_language: 'ca' }),
    )
    await must(administrator.patch(`/events/${id}`, at('jazz')))
    const [{ id: revision }] = (await must(editor.get(`/events/${id}/revisions`))).revisions
    t.match(await editor.post(`/events/${id}/revisions/${revision}/restore`), { status: 403 })
    await must(editor.patch(`/events/${id}?translations=all`, { featured: true, title: 'Jazz' }))
    t.match((await administrator.get(`/events/${other.id}`)).body, { featured: false })
    await must(editor.delete(`/events/${id}?translations=all`))
    t.equal((await administrator.get(`/events/${other.id}`)).status, 200)
    await must(editor.post(`/events/${id}/restore`))
    const more = { title: 'Concierto', translation_of: other.id, i18n_language: 'es' }
    t.match(await editor.post('/events', { ...EVENT, ...at('jazz'), ...more }), { status: 403 })
    await must(
      editor.post('/events', { title: 'Concierto', ...at('hall'), translation_of: id, i18n_language: 'es' }),
    )
  },
)
