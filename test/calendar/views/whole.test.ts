import t from 'tap'
import { BASE, HOST, ROOT, VENDOR } from '../../../src/calendar/formats/urls.ts'
import { isLinkedData, isOpenObject } from '../../../src/calendar/views/stored-documents.ts'

const BODY = Buffer.from(
  `{"id":2,"url":"${BASE}/event/a/","host":"${HOST}?id=2","title":"\\"Señor\\" \\\\ {[}]\\u0007","image":false,"cost":-1.5e+3,"list":[{"a":[]},null]`,
)
const MARKED = new RegExp(`"[${BASE}-${HOST}]`, 'g')
/** What is never stored there: white space, and markers elsewhere than at the beginning of a string. */
const ELSEWHERE = [...Buffer.from(` \n\r\t${BASE}${ROOT}${VENDOR}${HOST}`)]
/** Whether it is JSON with this end, as a parser sees it. */
function parses(json: Buffer, end: string): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(json)
    return Object.keys(JSON.parse(text.replace(MARKED, '"') + end)).length > 0
  } catch {
    return false
  }
}

t.test('an open object is one that a parser reads once it is closed', (t) => {
  t.ok(isOpenObject(BODY))
  const cut = Array.from(BODY, (_, length) => BODY.subarray(0, length))
  t.same(
    cut.filter(isOpenObject),
    cut.filter((json) => parses(json, '}')),
    'wherever it is cut off',
  )
  for (const json of [
    'text',
    null,
    Buffer.from('{'),
    Buffer.from('[1'),
    Buffer.from('{"a":1}'),
    Buffer.from('{}1'),
  ])
    t.notOk(isOpenObject(json))
  t.notOk(isOpenObject(Buffer.concat([BODY, Buffer.from(']')])), 'a bracket of another kind')
  t.end()
})

t.test('whatever a parser reads is whole, and of one byte less nearly nothing else', (t) => {
  const refused: number[] = []
  let wrong = 0
  for (let at = 0; at < BODY.length; at++)
    for (let byte = 0; byte < 256; byte++) {
      const json = Buffer.from(BODY)
      json[at] = byte
      if (isOpenObject(json)) {
        if (!parses(json, '}')) wrong++
      } else if (parses(json, '}') && !ELSEWHERE.includes(byte)) refused.push(at)
    }
  t.same(refused, [], 'nothing right is refused')
  t.ok(
    wrong < BODY.length * 20,
    `${wrong} of ${BODY.length * 256} changes of a byte are not seen: numbers, words, commas and keys`,
  )
  t.end()
})

t.test('JSON-LD is closed, or left open where the place of an event belongs', (t) => {
  for (const json of ['{"a":1}', '{"a":1', '{"a":', '{"a":[{"b":1},'])
    t.ok(isLinkedData(Buffer.from(json)), json)
  for (const json of ['', '{"a":"', '{"a":[1', '{"a":[[1,', 'a'])
    t.notOk(isLinkedData(Buffer.from(json)), json)
  t.notOk(isLinkedData('{"a":1}'))
  t.end()
})
