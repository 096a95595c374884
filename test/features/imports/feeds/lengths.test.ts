import t from 'tap'
import { readFeed as steps } from '../../../../src/features/imports/feeds/feed-import.ts'
import { finish } from '../../../../src/kernel/tasks/scheduler.ts'
import { calendarOf, rssOf } from '../../../support/sites.ts'

const readFeed = (...of: Parameters<typeof steps>) => finish(steps(...of))

const PLACE = 'https://place.example/whats-on/'
const read = (text: string) =>
  readFeed(text, { zone: 'Europe/Madrid', media: true, languages: ['en'], address: PLACE, shown: PLACE })
    .items
const MUCH = 1_000_000
const entry = (html: string) => rssOf(`<title>A</title><description><![CDATA[${html}]]></description>`)
const many = (text: string) => text.repeat(MUCH / text.length)

// a text whose reading costs the square of its length would take minutes here
t.test('a calendar of one very long text is read', (t) => {
  for (const line of [
    `LOCATION:a${many(' ')}b`,
    `LOCATION:a${many('\\n')}b`,
    `SUMMARY:a${many(' ')}b`,
    `SUMMARY:a${many('\\n')}b`,
    `ORGANIZER:${many('a')}`,
    `ORGANIZER:a@${many('b')}`,
    `CONTACT:${many('a@')}`,
    `CONTACT:${many('1a')}`,
    `CONTACT:a${many(' ')}b`,
    `X-ALT-DESC;FMTTYPE=text/html:${many('<body')}`,
    `X-ALT-DESC;FMTTYPE=text/html:${many('<body>')}`,
    `DESCRIPTION:${many('<a ')}<b>`,
    `DESCRIPTION:${many('&#')}`,
    `DTSTART;TZID=${many('/')}:20261201T100000`,
  ]) {
    const event = ['UID:1', 'DTSTART:20261201T100000Z', line]
    t.match(read(calendarOf(event)), [{ external_id: '1' }], line.slice(0, 40))
  }
  t.end()
})

t.test('a feed and a page of one very long text are read', (t) => {
  for (const html of [
    '<b>x',
    '<',
    '<a ',
    '<!--',
    '</b>',
    '<p>',
    '<b class="dt-start">x',
    '<script type="application/ld+json">{}</script>\n',
  ])
    t.match(read(entry(many(html))), [{ name: 'A' }], html)
  const script = (json: string) => `<script type="application/ld+json">${json}</script>`
  const page = (json: string) => `<html>${script(json)}`
  for (const json of [many('"@type":['), many('"@type":"'), many('<script')])
    t.throws(() => read(page(json)), { message: /JSON-LD|something else/ }, json.slice(0, 20))
  const event = (name: string) => `{"@type":"Event","name":"${name}","startDate":"2026-12-01"}`
  t.match(read(page(event(many('&amp;')))), [{ body: { start_date: '2026-12-01' } }])
  t.equal(read(page(event('A').replace('{', `{"eventStatus":"${many('a')}",`))).length, 1)
  t.equal(read(page(`[${Array.from({ length: 10_000 }, (_, at) => event(`${at}`)).join()}]`)).length, 10_000)
  const pages = Array.from({ length: 10_000 }, (_, at) => script(event(`${at}`)))
  t.equal(read(`<html>${pages.join('\n')}`).at(-1)!.line, 10_000)
  t.end()
})

t.test('what lies deeper than browsers show is not read', (t) => {
  const start = '<b class="dt-start">2026-12-01</b>'
  const at = (depth: number) => read(entry(`${'<i>'.repeat(depth)}${start}`))
  t.match(at(500), [{ body: { start_date: '2026-12-01' } }])
  t.match(at(600), [{ refused: 'does not tell when it starts' }])
  t.end()
})

t.test('words that every object has say nothing', (t) => {
  const [item] = read(entry('<b class="constructor">2026-12-01</b>'))
  t.match(item, { refused: 'does not tell when it starts' })
  const thing = '{"@type":"Event","name":"A","startDate":"2026-12-01","eventStatus":"constructor"}'
  t.notOk('event_status' in read(`<html><script type="application/ld+json">${thing}</script>`)[0]!.body)
  t.end()
})
