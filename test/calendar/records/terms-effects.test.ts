import t from 'tap'
import { RIGHTS } from '../../../src/calendar/rights.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { must, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords, type Records } from '../../support/store.ts'

const KINDS = ['category', 'tag'] as const
type Kind = (typeof KINDS)[number]
const PLURALS = { category: 'categories', tag: 'tags' } as const

const make = async ({ editor }: Records, kind: Kind, input: object) =>
  (await must(editor.create(kind, input))).id as number

t.test('who may write terms is what the table of rights says', async (t) => {
  const api = await openRecords(t)
  for (const kind of KINDS) {
    const least = RIGHTS[`create, change and delete ${PLURALS[kind]}`].role
    for (const asker of ['anonymous', ...ROLES] as const) {
      const allowed = asker !== 'anonymous' && ROLES.indexOf(asker) >= ROLES.indexOf(least)
      const code = `${asker === 'anonymous' ? 401 : 403} rest_forbidden`
      const id = await make(api, kind, { name: `For ${asker}` })
      const before = api.fingerprint()
      const client = api[asker]
      const answers = [
        await client.create(kind, { name: `By ${asker}` }),
        await client.change(kind, id, { name: 'Changed' }),
        await client.change(kind, id, {}),
        await client.remove(kind, id),
      ]
      const expected = allowed ? [200, 200, 200, 200] : Array(4).fill(code)
      const got = answers.map((answer) => (answer.status < 300 ? answer.status : refusal(answer)))
      t.same(got, expected, `${asker}, ${kind}`)
      if (allowed) continue
      t.equal(api.fingerprint(), before, 'changes nothing')
      const event = { ...EVENT, status: 'draft', [PLURALS[kind]]: ['Fresh'] }
      const { status } = await client.create('event', event)
      t.equal(status, asker === 'anonymous' ? 401 : 403, `${asker} makes none inside an event either`)
      t.equal(api.fingerprint(), before, 'changes nothing')
    }
  }
})

t.test('a deleted term is gone for good: its children move up, its events lose it', async (t) => {
  for (const kind of KINDS) {
    const api = await openRecords(t)
    for (const query of ['', 'force=true', 'force=0']) {
      const id = await make(api, kind, { name: 'Doomed' })
      const other = await make(api, kind, { name: `Other ${query}` })
      const { id: event } = await must(api.editor.create('event', { ...EVENT, [PLURALS[kind]]: [id, other] }))
      const before = (await api.anonymous.read(kind, id)).body
      t.strictSame(await must(api.editor.remove(kind, id, query)), before, 'it says what it was')
      const shown = (await api.anonymous.read('event', event)).body[PLURALS[kind]]
      t.same(
        shown.map((term: { id: number; count: number }) => [term.id, term.count]),
        [[other, 1]],
      )
      const unknown = `404 ${kind}-not-found`
      t.equal(refusal(await api.editor.remove(kind, id)), unknown)
      t.equal(refusal(await api.anonymous.read(kind, id)), unknown)
      t.equal(refusal(await api.editor.remove(kind, other, 'force=maybe')), '400 rest_invalid_param force')
      t.not(await make(api, kind, { name: 'Doomed' }), id, 'an ID is never used again')
      await must(api.editor.remove(kind, id + 2))
    }
  }
  const api = await openRecords(t)
  const top = await make(api, 'category', { name: 'Top' })
  const middle = await make(api, 'category', { name: 'Middle', parent: top })
  const low = await make(api, 'category', { name: 'Low', parent: middle })
  await must(api.editor.remove('category', middle))
  t.equal((await api.anonymous.read('category', low)).body.parent, top)
  await must(api.editor.remove('category', top))
  t.equal((await api.anonymous.read('category', low)).body.parent, 0)
})

t.test('the count of a term is that of its published events, after every write', async (t) => {
  const api = await openRecords(t)
  const { editor, anonymous } = api
  const ids: Record<string, number> = {}
  for (const name of ['a', 'b'])
    for (const kind of KINDS) ids[`${kind} ${name}`] = await make(api, kind, { name })
  const counts = async (kind: Kind) =>
    (await Promise.all(['a', 'b'].map((name) => anonymous.read(kind, ids[`${kind} ${name}`]!))))
      .map(({ body }) => body.count)
      .join(' ')
  const terms = (names: string[]) => ({ categories: names, tags: names })
  const { id } = await must(editor.create('event', { ...EVENT, ...terms(['a']) }))
  const other = await must(editor.create('event', { ...EVENT, ...terms(['a', 'b']), slug: 'other' }))
  const tomorrow = '2026-11-22 09:00:00'

  const passTime = async () => {
    api.clock.now = Date.parse(`${tomorrow}Z`)
  }
  const below = { parent: ids['category a'] }
  const patch = (sent: object) => () => must(editor.change('event', id, sent))
  const steps: [what: string, write: () => Promise<unknown>, counts: string][] = [
    ['nothing', async () => {}, '2 1'],
    ['title', patch({ title: 'x' }), '2 1'],
    ['draft', patch({ status: 'draft' }), '1 1'],
    ['terms of a draft', patch(terms(['a', 'b'])), '1 1'],
    ['publish', patch({ status: 'publish' }), '2 2'],
    ['another term', patch(terms(['b'])), '1 2'],
    ['one below the other', () => must(editor.change('category', ids['category b']!, below)), '1 2'],
    ['a term twice', patch(terms(['b', 'B', 'a'])), '2 2'],
    ['no terms', patch({ categories: '', tags: null }), '1 1'],
    ['terms and status at once', patch({ ...terms(['a', 'b']), status: 'private' }), '1 1'],
    ['back', patch({ status: 'publish' }), '2 2'],
    ['scheduled', patch({ date: tomorrow }), '1 1'],
    ['due', passTime, '2 2'],
    ['hidden from lists', patch({ hide_from_listings: true, password: 'x' }), '2 2'],
    ['trash', () => must(editor.remove('event', id)), '1 1'],
    ['restored as a draft', patch({ status: 'draft' }), '1 1'],
    ['trash by an update', patch({ status: 'trash' }), '1 1'],
    ['restored with other terms', patch({ status: 'publish', ...terms(['a']) }), '2 1'],
    ['deleted for good', () => must(editor.remove('event', 'other', 'force=true')), '1 0'],
    ['to the trash and gone', () => must(editor.remove('event', id, 'force=true')), '0 0'],
  ]
  for (const [what, write, expected] of steps) {
    await write()
    for (const kind of KINDS) t.equal(await counts(kind), expected, `${what}: ${kind}`)
    const listed = async (query: string) => (await anonymous.list('tag', query)).body.total
    t.equal(await listed(''), expected.split(' ').filter((count) => count !== '0').length)
    t.equal(await listed('hide_empty=false'), 2)
  }
  t.equal((await editor.read('event', other.id)).status, 404)
})

t.test('a refused write leaves counts alone, and what an event shows of them is the present', async (t) => {
  const { editor, author, anonymous } = await openRecords(t)
  const { id, tags } = await must(editor.create('event', { ...EVENT, tags: ['t'] }))
  const count = async () => (await anonymous.read('tag', tags[0].id)).body.count
  t.match(await author.change('event', id, { tags: [] }), { status: 403 })
  t.match(await editor.change('event', id, { tags: [], venue: 999 }), { status: 400 })
  t.match(await author.create('event', { ...EVENT, tags: ['t', 'new'] }), { status: 403 })
  t.equal(await count(), 1)
  await must(author.create('event', { ...EVENT, tags: ['t'] }))
  t.equal(await count(), 2)
  t.equal((await anonymous.read('event', id)).body.tags[0].count, 2)
})
