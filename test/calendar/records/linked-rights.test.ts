import t from 'tap'
import type { Role } from '../../../src/kernel/access/rights.ts'
import { listed, must, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

const KINDS = ['venue', 'organizer'] as const
type Who = Role | 'anonymous'

const make = (api: Records, who: Who, kind: (typeof KINDS)[number], input: object = {}) =>
  must(api[who].create(kind, { [kind]: 'Record', ...input }))

t.test('who creates a record decides its status', async (t) => {
  const api = await openRecords(t)
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
      t.match(body, { status: expected, author: String(api.ids[who as Role]) }, `${who} ${status}`)
    }
    const before = api.fingerprint()
    t.equal(refusal(await api.anonymous.create(kind, { [kind]: 'x' })), '401 rest_forbidden')
    t.equal(refusal(await api.subscriber.create(kind, { [kind]: 'x' })), '403 rest_forbidden')
    t.equal(api.fingerprint(), before)
  }
})

t.test('a record is read by all when it is published, else by its owner and by editors', async (t) => {
  const api = await openRecords(t)
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
        for (const key of [id, slug]) {
          const answer = await api[who].read(kind, key)
          if (readers.includes(who)) t.match(answer.body, { id, status }, `${who} ${key}`)
          else t.equal(refusal(answer), `403 ${kind}-not-accessible`, `${who} ${key}`)
        }
    }
  }
})

t.test('a record is changed and deleted by its owner and by editors, by ID and by slug', async (t) => {
  const api = await openRecords(t)
  for (const kind of KINDS) {
    const mine = await make(api, 'contributor', kind)
    const published = await make(api, 'author', kind)
    const cases: [who: Who, key: number | string, expected: string][] = [
      ['anonymous', published.id, '401 rest_forbidden'],
      ['anonymous', 999, '401 rest_forbidden'],
      ['anonymous', 'nothing', '401 rest_forbidden'],
      ['subscriber', published.id, '403 rest_forbidden'],
      ['subscriber', 999, '403 rest_forbidden'],
      ['contributor', published.id, '403 rest_forbidden'],
      ['contributor', published.slug, '403 rest_forbidden'],
      ['contributor', 999, `404 ${kind}-not-found`],
      ['contributor', 'nothing', `404 ${kind}-not-found`],
      ['author', mine.id, '403 rest_forbidden'],
      ['author', mine.slug, '403 rest_forbidden'],
    ]
    const before = api.fingerprint()
    for (const [who, key, expected] of cases) {
      t.equal(refusal(await api[who].change(kind, key, { phone: '1' })), expected, `${who} changes ${key}`)
      t.equal(refusal(await api[who].remove(kind, key)), expected, `${who} deletes ${key}`)
      t.equal(refusal(await api[who].remove(kind, key, 'force=true')), expected, `${who} force ${key}`)
    }
    t.equal(api.fingerprint(), before)
    t.match(await must(api.contributor.change(kind, mine.id, { phone: '1' })), {
      phone: '1',
      status: 'draft',
    })
    t.match(await must(api.contributor.change(kind, mine.id, { status: 'publish' })), {
      status: 'pending',
    })
    t.match(await must(api.editor.change(kind, mine.slug, { status: 'publish' })), {
      status: 'publish',
    })
    t.equal(
      refusal(await api.contributor.change(kind, mine.id, {})),
      '403 rest_forbidden',
      'published by now',
    )
    t.match(await must(api.author.remove(kind, published.slug)), { status: 'trash' })
  }
})

t.test('only editors give a record to somebody else', async (t) => {
  const api = await openRecords(t)
  const { author, editor } = api.ids
  for (const kind of KINDS) {
    const before = api.fingerprint()
    const given = await api.author.create(kind, { [kind]: 'x', author: editor })
    t.equal(refusal(given), '403 rest_forbidden')
    t.equal(api.fingerprint(), before)
    const record = await make(api, 'author', kind, { author: String(author) })
    t.equal(refusal(await api.author.change(kind, record.id, { author: editor })), '403 rest_forbidden')
    t.match(await must(api.editor.change(kind, record.id, { author: editor })), {
      author: `${editor}`,
    })
    t.match(await must(api.editor.change(kind, record.id, { author: null })), {
      author: `${editor}`,
    })
    t.match(await make(api, 'editor', kind, { author }), { author: `${author}` })
  }
})

