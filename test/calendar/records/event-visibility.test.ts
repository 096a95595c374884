import { eq } from 'drizzle-orm'
import t from 'tap'
import { posts } from '../../../drizzle/tables.ts'
import { ROLES } from '../../../src/kernel/access/rights.ts'
import { must, pick, refusal } from '../../support/answers.ts'
import { EVENT } from '../../support/given.ts'
import { openRecords } from '../../support/store.ts'
import { faults } from '../../support/validation.ts'

const ASKERS = ['anonymous', ...ROLES] as const
type Asker = (typeof ASKERS)[number]
const STATUSES = ['publish', 'future', 'draft', 'pending', 'private', 'trash'] as const

t.test('every list shows a caller what the same caller reads one by one', async (t) => {
  const api = await openRecords(t)
  const { editor, administrator } = api
  const parent = await must(editor.create('event', { ...EVENT, title: 'Parent', hide_from_listings: true }))
  const venue = await must(editor.create('venue', { venue: 'V' }))
  const events: { id: number; slug: string; status: string; owner: Asker }[] = []
  for (const owner of ROLES)
    for (const status of STATUSES) {
      const date = status === 'future' ? { date: '2027-06-01' } : {}
      const more = {
        author: api.ids[owner],
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
      const made = await must(administrator.create('event', { ...EVENT, ...sent }))
      const { id, slug } = status === 'trash' ? await must(administrator.remove('event', made.id)) : made
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
      for (const key of [event.id, event.slug]) {
        const answer = await client.read('event', key)
        const what = `${asker} reads ${event.slug}`
        if (event.status === 'trash') t.equal(refusal(answer), '403 event-no-longer-available', what)
        else if (sees(asker, event)) t.match(answer, { status: 200, body: { id: event.id } }, what)
        else t.equal(refusal(answer), '403 event-not-accessible', what)
      }

    const ids = events.map(({ id }) => id).join(',')
    const shown = async (query: string) => {
      const { body } = await client.list('event', `per_page=50&${query}`)
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
      } else t.equal(refusal(await client.list('event', `${query}`)), '400 rest_invalid_param status')
    }
    if (mayAsk) t.strictSame(await shown('status=any'), expected(live))
    else t.equal(refusal(await client.list('event', 'status=any')), '400 rest_invalid_param status')
  }
})

t.test('pages of a list are pages of what the caller may see', async (t) => {
  const { editor, anonymous, author } = await openRecords(t)
  for (let at = 1; at <= 7; at++)
    await must(editor.create('event', { ...EVENT, title: `E${at}`, status: at % 2 ? 'publish' : 'draft' }))
  await must(author.create('event', { ...EVENT, title: 'Own', status: 'draft' }))
  for (const [client, titles] of [
    [anonymous, ['E1 E3', 'E5 E7']],
    [author, ['E1 E3', 'E5 E7', 'Own']],
    [editor, ['E1 E2', 'E3 E4', 'E5 E6', 'E7 Own']],
  ] as const) {
    const total = titles.join(' ').split(' ').length
    for (const [at, page] of titles.entries()) {
      const { body } = await client.list('event', `per_page=2&page=${at + 1}`)
      t.equal(body.events.map(({ title }: { title: string }) => title).join(' '), page)
      t.equal(body.total, total)
    }
    const beyond = await client.list('event', `per_page=2&page=${titles.length + 1}`)
    t.same(beyond.body, { events: [], total })
  }
})

t.test('only editors give an event to somebody else', async (t) => {
  const api = await openRecords(t)
  const { author, contributor, editor } = api.ids
  const own = await must(api.author.create('event', { ...EVENT, author: String(author) }))
  const before = api.fingerprint()
  for (const who of ['contributor', 'author'] as const)
    t.equal(refusal(await api[who].create('event', { ...EVENT, author: editor })), '403 rest_forbidden')
  for (const key of [own.id, own.slug])
    t.equal(
      refusal(await api.author.change('event', key, { title: 'x', author: contributor })),
      '403 rest_forbidden',
    )
  t.equal(api.fingerprint(), before)
  for (const [sent, shown] of [
    [{ author }, author],
    [{ author: null }, author],
    [{}, author],
  ] as const)
    t.match(await must(api.author.change('event', own.id, sent)), { author: String(shown) })
  t.match(await must(api.editor.change('event', own.id, { author: contributor })), {
    author: String(contributor),
  })
  t.equal(refusal(await api.author.change('event', own.id, {})), '403 rest_forbidden', 'it is theirs no more')
  t.match(await must(api.editor.create('event', { ...EVENT, author })), {
    author: String(author),
  })
})

