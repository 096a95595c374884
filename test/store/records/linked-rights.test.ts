import t from 'tap'
import { listed, refusal } from '../../support/answers.ts'
import { type Api, build, EVENT } from '../../support/app.ts'
import { must } from '../../support/events.ts'

const KINDS = ['venue', 'organizer'] as const
type Who = 'anonymous' | 'subscriber' | 'contributor' | 'author' | 'editor' | 'administrator'

const make = (api: Api, who: Who, kind: string, input: object = {}) =>
  must(api[who].post(`/${kind}s`, { [kind]: 'Record', ...input }))

t.test('who creates a record decides its status', async (t) => {
  const api = await build(t)
  const cases: [who: Who, status: string | undefined, expected: string][] = [
    ['contributor', undefined, 'draft'],
    ['contributor', 'publish', 'pending'],
    ['contributor', 'future', 'pending'],
    ['contributor', 'private', 'private'],
    ['contributor', 'pending', 'pending'],
    ['author', undefined, 'publish'],
    ['author', 'future', 'publish'],
    ['author', 'pending', 'pending'],
    ['editor', 'private', 'private'],
    ['administrator', 'draft', 'draft'],
    ['editor', 'trash', 'trash'],
  ]
  for (const kind of KINDS) {
    for (const [who, status, expected] of cases) {
      const body = await make(api, who, kind, { ...(status && { status }) })
      t.match(
        body,
        { status: expected, author: String(api.credentials[who as 'author'].id) },
        `${who} ${status}`,
      )
    }
    const before = await api.fingerprint()
    t.equal(refusal(await api.anonymous.post(`/${kind}s`, { [kind]: 'x' })), '401 rest_forbidden')
    t.equal(refusal(await api.subscriber.post(`/${kind}s`, { [kind]: 'x' })), '403 rest_forbidden')
    t.equal(refusal(await api.anonymous.post(`/${kind}s`, {})), `400 rest_missing_callback_param ${kind}`)
    t.equal(await api.fingerprint(), before)
  }
})

t.test('a record is read by all when it is published, else by its owner and by editors', async (t) => {
  const api = await build(t)
  for (const kind of KINDS) {
    const seen: Record<string, Who[]> = {
      publish: ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'administrator'],
      draft: ['author', 'editor', 'administrator'],
      private: ['author', 'editor', 'administrator'],
      trash: ['author', 'editor', 'administrator'],
    }
    for (const [status, readers] of Object.entries(seen)) {
      const { id, slug } = await make(api, 'author', kind, { status })
      for (const who of seen.publish!)
        for (const path of [`/${kind}s/${id}`, `/${kind}s/by-slug/${slug}`]) {
          const answer = await api[who].get(path)
          if (readers.includes(who)) t.match(answer.body, { id, status }, `${who} ${path}`)
          else t.equal(refusal(answer), `403 ${kind}-not-accessible`, `${who} ${path}`)
        }
    }
  }
})

t.test('a record is changed and deleted by its owner and by editors, by ID and by slug', async (t) => {
  const api = await build(t)
  for (const kind of KINDS) {
    const mine = await make(api, 'contributor', kind)
    const published = await make(api, 'author', kind)
    const cases: [who: Who, key: string, expected: string][] = [
      ['anonymous', `${published.id}`, '401 rest_forbidden'],
      ['anonymous', '999', '401 rest_forbidden'],
      ['anonymous', 'by-slug/nothing', '401 rest_forbidden'],
      ['subscriber', `${published.id}`, '403 rest_forbidden'],
      ['subscriber', '999', '403 rest_forbidden'],
      ['contributor', `${published.id}`, '403 rest_forbidden'],
      ['contributor', `by-slug/${published.slug}`, '403 rest_forbidden'],
      ['contributor', '999', `404 ${kind}-not-found`],
      ['contributor', 'by-slug/nothing', `404 ${kind}-not-found`],
      ['author', `${mine.id}`, '403 rest_forbidden'],
      ['author', `by-slug/${mine.slug}`, '403 rest_forbidden'],
    ]
    const before = await api.fingerprint()
    for (const [who, key, expected] of cases) {
      t.equal(
        refusal(await api[who].patch(`/${kind}s/${key}`, { phone: '1' })),
        expected,
        `${who} PATCH ${key}`,
      )
      t.equal(refusal(await api[who].delete(`/${kind}s/${key}`)), expected, `${who} DELETE ${key}`)
      t.equal(refusal(await api[who].delete(`/${kind}s/${key}?force=true`)), expected, `${who} force ${key}`)
    }
    t.equal(await api.fingerprint(), before)
    t.match(await must(api.contributor.patch(`/${kind}s/${mine.id}`, { phone: '1' })), {
      phone: '1',
      status: 'draft',
    })
    t.match(await must(api.contributor.patch(`/${kind}s/${mine.id}`, { status: 'publish' })), {
      status: 'pending',
    })
    t.match(await must(api.editor.patch(`/${kind}s/by-slug/${mine.slug}`, { status: 'publish' })), {
      status: 'publish',
    })
    t.equal(
      refusal(await api.contributor.patch(`/${kind}s/${mine.id}`, {})),
      '403 rest_forbidden',
      'published by now',
    )
    t.match(await must(api.author.delete(`/${kind}s/by-slug/${published.slug}`)), { status: 'trash' })
  }
})

