import t from 'tap'
import { ROLES } from '../src/rules/roles.ts'
import { refusal } from './support/answers.ts'
import { build, EVENT } from './support/app.ts'
import { must } from './support/events.ts'

const ASKERS = ['anonymous', ...ROLES] as const
type Asker = (typeof ASKERS)[number]
const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

t.test('every list shows a caller what the same caller reads one by one', async (t) => {
  const api = await build(t)
  const { editor, administrator } = api
  const parent = await must(editor.post('/events', { ...EVENT, title: 'Parent', hide_from_listings: true }))
  const venue = await must(editor.post('/venues', { venue: 'V' }))
  const events: { id: number; slug: string; status: string; owner: Asker }[] = []
  for (const owner of ROLES)
    for (const status of STATUSES) {
      const date = status === 'future' ? { date: '2027-06-01' } : {}
      const more = {
        author: api.credentials[owner].id,
        post_parent: parent.id,
        categories: ['c'],
        venue: venue.id,
      }
      const sent = {
        ...more,
        ...date,
        slug: `${owner}-${status}`,
        status: status === 'trash' ? 'draft' : status,
      }
      const made = await must(administrator.post('/events', { ...EVENT, ...sent }))
      const { id, slug } = status === 'trash' ? await must(administrator.delete(`/events/${made.id}`)) : made
      events.push({ id, slug, status, owner })
    }
  const sees = (asker: Asker, { owner, status }: { owner: Asker; status: string }) =>
    status === 'publish' ||
    ['editor', 'administrator'].includes(asker) ||
    (['contributor', 'author'].includes(asker) && owner === asker)

  for (const asker of ASKERS) {
    const client = api[asker]
    const mayAsk = !['anonymous', 'subscriber'].includes(asker)
    for (const event of events)
      for (const key of [event.id, `by-slug/${event.slug}`]) {
        const answer = await client.get(`/events/${key}`)
        const what = `${asker} reads ${event.slug}`
        if (event.status === 'trash') t.equal(refusal(answer), '403 event-no-longer-available', what)
        else if (sees(asker, event)) t.match(answer, { status: 200, body: { id: event.id } }, what)
        else t.equal(refusal(answer), '403 event-not-accessible', what)
      }

    const ids = events.map(({ id }) => id).join(',')
    const shown = async (query: string) => {
      const { body } = await client.get(`/events?per_page=50&${query}`)
      t.equal(body.total, body.events.length, `${asker} ${query}: the total is that of the list`)
      return body.events.map(({ slug }: { slug: string }) => slug).sort()
    }
    const expected = (statuses: readonly string[]) =>
      events
        .filter((event) => statuses.includes(event.status) && sees(asker, event))
        .map(({ slug }) => slug)
        .sort()
    const live = STATUSES.filter((status) => status !== 'trash')
    for (const query of [
      '',
      `include=${ids}`,
      `post_parent=${parent.id}`,
      'categories=c',
      `venue=${venue.id}`,
      'search=concert',
    ])
      t.strictSame(await shown(query), expected(live), `${asker} ${query}`)
    for (const statuses of [
      ['publish'],
      ['draft', 'private'],
      ['future'],
      ['trash', 'pending'],
      live,
      STATUSES,
    ]) {
      const query = `status=${statuses.join(',')}`
      if (mayAsk || query === 'status=publish') {
        t.strictSame(await shown(query), expected(statuses), `${asker} ${query}`)
        t.strictSame(await shown(`${query}&include=${ids}`), expected(statuses), `${asker} ${query} by ID`)
      } else t.equal(refusal(await client.get(`/events?${query}`)), '400 rest_invalid_param status')
    }
    if (mayAsk) t.strictSame(await shown('status=any'), expected(live))
    else t.equal(refusal(await client.get('/events?status=any')), '400 rest_invalid_param status')
  }
})

t.test('pages of a list are pages of what the caller may see', async (t) => {
  const { editor, anonymous, author } = await build(t)
  for (let at = 1; at <= 7; at++)
    await must(editor.post('/events', { ...EVENT, title: `E${at}`, status: at % 2 ? 'publish' : 'draft' }))
  await must(author.post('/events', { ...EVENT, title: 'Own', status: 'draft' }))
  for (const [client, titles] of [
    [anonymous, ['E1 E3', 'E5 E7']],
    [author, ['E1 E3', 'E5 E7', 'Own']],
    [editor, ['E1 E2', 'E3 E4', 'E5 E6', 'E7 Own']],
  ] as const) {
    const total = titles.join(' ').split(' ').length
    for (const [at, page] of titles.entries()) {
      const { body } = await client.get(`/events?per_page=2&page=${at + 1}`)
      t.equal(body.events.map(({ title }: { title: string }) => title).join(' '), page)
      t.match(body, { total, total_pages: titles.length })
      t.equal('next_rest_url' in body, at + 1 < titles.length)
    }
    const beyond = await client.get(`/events?per_page=2&page=${titles.length + 1}`)
    t.equal(refusal(beyond), '404 event-archive-page-not-found')
  }
})

t.test('only editors give an event to somebody else', async (t) => {
  const api = await build(t)
  const { author, contributor, editor } = api.credentials
  const own = await must(api.author.post('/events', { ...EVENT, author: String(author.id) }))
  const before = await api.fingerprint()
  for (const who of ['contributor', 'author'] as const)
    t.equal(refusal(await api[who].post('/events', { ...EVENT, author: editor.id })), '403 rest_forbidden')
  for (const path of [`/events/${own.id}`, `/events/by-slug/${own.slug}`])
    t.equal(
      refusal(await api.author.patch(path, { title: 'x', author: contributor.id })),
      '403 rest_forbidden',
    )
  t.equal(await api.fingerprint(), before)
  for (const [sent, shown] of [
    [{ author: author.id }, author.id],
    [{ author: null }, author.id],
    [{}, author.id],
  ] as const)
    t.match(await must(api.author.patch(`/events/${own.id}`, sent)), { author: String(shown) })
  t.match(await must(api.editor.patch(`/events/${own.id}`, { author: contributor.id })), {
    author: String(contributor.id),
  })
  t.equal(
    refusal(await api.author.patch(`/events/${own.id}`, {})),
    '403 rest_forbidden',
    'it is theirs no more',
  )
  t.match(await must(api.editor.post('/events', { ...EVENT, author: author.id })), {
    author: String(author.id),
  })
})
