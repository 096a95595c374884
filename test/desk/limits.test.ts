import t from 'tap'
import { callerFor, inAll, isAllowed } from '../../desk/rules/limits.ts'
import { canEdit, RIGHTS } from '../../src/calendar/rights.ts'
import { has } from '../../src/kernel/access/rights.ts'

const SETS = [
  { categories: [1, 2], venues: [7] },
  { categories: [2], venues: [] },
]

t.test('limits allow an event that each of them allows by a category or a venue', (t) => {
  t.ok(isAllowed(undefined, { id: 9 }))
  t.ok(isAllowed(SETS, { id: 9, categories: [{ id: 2 }] }))
  t.notOk(isAllowed(SETS, { id: 9, categories: [{ id: 1 }] }))
  t.notOk(isAllowed(SETS, { id: 9 }))
  const [first] = SETS
  for (const venue of [{ id: 7, venue: 'Hall' }, [{ id: 7 }]]) t.ok(isAllowed([first!], { id: 9, venue }))
  for (const venue of [[], false, 'Hall', { id: 8 }]) t.notOk(isAllowed([first!], { id: 9, venue }))
  t.ok(isAllowed([first!], { id: 7 }), 'the venue itself')
  t.same([inAll(SETS, 'categories'), inAll(SETS, 'venues'), inAll([], 'venues')], [[2], [], []])
  t.end()
})

t.test('who has limits edits what is within, and has no right about the whole calendar', (t) => {
  const user = { user: 3, role: 'editor' as const }
  const event = { id: 9, kind: 'event' as const, author_id: 4, status: 'draft' }
  const located = { id: 9, categories: [{ id: 2 }] }
  t.ok(canEdit(callerFor(user), event))
  t.ok(canEdit(callerFor({ ...user, limits: SETS }, located), event))
  t.notOk(canEdit(callerFor({ ...user, limits: SETS }, { id: 9 }), event))
  t.notOk(has(callerFor({ ...user, limits: SETS }), RIGHTS['create, change and delete categories']))
  t.ok(has(callerFor({ ...user, limits: SETS }), RIGHTS['create records']))
  t.end()
})