t.test('only editors give a record to somebody else', async (t) => {
  const api = await build(t)
  const { author, editor } = api.credentials
  for (const kind of KINDS) {
    const before = await api.fingerprint()
    const given = await api.author.post(`/${kind}s`, { [kind]: 'x', author: editor.id })
    t.equal(refusal(given), '403 rest_forbidden')
    t.equal(await api.fingerprint(), before)
    const record = await make(api, 'author', kind, { author: String(author.id) })
    t.equal(
      refusal(await api.author.patch(`/${kind}s/${record.id}`, { author: editor.id })),
      '403 rest_forbidden',
    )
    t.match(await must(api.editor.patch(`/${kind}s/${record.id}`, { author: editor.id })), {
      author: `${editor.id}`,
    })
    t.match(await must(api.editor.patch(`/${kind}s/${record.id}`, { author: null })), {
      author: `${editor.id}`,
    })
    t.match(await make(api, 'editor', kind, { author: author.id }), { author: `${author.id}` })
  }
})

t.test('an unknown record, and one of another kind, is not found', async (t) => {
  const api = await build(t)
  const venue = await make(api, 'editor', 'venue')
  const organizer = await make(api, 'editor', 'organizer', { organizer: 'Other' })
  const event = await must(api.editor.post('/events', EVENT))
  const keys = {
    venue: [organizer.id, event.id, 'by-slug/other'],
    organizer: [venue.id, event.id, 'by-slug/record'],
  }
  for (const kind of KINDS)
    for (const key of [...keys[kind], 0, 999, '99999999999999999999', 'by-slug/nothing', 'by-slug/%25zz'])
      for (const method of ['get', 'patch', 'delete'] as const)
        t.equal(
          refusal(await api.editor[method](`/${kind}s/${key}`)),
          `404 ${kind}-not-found`,
          `${method} ${key}`,
        )
  t.equal(refusal(await api.editor.get('/venues/abc')), '404 rest_no_route')
})

t.test('a record goes to the trash, comes back with its slug, and goes for good', async (t) => {
  const api = await build(t)
  for (const kind of KINDS) {
    const url = `/${kind}s`
    const { editor } = api
    const record = await make(api, 'author', kind)
    const { id } = record
    api.clock.now += 60_000
    const trashed = await must(api.author.delete(`${url}/${id}`))
    t.match(trashed, {
      id,
      status: 'trash',
      slug: 'record__trashed',
      modified: /:0[1-9]:00$/,
      date: record.date,
    })
    t.equal(refusal(await editor.delete(`${url}/${id}`)), `410 ${kind}-is-in-trash`)
    t.equal(refusal(await editor.delete(`${url}/by-slug/record__trashed`)), `410 ${kind}-is-in-trash`)
    t.equal(refusal(await editor.delete(`${url}/by-slug/record`)), `404 ${kind}-not-found`)
    t.equal(refusal(await editor.patch(`${url}/${id}`, { phone: '1' })), `410 ${kind}-is-in-trash`)
    t.equal(
      refusal(await editor.patch(`${url}/${id}`, { phone: '1', status: null })),
      `410 ${kind}-is-in-trash`,
    )
    t.match(await must(editor.patch(`${url}/${id}`, { status: 'draft' })), {
      status: 'draft',
      slug: 'record',
    })
    t.match(await must(editor.patch(`${url}/${id}`, { status: 'trash' })), { slug: 'record__trashed' })
    await make(api, 'editor', kind)
    t.match(await must(editor.patch(`${url}/${id}`, { status: 'publish' })), { slug: 'record-2' })
    t.match(await must(editor.delete(`${url}/by-slug/record-2?force=1`)), {
      id,
      status: 'publish',
      slug: 'record-2',
    })
    t.equal(refusal(await editor.get(`${url}/${id}`)), `404 ${kind}-not-found`)
    const { id: other } = await must(editor.delete(`${url}/by-slug/record`))
    t.equal(refusal(await editor.delete(`${url}/${other}?force=maybe`)), '400 rest_invalid_param force')
    t.match(await must(editor.delete(`${url}/${other}?force=true`)), { status: 'trash' })
    t.equal(listed(await editor.get(`${url}?status=any`), `${kind}s`, 'id'), '')
    t.equal(listed(await editor.get(`${url}?status=trash`), `${kind}s`, 'id'), '')
  }
})

t.test('an event loses one venue or organizer alone, and gets it back from the trash', async (t) => {
  const api = await build(t)
  const { editor, anonymous } = api
  for (const kind of KINDS) {
    const ids = []
    for (const name of ['First', 'Second', 'Third'])
      ids.push((await must(editor.post(`/${kind}s`, { [kind]: name }))).id)
    const { id } = await must(editor.post('/events', { ...EVENT, [kind]: ids }))
    const shown = async () =>
      [(await anonymous.get(`/events/${id}`)).body[kind]]
        .flat()
        .map((record) => record[kind])
        .join(' ')
    t.equal(await shown(), 'First Second Third')
    await must(editor.delete(`/${kind}s/${ids[1]}`))
    t.equal(await shown(), 'First Third')
    await must(editor.patch(`/${kind}s/${ids[1]}`, { status: 'publish' }))
    t.equal(await shown(), 'First Second Third')
    await must(editor.delete(`/${kind}s/${ids[0]}?force=true`))
    t.equal(await shown(), 'Second Third')
    await must(editor.patch(`/${kind}s/${ids[1]}`, { status: 'private', [kind]: 'Renamed' }))
    t.equal(await shown(), 'Third', 'what may not be read is not shown inside either')
    await must(editor.patch(`/${kind}s/${ids[1]}`, { status: 'publish' }))
    t.equal(await shown(), 'Renamed Third')
    await must(editor.delete(`/events/${id}?force=true`))
    t.equal(listed(await anonymous.get(`/${kind}s?has_events=true`), `${kind}s`, kind), '')
  }
})