const FULL = {
  ...{
    description: 'secret',
    excerpt: 'secret',
    cost: '$77',
    website: 'https://secret.example',
    virtual_url: 'https://stream.secret.example',
    event_status: 'postponed',
    attendance_mode: 'online',
    all_day: true,
  },
  ...{ show_map: true, show_map_link: true, sticky: true, featured: true, ticketed: true },
  ...{ categories: ['c'], tags: ['t'], venue: { venue: 'V' }, organizer: { organizer: 'O' } },
}
const BLANK = {
  ...{ description: '', excerpt: '', image: false, cost: '', website: '', virtual_url: '', all_day: false },
  cost_details: { currency_symbol: '', currency_code: '', currency_position: '', values: [] },
  ...{ show_map: false, show_map_link: false, hide_from_listings: false, sticky: false },
  ...{ featured: false, ticketed: false, categories: [], tags: [], venue: [], organizer: [] },
}
const LOCKED = '403 event-password-protected'

t.test('a protected event stays in lists, blanked, and is read with its password', async (t) => {
  const api = await openRecords(t)
  await must(api.editor.create('tag', { name: 't' }))
  const full = await must(api.author.create('event', { ...EVENT, ...FULL, password: 'open & sesame' }))
  t.match(full, { description: '<p>secret</p>', venue: { venue: 'V' } }, 'its author sees it in full')
  const right = `password=${encodeURIComponent('open & sesame')}`
  for (const [who, open] of [
    ['anonymous', false],
    ['contributor', false],
    ['author', true],
    ['editor', true],
  ] as const)
    for (const key of [full.id, full.slug]) {
      const read = async (query: string) => {
        const answer = await api[who].read('event', key, query)
        return answer.status === 200
          ? (({ json_ld, venue, organizer, ...rest }) => rest)(answer.body)
          : refusal(answer)
      }
      const { venue, organizer, ...shown } = full
      t.strictSame(await read(''), open ? shown : LOCKED, `${who} ${key}`)
      t.strictSame(await read('password=wrong'), open ? shown : LOCKED)
      t.strictSame(await read('password=Open+%26+sesame'), open ? shown : LOCKED, 'case matters')
      t.strictSame(await read(right), shown)
      t.strictSame(await read(`password=wrong&${right}`), shown, 'the last one counts')
      t.equal(await read('password='), '400 rest_invalid_param password')
      t.equal(await read('password[]=x'), '400 rest_invalid_param password')

      const list = async (query: string) => {
        const { body } = await api[who].list('event', query)
        t.equal(body.total, 1)
        t.notMatch(JSON.stringify(body), /sesame/)
        return body.events[0]
      }
      t.strictSame(await list(''), open ? full : { ...full, ...BLANK })
      t.strictSame(await list('password=wrong'), open ? full : { ...full, ...BLANK })
      t.strictSame(await list(right), full)
      t.strictSame(faults('CalendarEvent', await list('')), [])
    }
})

