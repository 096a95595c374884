import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import { storedDates, WEEKLY } from '../../../../test/support/series.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const DAY = 86_400_000
const DAILY = { ...WEEKLY, recurrence: { rrule: 'FREQ=DAILY' } }
const postgres = await openPostgres(t)

/** Lets two nodes look for dates at the same moment, a hundred days later, until none finds any. */
async function extendBoth(one: Api, two: Api) {
  for (const { clock } of [one, two]) clock.now += 100 * DAY
  const look = () => Promise.all([one, two].map(({ app }) => app.store.occurrenceWindow.extend()))
  while ((await look()).includes(true));
}

t.test('two nodes give a series its dates once', async (t) => {
  const { one, two } = await openPair(t, postgres)
  const { id } = await must(one.editor.post('/series', DAILY))
  await follow(two)
  const before = storedDates(one, id)
  await extendBoth(one, two)
  for (const node of [one, two]) await follow(node)
  const after = storedDates(one, id)
  t.equal(after.length, before.length + 100)
  t.equal(new Set(after.map(({ date }) => date)).size, after.length)
  t.same(after.slice(0, before.length), before)
  t.same(storedDates(two, id), after)
})
