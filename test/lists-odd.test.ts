import t from 'tap'
import { build, EVENT } from './support/app.ts'
import { documentOf, operationsOf } from './support/document.ts'
import { must } from './support/events.ts'
import { faults } from './support/schema.ts'

const LISTS = ['/events', '/venues', '/organizers', '/categories', '/tags']
/** Words of two letters, none of them inside another. */
const pairs = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    String.fromCharCode(97 + (at % 26), 913 + Math.floor(at / 26)),
  ).join(' ')
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1).join(',')
const ODD: [name: string, value: string][] = [
  ['NUL', 'a%00b'],
  ['NUL alone', '%00'],
  ['controls', 'a%01%1f%7f%c2%85b%09'],
  ['quotes', '%22%00%22-%22a%0ab%22'],
  ['a lone surrogate', '%ed%a0%80'],
  ['a broken escape', '%e9'],
  ['15,000 letters', 'x'.repeat(15_000)],
  ['15,000 accents', '%cc%81'.repeat(2_400)],
  ['497 words', encodeURIComponent(pairs(497))],
  ['500 numbers', numbers(500)],
  ['100 numbers', numbers(100)],
  ['brackets', '[]{}()*^~:'],
  ['operators', 'a+AND+NEAR(+OR+NOT+%22'],
]

t.test('no parameter of a list is answered with an error of the service', async (t) => {
  const api = await build(t)
  await must(api.editor.post('/venues', { venue: 'A', description: 'a&#1;b&#9;c' }))
  await must(
    api.editor.post('/events', {
      ...EVENT,
      title: 'a b',
      venue: { venue: 'B' },
      tags: ['a'],
      categories: ['b'],
    }),
  )
  let asked = 0
  for (const { path, parameters } of operationsOf(documentOf(api.app)).filter(
    ({ method, path }) => method === 'get' && LISTS.includes(path),
  ))
    for (const { name } of [...parameters, { name: 'unknown' }])
      for (const [odd, value] of ODD)
        for (const query of [
          `${name}=${value}`,
          `${name}[]=${value}`,
          `${value}=${name}`,
          `${name}=${value}&`.repeat(300),
        ]) {
          if (query.length > 16_000 && !odd.startsWith('15')) continue
          const { status, body } = await api.editor.get(`${path}?${query.slice(0, 15_900)}`)
          asked++
          if (status === 200) continue
          t.ok(status === 400 || status === 404, `${path} ${name}: ${odd} is ${status}`)
          t.same(faults('Error', body), [])
          if (status === 400 && body.code === 'rest_invalid_param')
            t.ok(Object.keys(body.data.params).length > 0)
        }
  t.ok(asked > 1_000)
})
