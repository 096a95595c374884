import t from 'tap'
import { openChanges, openSource } from '../../../../src/features/imports/site/source.ts'
import { readEvent } from '../../../../src/features/imports/site/source-records.ts'
import { tribeEvent } from '../../../support/sites.ts'

const ROOT = 'https://old.example/calendar/events/v1'
/** A source that gives every request this answer. */
const answering = (body: object) => ({ get: async () => ({ status: 200, body }) }) as never

t.test('a list of more pages than are read is refused with their number', async (t) => {
  const of = (pages: number) =>
    openSource(answering({ events: [tribeEvent(1)], total: pages, total_pages: pages }), ROOT)
  t.match(await of(10_000).page('event', 3), { pages: 10_000, total: 10_000 })
  const why = /events\?.*page=3.* is one of 10001 pages, and at most 10000 are read$/
  await t.rejects(of(10_001).page('event', 3), { message: why })
  await t.rejects(of(10_001).dates(7, 3), { message: why })
})

t.test('changes without end end a look, and the next one goes on', async (t) => {
  const web = answering({ changes: [], has_more: true, next_sync_token: 'x' })
  const changes = openChanges(web, ROOT)
  for (let page = 1; page < 10_000; page++) await changes.since('x')
  t.match(await changes.since('x'), { token: 'x', hasMore: true })
  const why = { message: /\/changes has more than 10000 pages, and the next look goes on after these$/ }
  await t.rejects(changes.since('x'), why)
  t.match(await openChanges(web, ROOT).since('x'), { token: 'x' })
  await t.rejects(openChanges(web, ROOT).begin(), why)
})

t.test('an event with more terms or places than one may have is refused, and none of them is taken', (t) => {
  const terms = (length: number) =>
    Array.from({ length }, (_, at) => ({ id: at + 1, name: `N ${at}`, slug: `n-${at}` }))
  const take = (more: object) => readEvent('event', tribeEvent(1, more), { currency: 'EUR' })
  for (const [name, most] of [
    ['categories', 100],
    ['tags', 100],
    ['organizer', 20],
    ['venue', 20],
  ] as const) {
    const many = take({ [name]: terms(most + 1) })
    t.match(many, { refused: `it has ${most + 1} of \`${name}\`, and an event here has at most ${most}` })
    t.same(many.embedded, [])
    t.equal(take({ [name]: terms(most) }).embedded.length, most)
    t.notOk(take({ [name]: terms(most) }).refused)
  }
  t.end()
})
