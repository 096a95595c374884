import t from 'tap'
import { connectAll } from '../support/connection.ts'
import { EVENT, ROOT } from '../support/given.ts'
import { addToken, serveMeasured } from '../support/process.ts'

const file = `${t.testdir()}/a.db`
const authorization = `Bearer ${await addToken(file)}`

t.test('people search in every process for what was just written', async (t) => {
  const { port } = await serveMeasured(t, file, { WORKERS: '2' })
  const { all } = await connectAll(port, 2)
  t.teardown(() => all.forEach((connection) => void connection.close()))
  const headers = { authorization, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const reply = await all[0]!.send(method, ROOT + path, { headers, body: JSON.stringify(body) })
    t.ok(reply.status < 300, path)
    return reply.body
  }
  const see = async (q: string) => {
    const found = []
    for (const by of all) {
      const { body, headers } = await by.send('GET', `${ROOT}/events?q=${q}`)
      const suggested = (await by.send('GET', `${ROOT}/suggest?q=${q}`)).body
      found.push(
        [
          body.total,
          headers['x-search-corrections'] ?? '-',
          suggested.venues.length,
          suggested.events.length,
        ].join(' '),
      )
    }
    t.equal(found[0], found[1], q)
    return found[0]
  }
  t.equal(await see('apollo'), '0 - 0 0')
  const venue = await send('POST', '/venues', { venue: 'Apollo' })
  const { id } = await send('POST', '/events', { ...EVENT, title: 'Opera', venue: venue.id })
  t.equal(await see('apollo'), '1 - 1 0')
  t.equal(await see('apolo'), '1 apolo=apollo 0 0')
  await send('PATCH', `/venues/${venue.id}`, { venue: 'Razzmatazz' })
  t.equal(await see('apollo'), '0 - 0 0')
  t.equal(await see('razz'), '1 - 1 0')
  await send('PATCH', `/events/${id}`, { title: 'Operetta' })
  t.equal(await see('operetta'), '1 - 0 1')
})
