import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { build, EVENT } from '../../support/app.ts'

// What programs of WordPress sites sent, one request on a line. The file lies beside the checkout.
const FILE = fileURLToPath(new URL('../../../../shared/conformance/client-requests.ndjson', import.meta.url))
const missing =
  existsSync(FILE) || process.env.CONFORMANCE === 'required'
    ? false
    : 'the requests of clients are not beside this checkout'

type Sent = { m: string; path: string; q: Record<string, string>; auth: string; ct?: string; body: string }

/** The IDs that the records had which they made, in the order of their requests. */
const MADE = [108, 109, 110, 111, 112, 113, 114, 115]
/** Members of their bodies that name records. */
const NAMING = ['id', 'venue', 'venue_id', 'organizer', 'organizers', 'categories']
/** A slug that one of them looks for, to see what is said of none. */
const NONE = 'this-slug-should-not-exist'

t.test('programs of WordPress sites get what they expect', { skip: missing }, async (t) => {
  const { app, editor, credentials } = await build(t)
  const venue = await must(editor.post('/venues', { venue: 'Hall' }))
  const organizer = await must(editor.post('/organizers', { organizer: 'Choir' }))
  const category = await must(editor.post('/categories', { name: 'Church' }))
  for (let at = 101; at <= 110; at++)
    await must(editor.post('/events', { ...EVENT, slug: `e${at}`, categories: ['Church'] }))
  /** The IDs here by those that stand in the requests. */
  const ids = new Map<string, number>([
    ['900', venue.id],
    ['800', organizer.id],
    ['10', category.id],
  ])
  const known = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(known) : (ids.get(String(value)) ?? value)
  const bodyOf = (text: string) => {
    const members = Object.entries(JSON.parse(text) as object)
    return Object.fromEntries(
      members.map(([name, value]) => [name, NAMING.includes(name) ? known(value) : value]),
    )
  }

  const lines = readFileSync(FILE, 'utf8').trim().split('\n')
  t.equal(lines.length, 42)
  const made = [...MADE]
  for (const [at, line] of lines.entries()) {
    const { m, path, q, auth, ct, body } = JSON.parse(line) as Sent
    const { statusCode, headers, ...answer } = await app.inject({
      method: m as 'GET',
      url: path.replace(/\d+$/, (id) => String(known(id))),
      query: q,
      headers: {
        ...(auth && { authorization: credentials.editor.authorization }),
        ...(body && { 'content-type': ct ?? 'application/json' }),
      },
      ...(body && { payload: JSON.stringify(bodyOf(body)) }),
    })
    const title = `${at + 1}: ${m} ${path}`
    t.equal(
      statusCode,
      path.includes(NONE) ? 404 : m === 'POST' ? 201 : 200,
      `${title} ${answer.body}`.slice(0, 400),
    )
    t.match(headers['content-type'], 'application/json', title)
    const shown = answer.json()
    if (m === 'POST') ids.set(String(made.shift()), shown.id)
    if (!body.includes('featured_image')) continue
    t.equal(headers['x-ignored-fields'], 'featured_image', 'a picture of another site')
    t.match(shown, { venue: { id: ids.get('113') }, organizer: [{ id: ids.get('114') }], image: false })
  }
  t.same(made, [], 'all that they made is there')
})