t.test('a password is set on create and by ID, changed, cleared, and never kept as it is', async (t) => {
  const { editor, anonymous, store } = await openRecords(t)
  const { id, slug } = await must(editor.create('event', EVENT))
  const opens = async (password: string) =>
    (await anonymous.read('event', id, password && `password=${password}`)).status === 200
  t.ok(await opens(''))
  const steps: [sent: object, password: string][] = [
    [{ password: 'one' }, 'one'],
    [{ title: 'Changed' }, 'one'],
    [{ password: 'two' }, 'two'],
    [{ password: 'x'.repeat(255) }, 'x'.repeat(255)],
    [{ password: '' }, ''],
    [{ password: 'p%20s' }, encodeURIComponent('p%20s')],
    [{ password: null }, ''],
    [{ password: ' 0 ' }, '%200%20'],
  ]
  for (const [sent, password] of steps) {
    const answer = await editor.change('event', id, sent)
    t.equal(answer.status, 200)
    t.notMatch(JSON.stringify(answer.body), /password|scrypt/)
    t.equal(answer.body.protected, password === '' ? undefined : true, 'that there is one is told')
    t.ok(await opens(password), JSON.stringify(sent).slice(0, 40))
    if (password !== '') t.notOk(await opens(''))
    t.notOk((await opens('other')) && password !== '')
    const [row] = await store.db.read.select().from(posts).where(eq(posts.id, id))
    if (password === '') t.equal(row!.password_hash, null)
    else t.notMatch(row!.password_hash, decodeURIComponent(password))
  }
  const bySlug = await editor.change('event', slug, { password: 'three' })
  t.strictSame([bySlug.status, bySlug.ignored], [200, []])
  t.ok(await opens('three'), 'by slug as well')
  await must(editor.change('event', id, { password: ' 0 ' }))
  for (const password of [5, true, ['x'], 'x'.repeat(256)])
    t.equal(refusal(await editor.change('event', id, { password })), '400 rest_invalid_param password')
  t.ok(await opens('%200%20'))
})

t.test('a password opens one event and nothing else', async (t) => {
  const { editor, anonymous, contributor } = await openRecords(t)
  const add = (title: string, more: object) =>
    must(editor.create('event', { ...EVENT, title, ...FULL, ...more }))
  const one = await add('One', { password: 'one' })
  const two = await add('Two', { password: 'two', categories: [], tags: [] })
  const hidden = await add('Hidden', { password: 'one', status: 'private' })
  const trashed = await add('Trashed', { password: 'one' })
  await must(editor.remove('event', trashed.id))
  t.equal(refusal(await anonymous.read('event', two.id, 'password=one')), LOCKED)
  t.equal(refusal(await anonymous.read('event', hidden.id, 'password=one')), '403 event-not-accessible')
  t.equal(refusal(await anonymous.read('event', trashed.id, 'password=one')), '403 event-no-longer-available')
  const { events } = (await anonymous.list('event', 'password=one')).body
  t.strictSame(events, [one, { ...two, ...BLANK }])
  for (const client of [anonymous, contributor])
    t.match(await client.remove('event', one.id, 'password=one'), { body: { code: 'rest_forbidden' } })
  t.match(
    await editor.remove('event', one.id, 'password=wrong'),
    { status: 200 },
    'deleting asks for the right alone',
  )
})

t.test('who may not edit their own event any more needs the password as well', async (t) => {
  const { editor, contributor } = await openRecords(t)
  const { id } = await must(
    contributor.create('event', { ...EVENT, ...FULL, categories: [], tags: [], password: 'mine' }),
  )
  t.equal((await contributor.read('event', id)).status, 200)
  await must(editor.change('event', id, { status: 'publish' }))
  t.equal(refusal(await contributor.read('event', id)), LOCKED)
  const { body } = await contributor.list('event')
  t.strictSame(pick(body.events[0], BLANK), BLANK)
})

t.test('what a protected event is linked to is not found out by asking for its links', async (t) => {
  const { anonymous, editor } = await openRecords(t)
  const { body: event } = await editor.create('event', {
    ...EVENT,
    password: 'open sesame',
    venue: { venue: 'Cellar' },
    organizer: { organizer: 'Club' },
    categories: ['Jazz'],
    tags: ['late'],
  })
  for (const kind of ['venue', 'organizer', 'category', 'tag'] as const) {
    const query = `event=${event.id}`
    t.equal(
      (await anonymous.list(kind, query)).body.total,
      0,
      `${kind}: kept from those without the password`,
    )
    t.equal((await editor.list(kind, query)).body.total, 1, `${kind}: shown to those who may edit the event`)
  }
})
