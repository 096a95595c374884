import t from 'tap'
import { build, EVENT } from '../support/app.ts'
import { connectTo } from '../support/connection.ts'
import { must } from '../support/events.ts'

const LIST = '/events?category=jazz&q=x&limit=5&start_date_after=today&per_page=3&context=view&_locale=user'

t.test('parameters of an address that nobody understands are named on every answer', async (t) => {
  const lines: { level: number; ignored?: string[] }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { anonymous, editor, app } = await build(t, { logger: { level: 'debug', stream } })
  const named = async (path: string, client = anonymous) =>
    (await client.get(path)).headers['x-ignored-parameters']
  for (const time of ['made', 'made and kept', 'kept'])
    t.equal(await named(LIST), 'category, q, limit, start_date_after', time)
  t.equal(app.answers.hits, 1)
  t.same(lines.find(({ ignored }) => ignored)?.ignored, ['category', 'q', 'limit', 'start_date_after'])
  t.equal(lines.find(({ ignored }) => ignored)?.level, 20)
  const cases: [path: string, expected: string | undefined][] = [
    ['/events?per_page=0&foo=1', 'foo'],
    ['/events/999?id=1', 'id'],
    ['/events?fo[o]=1&b%20a%0d=2', 'fo, b%20a%0D'],
    ['/?namespace=calendar/events/v1&x', 'x'],
    ['/media?i18n_language=ca', 'i18n_language'],
    ['/events?orderby=date&order=desc', 'orderby'],
    ['/events?orderby=Title&order=down', 'order'],
    ['/events?_method=DELETE', '_method'],
    ['/events?_wpnonce=1&rest_route=/&_=9&categories=1&tags[]=2', undefined],
    ['/nothing?x=1', undefined],
  ]
  for (const [path, expected] of cases) t.equal(await named(path), expected, path)
  const made = await editor.post('/events?titel=Jazz&dry_run=1', EVENT)
  t.equal(made.headers['x-ignored-parameters'], 'titel, dry_run')
  t.equal(
    (await editor.patch(`/events/${made.body.id}?title=New`, {})).headers['x-ignored-parameters'],
    undefined,
  )
  t.equal((await editor.delete(`/events/${made.body.id}?forced=1`)).headers['x-ignored-parameters'], 'forced')
  t.match(
    (await anonymous.send({ url: '/calendar/events/v1/events', headers: { origin: 'https://a.test' } }))
      .headers,
    {
      'access-control-expose-headers': /X-Ignored-Parameters.*X-Created-Terms/,
    },
  )
  await app.listen({ port: 0 })
  const connection = await connectTo((app.server.address() as { port: number }).port, () => true)
  for (const _ of [1, 2, 3])
    t.equal(
      (await connection.send('GET', '/calendar/events/v1/events?colour=red')).headers['x-ignored-parameters'],
      'colour',
    )
  connection.close()
})

t.test('a write names the terms that it made, and misspelt members inside what it links', async (t) => {
  const { editor } = await build(t)
  const jazz = await must(editor.post('/categories', { name: 'Jazz' }))
  const sent = {
    ...EVENT,
    categories: ['jazz', 'Rock, heavy'],
    tags: ['Été'],
    venue: { venue: 'Hall', adress: 'Main Street 1' },
    organizer: [
      { organizer: 'A', mail: 'a' },
      { organizer: 'B', mail: 'b' },
    ],
    colour: 'red',
  }
  const { status, headers, body } = await editor.post('/events', sent)
  t.equal(status, 201)
  const rock = body.categories.find(({ id }: { id: number }) => id !== jazz.id)
  t.equal(
    headers['x-created-terms'],
    `categories[${rock.id}]=Rock%2C%20heavy, tags[${body.tags[0].id}]=%C3%89t%C3%A9`,
  )
  t.equal(headers['x-ignored-fields'], 'colour, venue.adress, organizer.mail')
  const again = await editor.patch(`/events/${body.id}`, { categories: ['jazz'], venue: body.venue.id })
  t.equal(again.headers['x-created-terms'], undefined)
  t.equal(again.headers['x-ignored-fields'], undefined)
})

t.test('_fields is a list in every form', async (t) => {
  const { anonymous, editor } = await build(t)
  const { id } = await must(editor.post('/events', EVENT))
  for (const query of [
    '_fields=id,title',
    '_fields[]=id&_fields[]=title',
    '_fields=id&_fields=title',
    '_fields[0]=id,title',
  ])
    t.same(Object.keys((await anonymous.get(`/events/${id}?${query}`)).body), ['id', 'title'], query)
  t.equal((await anonymous.get(`/events/${id}?_fields=`)).status, 400)
  t.equal((await anonymous.get(`/events/${id}?_fields[]=`)).status, 400)
})
