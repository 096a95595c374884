import t from 'tap'
import { must } from '../../../../test/support/answers.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)

t.test('which version a file had is known to every node', async (t) => {
  const { one, two, as } = await openPair(t, postgres)
  const file = (sequence: number) =>
    `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nSEQUENCE:${sequence}\r\nSUMMARY:A${sequence}\r\nDTSTART:20261205T200000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
  const take = async (node: typeof one, sequence: number) => {
    const asked = as('editor')
    const headers = { ...asked.headers, 'content-type': 'text/calendar' }
    return (await must(node.anonymous.post('/imports', file(sequence), { ...asked, headers }))).counts.event
  }
  t.match(await take(one, 2), { added: 1 })
  await follow(two)
  t.match(await take(two, 1), { present: 1 })
  t.match(await take(two, 3), { updated: 1 })
  await follow(one)
  t.match(await take(one, 2), { present: 1 })
})
