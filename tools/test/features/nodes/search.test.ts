import t from 'tap'
import { must, shown } from '../../../../test/support/answers.ts'
import type { Api } from '../../../../test/support/app.ts'
import { EVENT } from '../../../../test/support/given.ts'
import { follow, openPair, openPostgres } from '../../support/node-pair.ts'

const postgres = await openPostgres(t)

t.test('people search on every node for what any node wrote', async (t) => {
  const { one, two } = await openPair(t, postgres)
  const ask = async ({ anonymous }: Api, q: string) => {
    const answer = await anonymous.get(`/events?q=${encodeURIComponent(q)}`)
    return [shown(answer), answer.headers['x-search-corrections'] ?? ''].join(' | ')
  }
  const suggest = async ({ anonymous }: Api, q: string) => {
    const { words, venues, events } = await must(anonymous.get(`/suggest?q=${q}`))
    return [words, venues.length, events.length].flat().join(' ')
  }
  for (const node of [one, two]) {
    t.equal(await ask(node, 'apollo'), ' | ')
    t.equal(await suggest(node, 'apo'), '0 0')
  }
  const venue = await must(one.editor.post('/venues', { venue: 'Apollo' }))
  const { id } = await must(one.editor.post('/events', { ...EVENT, title: 'Opera', venue: venue.id }))
  const both = async (q: string) => {
    const found = []
    for (const node of [one, two]) {
      await follow(node)
      found.push(await ask(node, q))
    }
    t.equal(found[0], found[1], q)
    return found[0]
  }
  t.equal(await both('apollo'), 'Opera | ')
  t.equal(await both('apolo oper'), 'Opera | apolo=apollo')
  await must(one.editor.patch(`/venues/${venue.id}`, { venue: 'Razzmatazz' }))
  t.equal(await both('apolo'), ' | ')
  t.equal(await both('razzmataz'), 'Opera | ')
  await must(one.editor.patch(`/events/${id}`, { title: 'Operetta' }))
  t.equal(await both('operettas'), 'Operetta | operettas=operetta')
  for (const node of [one, two]) {
    t.equal(await suggest(node, 'oper'), 'operetta 0 1')
    t.equal(await suggest(node, 'raz'), 'razzmatazz 1 0')
  }
})