t.test('an unknown record, and one of another kind, is not found', async (t) => {
  const api = await openRecords(t)
  const venue = await make(api, 'editor', 'venue')
  const organizer = await make(api, 'editor', 'organizer', { organizer: 'Other' })
  const event = await must(api.editor.create('event', EVENT))
  const keys = {
    venue: [organizer.id, event.id, 'other'],
    organizer: [venue.id, event.id, 'record'],
  }
  for (const kind of KINDS)
    for (const key of [...keys[kind], 0, 999, Number.MAX_SAFE_INTEGER, 'nothing', '%zz'])
      for (const answer of [
        await api.editor.read(kind, key),
        await api.editor.change(kind, key, {}),
        await api.editor.remove(kind, key),
      ])
        t.equal(refusal(answer), `404 ${kind}-not-found`, `${key}`)
})

t.test('a record goes to the trash, comes back with its slug, and goes for good', async (t) => {
  const api = await openRecords(t)
  for (const kind of KINDS) {
    const { editor } = api
    const record = await make(api, 'author', kind)
    const { id } = record
    api.clock.now += 60_000
    const trashed = await must(api.author.remove(kind, id))
    t.match(trashed, {
      id,
      status: 'trash',
      slug: 'record__trashed',
      modified: /:0[1-9]:00$/,
      date: record.date,
    })
    t.equal(refusal(await editor.remove(kind, id)), `410 ${kind}-is-in-trash`)
    t.equal(refusal(await editor.remove(kind, 'record__trashed')), `410 ${kind}-is-in-trash`)
    t.equal(refusal(await editor.remove(kind, 'record')), `404 ${kind}-not-found`)
    t.equal(refusal(await editor.change(kind, id, { phone: '1' })), `410 ${kind}-is-in-trash`)
    t.equal(refusal(await editor.change(kind, id, { phone: '1', status: null })), `410 ${kind}-is-in-trash`)
    t.match(await must(editor.change(kind, id, { status: 'draft' })), {
      status: 'draft',
      slug: 'record',
    })
    t.match(await must(editor.change(kind, id, { status: 'trash' })), { slug: 'record__trashed' })
    await make(api, 'editor', kind)
    t.match(await must(editor.change(kind, id, { status: 'publish' })), { slug: 'record-2' })
    t.match(await must(editor.remove(kind, 'record-2', 'force=1')), {
      id,
      status: 'publish',
      slug: 'record-2',
    })
    t.equal(refusal(await editor.read(kind, id)), `404 ${kind}-not-found`)
    const { id: other } = await must(editor.remove(kind, 'record'))
    t.equal(refusal(await editor.remove(kind, other, 'force=maybe')), '400 rest_invalid_param force')
    t.match(await must(editor.remove(kind, other, 'force=true')), { status: 'trash' })
    t.equal(listed(await editor.list(kind, 'status=any'), `${kind}s`, 'id'), '')
    t.equal(listed(await editor.list(kind, 'status=trash'), `${kind}s`, 'id'), '')
  }
})

t.test('an event loses one venue or organizer alone, and gets it back from the trash', async (t) => {
  const api = await openRecords(t)
  const { editor, anonymous } = api
  for (const kind of KINDS) {
    const ids = []
    for (const name of ['First', 'Second', 'Third'])
      ids.push((await must(editor.create(kind, { [kind]: name }))).id)
    const { id } = await must(editor.create('event', { ...EVENT, [kind]: ids }))
    const shown = async () =>
      [(await anonymous.read('event', id)).body[kind]]
        .flat()
        .map((record) => record[kind])
        .join(' ')
    t.equal(await shown(), 'First Second Third')
    await must(editor.remove(kind, ids[1]))
    t.equal(await shown(), 'First Third')
    await must(editor.change(kind, ids[1], { status: 'publish' }))
    t.equal(await shown(), 'First Second Third')
    await must(editor.remove(kind, ids[0], 'force=true'))
    t.equal(await shown(), 'Second Third')
    await must(editor.change(kind, ids[1], { status: 'private', [kind]: 'Renamed' }))
    t.equal(await shown(), 'Third', 'what may not be read is not shown inside either')
    await must(editor.change(kind, ids[1], { status: 'publish' }))
    t.equal(await shown(), 'Renamed Third')
    await must(editor.remove('event', id, 'force=true'))
    t.equal(listed(await anonymous.list(kind, 'has_events=true'), `${kind}s`, kind), '')
  }
})
